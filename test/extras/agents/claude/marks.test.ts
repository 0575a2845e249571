/** What the host's own marks and texts say about a session: plans, interruptions, places, parts of files, runs of programs. */
import { describe, expect, it } from 'vitest'
import { tallyLine } from '../../../../src/extras/agents/claude/tally.ts'
import { newCursor, newSession, parseSessionState } from '../../../../src/kernel/memory/session-state.ts'
import { takeDelta, toTell } from '../../../../src/kernel/sessions/delta.ts'
import {
  beginsTurn,
  type Entry,
  entryKey,
  isHostLine,
  isPlan,
  type Numbered,
  whyNotUsers,
} from '../../../../src/kernel/transcript/session.ts'
import { compare, isComplete, newTally } from '../../../../src/kernel/transcript/verify.ts'
import { isHostText, isInterruption, withoutHostText } from '../../../../src/kernel/transcript/words.ts'
import {
  at,
  BASE,
  failure,
  localCommand,
  PLAIN,
  queuedCommand,
  queueLine,
  readAll,
  readOn,
  result,
  SNAPSHOT,
  says,
  stored,
  user,
  uses,
} from '../../../support/transcript.ts'

const entriesOf = (...lines: readonly string[]): Entry[] => readAll(lines.join('')).entries
const promptsOf = (...lines: readonly string[]): Extract<Entry, { role: 'user' }>[] =>
  entriesOf(...lines).filter((entry) => entry.role === 'user')
const numbered = (entries: readonly Entry[]): Numbered[] => entries.map((entry, n) => ({ n, entry }))
const isVerified = (...lines: readonly string[]): boolean => {
  const tally = newTally()
  for (const line of lines.join('').split('\n')) tallyLine(tally, line, false, (text) => text)
  return isComplete(compare(tally, entriesOf(...lines)))
}

const REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
const FOR_TOOL = '[Request interrupted by user for tool use]'
const INTERRUPTED = '[Request interrupted by user]'
const interrupts = (text = INTERRUPTED, more = {}): string => user([{ type: 'text', text }], more)
const refusal = (id: string, more = {}): string =>
  failure(id, REFUSED, { toolUseResult: 'User rejected tool use', ...more })

const PLAN = '# Plan: Count the wheels\n\nEvery cart gets a counter.\n\n1. A table\n'
const SENTENCE =
  'If you need specific details from before exiting plan mode (like exact code snippets, error messages, or content you generated), read the full transcript at: /home/ada/.claude/t.jsonl'
const PROMPT = `Implement the following plan:\n\n${PLAN}\n\n${SENTENCE}`
const planned = (more = {}): string => user(PROMPT, { planContent: PLAN, ...more })

describe('an approved plan, with which the host continues in a new context', () => {
  it.each([
    ['of hosts that mark nothing', {}],
    ['of hosts that name the origin', { origin: { kind: 'auto-continuation' } }],
  ])('is nobody’s words and begins a turn: %s', (_, more) => {
    const [plan, ...others] = promptsOf(planned(more), says('I begin.'))

    expect(others).toEqual([])
    expect(plan).toMatchObject({ by: 'machine', via: 'plan', plan: true, text: PROMPT.trim() })
    if (plan === undefined) throw new Error('no plan')
    expect([beginsTurn(plan), isPlan(plan), isHostLine(plan)]).toEqual([true, true, false])
    expect(whyNotUsers(plan)).toBe('an approved plan')
    expect(isVerified(planned(more), says('I begin.'))).toBe(true)
  })

  it('has the key that it had when it was stored as a prompt', () => {
    const [plan] = promptsOf(planned())
    const before = { role: 'user' as const, by: 'user' as const, ts: at(0), text: PROMPT.trim() }

    expect(plan && entryKey(plan)).toBe(entryKey(before))
    expect(isPlan(before)).toBe(true)
  })

  it('is no plan where the text is another one', () => {
    expect(promptsOf(user('Count the axles first', { planContent: PLAN }))).toMatchObject([
      { by: 'user', text: 'Count the axles first' },
    ])
  })

  it('is told to a model as a plan, without the host’s sentence', () => {
    const delta = takeDelta('1a2b3c4d', numbered(entriesOf(planned(), says('I begin.'))), 10_000)

    expect(delta?.text).toContain('[Prompt, an approved plan]: Implement the following plan:')
    expect(delta?.text).not.toContain('specific details')
    expect(withoutHostText(PROMPT)).toBe(`Implement the following plan:\n\n${PLAN.trimEnd()}`)
    expect(withoutHostText('Read about plan mode')).toBe('Read about plan mode')
  })
})

