import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Cursor,
  changeWaiting,
  newSession,
  type SessionState,
  type Stands,
  withStands,
} from '../../../src/kernel/memory/session-state.ts'
import {
  allSessions,
  EMPTY_STATE,
  formatState,
  parseState,
  type State,
  sessionIn,
  withSessions,
} from '../../../src/kernel/memory/state.ts'
import { WORK_KINDS, type WorkItem } from '../../../src/kernel/memory/work-item.ts'
import { archiveFile, sessionFile, summaryFileOf } from '../../../src/kernel/platform/layout.ts'
import { renderOpen } from '../../../src/kernel/sessions/capture.ts'
import { openEntries } from '../../../src/kernel/transcript/open-entries.ts'
import type { RefineState } from '../../../src/kernel/transcript/refine-state.ts'
import { at, PLAIN, readOn, user } from '../../support/transcript.ts'

const text = fc.string({ unit: 'binary' })
const name = fc.stringMatching(/^[\w-]{1,20}$/).filter((one) => one !== '__proto__')
const count = fc.nat()
const record = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true })

const tool = fc.oneof(
  fc.record({ name: text, cmd: text, ts: text }),
  fc.record({ name: text, cmd: text, ts: text, agent: text }),
)
const refining: fc.Arbitrary<RefineState> = fc.record({
  ts: text,
  base: text,
  branch: text,
  slug: text,
  tree: text,
  orphan: text,
  tools: record(tool),
  queue: fc.array(
    fc.record({
      text,
      ts: text,
      at: fc.constantFrom('waiting' as const, 'taken' as const, 'told' as const),
      since: text,
    }),
    { maxLength: 3 },
  ),
  said: fc.array(text, { maxLength: 4 }),
  answer: fc.option(fc.record({ text, ts: text })),
})
const cursor: fc.Arbitrary<Cursor> = fc
  .tuple(
    fc.record({ transcript: text, offset: count, anchor: text, refine: refining }),
    fc.oneof(fc.constant({}), fc.record({ knownUpTo: fc.integer({ min: 1 }) })),
  )
  .map(([read, known]) => ({ ...read, ...known }))
const stands = fc.record({
  text: text.filter((one) => one !== ''),
  to: count,
  by: fc.constantFrom('agent' as const, 'headless' as const, 'extractive' as const),
})
const session: fc.Arbitrary<SessionState> = fc
  .tuple(
    cursor,
    fc.record({
      file: fc.oneof(
        fc.constant(''),
        fc.stringMatching(/^[0-9a-z]{8}$/).map((id8) => sessionFile(at(0), id8)),
      ),
      entries: count,
      bytes: count,
      watermark: count,
      pid: count,
      summed: count,
      tools: count,
      badLines: count,
      redactions: count,
      head: text,
      agents: record(cursor),
    }),
    fc.oneof(fc.constant({}), fc.record({ forkOf: fc.record({ session: text }) })),
    fc.record(
      { stands, isLive: fc.constant(true as const), isEnded: fc.constant(true as const) },
      { requiredKeys: [] },
    ),
  )
  .map(([read, rest, fork, marks]) => ({ ...read, ...rest, ...fork, ...marks }))
const rotated = fc
  .record({ rotatedAt: text, tokenCount: count, summaryGenerated: fc.boolean(), second: fc.nat(59) })
  .map(({ second, ...rest }) => {
    const file = archiveFile(`2026-01-13T12:00:${String(second).padStart(2, '0')}.000Z`)
    return { file, summary: summaryFileOf(file), ...rest }
  })
