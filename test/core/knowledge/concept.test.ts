/** Concepts: found by name, merged, renamed, refreshed, restored. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addConcept,
  type Concepts,
  findConcept,
  formatConcepts,
  mergeConcepts,
  NO_CONCEPTS,
  nameSimilarity,
  parseConcepts,
  renameConcept,
  restoreMissing,
} from '../../../src/core/knowledge/concept.ts'
import { refreshConcepts } from '../../../src/core/knowledge/concept-refresh.ts'
import { allFacts, type Items, mapFacts, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { fact, factsWith, itemsOf, judgedBy, listed, someFacts } from '../../support/fact.ts'

const named = (...names: string[]): Concepts =>
  names.reduce((concepts, name) => addConcept(concepts, name).concepts, NO_CONCEPTS)
const one = (concepts: Concepts, id: string) => concepts.concepts.find((each) => each.id === id)

const someNames = fc.uniqueArray(fc.constantFrom('Payments', 'Search', 'Login', 'Deployment', '캐시', 'Queue'), {
  minLength: 2,
})
/** Facts in some of these concepts. */
const someKnowledge = fc.tuple(someNames, someFacts, fc.infiniteStream(fc.nat(9))).map(([names, facts, stream]) => {
  const concepts = named(...names)
  const placed = mapFacts(facts, (each) => ({
    ...each,
    concept: concepts.concepts[stream.next().value as number]?.id ?? null,
  }))
  return { concepts, facts: placed }
})

describe('concepts.json', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(someKnowledge, ({ concepts, facts }) => {
        const written = refreshConcepts(concepts, facts)
        expect(parseConcepts(formatConcepts(written))).toEqual(written)
      }),
    )
  })

  it('gives an id to a concept without one and keeps fields it does not know', () => {
    const parsed = parseConcepts('{"concepts":[{"name":"Auth","mood":1},{"id":"c007","name":"Search"}],"extra":true}')
    expect(parsed).toMatchObject({
      extra: true,
      nextId: 9,
      concepts: [
        { id: 'c008', mood: 1 },
        { id: 'c007', aliases: [] },
      ],
    })
  })
})

it('parseConcepts reads merged ids and the next number, whatever their type', () => {
  const concepts = parseConcepts(
    '{"concepts":[{"id":"c001","name":"a","merged":5},{"id":"c002","name":"b"}],"nextId":1e21}',
  )
  if (concepts === null) throw new Error('not read')

  expect(findConcept(concepts, { id: 'c009' }, 0.7).is).toBe('unknown')
  expect(mergeConcepts(concepts, NO_ITEMS, 'c002', 'c001').concepts.concepts).toHaveLength(1)
  expect(addConcept(concepts, 'new').id).toBe('c003')
})

describe('merging', () => {
  it('moves all facts and makes the name an alias that finds the other', () => {
    const facts = factsWith(fact({ concept: 'c001' }), fact({ id: 'd002', concept: 'c002', state: 'superseded' }))
    const merged = mergeConcepts(named('Stripe', 'Payments'), facts, 'c001', 'c002')

    expect(allFacts(merged.facts).map(({ concept }) => concept)).toEqual(['c002', 'c002'])
    expect(merged.concepts.concepts).toMatchObject([{ id: 'c002', name: 'Payments', aliases: ['Stripe'] }])
    expect(findConcept(merged.concepts, { name: 'stripe' }, 0.7)).toEqual({ is: 'known', id: 'c002' })
    expect(findConcept(merged.concepts, { id: 'c001' }, 0.7)).toEqual({ is: 'known', id: 'c002' })
  })

  it('loses no fact and no name, and leaves none in what is gone', () => {
    fc.assert(
      fc.property(someKnowledge, fc.nat(5), fc.nat(5), ({ concepts, facts }, a, b) => {
        const all = concepts.concepts
        const [from, into] = [all[a % all.length], all[b % all.length]]
        const after = mergeConcepts(concepts, facts, from?.id ?? '', into?.id ?? '')

        const ids = new Set(after.concepts.concepts.map(({ id }) => id))
        expect(allFacts(after.facts).map(({ id, text }) => [id, text])).toEqual(
          allFacts(facts).map(({ id, text }) => [id, text]),
        )
        expect(allFacts(after.facts).every(({ concept }) => concept === null || ids.has(concept))).toBe(true)
        for (const { name } of all) expect(findConcept(after.concepts, { name }, 0.7).is).toBe('known')
      }),
    )
  })
})

describe('renaming', () => {
  it('keeps the old name as an alias, and no alias that is the name', () => {
    const once = renameConcept(named('Stripe'), 'c001', 'Payments')
    expect(one(once, 'c001')).toMatchObject({ name: 'Payments', aliases: ['Stripe'] })
    expect(one(renameConcept(once, 'c001', 'Stripe'), 'c001')).toMatchObject({ name: 'Stripe', aliases: ['Payments'] })
  })
})

