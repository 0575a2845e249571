/** Reflection on a memory: the user's words in enough sessions become active, the rest is proposed; nothing is lost, nothing twice. */

import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeByHand } from '../../../../src/core/edit/disk/by-hand.ts'
import {
  openCandidates,
  proposeInstructions,
  proposeRule,
  reflectAll,
  saidAt,
  sessionsSaidIn,
} from '../../../../src/core/knowledge/disk/reflection.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import type { Fact, PermanentItem } from '../../../../src/core/knowledge/item.ts'
import { allPermanent } from '../../../../src/core/knowledge/items.ts'
import type { Entry } from '../../../../src/kernel/transcript/session.ts'
import { bash, claude, user } from '../../../fixtures/sessions.ts'
import { fact, factsWith, itemsOf, listed } from '../../../support/fact.ts'
import { AFTER, factsIn, learned, reflectOn } from '../../../support/learned.ts'
import { fastDir, makeProject, storeOf, type TestProject } from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'

const PNPM = 'We use pnpm, not npm, for installing packages.'
const UTC = 'Always store dates in UTC.'
const LEXER = 'We decided to skip empty lines in the lexer, because the grammar stays smaller.'
const ALL = [PNPM, UTC, LEXER]

const IN_TIME = { now: () => AFTER, isLate: () => false, waitMs: 10 }
const says = (...texts: string[]): Entry[] => [user('Please look at the build.'), claude('Sure.'), ...texts.map(user)]
const times = (n: number, entries: Entry[]): Entry[][] => Array.from({ length: n }, () => entries)
const itemsIn = (project: TestProject): PermanentItem[] => allPermanent(factsIn(project))
const statusesIn = (project: TestProject): string[] => itemsIn(project).map(({ id, state }) => `${id} ${state}`)

function verdict(project: TestProject, id: string, act: 'accept' | 'decline' | 'demote', at = AFTER): void {
  changeByHand(storeOf(project), { do: act, id }, { by: 'user', now: at })
}

/** Facts that so many sessions have in common; none of the sessions is there any more. */
function recurring(n: number): Fact[] {
  return Array.from({ length: n }, (_, i) =>
    fact({ id: `d${String(i + 1).padStart(3, '0')}`, text: `Thing${i} is kept.`, also: ['aaaaaaaa#1', 'bbbbbbbb#2'] }),
  )
}

/** The same project with more sessions. */
function goOn(project: TestProject, sessions: readonly Entry[][]): void {
  const kept = factsIn(project)
  learned(sessions, ALL, project)
  const { reflected } = kept._meta as { reflected?: object }
  const facts = itemsOf({
    ...listed(factsIn(project)),
    permanent: listed(kept).permanent,
    _meta: { ...factsIn(project)._meta, ...{ reflected } },
  })
  fs.writeFileSync(path.join(project.memory, 'facts.json'), formatItems(facts))
}

describe("the user's own words", () => {
  it('become active once three sessions have them, with their places', () => {
    const project = learned(times(3, says(PNPM)), ALL)

    expect(reflectOn(project)).toEqual({ promoted: ['r001'], proposed: [], superseded: [], isComplete: true })
    expect(itemsIn(project)).toMatchObject([
      {
        ...{ id: 'r001', kind: 'rules', text: PNPM, state: 'active', by: 'code', facts: ['d001'] },
        judged: { by: 'code', at: AFTER },
        evidence: [1, 2, 3].map((n) => ({ session: `5e55000${n}`, entry: 2, quote: PNPM })),
      },
    ])
  })

  it('give nothing while two sessions have them', () => {
    const project = learned(times(2, says(PNPM, UTC)), ALL)

    reflectOn(project)
    expect(itemsIn(project)).toEqual([])
  })
})

describe("Claude's words", () => {
  const sessions = times(3, [user('Make the parser smaller.'), claude(LEXER)])

  it('are only proposed, as core logic, and a model may judge them', () => {
    const project = learned(sessions, ALL)

    expect(reflectOn(project)).toMatchObject({ promoted: [], proposed: ['r001'] })
    expect(openCandidates(storeOf(project))).toMatchObject([
      { id: 'r001', kind: 'core_logic', sessions: 3, evidence: [{ entry: 1 }, { entry: 1 }, { entry: 1 }] },
    ])
  })

  it.each([
    ['accept', 'r001 active'],
    ['decline', 'r001 declined'],
  ] as const)('stay as the user judged them, however often they are said again: %s', (act, status) => {
    const project = learned(sessions, ALL)
    reflectOn(project)
    verdict(project, 'r001', act)
    goOn(project, [...sessions, ...times(2, [user('Once more.'), claude(LEXER)])])
    reflectOn(project)

    expect(statusesIn(project)).toEqual([status])
  })

  it("are judged once: a model's no is remembered, and the user's own words overrule it", () => {
    const asked = times(3, [user('Which package manager?'), claude(PNPM)])
    const project = learned(asked, ALL)
    reflectOn(project)
    const store = storeOf(project)
    expect(proposeRule(store, { candidate: 'r001', keep: false, why: 'of the moment' }, 'agent', AFTER).isKept).toBe(
      true,
    )
    expect(openCandidates(store)).toEqual([])
    expect(reflectOn(project)).toMatchObject({ promoted: [], proposed: [] })

    goOn(project, [...asked, ...times(3, says(PNPM))])
    expect(reflectOn(project).promoted).toEqual(['r001'])
    expect(itemsIn(project)[0]).toMatchObject({ state: 'active', text: PNPM })
  })
})

