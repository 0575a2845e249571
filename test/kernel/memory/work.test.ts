/** The list of work: what is owed, handed out, covered and done, whatever the order; and what a state of 0.6 becomes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newSession, type SessionState } from '../../../src/kernel/memory/session-state.ts'
import {
  EMPTY_STATE,
  formatState,
  parseState,
  type State,
  sessionIn,
  withSessions,
} from '../../../src/kernel/memory/state.ts'
import {
  findWork,
  handedOut,
  owedSessions,
  owedTo,
  withCounts,
  withCovered,
  withOwed,
  withSummary,
  withWork,
  workOf,
} from '../../../src/kernel/memory/work.ts'
import { newItem, type WorkItem, workName } from '../../../src/kernel/memory/work-item.ts'

function session(n: number, more: Partial<SessionState> = {}): SessionState {
  const id8 = String(n).padStart(8, '0')
  return { ...newSession(''), file: `2026011${n}_120000_${id8}.l1.jsonl`, entries: 50, ...more }
}

function stateWith(...sessions: SessionState[]): State {
  return withSessions(
    EMPTY_STATE,
    sessions.map((each, i) => [`s${i}`, each] as const),
  )
}

const one = (state: State): SessionState => sessionIn(state, 's0') as SessionState
const shown = (state: State): unknown[] => state.work.map((item) => [item.kind, workName(item), item.from, item.to])

describe('a note that is owed', () => {
  it('is one item, two while a piece of it is handed out, and one again when that is covered', () => {
    const due = withOwed(stateWith(session(1)), session(1), 40)
    const handed = withOwed(due, one(due), 40, { to: 12, by: 'agent' })
    const covered = withCovered(handed, ['s0', one(handed)], 12)

    expect(shown(due)).toEqual([['note', '', 0, 40]])
    expect(shown(handed)).toEqual([
      ['note', '00000001-0-12', 0, 12],
      ['note', '', 12, 40],
    ])
    expect(shown(covered)).toEqual([['note', '', 12, 40]])
    expect(one(covered).watermark).toBe(12)
    expect(withCovered(covered, ['s0', one(covered)], 40).work).toEqual([])
  })

  it('comes with the oldest session first, whenever it became due', () => {
    const state = stateWith(session(2), session(1))
    const due = withOwed(withOwed(state, session(2), 5), session(1), 7, { to: 3, by: 'agent' })

    expect(owedSessions(due).map(([id]) => id)).toEqual(['s1', 's0'])
    expect(workOf(due, 'note').map(workName)).toEqual(['00000001-0-3', '', ''])
  })

  it('of a session without a file, or one that is gone, is none', () => {
    expect(withOwed(EMPTY_STATE, newSession(''), 5).work).toEqual([])
    expect(owedSessions(withOwed(EMPTY_STATE, session(1), 5))).toEqual([])
  })

  it('covers what lies between the watermark and its end, in one row, whatever happens', () => {
    const step = fc.record({ do: fc.constantFrom('due', 'hand', 'cover', 'take back'), to: fc.nat(50) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = stateWith(session(1))
        let end = 0
        for (const { do: what, to } of steps) {
          const [at, piece] = [one(state), handedOut(state, one(state))]
          if (what === 'due') state = withOwed(state, at, Math.max(to, owedTo(state, at)), piece)
          if (what === 'hand')
            state = withOwed(state, at, owedTo(state, at), { to: Math.min(to, owedTo(state, at)), by: 'agent' })
          if (what === 'cover') state = withCovered(state, ['s0', at], to)
          if (what === 'take back') state = withOwed(state, at, owedTo(state, at))
          end = Math.max(end, what === 'due' || what === 'cover' ? to : 0)
          const { watermark } = one(state)
          const items = state.work
          expect(items.map(({ from }) => from)).toEqual(
            items.length === 0 ? [] : [watermark, ...items.slice(0, -1).map((item) => item.to)],
          )
          expect(owedTo(state, one(state))).toBe(Math.max(end, watermark))
          expect(items.every((item) => item.from < item.to)).toBe(true)
          expect(items.slice(1).every(({ by }) => by === null)).toBe(true)
        }
      }),
    )
  })
})

describe('an item', () => {
  const piece = newItem({ kind: 'facts', about: '00000001', to: 12, by: 'agent' })
  const state = withWork(EMPTY_STATE, [piece, newItem({ kind: 'rules', about: 'ab12' })])

  it('is found by its whole name only, which may be that of its note', () => {
    expect(findWork(state, 'facts', '00000001-0-12')).toBe(piece)
    expect(findWork(state, 'facts', 'n-00000001-0-12')).toBe(piece)
    for (const name of ['00000001-0-11', '00000001', 'whatever', ''])
      expect(findWork(state, 'facts', name)).toBeUndefined()
    expect(findWork(state, 'note', '00000001-0-12')).toBeUndefined()
    expect(findWork(state, 'rules', 'ab12')?.about).toBe('ab12')
  })

  it('that nobody has is not found: its range may grow', () => {
    expect(findWork(withOwed(stateWith(session(1)), session(1), 12), 'note', '00000001-0-12')).toBeUndefined()
  })

  it('is the same text, however it was made', () => {
    const read = parseState(formatState(state)) as State

    expect(formatState(read)).toBe(formatState(state))
  })

  it('counts, is added once, and goes', () => {
    const counted = withCounts(state, piece, { tries: 2 })

    expect(findWork(counted, 'facts', '00000001-0-12')).toEqual({ ...piece, tries: 2 })
    expect(withWork(counted, [piece])).toBe(counted)
    expect(withCounts(counted, piece, null).work.map(({ kind }) => kind)).toEqual(['rules'])
  })

  it('is a summary while the summary of its archive is by code', () => {
    const file = 'memory_20260113_120000.md'
    const rotated = { file, rotatedAt: '', tokenCount: 1, summary: 'x', summaryGenerated: false }
    const waiting = withSummary({ ...EMPTY_STATE, rotatedFiles: [rotated] }, file, false)
    const tried = withCounts(waiting, waiting.work[0] as WorkItem, { tries: 2 })
    const done = withSummary(tried, file, true)

    expect(waiting.work).toEqual([newItem({ kind: 'summary', about: file })])
    expect([done.work, done.rotatedFiles[0]?.summaryGenerated]).toEqual([[], true])
    expect(withSummary(done, file, false)).toEqual(waiting)
  })
})

describe('a state of 0.6', () => {
  const base = { ...JSON.parse(formatState(EMPTY_STATE)), knowledge: { candidates: '', asked: {} }, work: undefined }
  const live = { file: session(1).file, entries: 50, isLive: true }
  const read = (more: object): State => parseState(JSON.stringify({ ...base, ...more })) as State

  it('has a note that is due, with the piece in hand and its refusals', () => {
    const handout = { to: 12, by: 'agent', refusals: 1, asked: 3 }
    const { work } = read({ sessions: { s0: { ...live, watermark: 4, due: 30, mined: 4, handout } } })

    expect(work).toEqual([
      newItem({ kind: 'note', about: '00000001', from: 4, to: 12, by: 'agent', tries: 1, asked: 3 }),
      newItem({ kind: 'note', about: '00000001', from: 12, to: 30 }),
    ])
  })

  it('has facts of a piece whose note is saved, those of imported history, and none that were asked for', () => {
    const mining = { to: 12, by: 'agent', rounds: 0, asked: 2 }
    const sessions = {
      s0: { ...live, watermark: 12, mined: 4, mining },
      s1: { file: session(2).file, watermark: 9 },
      s2: { file: session(3).file, watermark: 9, mined: 9 },
      s3: { ...live, file: session(4).file, watermark: 9, mined: 9 },
    }

    expect(read({ sessions }).work).toEqual([
      newItem({ kind: 'facts', about: '00000001', from: 4, to: 12, by: 'agent', asked: 2 }),
      newItem({ kind: 'facts', about: '00000002', to: 9, by: 'code' }),
    ])
  })

  it('has what recurs, what is written again or read, and archives', () => {
    const archive = (day: number) => ({
      file: `memory_202601${day}_120000.md`,
      rotatedAt: '',
      tokenCount: 1,
      summary: 'x',
    })
    const { work, rotatedFiles } = read({
      knowledge: { candidates: 'ab12', asked: { 'reflection ab12': 4 } },
      notesOwed: ['00000001-0-4', 'n-1'],
      unread: ['00000001-4-9', '00000002-0-3'],
      unreadFailed: ['00000002-0-3'],
      rotatedFiles: [
        { ...archive(11), summaryGenerated: true },
        { ...archive(12), summaryGenerated: false, tries: 1, asked: 3 },
      ],
    })
    const range = (about: string, from: number, to: number) => ({ about, from, to, by: 'headless' as const })

    expect(work).toEqual([
      newItem({ kind: 'rules', about: 'ab12', asked: 4 }),
      newItem({ kind: 'again', ...range('00000001', 0, 4) }),
      newItem({ kind: 'read', ...range('00000001', 4, 9) }),
      newItem({ kind: 'read', ...range('00000002', 0, 3), tries: 1 }),
      newItem({ kind: 'summary', about: 'memory_20260112_120000.md', tries: 1, asked: 3 }),
    ])
    for (const one of rotatedFiles) expect(Object.keys(one)).not.toContain('tries')
  })

  it('is read once: what was written then names no old field and is the same when it is read again', () => {
    const handout = { to: 12, by: 'headless', refusals: 0, asked: 0 }
    const first = read({ sessions: { s0: { ...live, watermark: 0, due: 30, handout } }, unread: ['00000001-0-4'] })
    const text = formatState(first)

    for (const name of ['"due"', '"handout"', '"mining"', '"unread"', '"knowledge"', '"notesOwed"'])
      expect(text).not.toContain(name)
    expect(parseState(text)).toEqual(first)
  })

  it('that was ours before it was 0.6 keeps waiting for what 0.6 does not know, but for nothing that it did', () => {
    const facts = newItem({ kind: 'facts', about: '00000001', from: 4, to: 12, by: 'agent', tries: 1 })
    const unread = newItem({ kind: 'read', about: '00000001', to: 4, by: 'headless', tries: 1 })
    const work = [
      newItem({ kind: 'note', about: '00000001', from: 12, to: 20, by: 'agent', tries: 1 }),
      newItem({ kind: 'note', about: '00000001', from: 20, to: 30 }),
      newItem({ kind: 'note', about: '00000002', from: 0, to: 9 }),
      newItem({ kind: 'summary', about: 'memory_20260112_120000.md' }),
      newItem({ kind: 'facts', about: '00000002', to: 5, by: 'code' }),
      facts,
      unread,
    ]
    const sessions = { s0: { ...live, watermark: 25 }, s1: { ...live, file: session(2).file, watermark: 50 } }

    expect(read({ work, sessions }).work).toEqual([
      newItem({ kind: 'note', about: '00000001', from: 25, to: 30 }),
      facts,
      unread,
    ])
  })

  it('that holds anything else in these fields is read as far as it can be', () => {
    const odd = {
      knowledge: 5,
      notesOwed: 'x',
      unread: [1, 'x'],
      work: [5, { kind: 'x' }],
      rotatedFiles: [null],
      sessions: { a: 5 },
    }

    expect(read(odd).work).toEqual([])
    expect(parseState('{}')?.work).toEqual([])
  })
})
