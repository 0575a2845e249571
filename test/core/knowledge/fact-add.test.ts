/** Adding facts: nothing twice, nothing lost, and of two decisions against each other the later one holds. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addFacts } from '../../../src/core/knowledge/fact-add.ts'
import { parseItems } from '../../../src/core/knowledge/facts-file.ts'
import type { Fact, NewFact } from '../../../src/core/knowledge/item.ts'
import { allFacts, type Items, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { itemsOf, listed, newFact, someNewFact } from '../../support/fact.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

/** What a person said in a session of its own at that second. */
const said = (text: string, second: number, more: Partial<NewFact> = {}): NewFact =>
  newFact('decision', text, 1, {
    at: at(second),
    session: `s${String(second).padStart(7, '0')}`,
    evidence: { entry: 1, quote: text, by: 'user' },
    ...more,
  })
const told = (facts: Items): string[] =>
  allFacts(facts).map(({ id, text, status }) => `${id} ${text}${status === null ? '' : ` [${status}]`}`)
const states = (facts: Items): string[] => allFacts(facts).map(({ text, state }) => `${text}: ${state}`)
const judge = (facts: Items, state: Fact['state'], second: number): Items =>
  itemsOf({
    ...listed(facts),
    decisions: listed(facts).decisions.map((one) => ({
      ...one,
      state,
      judged: { by: 'user', at: at(second), why: null, other: null },
    })),
  })