const work: fc.Arbitrary<WorkItem> = fc.record({
  kind: fc.constantFrom(...WORK_KINDS),
  about: text,
  from: count,
  to: count,
  by: fc.constantFrom('agent' as const, 'headless' as const, 'code' as const, null),
  tries: count,
  asked: count,
})
const state: fc.Arbitrary<State> = fc.record({
  version: fc.constant(EMPTY_STATE.version),
  current: text,
  rotatedFiles: fc.array(rotated, { maxLength: 3 }),
  stats: fc.record({ totalRotations: count, lastRotation: fc.option(text) }),
  counter: count,
  lastMemoryUpdateTs: fc.option(text),
  deltaCreatedAtMemoryMtime: fc.option(count),
  rulesInjectionCount: count,
  earlierRules: fc.constantFrom(null, 'new', 'kept', 'drop', 'dropped', 'switch', 'switched'),
  beganAt: fc.option(text),
  cuts: count,
  enforced: fc.record({ owed: text, turns: count }),
  work: fc.array(work, { maxLength: 4 }),
  unplaced: fc.array(text, { maxLength: 3 }),
  machineTurn: fc.option(text),
  sessions: fc.constant({}),
  settledDirs: fc.array(text, { maxLength: 3 }),
  elsewhere: fc.array(text, { maxLength: 3 }),
  otherPlace: fc.string(),
})

