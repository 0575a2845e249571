/** Facts found, mapped, appended and compared; and what a fact remembers of its own history. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Fact, pastOf, withPast } from '../../../src/core/knowledge/item.ts'
import {
  addItem,
  allFacts,
  findFact,
  isSameFact,
  mapFacts,
  NO_ITEMS,
  replaceItem,
  similarity,
  textKey,
} from '../../../src/core/knowledge/items.ts'
import { fact, factsWith, itemsOf, listed, someFacts, someText } from '../../support/fact.ts'

const NOW = { by: 'user', at: '2026-02-01T00:00:00.000Z' } as const

it('findFact finds a fact however its id is typed', () => {
  const facts = factsWith(fact(), fact({ kind: 'issue', id: 'i002' }))

  expect(findFact(facts, ' I002 ')).toBe(listed(facts).issues[0])
  expect(findFact(facts, 'i2')).toBeNull()
})

it('replaceFact replaces one of two that somebody gave the same id', () => {
  const facts = factsWith(fact({ text: 'One.' }), fact({ text: 'Two.' }))
  const [first] = listed(facts).decisions
  if (first === undefined) throw new Error('no fact')

  expect(listed(replaceItem(facts, first, { ...first, text: 'Three.' })).decisions.map(({ text }) => text)).toEqual([
    'Three.',
    'Two.',
  ])
})

it('mapFacts returns the same object where nothing changes', () => {
  const facts = factsWith(fact())

  expect(mapFacts(facts, (one) => one)).toBe(facts)
  expect(mapFacts(facts, (one) => ({ ...one }))).not.toBe(facts)
})

it('addItem gives no number twice, not even that of a removed fact', () => {
  const { id: _, ...given } = fact()
  const two = addItem<Fact>(addItem<Fact>(NO_ITEMS, given).items, { ...given, kind: 'issue' }).items

  expect(allFacts(two).map(({ id }) => id)).toEqual(['d001', 'i002'])
  expect(addItem<Fact>(itemsOf({ ...listed(two), issues: [] }), given).item.id).toBe('d003')
  expect(addItem<Fact>({ ...two, _meta: { counter: 0, version: 4 } }, given).item.id).toBe('d002')
  fc.assert(
    fc.property(someFacts, (facts) => {
      const { items, item } = addItem<Fact>(facts, given)
      const ids = allFacts(items).map(({ id }) => id)

      expect(new Set(ids).size).toBe(ids.length)
      expect(findFact(items, item.id)).toBe(item)
    }),
  )
})

it('the history of a fact has its last dozen changes, oldest first', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { maxLength: 30 }), (changes) => {
      const after = changes.reduce((one, what) => withPast(one, NOW, what), fact())

      expect(pastOf(after).map(({ what }) => what)).toEqual(changes.slice(-12))
    }),
  )
})

it.each([['nothing'], [42], [null], [[1, 'x', { what: 7 }, null]]])(
  'a fact whose history is %j has none',
  (history) => {
    expect(pastOf({ ...fact(), history } as Fact)).toEqual([])
  },
)

describe('one fact', () => {
  it.each([
    ['with other marks', 'Use tabs in Go files.', 'use tabs, in go files'],
    ['with an article', 'Commit the lockfile', 'Commit lockfile'],
    ['in Korean', '세션은 Redis에 저장한다.', '세션은 redis에 저장한다'],
  ])('stays one %s', (_, a, b) => {
    expect(isSameFact(a, b)).toBe(true)
  })

  it.each([
    ['another object', 'Run the linter before every commit', 'Run the formatter before every commit'],
    ['another number', 'Keep backups for 7 days', 'Keep backups for 30 days'],
    ['another version', 'Upgrade to TypeScript 5.4', 'Upgrade to TypeScript 5.6'],
    ['another file', 'Rename src/a.ts to src/c.ts', 'Rename src/b.ts to src/c.ts'],
    ['a no', 'Commit the lockfile', "Don't commit the lockfile"],
    ['a Korean no', 'lockfile은 커밋한다', 'lockfile은 커밋하지 않는다'],
    ['two things exchanged', 'Use fetch instead of axios', 'Use axios instead of fetch'],
    ['a way turned round', 'Copy it from staging to production', 'Copy it from production to staging'],
    ['an exception', 'Use tabs everywhere', 'Use tabs everywhere except in YAML'],
  ])('is two with %s', (_, a, b) => {
    expect(isSameFact(a, b)).toBe(false)
  })

  it('has a key of its own', () => {
    fc.assert(
      fc.property(someText, someText, (one, other) => {
        expect(isSameFact(one, other)).toBe(textKey(one) === textKey(other))
      }),
    )
  })

  it('shares words with another by their stems', () => {
    expect(similarity('Prices are stored as cents', 'Store prices in cents')).toBeGreaterThan(0.7)
    expect(similarity('Prices are stored as cents', 'The worker polls the queue')).toBe(0)
  })
})
