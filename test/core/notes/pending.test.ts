import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Circumstances, wayOf } from '../../../src/core/model/headless.ts'
import {
  cover,
  cutLive,
  cutOver,
  cutSession,
  giveUpWork,
  holdBack,
  markAsked,
  type Request,
  settleHistory,
  toAskFor as toAskForOf,
  uncoveredSessions,
  workForClaude,
} from '../../../src/core/notes/pending.ts'
import { newSession, type SessionState } from '../../../src/kernel/memory/session-state.ts'
import { EMPTY_STATE, type State, sessionIn, withSessions } from '../../../src/kernel/memory/state.ts'
import { owedSessions, owedTo, withCounts, withOwed, withWork, workOf } from '../../../src/kernel/memory/work.ts'
import { newItem, type WorkItem, workName } from '../../../src/kernel/memory/work-item.ts'

const NOW = '2026-01-13T12:00:00.000Z'
/** An hour after the last word of every session. */
const LATER = '2026-01-13T13:00:00.000Z'
const alive = (): boolean => true
const dead = (): boolean => false

function session(n: number, more: Partial<SessionState> = {}): SessionState {
  const id8 = String(n).padStart(8, '0')
  return {
    ...newSession(`/t/${id8}.jsonl`),
    file: `2026011${n}_120000_${id8}.l1.jsonl`,
    entries: 10,
    isLive: true,
    refine: { ...newSession('').refine, ts: '2026-01-13T11:59:00.000Z' },
    ...more,
  }
}

function stateWith(...sessions: SessionState[]): State {
  return withSessions(
    { ...EMPTY_STATE, beganAt: '2026-01-01T00:00:00.000Z', counter: 30 },
    sessions.map((each, i) => [`s${i}`, each] as const),
  )
}

const due = (state: State): [string, number][] => owedSessions(state).map(([id, each]) => [id, owedTo(state, each)])

/** With a piece in the hands of Claude. */
function handed(state: State, id: string, to: number, end: number): State {
  const each = sessionIn(state, id) as SessionState
  return withOwed(state, each, end, { to, by: 'agent' })
}

const facts = (n: number, to: number, more: Partial<WorkItem> = {}): WorkItem =>
  newItem({ kind: 'facts', about: String(n).padStart(8, '0'), to, by: 'agent', ...more })

const keyOf = (item: WorkItem): string => `${item.kind} ${workName(item)}`

const toAskFor = (state: State): Request[] => toAskForOf(state, workForClaude(state, 'agent', 'auto'))

describe('who writes a note', () => {
  const around: Circumstances = {
    summarizer: 'auto',
    enforcement: 'remind',
    isModelNoticed: true,
    pausedUntil: null,
    now: NOW,
  }
  it.each<[string, Partial<typeof around>, string]>([
    ['the background call, by default', {}, 'headless'],
    ['code, before the user knows of background calls', { isModelNoticed: false }, 'extractive'],
    ['the agent, for a day after two failures', { pausedUntil: '2026-01-13T18:00:00.000Z' }, 'agent'],
    ['the background call again, when the day is over', { pausedUntil: '2026-01-13T11:00:00.000Z' }, 'headless'],
    [
      'code, where only the background call is wanted and it pauses',
      { summarizer: 'headless', pausedUntil: '2026-01-14T00:00:00.000Z' },
      'extractive',
    ],
    ['the agent, when it is wanted', { summarizer: 'agent', isModelNoticed: false }, 'agent'],
    ['the agent, when Claude is to be held to it', { enforcement: 'block' }, 'agent'],
    ['code, when no model is wanted', { summarizer: 'extractive', enforcement: 'stop' }, 'extractive'],
    [
      'the agent, where a turn is blocked until it is written',
      { summarizer: 'extractive', enforcement: 'block' },
      'agent',
    ],
  ])('is %s', (_, circumstances, way) => {
    expect(wayOf({ ...around, ...circumstances })).toBe(way)
  })
})