describe('what is told about a concept', () => {
  const facts = factsWith(
    fact({ text: 'Payments are captured by the webhook', concept: 'c001', files: ['src/pay.ts'], at: '2026-01-02' }),
    fact({
      id: 'd002',
      text: 'Refunds need two people.',
      concept: 'c001',
      files: ['src/pay.ts', 'b.ts'],
      at: '2026-01-03',
    }),
    fact({
      id: 'd003',
      text: 'Cards are kept for ever.',
      concept: 'c001',
      state: 'rejected',
      judged: judgedBy('user'),
    }),
    fact({ id: 'i004', kind: 'issue', text: 'The webhook comes twice.', concept: 'c001' }),
  )

  it('is what its facts say now, without those that were rejected', () => {
    const concept = one(refreshConcepts(named('Payments', 'Empty'), facts), 'c001')

    expect(concept?.summary).toBe('Refunds need two people. Payments are captured by the webhook. 1 open issue.')
    expect(concept?.files).toEqual(['src/pay.ts', 'b.ts'])
    expect(concept?.keywords).toContain('webhook')
    expect(concept?.exchanges).toEqual(['1a2b3c4d#4'])
  })

  it('goes when its last fact goes, and stays where a person wrote it', () => {
    const made = named('Payments', 'By hand')
    const before: Concepts = {
      ...made,
      concepts: made.concepts.map((each) => (each.id === 'c002' ? { ...each, summary: 'mine' } : each)),
    }
    const after = refreshConcepts(refreshConcepts(before, facts), factsWith())

    expect(one(after, 'c001')).toMatchObject({ name: 'Payments', summary: '', files: [], exchanges: [] })
    expect(one(after, 'c002')?.summary).toBe('mine')
  })

  it('is the same however often and in whatever order it is made', () => {
    fc.assert(
      fc.property(someKnowledge, ({ concepts, facts: some }) => {
        const once = refreshConcepts(concepts, some)
        expect(refreshConcepts(once, some)).toEqual(once)
        const turned = itemsOf({
          ...listed(some),
          decisions: listed(some).decisions.toReversed(),
          issues: listed(some).issues.toReversed(),
        })
        expect(refreshConcepts(concepts, turned).concepts.map(({ summary }) => summary)).toEqual(
          once.concepts.map(({ summary }) => summary),
        )
      }),
    )
  })
})

describe('facts that name a concept which is not there', () => {
  const lost = (concept: string): Items => factsWith(fact({ concept }), fact({ id: 'd002', concept }))

  it('get it back under its id, and no new concept takes that id', () => {
    const restored = restoreMissing({ concepts: named('Search'), facts: lost('c009') }, 0.7)

    expect(one(restored.concepts, 'c009')?.name).toBe('c009')
    expect(addConcept(restored.concepts, 'New').id).toBe('c010')
    expect(listed(restored.facts).decisions.map(({ concept }) => concept)).toEqual(['c009', 'c009'])
  })

  it('follow it to the one it was merged into', () => {
    const { concepts } = mergeConcepts(named('Stripe', 'Payments'), factsWith(), 'c001', 'c002')
    expect(listed(restoreMissing({ concepts, facts: lost('c001') }, 0.7).facts).decisions[0]?.concept).toBe('c002')
  })

  it('find it by the name that stands in the place of an id', () => {
    const known = { concepts: named('Payments'), facts: lost('payment') }
    expect(listed(restoreMissing(known, 0.7).facts).decisions[0]?.concept).toBe('c001')
    const fresh = restoreMissing({ concepts: named('Search'), facts: lost('Billing') }, 0.7)
    expect(one(fresh.concepts, listed(fresh.facts).decisions[0]?.concept ?? '')?.name).toBe('Billing')
  })

  it('name one that is there afterwards, and stay together', () => {
    fc.assert(
      fc.property(someKnowledge, fc.constantFrom('c005', 'c12', 'c0', 'Queue'), ({ concepts, facts }, concept) => {
        const broken = mapFacts(facts, (each) => (each.concept === 'c002' ? { ...each, concept } : each))
        const restored = restoreMissing({ concepts, facts: broken }, 0.7)

        const ids = restored.concepts.concepts.map(({ id }) => id)
        const after = allFacts(restored.facts)
        expect(new Set(ids).size).toBe(ids.length)
        expect(after.every((each) => each.concept === null || ids.includes(each.concept))).toBe(true)
        const together = allFacts(broken).flatMap((each, i) => (each.concept === concept ? [after[i]?.concept] : []))
        expect(new Set(together).size).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('a name', () => {
  it.each([
    ['tide tables', 'the tables of tides'],
    ['Time zones', 'timezones'],
    ['HTTP client', 'The HTTP client code'],
    ['authentification', 'authentication'],
    ['결제 처리', '결제처리'],
    ['userSession', 'user session'],
  ])('%s is %s', (a, b) => {
    expect(nameSimilarity(a, b)).toBeGreaterThanOrEqual(0.7)
    expect(nameSimilarity(b, a)).toBe(nameSimilarity(a, b))
  })

  it.each([
    ['unit tests', 'UI tests'],
    ['client authentication', 'agent authentication'],
    ['data import', 'data export'],
    ['API v1', 'API v2'],
    ['C++ bindings', 'C# bindings'],
    ['결제 오류', '인증 오류'],
    ['Payments', ''],
  ])('%s is not %s', (a, b) => {
    expect(nameSimilarity(a, b)).toBeLessThan(0.7)
  })

  it('is compared by stems, whatever the case, and without a concept nothing is found', () => {
    const concepts = named('Payments')
    expect(findConcept(concepts, { name: 'PAYMENT' }, 0.7)).toEqual({ is: 'similar', id: 'c001', name: 'Payments' })
    expect(findConcept(concepts, { name: 'payments' }, 0.7)).toEqual({ is: 'known', id: 'c001' })
    expect(findConcept(concepts, { name: 'Search' }, 0.7)).toEqual({ is: 'new', name: 'Search' })
    expect(findConcept(concepts, {}, 0.7)).toEqual({ is: 'none' })
    expect(findConcept(concepts, { id: 'c044' }, 0.7)).toEqual({
      is: 'unknown',
      closest: [{ id: 'c001', name: 'Payments' }],
    })
  })
})
