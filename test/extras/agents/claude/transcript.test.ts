import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHead } from '../../../../src/extras/agents/claude/head.ts'
import { createLineParser } from '../../../../src/extras/agents/claude/transcript.ts'
import type { ParsedLine } from '../../../../src/kernel/transcript/agent.ts'
import {
  assistant,
  at,
  brief,
  failure,
  HOOK_NOTE,
  localCommand,
  PROGRESS,
  queuedCommand,
  queueLine,
  readAll,
  result,
  SNAPSHOT,
  says,
  user,
  uses,
} from '../../../support/transcript.ts'

const glue = (...lines: readonly string[]): string => `${lines.map((line) => line.trimEnd()).join('')}\n`
const told = (transcript: string | Buffer): string[] => brief(readAll(transcript).entries)

function parseLine(bytes: Buffer): ParsedLine {
  return createLineParser(bytes)(0, bytes.length)
}

/** Reads everything that is read late. */
function exhaust({ lines, bad }: ParsedLine): number {
  for (const line of lines) {
    const blocks = 'blocks' in line ? line.blocks : []
    for (const block of blocks) if (block.type === 'result') block.text(100)
  }
  return bad
}

describe('bytes around and between lines', () => {
  const two = user('one') + says('two')

  it('reads CRLF line ends', () => {
    expect(told(two.replaceAll('\n', '\r\n'))).toEqual(['user: one', 'assistant: two'])
  })

  it('reads past a byte order mark', () => {
    expect(readAll(`\ufeff${two}`)).toMatchObject({ entries: [{ text: 'one' }, { text: 'two' }], bad: 0 })
  })

  it('finds the line behind a zero-filled block and counts the block', () => {
    const transcript = user('one') + '\0'.repeat(4096) + says('two') + user('three')
    expect(readAll(transcript)).toMatchObject({
      entries: [{ text: 'one' }, { text: 'two' }, { text: 'three' }],
      bad: 1,
    })
  })

  it('loses only the zeros of a zero-filled block inside a string', () => {
    expect(told(user('be@fore\nafter').replace('@', '\0'.repeat(512)))).toEqual(['user: be fore\nafter'])
    expect(told(says('an@swer "quoted"').replace('@', '\0'))).toEqual(['assistant: an swer "quoted"'])
  })

  it('reads a tool’s result with control characters or broken escapes in it', () => {
    const run = uses('t1', 'Bash', { command: 'make' })
    const zeros = readAll(run + result('t1', 'a\nb@c').replaceAll('@', '\0'))
    expect(zeros.entries).toMatchObject([{ name: 'Bash', ok: true, output: 'a\nb c' }])
    const invalid = readAll(run + result('t1', 'a@c').replaceAll('@', '\\x') + says('on'))
    expect(brief(invalid.entries)).toEqual(['tool: Bash make ok', 'assistant: on'])
  })

  it('keeps lone surrogates, escaped or cut', () => {
    expect(told(user('cut \ud83d here'))).toEqual(['user: cut \ud83d here'])
    const cutEmoji = Buffer.from(says('smile @').replace('@', '\u0001'))
    const place = cutEmoji.indexOf(1)
    const broken = Buffer.concat([cutEmoji.subarray(0, place), Buffer.from([0xf0, 0x9f]), cutEmoji.subarray(place + 1)])
    expect(told(broken)).toEqual(['assistant: smile \ufffd'])
  })

  it('has nothing to tell of an empty file', () => {
    expect(readAll('')).toMatchObject({ entries: [], open: [], bad: 0 })
    expect(readAll('\n\n \r\n')).toMatchObject({ entries: [], bad: 0 })
  })

  it('counts lines of binary as bad', () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251))
    const read = readAll(Buffer.concat([bytes, Buffer.from(`\n${user('still here')}`)]))
    expect(read.bad).toBeGreaterThan(0)
    expect(brief(read.entries)).toEqual(['user: still here'])
  })

  it('reads a last line without line break', () => {
    expect(told(two.trimEnd())).toEqual(['user: one', 'assistant: two'])
    expect(told(glue(user('one'), user('two')).trimEnd())).toEqual(['user: one', 'user: two'])
  })

  it('keeps name and outcome of a tool whose result is one line of 10 MB', () => {
    const huge = `${'line of output \\ "quoted" é\n'.repeat(360_000)}`
    expect(huge.length).toBeGreaterThan(10_000_000)
    const read = readAll(uses('t1', 'Bash', { command: 'make' }) + result('t1', huge) + says('done'))
    expect(brief(read.entries)).toEqual(['tool: Bash make ok', 'assistant: done'])
    expect(read.entries[0]).toMatchObject({ output: expect.stringMatching(/^line of output/) })
  })
})