describe('a cut', () => {
  it('takes all that hooks saw and no note tells, and begins to count anew', () => {
    const { isLive: _, ...history } = session(3)
    const state = cutLive(stateWith(session(1), session(2, { watermark: 10 }), history))

    expect(due(state)).toEqual([['s0', 10]])
    expect([state.counter, state.cuts]).toEqual([0, 1])
  })

  it('adds to a delta that waits', () => {
    const waiting = cutLive(stateWith(session(1)))
    const grown = withSessions(waiting, [['s0', { ...(sessionIn(waiting, 's0') as SessionState), entries: 15 }]])

    expect(due(cutLive(grown))).toEqual([['s0', 15]])
  })

  it('of one session leaves the others alone', () => {
    expect(due(cutSession(stateWith(session(1), session(2)), 's1'))).toEqual([['s1', 10]])
    expect(cutSession(stateWith(session(1, { watermark: 10 })), 's0').cuts).toBe(0)
  })

  it('at a start takes sessions that ended, whose host is gone, or that have long been quiet', () => {
    const long = { refine: { ...session(1).refine, ts: '2026-01-13T10:00:00.000Z' } }
    const state = stateWith(session(1), session(2, { isEnded: true }), session(3, { pid: 99 }), session(4, long))

    expect(due(cutOver(state, NOW, alive)).map(([id]) => id)).toEqual(['s1', 's3'])
    expect(due(cutOver(state, NOW, dead)).map(([id]) => id)).toEqual(['s1', 's2', 's3'])
  })
})

describe('history found on the machine', () => {
  const { isLive: _, ...old } = session(1)
  const { isLive: __, ...newer } = session(2)
  const first: State = { ...stateWith(old, newer), beganAt: null }

  it('is not noted, but for its last entries when notes begin', () => {
    const state = settleHistory(first, LATER, 12)

    expect(uncoveredSessions(state).map(([id, each]) => [id, each.entries - each.watermark])).toEqual([
      ['s0', 2],
      ['s1', 10],
    ])
    expect(state.beganAt).toBe(LATER)
  })

  it('that is found later is told when it happened since, and else as far as its last entries', () => {
    const since = { ...first, beganAt: '2026-01-13T11:00:00.000Z' }

    expect(uncoveredSessions(settleHistory(since, LATER, 50))).toHaveLength(2)
    const later = { ...since, beganAt: LATER }
    expect(uncoveredSessions(settleHistory(later, LATER, 50))).not.toEqual([])
    expect(uncoveredSessions(settleHistory(later, LATER, 0))).toEqual([])
  })

  it('is not what may have been going on when notes began', () => {
    const begun = settleHistory(first, NOW, 50)

    expect(uncoveredSessions(settleHistory(begun, LATER, 50))).toHaveLength(2)
    expect(due(cutOver(begun, LATER, alive)).map(([id]) => id)).toEqual(['s0', 's1'])
  })

  it('is none while it may still be going on', () => {
    const state = settleHistory({ ...first, beganAt: NOW }, NOW, 50)

    expect(uncoveredSessions(state)).toHaveLength(2)
  })

  it('waits for nobody before notes begin', () => {
    expect(due(cutOver(first, NOW, alive))).toEqual([])
  })
})