describe('the state file', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(state, record(session), (one, sessions) => {
        const written = withSessions(one, Object.entries(sessions))
        const read = parseState(formatState(written))
        expect(read).toEqual(written)
        expect(Object.fromEntries(allSessions(read ?? EMPTY_STATE))).toEqual(sessions)
        for (const id of Object.keys(sessions)) expect(sessionIn(read ?? EMPTY_STATE, id)).toEqual(sessions[id])
      }),
      { numRuns: 100 },
    )
  })

  it('keeps what stands for a new session, and the state it was put into', () => {
    const before = structuredClone(EMPTY_STATE)
    const after = withSessions(EMPTY_STATE, [['s1', newSession('/t.jsonl')]])
    expect(EMPTY_STATE).toEqual(before)
    expect(sessionIn(after, 's1')).toEqual(newSession('/t.jsonl'))
    expect(sessionIn(after, 's2')).toBeUndefined()
    expect(JSON.parse(formatState(after)).sessions.s1).toEqual({
      transcript: '/t.jsonl',
      offset: 0,
      entries: 0,
      watermark: 0,
    })
  })

  it('is null when it is not a JSON object', () => {
    for (const broken of ['', '{', 'null', '[]', '5', '"x"']) expect(parseState(broken)).toBeNull()
  })

  it('keeps the fields that can be read, gives others their default, and loses none it does not know', () => {
    const raw = {
      version: 1,
      counter: 7,
      current: 5,
      stats: { totalRotations: 'x', lastRotation: 'r' },
      rotatedFiles: [{ file: 'memory_20260113_120000.md', summary: null }, { file: '../a.md' }, null, 5],
      elsewhere: ['/a', 5],
      rulesInjectionCount: -1,
      fromTheFuture: { kept: true },
      sessions: { s1: { transcript: '/t', offset: 12, entries: 'many', forkOf: { session: 's0' } }, s2: null, s3: [] },
    }
    const read = parseState(JSON.stringify(raw))
    expect(read).toMatchObject({
      version: EMPTY_STATE.version,
      counter: 7,
      current: 'memory.md',
      stats: { totalRotations: 0, lastRotation: 'r' },
      rotatedFiles: [{ file: 'memory_20260113_120000.md', summary: 'memory_20260113_120000.summary.json' }],
      elsewhere: ['/a'],
      rulesInjectionCount: 0,
      fromTheFuture: { kept: true },
    })
    expect(allSessions(read ?? EMPTY_STATE)).toEqual([
      ['s1', { ...newSession('/t'), offset: 12, forkOf: { session: 's0' } }],
    ])
  })

  it('reads a session whose open things are damaged, and can go on with what is left', () => {
    const refine = {
      tools: { t1: null, t2: { name: 'Bash', cmd: 'x', ts: '1' }, t3: { name: 5 } },
      queue: [null, { text: 'A', ts: '1', at: 'waiting', since: '1' }, 'x', { at: 'taken' }],
      said: [1, 'f'],
      answer: {},
    }
    const read = parseState(JSON.stringify({ sessions: { s1: { transcript: '/t', refine } } }))
    const one = sessionIn(read ?? EMPTY_STATE, 's1') ?? newSession('')
    expect(openEntries(one.refine)).toHaveLength(2)
    expect(readOn(one, user('go')).entries.at(-1)).toMatchObject({ text: 'go' })
  })

  it('begins a session again whose file has a name that is none of ours', () => {
    for (const file of ['../../etc/passwd', 'a.l1.jsonl', '/20260301_100009_9dd861b1.l1.jsonl']) {
      const read = parseState(JSON.stringify({ sessions: { s1: { transcript: '/t', offset: 9, entries: 4, file } } }))
      expect(sessionIn(read ?? EMPTY_STATE, 's1')).toEqual(newSession('/t'))
    }
  })

  it('drops what is not a count of commits, and keeps the rest', () => {
    const unpushed = { branch: 'topic', head: 'abc', remoteRef: '', count: 2, at: '2026-01-13T12:00:00.000Z' }
    const read = (value: unknown) => parseState(JSON.stringify({ counter: 7, unpushed: value }))

    expect(read(unpushed)).toMatchObject({ counter: 7, unpushed })
    for (const wrong of [
      null,
      'topic',
      [],
      {},
      { ...unpushed, count: 0 },
      { ...unpushed, count: '2' },
      { ...unpushed, head: 7 },
    ]) {
      expect(read(wrong)).not.toHaveProperty('unpushed')
      expect(read(wrong)?.counter).toBe(7)
    }
  })

  it('bears any JSON, and so does everything that goes on from it', () => {
    const field = fc.constantFrom(
      ...['sessions', 's1', 'refine', 'tools', 'queue', 'said', 'answer', 'agents', 'stats', 'rotatedFiles'],
      ...['counter', 'transcript'],
    )
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(field, tie('value'), { noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          fc.record({
            sessions: fc.record({
              s1: fc.record({
                refine: fc.record({ tools: value, queue: value, said: value, answer: value }),
                agents: value,
              }),
            }),
          }),
        ),
        (raw) => {
          const read = parseState(JSON.stringify(raw))
          for (const [, one] of allSessions(read ?? EMPTY_STATE)) {
            expect(renderOpen(one)).toMatch(/^$|\n$/)
            expect(readOn(one, user('go'), PLAIN).entries.at(-1)).toMatchObject({ text: 'go' })
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('a session that is none', () => {
  it('is left out, so that nothing stumbles over it', () => {
    const state = parseState('{"sessions":{"a":null,"b":5,"c":[],"d":{"offset":3}}}')

    expect(Object.keys(state?.sessions ?? {})).toEqual(['d'])
  })
})

describe('where a session stands', () => {
  const end = (to: number, by: Stands['by'], text = `${by} at ${to}`): Stands => ({ text, to, by })

  it.each([
    ['a model replaces structure', end(5, 'extractive'), end(5, 'headless'), 5, 'headless'],
    ['structure does not replace a model', end(5, 'agent'), end(5, 'extractive'), 5, 'agent'],
    ['structure does when the session went on', end(5, 'headless'), end(9, 'extractive'), 9, 'extractive'],
    ['an earlier end replaces nothing', end(9, 'extractive'), end(5, 'headless'), 9, 'extractive'],
    ['nothing replaces nothing', end(5, 'extractive'), end(9, 'extractive', ''), 5, 'extractive'],
  ] as const)('%s', (_, known, next, to, by) => {
    expect(withStands({ ...newSession('/t'), stands: known }, next).stands).toMatchObject({ to, by })
  })
})

it('a change of what waits also changes the output of a tool whose turn has not come', () => {
  const done = { ok: true, output: 'the SECRET of the agent' }
  const tool = { name: 'Agent', cmd: 'Look', ts: at(0), done }
  const session = newSession('x')
  const waiting = { ...session, refine: { ...session.refine, tools: { t1: tool } } }
  const changed = changeWaiting(waiting, { text: (text) => text.replace('SECRET', '[x]') })

  expect(changed.refine.tools.t1?.done?.output).toBe('the [x] of the agent')
  expect(changeWaiting(waiting, { text: () => null }).refine.tools).toEqual({})
})