describe('several objects on one line', () => {
  it('reads two and three', () => {
    expect(told(glue(user('one'), says('two')))).toEqual(['user: one', 'assistant: two'])
    expect(told(glue(user('one'), says('two'), user('three')))).toHaveLength(3)
  })

  it.each([
    ['progress', PROGRESS],
    ['a snapshot', SNAPSHOT],
    ['an attachment', HOOK_NOTE],
    ['an unknown type', '{"type":"weather","sky":{"is":"blue"}}\n'],
    ['a tool’s result', result('t0', 'x')],
  ])('reads what is glued to %s', (_, first) => {
    for (const line of [
      glue(first, user('hello')),
      glue(first, PROGRESS, user('hello')),
      glue(first, SNAPSHOT, user('hello')),
    ]) {
      expect(readAll(line)).toMatchObject({ bad: 0 })
      expect(told(line)).toContain('user: hello')
    }
  })

  it('does not take a string for a second object', () => {
    const text = `a}{"type":"user","message":{"content":"no"}}`
    expect(told(glue(user(text), says('x')))).toEqual([`user: ${text}`, 'assistant: x'])
    expect(told(uses('t', 'Bash', { command: 'x' }) + result('t', [{ type: 'text', text: '}{' }]))).toHaveLength(1)
  })

  it.each([
    ['a prompt', user('lost words')],
    [
      'several blocks',
      assistant([
        { type: 'text', text: 'a' },
        { type: 'text', text: 'lost words' },
      ]),
    ],
    ['progress', PROGRESS.replace('building', 'lost words')],
    ['an attachment', HOOK_NOTE.replace('fine', 'lost words')],
    ['a result', result('t0', 'x', { toolUseResult: { originalFile: 'lost words' } })],
  ])('finds the line glued to %s that was cut off, and counts it', (_, first) => {
    const cut = first.slice(0, first.lastIndexOf('lost words') + 4)
    const read = readAll(`${cut}${user('found')}${says('next')}`)
    expect(brief(read.entries).slice(-2)).toEqual(['user: found', 'assistant: next'])
    expect(read.bad).toBe(1)
  })

  it('skips a broken line and counts it', () => {
    const read = readAll(`${user('one')}{"type":"user","message":\n}\nnot json\n${says('two')}`)
    expect(brief(read.entries)).toEqual(['user: one', 'assistant: two'])
    expect(read.bad).toBe(3)
  })
})

describe('shapes of a line', () => {
  it('tells nothing of types it does not know', () => {
    const unknown = ['summary', 'last-prompt', 'ai-title', 'pr-link', 'mode', 'future-thing', '', 5, null]
    const lines = unknown.map((type) => `${JSON.stringify({ type, content: 'x', message: { content: 'x' } })}\n`)
    expect(readAll(lines.join(''))).toMatchObject({ entries: [], bad: 0 })
    expect(readAll('{}\n{"message":{"content":"x"}}\n')).toMatchObject({ entries: [], bad: 0 })
  })

  it('reads the fields in any order', () => {
    const fields = Object.entries(JSON.parse(result('t1', 'out', { isMeta: false })) as object)
    fc.assert(
      fc.property(fc.shuffledSubarray(fields, { minLength: fields.length }), (shuffled) => {
        const line = `${JSON.stringify(Object.fromEntries(shuffled))}\n`
        expect(readAll(uses('t1', 'Bash', { command: 'x' }) + line).entries).toMatchObject([
          { ok: true, output: 'out' },
        ])
      }),
    )
    const prompt = Object.entries(JSON.parse(user('words')) as object)
    fc.assert(
      fc.property(fc.shuffledSubarray(prompt, { minLength: prompt.length }), (shuffled) => {
        expect(told(`${JSON.stringify(Object.fromEntries(shuffled))}\n`)).toEqual(['user: words'])
      }),
    )
  })

  it('bears escapes and nesting in fields it does not read', () => {
    const odd = { 'we\\ird "key"': '\u0000', 'typ\u00e9': { type: 'assistant', message: { content: 'no' } } }
    const line = JSON.stringify({
      ...odd,
      ...(JSON.parse(user('yes')) as object),
      deep: JSON.parse('['.repeat(500) + ']'.repeat(500)),
    })
    expect(told(`${line}\n${JSON.stringify(JSON.parse(says('pretty')), null, 1).replaceAll('\n', ' ')}\n`)).toEqual([
      'user: yes',
      'assistant: pretty',
    ])
  })

  it.each([
    ['an object', { stdout: 'x', nested: { a: [{ b: { c: ['}', '{'] } }] } }],
    ['a string', 'Error: no'],
    ['an array', [{ type: 'text', text: 'x' }]],
  ])('reads a result whose toolUseResult is %s', (_, toolUseResult) => {
    const lines = uses('t1', 'Bash', { command: 'x' }) + result('t1', 'out', { toolUseResult }) + says('on')
    expect(told(lines)).toEqual(['tool: Bash x ok', 'assistant: on'])
  })

  it('reads content as a string and as an array', () => {
    expect(told(user('plain') + user([{ type: 'text', text: 'in a block' }]) + assistant('old answer'))).toEqual([
      'user: plain',
      'user: in a block',
      'assistant: old answer',
    ])
    expect(readAll(user(null) + user(5) + user([]) + assistant([])).entries).toEqual([])
  })

  it('reads instants in other zones as UTC and keeps the last one for lines without', () => {
    const lines = user('a', { timestamp: '2026-03-01T12:00:00+02:00' }) + user('b', { timestamp: undefined })
    const later = user('c', { timestamp: 'nonsense' }) + user('d', { timestamp: at(9) })
    expect(readAll(lines + later).entries.map((entry) => entry.ts)).toEqual([at(0), at(0), at(0), at(9)])
  })

  it('marks what the host wrote in the person’s name', () => {
    const machine = [{ isMeta: true }, { promptSource: 'system' }, { origin: { kind: 'task-notification' } }]
    const human = [{ isMeta: false }, { promptSource: 'typed' }, { origin: { kind: 'human' } }, { origin: null }]
    expect(readAll(machine.map((more) => user('x', more)).join('')).entries).toEqual([])
    expect(readAll(human.map((more) => user('x', more)).join('')).entries.map(({ by }) => by)).toEqual(
      human.map(() => 'user'),
    )
  })

  it('tells the lines a fork copied like its own: whether they are known is known elsewhere', () => {
    const forkedFrom = { sessionId: 'parent', messageUuid: 'u' }
    const lines =
      user('old', { forkedFrom }) +
      uses('t1', 'Bash', { command: 'x' }, { forkedFrom }) +
      result('t1', 'out', { toolUseResult: { stdout: 'y'.repeat(9999) }, sessionId: 's2', forkedFrom }) +
      user('new')
    expect(readAll(lines)).toMatchObject({ entries: [{ text: 'old' }, { cmd: 'x' }, { text: 'new' }], open: [] })
  })

  it('reads commands, queue operations and queued prompts', () => {
    const line = (text: string): unknown => {
      const { text: words, kind, ...rest } = parseLine(Buffer.from(text)).lines[0] as unknown as Record<string, unknown>
      return [kind, words, rest.operation ?? rest.author]
    }
    expect(line(localCommand('<command-name>/cost</command-name>'))).toEqual([
      'command',
      '<command-name>/cost</command-name>',
      'user',
    ])
    expect(line(queueLine('enqueue', 'go on'))).toEqual(['queue', 'go on', 'enqueue'])
    expect(line(queueLine('dequeue'))).toEqual(['queue', null, 'dequeue'])
    expect(
      line(
        queuedCommand([
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ]),
      ),
    ).toEqual(['queued', 'a\nb', 'unmarked'])
    expect(line(queuedCommand('x', 'task-notification'))).toEqual(['queued', 'x', 'machine'])
  })
})