describe('a refusal at the beginning whose tool use is in another file', () => {
  const begin = [refusal('lost'), interrupts(FOR_TOOL), SNAPSHOT, planned()]

  it('is not stored, nor is its interruption', () => {
    expect(entriesOf(...begin)).toMatchObject([{ plan: true }])
    expect(entriesOf(refusal('a'), refusal('b'), interrupts(FOR_TOOL), planned())).toHaveLength(1)
    expect(isVerified(...begin)).toBe(true)
  })

  it('is not stored either where reading stopped between the lines', () => {
    let cursor = newCursor('t.jsonl')
    const entries = begin.flatMap((line) => {
      const read = readOn(stored(cursor), line)
      cursor = parseSessionState(stored({ ...newSession('t.jsonl'), ...read.cursor }))
      return read.entries
    })
    expect(entries).toMatchObject([{ plan: true }])
  })

  it('is stored with the words that the user typed', () => {
    const said = refusal('lost', { userFeedback: 'use tabs' })
    expect(entriesOf(said)).toMatchObject([
      { role: 'tool', refused: true },
      { role: 'user', text: 'use tabs' },
    ])
  })

  it('is stored later in the file, as its interruption is', () => {
    const later = entriesOf(user('go'), says('Yes.'), refusal('lost'), interrupts(FOR_TOOL))
    expect(later.slice(2)).toMatchObject([{ role: 'tool', refused: true }, { via: 'interrupt' }])
    expect(entriesOf(refusal('lost'), user('go'), interrupts()).at(-1)).toMatchObject({ via: 'interrupt' })
  })
})

describe('an interruption', () => {
  const lines = [user('go'), says('I look.'), interrupts(), user('other way')]

  it('is the host’s mark: no prompt, nobody’s words, no turn', () => {
    const mark = promptsOf(...lines)[1]

    expect(mark).toEqual({ role: 'user', by: 'machine', via: 'interrupt', ts: at(0), text: INTERRUPTED })
    if (mark === undefined) throw new Error('no mark')
    expect([beginsTurn(mark), isHostLine(mark), isPlan(mark)]).toEqual([false, true, false])
    expect(isVerified(...lines)).toBe(true)
  })

  it('ends the tool uses before it that have no result', () => {
    const [, tool, mark] = entriesOf(user('go'), uses('t1', 'Bash', { command: 'x' }), interrupts(FOR_TOOL))
    expect(tool).toMatchObject({ name: 'Bash', ok: null })
    expect(mark).toMatchObject({ via: 'interrupt', text: FOR_TOOL })
  })

  it('is only the whole text of a line of the main thread', () => {
    expect(promptsOf(user(`why ${INTERRUPTED}?`))).toMatchObject([{ by: 'user' }])
    expect(promptsOf(interrupts(INTERRUPTED, { isSidechain: true, agentId: 'a1' }))).toEqual([])
    expect([isInterruption(` ${FOR_TOOL}\n`), isInterruption('[Request interrupted]')]).toEqual([true, false])
  })

  it('is told to a model as what happened', () => {
    const delta = takeDelta('1a2b3c4d', numbered(entriesOf(...lines)), 10_000)
    expect(delta?.text.split('\n\n')).toEqual([
      '[User]: go',
      '[Assistant]: I look.',
      '[The user interrupted Claude here]',
      '[User]: other way',
    ])
  })

  it('does not end the turn of our own skill', () => {
    const ours = entriesOf(user('/memory-keeper:facts'), says('Nine facts.'), interrupts(), says('Ten.'), user('go on'))
    expect(toTell(numbered(ours)).map(({ n }) => n)).toEqual([4])
  })
})

