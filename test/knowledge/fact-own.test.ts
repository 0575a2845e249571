/** A person's own facts: no proof is asked for, nothing is doubled, what was rejected comes back. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allFacts, NO_FACTS } from '../../src/knowledge/fact.ts'
import { addOwnFact, type OwnFact } from '../../src/knowledge/fact-change.ts'
import { pastOf } from '../../src/knowledge/fact-list.ts'
import { fact, factsWith, judgedBy, someFacts, someText } from '../support/fact.ts'

const AT = '2026-02-01T00:00:00.000Z'

function own(more: Partial<OwnFact> = {}): OwnFact {
  return {
    type: 'decision',
    text: 'Prices are kept in cents.',
    reason: null,
    files: [],
    concept: null,
    status: null,
    resolution: null,
    ...more,
  }
}

it('stands in no session and is proven by itself', () => {
  const { is, fact: added } = addOwnFact(NO_FACTS, own({ files: ['a.ts', 'a.ts'] }), AT)

  expect(is).toBe('added')
  expect(added).toMatchObject({
    id: 'd001',
    author: 'user',
    session: '',
    evidence: { entry: -1, quote: 'Prices are kept in cents.', by: 'user' },
    files: ['a.ts'],
    at: AT,
  })
})

it('counts as said again where another one says so, and makes it fresh', () => {
  const stale = fact({ state: 'stale', judged: judgedBy('git') })
  const { is, facts, fact: after } = addOwnFact(factsWith(stale), own({ reason: 'rounding' }), AT)

  expect(is).toBe('known')
  expect(allFacts(facts)).toEqual([after])
  expect(after).toMatchObject({ id: 'd001', state: 'fresh', lastAt: AT, reason: 'rounding', session: '1a2b3c4d' })
  expect(after.judged).toBeUndefined()
})

it('keeps the person’s words beside those of the fact they join', () => {
  const { fact: after } = addOwnFact(factsWith(fact()), own({ text: 'Prices are kept in cents!' }), AT)

  expect(after.text).toBe('Prices are kept in cents.')
  expect(pastOf(after).at(-1)?.what).toBe('said again: Prices are kept in cents!')
})

it('is another one when the person says so', () => {
  const { is, facts } = addOwnFact(factsWith(fact()), own({ anyway: true }), AT)

  expect(is).toBe('added')
  expect(facts.decisions.map(({ id }) => id)).toEqual(['d001', 'd002'])
})

it('brings back what was rejected, in the new words', () => {
  const rejected = fact({ state: 'rejected', judged: judgedBy('user') })
  const { is, fact: after } = addOwnFact(factsWith(rejected), own(), AT)

  expect(is).toBe('restored')
  expect(after).toMatchObject({ id: 'd001', state: 'fresh', author: 'user', evidence: { entry: -1, by: 'user' } })
  expect(after).toMatchObject({ session: '', also: ['1a2b3c4d#4'], at: rejected.at, lastAt: AT })
  expect(after.judged).toBeUndefined()
})

describe('given by an agent', () => {
  it('is not the user’s word', () => {
    expect(addOwnFact(NO_FACTS, own(), AT, 'agent').fact).toMatchObject({
      author: 'agent',
      evidence: { by: 'assistant' },
    })
    expect(addOwnFact(factsWith(fact({ author: 'headless' })), own(), AT, 'agent').fact.author).toBe('headless')
  })

  it('changes nothing where the user said so already', () => {
    const facts = factsWith(fact({ state: 'stale', judged: judgedBy('git') }))
    const { is, facts: after } = addOwnFact(facts, own({ reason: 'evil', files: ['evil.ts'] }), AT, 'agent')

    expect(is).toBe('known')
    expect(after).toEqual(facts)
  })

  it('brings nothing back that was rejected', () => {
    const facts = factsWith(fact({ state: 'rejected', judged: judgedBy('user') }))

    for (const given of [own(), own({ anyway: true })]) {
      expect(addOwnFact(facts, given, AT, 'agent')).toEqual({
        is: 'rejected',
        facts,
        fact: facts.decisions[0],
      })
    }
  })
})

describe('an issue', () => {
  const open = fact({ type: 'issue', text: 'The CSV import is slow with many rows.' })

  it('is open unless it is said to be resolved', () => {
    expect(addOwnFact(NO_FACTS, own({ type: 'issue' }), AT).fact.status).toBe('open')
    expect(addOwnFact(NO_FACTS, own({ type: 'issue', status: 'resolved', resolution: 'x' }), AT).fact).toMatchObject({
      status: 'resolved',
      resolution: 'x',
      closedBy: { session: '', entry: -1, at: AT },
    })
  })

  it('that is resolved closes the open one it is about', () => {
    const said = own({ type: 'issue', text: open.text, status: 'resolved', resolution: 'It reads in batches.' })
    const { is, facts, fact: after } = addOwnFact(factsWith(open), said, AT)

    expect(is).toBe('resolved')
    expect(allFacts(facts)).toHaveLength(1)
    expect(after).toMatchObject({ id: 'i001', status: 'resolved', resolution: 'It reads in batches.' })
  })

  it('that comes up again is another one than the resolved', () => {
    const { is } = addOwnFact(factsWith({ ...open, status: 'resolved' }), own({ type: 'issue', text: open.text }), AT)

    expect(is).toBe('added')
  })
})

it('loses no fact, gives no id twice, and added again adds nothing', () => {
  fc.assert(
    fc.property(someFacts, fc.constantFrom('decision', 'pattern', 'issue'), someText, (facts, type, text) => {
      const once = addOwnFact(facts, own({ type, text }), AT)
      const twice = addOwnFact(once.facts, own({ type, text }), AT)
      const ids = allFacts(once.facts).map(({ id }) => id)

      expect(ids).toEqual(expect.arrayContaining(allFacts(facts).map(({ id }) => id)))
      expect(new Set(ids).size).toBe(ids.length)
      expect(twice.is).toBe('known')
      expect(allFacts(twice.facts).map(({ id }) => id)).toEqual(ids)
    }),
  )
})