describe('any bytes at all', () => {
  const lines = [
    user('one "two" \\ é😀'),
    assistant([
      { type: 'text', text: 'three' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'x' } },
    ]),
    result('t1', [
      { type: 'text', text: 'out\nput' },
      { type: 'image', source: { data: 'AAAA' } },
    ]),
    failure('t2', 'no'),
    queueLine('enqueue', 'later'),
    queuedCommand('now'),
    localCommand('<command-name>/cost</command-name>'),
    PROGRESS,
    SNAPSHOT,
  ]

  it('never makes the parser throw', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom('', '{"type":"user",', '{"parentUuid":'),
        (random, start) => {
          expect(exhaust(parseLine(Buffer.concat([Buffer.from(start), random])))).toBeGreaterThanOrEqual(0)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('never makes the parser or the refiner throw when a line is damaged anywhere', () => {
    const damage = fc.record({ at: fc.nat(2000), drop: fc.nat(40), put: fc.uint8Array({ maxLength: 6 }) })
    fc.assert(
      fc.property(fc.constantFrom(...lines), fc.array(damage, { minLength: 1, maxLength: 4 }), (line, damages) => {
        let bytes = Buffer.from(line.trimEnd())
        for (const { at: place, drop, put } of damages) {
          const from = place % (bytes.length + 1)
          bytes = Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + drop)])
        }
        expect(exhaust(parseLine(bytes))).toBeGreaterThanOrEqual(0)
        const read = readAll(
          Buffer.concat([Buffer.from(lines.join('')), bytes, Buffer.from(`\n${user('last words')}`)]),
        )
        expect(brief(read.entries)).toContain('user: last words')
      }),
      { numRuns: 500 },
    )
  })
})

describe('parseHead', () => {
  it('names the launch directory and the session', () => {
    expect(parseHead(Buffer.from(SNAPSHOT + user('x', { cwd: 'C:\\a "b"' })))).toEqual({
      cwd: 'C:\\a "b"',
      sessionId: 's1',
    })
    expect(parseHead(Buffer.from('{"type":"summary"}\n'))).toEqual({ cwd: null, sessionId: null })
    expect(parseHead(Buffer.from('{"cwd":"\\x"}'))).toEqual({ cwd: null, sessionId: null })
  })
})