describe('a text of the host in the user’s place', () => {
  const STOPPED = 'Operation stopped by hook: Another session is active.\n\nPress the up arrow key.'

  it('is kept, as the machine’s, and begins no turn', () => {
    const [stopped] = promptsOf(user(STOPPED))

    expect(stopped).toMatchObject({ by: 'machine', via: 'host', text: STOPPED })
    expect(stopped && [beginsTurn(stopped), isHostLine(stopped)]).toEqual([false, true])
    expect(isVerified(user(STOPPED))).toBe(true)
    expect(takeDelta('1a2b3c4d', numbered(entriesOf(user(STOPPED))), 10_000)?.text).toBe('')
  })

  it('is recognised where an older version stored it as the user’s', () => {
    const before = { role: 'user' as const, by: 'user' as const, ts: at(0), text: STOPPED }
    expect([isHostLine(before), beginsTurn(before)]).toEqual([true, false])
  })

  it.each([
    [STOPPED, true],
    [FOR_TOOL, true],
    ['The hook stopped it', false],
    [`${INTERRUPTED} was shown, why?`, false],
  ])('%s', (text, isHosts) => expect(isHostText(text)).toBe(isHosts))

  it.each(['/exit', '/model', '/model opus', '/clear'])(
    '%s is a command for the host: it begins no turn',
    (command) => {
      const [name = '', args = ''] = command.split(' ')
      const line = `<command-name>${name}</command-name>\n<command-message>x</command-message>\n<command-args>${args}</command-args>`
      for (const [prompt] of [promptsOf(user(line)), promptsOf(localCommand(line))]) {
        expect(prompt).toMatchObject({ by: 'user', text: command })
        expect(prompt && beginsTurn(prompt)).toBe(false)
      }
    },
  )

  it.each(['/models', '/review', 'exit', 'go'])('%s begins a turn', (text) => {
    expect(beginsTurn({ role: 'user', ts: '', text })).toBe(true)
  })
})

describe('a prompt typed while Claude worked', () => {
  const waits = [user('go'), queueLine('enqueue', 'and the axles'), queueLine('remove')]

  it('is the user’s where the host names a person', () => {
    const handed = queuedCommand('and the axles', 'prompt', { origin: { kind: 'human' } })
    expect(promptsOf(...waits, handed, says('Yes.')).at(-1)).toEqual({
      ...{ role: 'user', by: 'user', ts: at(0), text: 'and the axles' },
    })
    expect(promptsOf(...waits, user('and the axles'), says('Yes.')).at(-1)).toMatchObject({ by: 'user' })
  })

  it('is nobody’s where no line of its own confirms it, and begins a turn', () => {
    const last = promptsOf(...waits, says('Yes.')).at(-1)
    expect(last).toMatchObject({ by: 'machine', via: 'queue' })
    expect(last && beginsTurn(last)).toBe(true)
  })

  it('begins no turn where it is a command for the host', () => {
    const last = promptsOf(user('go'), queueLine('enqueue', '/model'), queueLine('remove'), says('Yes.')).at(-1)
    expect(last).toMatchObject({ text: '/model', via: 'queue' })
    expect(last && beginsTurn(last)).toBe(false)
  })
})

describe('runs of programs', () => {
  it.each(['sdk-cli', 'sdk-ts', 'sdk-py'])('mark every prompt by the entry point %s', (entrypoint) => {
    const prompts = promptsOf(user('go', { entrypoint }), planned({ entrypoint }))
    expect(prompts.map(({ sent }) => sent)).toEqual([true, true])
  })

  it('mark none of a terminal', () => {
    expect(promptsOf(user('go', { entrypoint: 'cli' }), user('on'))).toMatchObject([{ by: 'user' }, { by: 'user' }])
    expect(promptsOf(user('go', { entrypoint: 'cli' }))[0]).not.toHaveProperty('sent')
  })
})