describe('what Claude owes', () => {
  const state = handed(handed(stateWith(session(1), session(2)), 's1', 4, 4), 's0', 6, 10)

  it('is one note at a time, and nothing when somebody else writes it', () => {
    const item = { kind: 'note', about: '00000001', from: 0, to: 6, by: 'agent', tries: 0, asked: 0 }
    expect(workForClaude(state, 'agent', 'auto')).toEqual([item])
    expect(workForClaude(state, 'headless', 'auto')).toEqual([])
  })

  it('is asked for once, and again only after a later cut', () => {
    const asked = markAsked({ ...state, cuts: 1 }, toAskFor({ ...state, cuts: 1 }))

    expect(toAskFor(asked)).toEqual([])
    expect(toAskFor({ ...asked, cuts: 2 })).toHaveLength(1)
  })

  it('is the summary of an archive, too', () => {
    const archive = newItem({ kind: 'summary', about: 'memory_20260113_120000.md' })
    const full = withWork(stateWith(), [archive])

    expect(toAskFor(full)).toEqual([archive])
    expect(toAskFor(markAsked(full, toAskFor(full)))).toEqual([])
  })

  it('waits for nobody forever: whoever was not asked for longest comes first, whatever Claude leaves undone', () => {
    const archive = fc.record({ n: fc.integer({ min: 10, max: 28 }), asked: fc.nat(9) })
    const mined = fc.record({ n: fc.integer({ min: 1, max: 9 }), asked: fc.nat(9) })
    const all = fc.record({
      archives: fc.uniqueArray(archive, { selector: ({ n }) => n, minLength: 1, maxLength: 6 }),
      sessions: fc.uniqueArray(mined, { selector: ({ n }) => n, minLength: 1, maxLength: 6 }),
    })
    fc.assert(
      fc.property(all, ({ archives, sessions }) => {
        const items = [
          ...archives
            .toSorted((a, b) => a.n - b.n)
            .map(({ n, asked }) => newItem({ kind: 'summary', about: `memory_202601${n}_120000.md`, asked })),
          ...sessions.map(({ n, asked }) => facts(n, 6, { asked })),
        ]
        let state: State = withWork({ ...stateWith(...sessions.map(({ n }) => session(n))), cuts: 9 }, items)
        const waiting = new Set(state.work.map(keyOf))
        for (const _ of [...archives, ...sessions]) {
          state = { ...state, cuts: state.cuts + 1 }
          const asked = toAskFor(state)
          for (const item of asked) waiting.delete(keyOf(item))
          state = markAsked(state, asked)
        }

        expect([...waiting]).toEqual([])
      }),
    )
  })

  it('holds a turn back twice for the same work, then lets go, until there is other work', () => {
    const owed = workForClaude(state, 'agent', 'auto')
    const once = holdBack(state, owed)
    const twice = once && holdBack(once, owed)

    expect(twice && holdBack(twice, owed)).toBeNull()
    expect(
      twice &&
        holdBack(
          twice,
          owed.map((item) => ({ ...item, about: 'other' })),
        ),
    ).not.toBeNull()
    expect(holdBack(state, [])).toBeNull()
  })

  describe('with facts and rules', () => {
    const rules = newItem({ kind: 'rules', about: 'ab12' })
    const full = { ...withWork(state, [facts(1, 6), facts(3, 3), rules]), cuts: 1 }
    const steps = (at: State): string[] => workForClaude(at, 'agent', 'auto').map(keyOf)

    it('comes in the order of the layers, one of each; the facts of a piece come with its note', () => {
      expect(steps(full)).toEqual(['facts 00000003-0-3', 'rules ab12', 'note 00000001-0-6'])
      expect(steps(withWork(state, [facts(1, 6), rules]))).toEqual(['rules ab12', 'note 00000001-0-6'])
      expect(workForClaude(full, 'headless', 'auto')).toEqual([])
    })

    it('is not what was saved once, nor what code or a background call does', () => {
      const others = [
        facts(3, 3, { tries: 1 }),
        facts(4, 3, { by: 'code' }),
        facts(5, 3, { by: 'headless' }),
        newItem({ kind: 'read', about: '00000006', to: 3, by: 'headless' }),
        newItem({ kind: 'again', about: '00000007', to: 3, by: 'headless' }),
      ]

      expect(steps(withWork(stateWith(), others))).toEqual([])
    })

    it('is the note only where code finds the facts', () => {
      expect(workForClaude(full, 'agent', 'extractive').map(keyOf)).toEqual(['note 00000001-0-6'])
    })

    it('is asked for once each, and again after a later cut, but a verdict only when something else recurs', () => {
      const asked = markAsked(full, toAskFor(full))
      const other = withWork(withCounts(asked, rules, null), [{ ...rules, about: 'cd34' }])

      expect(toAskFor(asked)).toEqual([])
      expect(toAskFor(other)).toMatchObject([{ kind: 'rules', about: 'cd34' }])
      expect(toAskFor({ ...asked, cuts: 2 })).toHaveLength(3)
    })
  })

  it('is given up where it is facts of a session that is over and has its note, and only then', () => {
    const covered = stateWith(session(1, { watermark: 6 }), session(2), session(3, { watermark: 6 }))
    const waiting = withWork(covered, [facts(1, 6), facts(2, 6), facts(3, 6), facts(1, 6, { by: 'code', from: 2 })])
    const after = giveUpWork(waiting, ({ file }) => !file.includes('00000003'))

    expect(after.work.map(({ about, by }) => [about, by])).toEqual([
      ['00000002', 'agent'],
      ['00000003', 'agent'],
      ['00000001', 'code'],
    ])
    expect(giveUpWork(waiting, () => false)).toBe(waiting)
  })

  it('is given up where the state lost its session, but not what settled sessions may have', () => {
    const lost = [
      facts(9, 6),
      facts(9, 6, { by: 'code', from: 1 }),
      newItem({ kind: 'note', about: '00000009', to: 6 }),
    ]
    const read = newItem({ kind: 'read', about: '00000009', to: 6, by: 'headless' })

    expect(giveUpWork(withWork(stateWith(session(1)), [...lost, read]), () => false).work).toEqual([read])
  })

  it('is less once a piece is told', () => {
    const told = cover(state, ['s0', sessionIn(state, 's0') as SessionState], 6, NOW)

    expect(due(told)).toEqual([
      ['s0', 10],
      ['s1', 4],
    ])
    expect(sessionIn(told, 's0')?.watermark).toBe(6)
    expect(workOf(told, 'note').filter(({ by }) => by !== null)).toMatchObject([{ about: '00000002' }])
    expect(told.lastMemoryUpdateTs).toBe(NOW)
  })
})
