import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Entry,
  entryId,
  entryKey,
  formatEntry,
  isTool,
  parseEntry,
  parseEntryId,
  parseSession,
  type Tombstone,
  wholeWords,
} from '../../../src/kernel/transcript/session.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('\ud800', '\n', '\u2028'),
)
const ts = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const open = fc.constantFrom({}, { open: true as const })
const spoken = fc.tuple(fc.record({ ts, text }), open).map(([said, mark]) => ({ ...said, ...mark }))
const done = fc
  .tuple(
    fc.record({ ts, name: fc.stringMatching(/^\w+$/), cmd: text, ok: fc.constantFrom(true, false, null) }),
    fc.constantFrom({}, { output: 'o' }, { output: 'o', cut: true as const }),
    open,
  )
  .map(([what, output, mark]) => ({ ...what, ...output, ...mark }))
const entry: fc.Arbitrary<Entry> = fc.oneof(
  spoken.map((said): Entry => ({ role: 'user', ...said })),
  spoken.map((said): Entry => ({ role: 'user', via: 'Edit', ...said })),
  spoken.map((said): Entry => ({ role: 'assistant', ...said })),
  spoken.map((said): Entry => ({ role: 'summary', ...said })),
  spoken.map((said): Entry => ({ role: 'subagent', agent: 'a1', ...said })),
  done.map((what): Entry => ({ role: 'tool', ...what })),
  done.map((what): Entry => ({ role: 'subagent', agent: 'a1', ...what })),
)
const tombstone = fc.record({ role: fc.constant('tombstone' as const), n: fc.nat(), key: fc.string() })

describe('a line of a session', () => {
  it('comes back as it was written, on one line', () => {
    fc.assert(
      fc.property(fc.oneof(entry, tombstone), (one) => {
        const line = formatEntry(one)
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(parseEntry(Buffer.from(line).toString('utf8'))).toEqual(one)
      }),
    )
  })

  it.each([
    ...['', 'x', 'null', '5', '[]', '{}', '{"role":"user"}', '{"role":"user","ts":"t","text":5}'],
    ...['{"role":"tool","ts":"t","name":"Bash"}', '{"role":"tombstone","n":1}', '{"role":"user","text":"no time"}'],
  ])('is no entry: %s', (line) => {
    expect(parseEntry(line)).toBeNull()
  })

  it('is never worth an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const parsed = parseEntry(line)
        expect(parsed === null || 'role' in parsed).toBe(true)
      }),
    )
  })
})

describe('a session file', () => {
  it('gives all entries back and counts lines that are none', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, tombstone)), fc.nat(3), (entries, bad) => {
        const file = entries.map(formatEntry).join('') + 'garbage\n'.repeat(bad)
        expect(parseSession(file)).toEqual({ entries, bad })
      }),
    )
  })

  it('leaves an unfinished last line out', () => {
    const one: Entry = { role: 'user', ts: 't', text: 'a' }
    expect(parseSession(`${formatEntry(one)}{"role":"us`)).toEqual({ entries: [one], bad: 0 })
    expect(parseSession('')).toEqual({ entries: [], bad: 0 })
  })
})

describe('the key of an entry', () => {
  const identity = (one: Entry): string =>
    JSON.stringify([one.role, one.ts, 'text' in one ? one.text : [one.name, one.cmd]])

  it('is equal for the same words at the same time and for nothing else', () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: identity, maxLength: 30 }), (entries) => {
        expect(new Set(entries.map(entryKey)).size).toBe(entries.length)
      }),
    )
  })

  it('differs in role, time, words, name and command', () => {
    const said: Entry = { role: 'user', ts: '1', text: 'a' }
    const ran: Entry = { role: 'tool', ts: '1', name: 'Bash', cmd: 'a', ok: true }
    const others: Entry[] = [
      { ...said, role: 'assistant' },
      { ...said, ts: '2' },
      { ...said, text: 'b' },
    ]
    const all: Entry[] = [said, ...others, ran, { ...ran, name: 'Grep' }, { ...ran, cmd: 'b' }]
    expect(new Set(all.map(entryKey)).size).toBe(all.length)
  })

  it('stays when an entry is settled or removed', () => {
    const ran: Entry = { role: 'tool', ts: '1', name: 'Bash', cmd: 'a', ok: null, open: true }
    const settled: Entry = { role: 'tool', ts: '1', name: 'Bash', cmd: 'a', ok: true, output: 'x' }
    const removed: Tombstone = { role: 'tombstone', n: 3, key: entryKey(settled) }
    expect([entryKey(settled), entryKey(removed)]).toEqual([entryKey(ran), entryKey(ran)])
  })
})

describe('the id of an entry', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-z]{8}$/), fc.nat(), (id8, n) => {
        expect(parseEntryId(entryId(id8, n))).toEqual({ id8, n })
      }),
    )
  })

  it('may be a whole session id, without number or prefix, in capitals', () => {
    expect(parseEntryId(' 9DD861B1-71f8-41ee-bb93-7d3724bcb337 ')).toEqual({ id8: '9dd861b1', n: null })
    expect(parseEntryId('9dd861b1#4')).toEqual({ id8: '9dd861b1', n: 4 })
    for (const wrong of ['', 'L1:', '9dd8', '9dd861b1#x', '#4', '../../etc']) expect(parseEntryId(wrong)).toBeNull()
  })

  it('goes with a tool or with words', () => {
    expect(isTool({ role: 'tool', ts: '', name: 'a', cmd: '', ok: null })).toBe(true)
    expect(isTool({ role: 'subagent', agent: 'a', ts: '', name: 'a', cmd: '', ok: null })).toBe(true)
    expect(isTool({ role: 'subagent', agent: 'a', ts: '', text: '' })).toBe(false)
    expect(isTool({ role: 'tombstone', n: 0, key: '' })).toBe(false)
  })
})

describe('the output of a tool use', () => {
  const LONG = `${'x'.repeat(200)}\nerror: it goes on and on until the very last charac`.padEnd(300, 'y')

  it('ends before the word that was cut, if the entry says so', () => {
    const use = { by: 'tool', output: 'one\nerror: no such fi', cut: true } as const

    expect(wholeWords(use)).toBe('one\nerror: no such …')
    expect(wholeWords({ by: 'tool', output: 'abc', cut: true })).toBe('…')
  })

  it('is told whole, whatever its length, if the entry does not', () => {
    for (let chars = 0; chars <= 400; chars++) {
      const output = `a ${'b'.repeat(chars)}`
      expect(wholeWords({ by: 'tool', output })).toBe(output)
    }
    expect(wholeWords({ by: 'tool' })).toBe('')
  })

  it('of an entry before 0.6, which says nothing, counts as cut where those versions cut', () => {
    expect(wholeWords({ output: LONG })).toMatch(/ until the very last …$/)
    expect(wholeWords({ output: 'Tests 12 passed' })).toBe('Tests 12 passed')
  })
})
