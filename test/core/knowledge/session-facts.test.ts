/** Facts of one session: which pieces wait for them, which entries carry weight, and the file with what was extracted. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  carryWeight,
  closeMining,
  giveUpOver,
  isSessionFacts,
  openMining,
  renderSessionFacts,
  shortenMining,
  skipMining,
  uncovered,
} from '../../../src/core/knowledge/session-facts.ts'
import { newSession, type SessionState } from '../../../src/kernel/memory/session-state.ts'
import { allSessions, EMPTY_STATE, type State, sessionIn, withSessions } from '../../../src/kernel/memory/state.ts'
import { findWork, openPieceId, withCounts, workOf } from '../../../src/kernel/sessions/work.ts'
import { answers, asks, entriesOf, runs } from '../../support/briefing.ts'
import { fact as someFact } from '../../support/fact.ts'

describe('the file with the facts of a session', () => {
  const d001 = someFact({ id: 'd001', evidence: { entry: 9, quote: 'q' }, also: ['cccccccc#1'], pinned: true })
  const i002 = someFact({ id: 'i002', kind: 'issue', evidence: { entry: 3, quote: 'r' } })

  it('shows them in the order of the entries', () => {
    const text = renderSessionFacts('1a2b3c4d', [d001, i002]) ?? ''

    expect(isSessionFacts(text)).toBe(true)
    expect(JSON.parse(text)).toMatchObject({
      session: '1a2b3c4d',
      facts: [{ id: 'i002' }, { id: 'd001', text: d001.text }],
    })
    expect(text).not.toContain('cccccccc')
    expect(renderSessionFacts('1a2b3c4d', [])).toBeNull()
  })

  it('is told from what 0.6 extracted, and from what is no JSON', () => {
    expect(isSessionFacts('{"version": 1, "session": "1a2b3c4d", "facts": []}')).toBe(false)
    expect(isSessionFacts('{')).toBe(false)
  })
})

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

describe('a piece', () => {
  const open = openMining(session(1), { from: 0, to: 12 }, 'agent')

  it('is named like the delta it came with', () => {
    expect(openPieceId(open)).toBe('00000001-0-12')
    expect(openPieceId(session(1))).toBeNull()
  })

  it('in the hands of Claude stays as it is while more comes due', () => {
    expect(openMining(open, { from: 12, to: 30 }, 'agent')).toBe(open)
  })

  it('is followed by what Claude got or noted meanwhile', () => {
    const handed = { ...open, watermark: 12, handout: { to: 30, by: 'agent' as const, refusals: 0, asked: 0 } }

    expect(openPieceId(closeMining(handed, 12))).toBe('00000001-12-30')
    expect(openPieceId(closeMining({ ...open, watermark: 20 }, 12))).toBe('00000001-12-20')
    expect(openPieceId(closeMining(closeMining({ ...open, watermark: 20 }, 12), 20))).toBeNull()
    expect(closeMining({ ...open, watermark: 20 }, 12).mining).toMatchObject({ rounds: 0, asked: 0 })
  })

  it('stays when nothing in the next delta is worth a fact', () => {
    expect(skipMining(open, { from: 12, to: 30 })).toBe(open)
    expect(skipMining(session(1), { from: 12, to: 30 }).mined).toBe(30)
  })

  it('ends earlier where all of it is too long', () => {
    expect(openPieceId(shortenMining(open, 5))).toBe('00000001-0-5')
    expect(shortenMining(open, 40)).toBe(open)
  })

  it('is given up when its session is over and its note is told, and only then', () => {
    const told = { ...open, watermark: 12 }
    const untold = openMining(session(2), { from: 0, to: 12 }, 'agent')
    const running = { ...openMining(session(3), { from: 0, to: 12 }, 'agent'), watermark: 12 }
    const background = { ...openMining(session(4), { from: 0, to: 12 }, 'headless'), watermark: 12 }
    const state = stateWith(told, untold, running, background)
    const after = giveUpOver(state, ({ file }) => file !== running.file)

    const left = ['00000002-0-12', '00000003-0-12', '00000004-0-12']
    expect(allSessions(after).map(([, each]) => openPieceId(each))).toEqual([null, ...left])
    expect(giveUpOver(state, () => false)).toBe(state)
  })

  it('of a background call is the one that is about to be asked for', () => {
    expect(openPieceId(openMining(open, { from: 12, to: 30 }, 'headless'))).toBe('00000001-12-30')
  })

  it('is not opened where facts were extracted before', () => {
    const done = closeMining(open, 12)

    expect(openPieceId(done)).toBeNull()
    expect(openPieceId(openMining(done, { from: 0, to: 12 }, 'agent'))).toBeNull()
    expect(openPieceId(openMining(done, { from: 5, to: 20 }, 'agent'))).toBe('00000001-12-20')
  })

  it('is found by its whole name only', () => {
    const state = stateWith(open)

    expect(findWork(state, 'facts', '00000001-0-12')?.session).toBe('s0')
    expect(findWork(state, 'facts', 'n-00000001-0-12')?.session).toBe('s0')
    expect(findWork(state, 'facts', '00000001-0-11')).toBeUndefined()
    expect(findWork(state, 'facts', 'whatever')).toBeUndefined()
  })

  it('is told of the oldest session first, with who has it', () => {
    const state = stateWith(
      openMining(session(3), { from: 0, to: 3 }, 'agent'),
      openMining(session(2), { from: 0, to: 2 }, 'headless'),
      openMining(session(1), { from: 0, to: 1 }, 'agent'),
    )

    expect(workOf(state, 'facts').map(({ name, by }) => [name, by])).toEqual([
      ['00000001-0-1', 'agent'],
      ['00000002-0-2', 'headless'],
      ['00000003-0-3', 'agent'],
    ])
  })

  it('keeps count of its rounds', () => {
    const state = stateWith(open)
    const item = findWork(state, 'facts', '00000001-0-12')
    if (item === undefined) throw new Error('no piece')
    const counted = withCounts(state, item, { tries: 2 })

    expect(findWork(counted, 'facts', '00000001-0-12')?.tries).toBe(2)
    expect(sessionIn(counted, 's0')?.mining).toEqual({ to: 12, by: 'agent', rounds: 2, asked: 0 })
  })

  it('never goes back, whatever is opened and closed', () => {
    const step = fc.record({
      do: fc.constantFrom('agent' as const, 'headless' as const, 'close' as const),
      from: fc.nat(40),
      length: fc.nat(20),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let at = session(1)
        for (const { do: what, from, length } of steps) {
          const before = at.mined
          at = what === 'close' ? closeMining(at, from) : openMining(at, { from, to: from + length }, what)
          expect(at.mined).toBeGreaterThanOrEqual(before)
          if (at.mining !== undefined && what !== 'close') expect(at.mining.to).toBeGreaterThan(0)
          const open = openPieceId(at)
          if (open !== null) expect(Number(open.split('-')[1])).toBe(at.mined)
        }
      }),
    )
  })
})

const TS = '2026-01-13T12:00:00.000Z'
const chosen = { role: 'user', by: 'user', via: 'AskUserQuestion', ts: TS, text: '"Which?"="SQLite"' } as const
const ENTRIES = entriesOf(
  asks('Please move the whole queue to another database today.'),
  chosen,
  runs('npm test', false, '1 failed'),
  runs('npm test'),
  runs('git commit -m "Move the queue"'),
  answers('Done.'),
)

describe('what carries weight', () => {
  it.each([
    [[], [1, 2, 4, 0]],
    [[1], [2, 4]],
    [[2], [4]],
    [[5], []],
  ])('that no fact of its turn covers: with facts about %j it is %j', (cited, expected) => {
    const facts = cited.map((entry) => ({ evidence: { entry, quote: 'x' } }))

    expect(uncovered(ENTRIES, facts).map(({ entry }) => entry)).toEqual(expected)
  })

  it('is not there where somebody only says hello', () => {
    expect(carryWeight(entriesOf(asks('hello'), answers('Hello!')))).toBe(false)
    expect(carryWeight(entriesOf(asks('Please keep every price in whole cents from now on.')))).toBe(true)
    expect(carryWeight(ENTRIES)).toBe(true)
  })
})