describe('adding facts', () => {
  it('numbers them by kind and never gives a number twice', () => {
    const one = addFacts(NO_ITEMS, [
      newFact('decision', 'Use npm workspaces', 1),
      newFact('issue', 'The build is slow', 2),
    ])
    const fewer = itemsOf({ ...listed(one), issues: [] })
    const two = addFacts(fewer, [newFact('issue', 'Images are blurry on phones', 3)])

    expect(told(one)).toEqual(['d001 Use npm workspaces', 'i002 The build is slow [open]'])
    expect(told(two)).toEqual(['d001 Use npm workspaces', 'i003 Images are blurry on phones [open]'])
  })

  it('goes on behind the highest number where no counter was kept', () => {
    const facts = parseItems('{"decisions":[{"id":"d041","content":"Use npm"}]}') ?? NO_ITEMS

    expect(told(addFacts(facts, [newFact('decision', 'Write docs in German', 1)]))).toContain(
      'd042 Write docs in German',
    )
  })

  it.each([
    ['Use tabs, not spaces', 'Use spaces, not tabs'],
    ['Require Node 20 in the engines field', 'Require Node 22 in the engines field'],
    ['커밋 전에 npm 대신 pnpm을 쓰자', '커밋 전에 pnpm 대신 npm을 쓰자'],
  ])('tells %j from %j', (one, other) => {
    expect(
      listed(addFacts(NO_ITEMS, [newFact('decision', one, 1), newFact('decision', other, 2)])).decisions,
    ).toHaveLength(2)
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(
        fc.array(someNewFact, { maxLength: 14 }),
        fc.array(someNewFact, { maxLength: 14 }),
        (before, fresh) => {
          const known = addFacts(NO_ITEMS, before)
          const once = addFacts(known, fresh)
          expect(addFacts(once, fresh)).toEqual(once)
          const ids = allFacts(once).map(({ id }) => id)
          expect(new Set(ids).size).toBe(ids.length)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('loses no fact that was there', () => {
    fc.assert(
      fc.property(
        fc.array(someNewFact, { maxLength: 10 }),
        fc.array(someNewFact, { maxLength: 10 }),
        (before, fresh) => {
          const known = addFacts(NO_ITEMS, before)
          const after = new Set(allFacts(addFacts(known, fresh)).map(({ id }) => id))
          expect(allFacts(known).every(({ id }) => after.has(id))).toBe(true)
        },
      ),
    )
  })
})

describe('the same fact from another author', () => {
  it('gets the better words and keeps its id and its first date', () => {
    const extractive = newFact('decision', "let's go w/ fetch and not axios there", 3, { files: ['a.ts'] })
    const agent = newFact('decision', 'HTTP calls use fetch, not axios', 3, {
      by: 'agent',
      reason: 'the bundle is too large',
      evidence: { entry: 3, quote: 'go w/ fetch and not axios' },
      files: ['src/http.ts'],
      at: at(9),
    })
    const [one, ...others] = listed(addFacts(addFacts(NO_ITEMS, [extractive]), [agent])).decisions

    expect(others).toEqual([])
    expect(one).toMatchObject({
      id: 'd001',
      at: at(3),
      text: 'HTTP calls use fetch, not axios',
      by: 'agent',
      reason: 'the bundle is too large',
      files: ['src/http.ts', 'a.ts'],
    })
  })

  it('keeps the words of a person, whoever says it after that', () => {
    const own = said('Use fetch for HTTP calls', 1, { by: 'user' })
    const agent = said('Use fetch for the HTTP calls', 5, { by: 'agent' })
    const [one] = listed(addFacts(addFacts(NO_ITEMS, [own]), [agent])).decisions

    expect(one).toMatchObject({ text: 'Use fetch for HTTP calls', by: 'user', lastAt: at(5) })
    expect(one?.also).toEqual(['s0000005#1'])
  })

  it.each(['assistant', 'tool'] as const)('stays the user’s, word for word, when the %s said it as well', (by) => {
    const own = said('Use fetch for HTTP calls', 1)
    const others = said('Use fetch for the HTTP calls', 5, {
      by: 'agent',
      reason: 'evil says so',
      files: ['evil.ts'],
      concept: 'c001',
      evidence: { entry: 1, quote: 'Use fetch for all HTTP calls', by },
    })
    const [before] = listed(addFacts(NO_ITEMS, [own])).decisions
    const after = listed(addFacts(addFacts(NO_ITEMS, [own]), [others])).decisions

    expect(after).toEqual([{ ...before, concept: 'c001', also: ['s0000005#1'] }])
  })

  it('is told in the told words alone, without the reason that no audit confirmed', () => {
    const model = said('Use fetch for HTTP calls', 1, {
      ...{ by: 'headless', unaudited: true, reason: 'the user hates axios', replaces: ['d009'] },
      evidence: { entry: 1, quote: 'Use fetch', by: 'assistant' },
    })
    const [one, ...others] = listed(
      addFacts(addFacts(NO_ITEMS, [model]), [said('Use fetch for HTTP calls.', 5)]),
    ).decisions

    expect(others).toEqual([])
    expect(one).toMatchObject({ id: 'd001', at: at(1), reason: null, by: 'extractive', session: 's0000005' })
    expect(one?.evidence).toEqual({ entry: 1, quote: 'Use fetch for HTTP calls.', by: 'user' })
    expect(one).not.toHaveProperty('unaudited')
    expect(one).not.toHaveProperty('replaces')
  })

  it('lets one author take two facts out of one sentence', () => {
    const quote = 'Redis for the cache and Postgres for the jobs'
    const of = (text: string): NewFact => newFact('decision', text, 4, { by: 'agent', evidence: { entry: 4, quote } })

    expect(
      listed(addFacts(NO_ITEMS, [of('The cache is Redis'), of('Jobs are queued in Postgres')])).decisions,
    ).toHaveLength(2)
  })
})

describe('a fact that was judged', () => {
  const known = addFacts(NO_ITEMS, [said('Use npm workspaces', 1)])

  it('does not come back by itself when it was rejected', () => {
    const rejected = judge(known, 'rejected', 5)
    const again = addFacts(rejected, [said('use npm workspaces.', 50)])

    expect(states(again)).toEqual(['Use npm workspaces: rejected'])
    expect(listed(again).decisions[0]?.also).toEqual(['s0000050#1'])
  })

  it('comes back when a person adds it', () => {
    const back = addFacts(judge(known, 'rejected', 5), [said('Use npm workspaces', 50, { by: 'user' })])

    expect(states(back)).toEqual(['Use npm workspaces: fresh'])
    expect(listed(back).decisions[0]?.judged).toBeUndefined()
  })

  it('holds again when it was superseded and a person says it later, not when an older session says it', () => {
    const old = judge(known, 'superseded', 20)

    expect(states(addFacts(old, [said('Use npm workspaces', 10)]))).toEqual(['Use npm workspaces: superseded'])
    expect(states(addFacts(old, [said('Use npm workspaces', 30)]))).toEqual(['Use npm workspaces: fresh'])
  })

  it('is fresh again when it was stale and is said after that', () => {
    const stale = judge(known, 'stale', 20)

    expect(states(addFacts(stale, [said('Use npm workspaces', 10)]))).toEqual(['Use npm workspaces: stale'])
    expect(states(addFacts(stale, [said('Use npm workspaces', 30)]))).toEqual(['Use npm workspaces: fresh'])
  })
})

describe('decisions against each other', () => {
  it('of the user stay as they are when Claude repeats one of them', () => {
    const before = addFacts(NO_ITEMS, [said('Use npm for this repository', 1), said('Use yarn for the old branch', 2)])
    const evidence = { entry: 1, quote: 'Use npm', by: 'assistant' } as const
    for (const text of ['Use npm for this repository', 'Use pnpm instead of npm', 'Use yarn for the old branch'])
      for (const second of [0, 9]) {
        const { decisions } = listed(addFacts(before, [said(text, second, { evidence, by: 'agent' })]))
        expect(decisions.slice(0, 2).map(({ also: _, ...one }) => one)).toEqual(listed(before).decisions)
      }
  })

  it('both stay when they belong to different concepts', () => {
    const facts = addFacts(NO_ITEMS, [
      said('Set the timeout to 30 seconds', 1, { concept: 'c001' }),
      said('Set the timeout to 60 seconds', 9, { concept: 'c002' }),
    ])

    expect(listed(facts).decisions.every(({ state }) => state === 'fresh')).toBe(true)
  })

  it('end the same in whatever order their sessions are read', () => {
    fc.assert(
      fc.property(fc.array(choice, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat()), (chosen, random) => {
        const all = chosen.map(({ text }, second) => said(text, second))
        const inOrder = all.reduce((facts, one) => addFacts(facts, [one]), NO_ITEMS)
        const shuffled = all
          .map((one) => ({ one, key: random.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .reduce((facts, { one }) => addFacts(facts, [one]), NO_ITEMS)

        expect(states(shuffled).sort()).toEqual(states(inOrder).sort())
        expect(states(addFacts(NO_ITEMS, all)).sort()).toEqual(states(inOrder).sort())
      }),
      { numRuns: 300 },
    )
  })
})

describe('whatever is added', () => {
  it('is found by its evidence', () => {
    fc.assert(
      fc.property(
        fc.array(someNewFact, { maxLength: 20 }),
        fc.array(someNewFact, { maxLength: 10 }),
        (before, fresh) => {
          const facts = addFacts(addFacts(NO_ITEMS, before), fresh)
          const places = new Set(
            allFacts(facts).flatMap(({ kind, session, evidence, also = [] }) =>
              [`${session}#${evidence.entry}`, ...also].map((place) => `${kind} ${place}`),
            ),
          )
          for (const { kind: type, session, evidence } of [...before, ...fresh])
            expect(places).toContain(`${type} ${session}#${evidence.entry}`)
        },
      ),
    )
  })
})

/** Three subjects with two values each: one takes the other back. */
const choice = fc.record({
  text: fc.constantFrom(
    'Set the request timeout to 30 seconds',
    'Set the request timeout to 60 seconds',
    'Commit the lockfile',
    "Don't commit the lockfile",
    '캐시는 Redis로 하자',
    '캐시는 Memcached로 하자',
  ),
})
