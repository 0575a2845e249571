/** What is left of a broken file: every whole fact and concept, and nothing else. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Concepts, formatConcepts, NO_CONCEPTS } from '../../../src/core/knowledge/concept.ts'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import type { PermanentItem } from '../../../src/core/knowledge/item.ts'
import { fieldsOf } from '../../../src/core/knowledge/item-fields.ts'
import { allFacts, allPermanent } from '../../../src/core/knowledge/items.ts'
import {
  counterIn,
  salvageConcepts,
  salvageFacts,
  withSalvagedConcepts,
  withSalvagedFacts,
} from '../../../src/core/knowledge/salvage.ts'
import { fact, factsWith, itemsOf, judgedBy, listed, SAID, someFacts } from '../../support/fact.ts'

const RULE: PermanentItem = {
  id: 'r001',
  kind: 'solutions',
  text: 'Prices are kept in cents.',
  at: SAID,
  state: 'declined',
  by: 'code',
  facts: ['d001'],
  evidence: [{ session: '1a2b3c4d', entry: 4, quote: 'keep prices in cents' }],
  concept: null,
  usedAt: SAID,
}
const rejected = fact({
  id: 'd002',
  text: 'Rejected { "quoted\\" } words.',
  state: 'rejected',
  judged: judgedBy('user'),
})
const some = itemsOf({
  ...listed(factsWith(fact({ id: 'd001' }), rejected, fact({ id: 'i007', kind: 'issue', text: 'It fails.' }))),
  permanent: { rules: [], solutions: [RULE], core_logic: [] },
})
const concepts: Concepts = {
  ...NO_CONCEPTS,
  concepts: ['money', 'login'].map((name, i) => ({
    id: `c00${i + 1}`,
    name,
    summary: '',
    files: [],
    keywords: [],
    exchanges: [],
    aliases: [],
  })),
  nextId: 9,
}

describe('of a broken facts.json', () => {
  it('a missing end costs what it held, not what stands before it', () => {
    const text = formatItems(some)
    const cut = salvageFacts(text.slice(0, text.indexOf('"id":"i007"') + 20))

    expect(allFacts(cut).map(({ id, state }) => `${id} ${state}`)).toEqual(['d001 fresh', 'd002 rejected'])
    expect(cut._meta.counter).toBe(7)
  })

  it('all facts remain when only a comma or a quote is wrong, permanent memory in its own list', () => {
    for (const broken of [
      formatItems(some).replace('\n  ],', '\n  ]'),
      `${formatItems(some)}}`,
      `"${formatItems(some)}`,
    ]) {
      const left = salvageFacts(broken)

      expect(allFacts(left)).toEqual(allFacts(some))
      expect(listed(left).permanent).toEqual(listed(some).permanent)
    }
  })

  it('however an editor laid it out', () => {
    const left = salvageFacts(JSON.stringify(JSON.parse(formatItems(some)), null, 2).slice(0, -3))

    expect(allFacts(left)).toEqual(allFacts(some))
    expect(allPermanent(left).map(({ id, kind, state }) => [id, kind, state])).toEqual([
      ['r001', 'solutions', 'declined'],
    ])
  })

  it('both sides of a bad merge remain', () => {
    const [a, b] = ['d003', 'd004'].map((id) => `    ${JSON.stringify(fieldsOf(fact({ id, text: `Said as ${id}.` })))}`)
    const merged = `{\n"decisions": [\n<<<<<<< ours\n${a}\n=======\n${b}\n>>>>>>> theirs\n]}`

    expect(listed(salvageFacts(merged)).decisions.map(({ id }) => id)).toEqual(['d003', 'd004'])
  })

  it('nothing is made of what holds none', () => {
    for (const text of ['', ' ', 'null', '[]', '{"id":"x"}', '}{', '{"decisions": [{"id":"d0'])
      expect(allFacts(salvageFacts(text))).toEqual([])
  })

  it('cut anywhere, it gives only facts that were there, in their order, and all that were whole', () => {
    fc.assert(
      fc.property(someFacts, fc.double({ min: 0, max: 1, noNaN: true }), (facts, share) => {
        const text = formatItems(facts)
        const cut = text.slice(0, Math.floor(text.length * share))
        const whole = cut
          .split('\n')
          .slice(0, -1)
          .filter((line) => line.startsWith('    {"id":'))
        const left = allFacts(salvageFacts(cut))

        expect(allFacts(facts).slice(0, left.length)).toEqual(left)
        expect(left.length).toBeGreaterThanOrEqual(whole.length)
      }),
    )
  })
})

describe('of a broken concepts.json', () => {
  it('whole concepts remain, and the next id', () => {
    const text = formatConcepts(concepts)

    expect(salvageConcepts(`${text}}`)).toEqual(concepts)
    expect(salvageConcepts(text.slice(0, text.indexOf('"login"'))).concepts.map(({ id }) => id)).toEqual(['c001'])
  })
})

describe('joined with an older copy', () => {
  it('the newer word counts, what only the copy has comes back, and no number goes back', () => {
    const newer = itemsOf({ ...listed(factsWith(rejected)), permanent: listed(some).permanent })
    const older = factsWith(fact({ id: 'd001' }), fact({ id: 'd002', text: 'As it was.' }), fact({ id: 'd009' }))
    const joined = withSalvagedFacts(newer, older)

    expect(listed(joined).decisions.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'd002 rejected',
      'd001 fresh',
      'd009 fresh',
    ])
    expect(joined._meta.counter).toBe(9)
    expect(listed(joined).permanent.solutions).toEqual([RULE])
  })

  it('concepts come back by their ids', () => {
    const joined = withSalvagedConcepts({ ...NO_CONCEPTS, nextId: 4 }, concepts)

    expect(joined).toEqual(concepts)
  })

  it('has every fact of both, once', () => {
    fc.assert(
      fc.property(someFacts, someFacts, (newer, older) => {
        const ids = allFacts(withSalvagedFacts(newer, older)).map(({ id }) => id)

        expect(new Set(ids)).toEqual(new Set([...allFacts(newer), ...allFacts(older)].map(({ id }) => id)))
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })
})

it('counterIn reads the file’s counter, not one that a fact quotes', () => {
  expect(counterIn(formatItems(factsWith(fact({ id: 'd003', text: 'set "counter": 99 here' }))))).toBe(3)
})