describe('an active item', () => {
  it('ends with its facts, unless the user accepted it', () => {
    const [code, users] = [learned(times(3, says(PNPM)), ALL), learned(times(3, says(PNPM)), ALL)]
    for (const project of [code, users]) reflectOn(project)
    verdict(users, 'r001', 'accept')
    for (const project of [code, users]) {
      const facts = factsIn(project)
      const decisions = listed(facts).decisions.map((one) => ({ ...one, state: 'superseded' as const }))
      fs.writeFileSync(path.join(project.memory, 'facts.json'), formatItems(itemsOf({ ...listed(facts), decisions })))
    }

    expect(reflectOn(code).superseded).toEqual(['r001'])
    expect(reflectOn(users).superseded).toEqual([])
  })

  it('comes back after it was retired only when it is said anew in as many sessions', () => {
    const sessions = times(3, says(PNPM))
    const project = learned(sessions, ALL)
    reflectOn(project, '2026-01-04T00:00:00.000Z')
    verdict(project, 'r001', 'demote', '2026-01-04T00:00:00.000Z')
    goOn(project, times(5, says(PNPM)))
    reflectOn(project)
    expect(statusesIn(project)).toHaveLength(1)

    goOn(project, times(6, says(PNPM)))
    expect(reflectOn(project).promoted).toEqual(['r002'])
    expect(statusesIn(project)).toEqual(['r001 superseded', 'r002 active'])
  })

  it('is used when it is recalled', () => {
    const project = learned(times(3, says(PNPM)), ALL)
    reflectOn(project)
    const shown = [{ id: 'r001', from: 0, to: 9, mark: 'x' }]
    const receipt = {
      ...{ at: '2026-03-01T00:00:00.000Z', session: 's', n: 1, fired: true, tokens: 5, verdict: 'told', ms: 1, shown },
    }
    fs.mkdirSync(path.join(project.memory, 'journal'), { recursive: true })
    fs.writeFileSync(path.join(project.memory, 'journal', 'recalls.jsonl'), `${JSON.stringify(receipt)}\n`)
    reflectOn(project)

    expect(itemsIn(project)[0]?.usedAt).toBe(receipt.at)
  })

  it('may be made by the user from any fact, in words of their own', () => {
    const project = learned([says(PNPM)], ALL)
    const hand = { by: 'user', now: AFTER } as const
    changeByHand(storeOf(project), { do: 'accept', id: 'D001', kind: 'core_logic', text: 'pnpm only' }, hand)
    changeByHand(storeOf(project), { do: 'accept', id: 'd001' }, hand)

    expect(itemsIn(project)).toMatchObject([
      { id: 'r001', kind: 'core_logic', text: 'pnpm only', state: 'active', by: 'user', facts: ['d001'] },
    ])
    expect(() => changeByHand(storeOf(project), { do: 'accept', id: 'd999' }, hand)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
  })
})

describe('reflecting', () => {
  it('writes nothing the second time, and reads no session', () => {
    const project = learned([...times(3, says(PNPM)), ...times(3, [bash('cat x', true, LEXER), claude(LEXER)])], ALL)
    reflectOn(project)
    const before = fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')
    fs.rmSync(path.join(project.memory, 'sessions'), { recursive: true })

    expect(reflectOn(project, '2026-02-02T00:00:00.000Z')).toMatchObject({
      promoted: [],
      proposed: [],
      isComplete: true,
    })
    expect(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')).toBe(before)
  })

  it('goes on where it stopped when there was no time, and weighs some however late it is', () => {
    const project = remember({ facts: factsWith(...recurring(50)) })
    const store = storeOf(project)
    const late = (): boolean => true

    expect([1, 2, 3].map(() => reflectAll(store, { ...IN_TIME, isLate: late }).isComplete)).toEqual([
      false,
      false,
      true,
    ])
    expect(reflectAll(store, IN_TIME)).toMatchObject({ promoted: [], isComplete: true })
  })

  it('decides without the lock, and writes nothing while another process holds it', () => {
    const project = learned(times(3, says(PNPM)), ALL)
    const store = storeOf(project)
    const busy = storeOf(project).whileLocked(1_000, () => reflectAll(store, IN_TIME))
    expect(busy?.value).toMatchObject({ promoted: [], isComplete: false })
    expect(itemsIn(project)).toEqual([])
    expect(reflectAll(store, IN_TIME)).toMatchObject({ promoted: ['r001'], isComplete: true })
  })

  it('comes to the same items whatever the order of the sessions', () => {
    const pool = [
      ...times(3, says(PNPM)),
      says(UTC),
      [user('Hi.'), claude(LEXER)],
      [bash('cat x', true, UTC)],
    ] satisfies Entry[][]
    fc.assert(
      fc.property(fc.shuffledSubarray(pool, { minLength: pool.length }), (sessions) => {
        const project = learned(sessions, ALL, makeProject('app', fastDir()))
        reflectOn(project)
        reflectOn(project)

        expect(itemsIn(project).map(({ state, text, evidence }) => [state, text, evidence.length])).toEqual([
          ['active', PNPM, 3],
        ])
      }),
      { numRuns: 15 },
    )
  })
})

describe('instructions that a model found', () => {
  const propose = (project: TestProject, session: number, text: string, quote: string): void => {
    const store = storeOf(project)
    store.whileLocked(1_000, () =>
      proposeInstructions(store, `5e55000${session}-0-3`, [{ text, quote }], `2026-02-0${session}T00:00:00.000Z`),
    )
  }

  it("are proposed with the user's words, and active once three sessions have them", () => {
    const project = learned(times(3, says(PNPM)))
    propose(project, 1, 'Install packages with pnpm, not npm.', PNPM)
    expect(itemsIn(project)).toMatchObject([
      { state: 'proposed', by: 'headless', evidence: [{ session: '5e550001', entry: 2, quote: PNPM }] },
    ])
    propose(project, 1, PNPM, PNPM)
    propose(project, 2, PNPM, PNPM)
    expect(statusesIn(project)).toEqual(['r001 proposed'])
    propose(project, 3, PNPM, PNPM)
    expect(itemsIn(project)).toMatchObject([{ id: 'r001', state: 'active', text: PNPM, judged: { by: 'code' } }])
  })

  it.each([
    ['nobody said', [user('Hi.'), claude('Sure.'), user('Thanks.')]],
    ['Claude said', [user('Hi.'), claude(PNPM), user('Thanks.')]],
    ['a tool printed before the user repeated it', [user('Hi.'), bash('cat README', true, PNPM), user(PNPM)]],
    ['stand in a paste', [user('Hi.'), claude('Sure.'), user(`What is this?\n\n> ${PNPM}`)]],
  ])('are dropped where %s', (_, entries) => {
    const project = learned([entries])
    propose(project, 1, PNPM, PNPM)

    expect(itemsIn(project)).toEqual([])
  })

  it('stay declined, and stay proposed where a rule of an earlier version says the same', () => {
    const project = learned(times(3, says(PNPM)))
    propose(project, 1, PNPM, PNPM)
    verdict(project, 'r001', 'decline')
    propose(project, 2, PNPM, PNPM)
    expect(statusesIn(project)).toEqual(['r001 declined'])

    const { facts, ...item } = { ...(itemsIn(project)[0] as PermanentItem), facts: [] as string[] }
    const earlier = { ...item, facts, state: 'proposed' as const, from: '0.5' }
    const rules = itemsOf({
      ...listed(factsIn(project)),
      permanent: { rules: [earlier], solutions: [], core_logic: [] },
    })
    fs.writeFileSync(path.join(project.memory, 'facts.json'), formatItems(rules))
    for (const n of [2, 3]) propose(project, n, PNPM, PNPM)
    expect(statusesIn(project)).toEqual(['r001 proposed'])
  })
})

describe('looking places up', () => {
  const project = learned([
    [user('Some words.\n\nUse   pnpm for packages. Then go on.'), claude('Fine.'), user('Fine.')],
  ])
  const at = (entry: number, quote = '', session = '5e550001'): ReturnType<typeof saidAt> =>
    saidAt(sessionsSaidIn(storeOf(project)), [{ session, entry, quote }], 'We use pnpm for packages.')

  it('finds the quote, else the sentence that is about it', () => {
    expect(at(0, 'Then go on.')).toMatchObject([{ quote: 'Then go on.', by: 'user' }])
    expect(at(0)).toMatchObject([{ quote: 'Use   pnpm for packages.', by: 'user', at: '2026-01-01T09:00:00.000Z' }])
  })

  it('finds nothing where nothing of it stands, or nothing is', () => {
    expect([at(1), at(2, 'made up'), at(99), at(0, '', 'ffffffff')]).toEqual([[], [], [], []])
  })
})
