/** What recurs, and what may hold for good because of who said it. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import type { Fact, PermanentItem } from '../../../src/core/knowledge/item.ts'
import { allPermanent, type Items, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import {
  addPermanent,
  changePermanent,
  proposedIn,
  unjudgedIn,
  useAgain,
} from '../../../src/core/knowledge/permanent.ts'
import {
  candidatesIn,
  endOrphans,
  knownAs,
  type Recurring,
  reflectedIn,
  reflectionMark,
  type SaidAgain,
  unusedIn,
  weigh,
  withReflected,
} from '../../../src/core/knowledge/reflection.ts'
import { itemsOf, listed, fact as someFact, permanent as someItem } from '../../support/fact.ts'

const PNPM = 'Use pnpm for installing packages, not npm.'

const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}T09:00:00.000Z`
const session = (n: number): string => `5e55000${n}`

function fact(change: Partial<Fact> & { id: string }): Fact {
  const evidence = { entry: 0, quote: PNPM }
  return someFact({ text: PNPM, at: day(1), session: session(1), evidence, by: 'extractive', ...change })
}

const decided = (...decisions: Fact[]): Items => itemsOf({ ...listed(NO_ITEMS), decisions })

function said(n: number, quote = PNPM, by: SaidAgain['by'] = 'user'): SaidAgain {
  return { session: session(n), entry: n, quote, by, at: day(n) }
}

const three = [`${session(2)}#3`, `${session(3)}#1`]

function permanent(change: Partial<PermanentItem> & { id: string }): PermanentItem {
  return someItem(change.id, PNPM, day(4), { state: 'active', ...change })
}

const lasting = (...rules: PermanentItem[]): Items =>
  itemsOf({ ...listed(NO_ITEMS), permanent: { ...listed(NO_ITEMS).permanent, rules } })

describe('what recurs', () => {
  it('is a fact that three sessions name, wherever in them', () => {
    const [found] = candidatesIn(decided(fact({ id: 'd001', also: three })), 3)

    expect(found).toMatchObject({ key: 'd001', kind: 'rules', text: PNPM, facts: ['d001'] })
    expect(found?.places.map((place) => `${place.session}#${place.entry}`)).toEqual([`${session(1)}#0`, ...three])
  })

  it('is not one that a single session repeats', () => {
    const often = [`${session(1)}#5`, `${session(1)}#9`, `${session(2)}#3`]

    expect(candidatesIn(decided(fact({ id: 'd001', also: often })), 3)).toEqual([])
    expect(candidatesIn(decided(fact({ id: 'd001', also: often })), 2)).toHaveLength(1)
  })

  it.each(['superseded', 'rejected'] as const)('is nothing that is %s', (state) => {
    expect(candidatesIn(decided(fact({ id: 'd001', also: three, state })), 3)).toEqual([])
  })

  it('is what several facts of one concept say together', () => {
    const facts: Items = itemsOf({
      ...listed(decided(fact({ id: 'd001', concept: 'c001' }))),
      patterns: [
        fact({ id: 'p001', kind: 'pattern', concept: 'c001', session: session(2) }),
        fact({ id: 'p002', kind: 'pattern', concept: 'c001', session: session(3) }),
        fact({ id: 'p003', kind: 'pattern', concept: 'c002', session: session(4) }),
      ],
    })

    expect(candidatesIn(facts, 3)).toMatchObject([{ key: 'd001', facts: ['d001', 'p001', 'p002'] }])
  })

  it('is what solved an issue in three sessions, not an issue that took three sessions to solve', () => {
    const issue = (n: number, resolution: string | null): Fact => ({
      ...fact({
        id: `i00${n}`,
        kind: 'issue',
        by: 'agent',
        text: `The worker ${'xyz'[n - 1]} hangs`,
        session: session(n),
        concept: 'c001',
      }),
      status: resolution === null ? 'open' : 'resolved',
      resolution,
    })
    const again = [1, 2, 3].map((n) => issue(n, 'Restart the redis container'))
    const slow = { ...issue(1, 'Restart the redis container'), also: three }

    expect(candidatesIn(itemsOf({ ...listed(NO_ITEMS), issues: again }), 3)).toMatchObject([
      { key: 'i001', kind: 'solutions', text: 'The worker x hangs → Restart the redis container' },
    ])
    expect(candidatesIn(itemsOf({ ...listed(NO_ITEMS), issues: [slow] }), 3)).toEqual([])
    expect(candidatesIn(itemsOf({ ...listed(NO_ITEMS), issues: [1, 2, 3].map((n) => issue(n, null)) }), 3)).toEqual([])
  })
})

describe('any facts', () => {
  it('recur the same in whatever order they are kept, and only in enough sessions', () => {
    const place = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(9)).map(([n, entry]) => `${session(n)}#${entry}`)
    const some = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('d001', 'd002', 'd003', 'd004'),
        text: fc.constantFrom(PNPM, 'Keep dates in UTC.', 'Write the tests first.'),
        also: fc.array(place, { maxLength: 5 }),
        concept: fc.constantFrom(null, 'c001'),
        session: fc.constantFrom(session(1), session(2)),
      }),
      { selector: ({ id }) => id },
    )
    fc.assert(
      fc.property(some, (given) => {
        const facts = given.map((one) => fact(one))
        const found = candidatesIn(decided(...facts), 3)
        const named = (all: readonly Recurring[]): string[] => all.map((one) => one.facts.toSorted().join(' ')).sort()

        expect(named(candidatesIn(decided(...facts.toReversed()), 3))).toEqual(named(found))
        for (const { places } of found) expect(new Set(places.map((one) => one.session)).size).toBeGreaterThanOrEqual(3)
      }),
    )
  })
})

describe('weighing', () => {
  const [candidate] = candidatesIn(decided(fact({ id: 'd001', also: three })), 3) as [Recurring]

  it("activates the user's own sentence when three sessions have it, in their newest words", () => {
    const newest = 'use pnpm for installing packages, not npm!'

    expect(weigh(candidate, [said(1), said(3, newest), said(2)], 3)).toMatchObject({ state: 'active', text: newest })
  })

  it.each([
    ['two sessions of the user and one of Claude', [said(1), said(2), said(3, PNPM, 'assistant')]],
    ['Claude alone', [1, 2, 3].map((n) => said(n, PNPM, 'assistant'))],
    [
      'three sentences of the user that do not say the same',
      [said(1), said(2, 'npm is slow for installing packages.'), said(3, 'I like pnpm for packages.')],
    ],
  ])('only proposes what %s say', (_, proofs) => {
    expect(weigh(candidate, proofs, 3)?.state).toBe('proposed')
  })

  it('calls what Claude alone says how the project works, not a rule', () => {
    const claudes = [1, 2, 3].map((n) => said(n, PNPM, 'assistant'))

    expect(weigh(candidate, claudes, 3)).toMatchObject({ state: 'proposed', kind: 'core_logic' })
  })

  it("counts no tool's words, and nothing that stands nowhere", () => {
    expect(weigh(candidate, [said(1), said(2), said(3, PNPM, 'tool')], 3)).toBeNull()
    expect(weigh(candidate, [], 3)).toBeNull()
  })

  it('refuses a text that its proofs do not carry', () => {
    const invented = { ...candidate, text: 'Deploy on Fridays without running any tests.' }
    const claudes = [1, 2, 3].map((n) => said(n, PNPM, 'assistant'))

    expect(weigh(invented, claudes, 3)).toBeNull()
  })

  it('never lets a tool decide, whatever it says and however often', () => {
    const anySaid = fc.record({
      session: fc.constantFrom(...[1, 2, 3, 4, 5].map(session)),
      entry: fc.nat(9),
      quote: fc.constantFrom(PNPM, 'use pnpm for installing packages, not npm', 'We tried npm before.'),
      by: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const),
      at: fc.constantFrom(day(1), day(2), day(3)),
    })
    fc.assert(
      fc.property(fc.array(anySaid, { maxLength: 12 }), (all) => {
        const spoken = all.filter(({ by }) => by !== 'tool')
        const users = new Set(all.flatMap((one) => (one.by === 'user' ? [one.session] : [])))
        const verdict = weigh(candidate, all, 3)

        expect(verdict).toEqual(weigh(candidate, spoken, 3))
        if (users.size < 3) expect(verdict?.state).not.toBe('active')
        expect(weigh(candidate, all.toReversed(), 3)?.state).toEqual(verdict?.state)
      }),
    )
  })
})

describe('what is known already', () => {
  const [candidate] = candidatesIn(decided(fact({ id: 'd001', also: three })), 3) as [Recurring]

  it('is found by its facts, else by its words, what holds before what is over', () => {
    const items = [
      permanent({ id: 'r001', state: 'superseded' }),
      permanent({ id: 'r002', state: 'declined', text: 'Something else', facts: ['d001'] }),
      permanent({ id: 'r003', state: 'active', text: 'use pnpm for installing packages, not npm' }),
    ]

    expect(knownAs(lasting(...items), candidate)?.id).toBe('r002')
    expect(knownAs(lasting(...items.filter(({ id }) => id !== 'r002')), candidate)?.id).toBe('r003')
    expect(knownAs(lasting(permanent({ id: 'r004', text: 'Write tests first.' })), candidate)).toBeNull()
  })
})

describe('the next reflection', () => {
  it('ends an item with the last of its facts, unless it is active by the word of the user', () => {
    const byUser = { by: 'user' as const, at: day(5), why: null, other: null }
    const items = lasting(
      permanent({ id: 'r001', facts: ['d001', 'd002'] }),
      permanent({ id: 'r002', facts: ['d001'], state: 'proposed' }),
      permanent({ id: 'r003', facts: ['d001'], state: 'declined' }),
      permanent({ id: 'r004' }),
      permanent({ id: 'r005', facts: ['d001'], judged: byUser }),
      permanent({ id: 'r006', facts: ['d001'], judged: byUser, state: 'proposed' }),
    )
    const over = (...states: Fact['state'][]): Items =>
      itemsOf({
        ...listed(items),
        decisions: states.map((state, i) => fact({ id: `d00${i + 1}`, state })),
      })
    const ended = (facts: Items): string[] =>
      allPermanent(endOrphans(facts, day(9))).flatMap(({ id, state }) => (state === 'superseded' ? [id] : []))

    expect(ended(over('rejected', 'superseded'))).toEqual(['r001', 'r002', 'r006'])
    expect(ended(over('rejected', 'fresh'))).toEqual(['r002', 'r006'])
    expect(ended(over('stale', 'fresh'))).toEqual([])
    expect(listed(endOrphans(over('rejected', 'fresh'), day(9))).permanent.rules[1]).toMatchObject({
      state: 'superseded',
      judged: { by: 'code', at: day(9), other: 'd001' },
    })
  })

  it('lists what nobody used for long, the longest unused first', () => {
    const facts = lasting(
      permanent({ id: 'r001', usedAt: day(2) }),
      permanent({ id: 'r002', usedAt: day(1) }),
      permanent({ id: 'r003', usedAt: '2026-04-01T09:00:00.000Z' }),
      permanent({ id: 'r004', usedAt: day(1), state: 'proposed' }),
    )

    expect(unusedIn(facts, '2026-05-01T00:00:00.000Z', 90).map(({ id }) => id)).toEqual(['r002', 'r001'])
  })

  it('asks first what was never asked, and has judged what a model may still judge', () => {
    const facts = lasting(
      permanent({ id: 'r001', state: 'proposed', askedAt: day(5) }),
      permanent({ id: 'r002', state: 'proposed' }),
      permanent({ id: 'r003', state: 'proposed', judged: { by: 'agent', at: day(5), why: null, other: null } }),
    )

    expect(proposedIn(facts).map(({ id }) => id)).toEqual(['r002', 'r003', 'r001'])
    expect(unjudgedIn(facts).map(({ id }) => id)).toEqual(['r002'])
  })
})

describe('reflection', () => {
  it('loses no item, and none of its earlier words but replaced ones, whatever is decided', () => {
    const change = fc.oneof(
      fc.record({
        do: fc.constant('add' as const),
        kind: fc.constantFrom('rules' as const, 'solutions' as const, 'core_logic' as const),
      }),
      fc.record({
        do: fc.constant('judge' as const),
        which: fc.nat(5),
        status: fc.constantFrom<PermanentItem['state']>('proposed', 'active', 'declined', 'superseded'),
        kind: fc.option(fc.constantFrom('rules' as const, 'solutions' as const), { nil: undefined }),
      }),
      fc.record({ do: fc.constant('use' as const), which: fc.nat(5), at: fc.constantFrom(day(7), day(9)) }),
    )
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        let facts = NO_ITEMS
        let added = 0
        for (const one of changes) {
          const items = allPermanent(facts)
          const item = 'which' in one ? items[one.which % Math.max(1, items.length)] : undefined
          if (one.do === 'add') {
            const { id: _, ...fresh } = permanent({ id: '', text: `Number ${added++}` })
            facts = addPermanent(facts, { ...fresh, kind: one.kind }).items
          } else if (item !== undefined && one.do === 'judge') {
            const judged = { by: 'user' as const, at: day(8), why: null, other: null }
            const kind = one.kind === undefined ? {} : { kind: one.kind }
            facts = changePermanent(facts, item.id, { state: one.status, judged, ...kind })
          } else if (item !== undefined && one.do === 'use') {
            facts = changePermanent(facts, item.id, useAgain(item, one.at, [said(1), said(2)], ['d009']))
          }
        }
        const items = allPermanent(facts)
        expect(new Set(items.map(({ id }) => id)).size).toBe(added)
        expect(items.map(({ text }) => text).sort()).toEqual(
          Array.from({ length: added }, (_, i) => `Number ${i}`).sort(),
        )
        expect(listed(parseItems(formatItems(facts)))?.permanent).toEqual(listed(facts).permanent)
      }),
    )
  })

  it('remembers with the facts what it weighed, and weighs a changed candidate again', () => {
    const facts = decided(fact({ id: 'd001', also: three }))
    const kept = parseItems(formatItems(withReflected(facts, { d001: 'y' })))
    const [candidate] = candidatesIn(facts, 3) as [Recurring]

    expect(kept === null ? null : reflectedIn(kept)).toEqual({ d001: 'y' })
    const mark = reflectionMark(candidate, 3)
    expect(reflectionMark({ ...candidate, places: candidate.places.slice(1) }, 3)).not.toBe(mark)
    expect(reflectionMark({ ...candidate, text: 'other' }, 3)).not.toBe(mark)
    expect(reflectionMark(candidate, 4)).not.toBe(mark)
  })
})