describe('the part of a file that was read', () => {
  const read = (input: object): Entry | undefined =>
    entriesOf(uses('t1', 'Read', { file_path: `${BASE}/a.ts`, ...input }), result('t1', 'x'))[0]

  it('is named by its first line and its length', () => {
    expect(read({ offset: 40, limit: 20 })).toMatchObject({ cmd: 'a.ts', offset: 40, limit: 20 })
    expect(read({ limit: 20 })).not.toHaveProperty('offset')
    expect(read({})).toEqual({ role: 'tool', by: 'tool', ts: at(0), name: 'Read', cmd: 'a.ts', ok: true })
    expect(read({ offset: '40' })).not.toHaveProperty('offset')
  })

  it('is known where reading stopped before the result', () => {
    const { cursor } = readAll(uses('t1', 'Read', { file_path: 'a.ts', offset: 3 }))
    const on = parseSessionState(stored({ ...newSession('t.jsonl'), ...cursor }))
    expect(readOn(on, result('t1', 'x')).entries).toMatchObject([{ offset: 3, ok: true }])
  })
})

describe('the places of a session', () => {
  const marks = (...lines: readonly string[]): unknown[] =>
    entriesOf(...lines).map((entry) =>
      [entry.branch, entry.slug, entry.tree]
        .map((mark) => mark ?? '')
        .join(' ')
        .trim(),
    )

  it('name a slug where it changes', () => {
    const one = { slug: 'merry-cart' }
    expect(
      marks(user('a'), says('b', one), says('c', one), says('d'), says('e', one), says('f', { slug: 'old-axle' })),
    ).toEqual(['', 'merry-cart', '', '', '', 'old-axle'])
  })

  it('keep the branch that is being rebased', () => {
    const [main, head, other] = ['main', 'HEAD', 'wheels'].map((gitBranch) => ({ gitBranch }))
    const lines = [user('a', main), says('b', head), says('c', main), says('d', head), says('e', other)]
    expect(marks(...lines)).toEqual(['main', '', '', '', 'wheels'])
  })

  it('name a working tree where it changes, by its last part', () => {
    const inTree = (cwd: string): { cwd: string } => ({ cwd })
    const lines = [
      user('a'),
      says('b', inTree(`${BASE}/src`)),
      says('c', inTree('/home/ada/engine-two')),
      says('d', inTree('/home/ada/engine-two/src')),
      says('e', inTree('/home/ada/engine')),
      says('f', inTree('/home/ada')),
      says('g', inTree('C:\\work\\third')),
    ]
    expect(marks(...lines)).toEqual(['', '', 'engine-two', '', 'engine', '', 'third'])
  })

  it('are redacted, and go on where reading stopped', () => {
    const redact = (text: string): string => text.replace('engine-two', '[redacted]')
    const begun = readAll(user('a') + says('b', { cwd: '/home/ada/engine-two', slug: 'merry-cart' }), {
      ...PLAIN,
      redact,
    })
    expect(begun.entries[1]).toMatchObject({ tree: '[redacted]', slug: 'merry-cart' })
    const on = parseSessionState(stored({ ...newSession('t.jsonl'), ...begun.cursor }))
    const [next] = readOn(on, says('c', { cwd: '/home/ada/engine-two', slug: 'merry-cart' })).entries
    expect(next).toEqual({ role: 'assistant', by: 'assistant', ts: at(0), text: 'c' })
  })

  it('are read from a state of 0.6, which has none of them', () => {
    const { slug: _, tree: __, orphan: ___, ...refine } = readAll(user('a')).cursor.refine
    const on = parseSessionState(stored({ ...newSession('t.jsonl'), refine }))
    expect(on.refine).toMatchObject({ slug: '', tree: '', orphan: '' })
    expect(readOn(on, interrupts() + says('b', { slug: 'merry-cart' })).entries).toMatchObject([
      { via: 'interrupt' },
      { slug: 'merry-cart' },
    ])
  })
})
