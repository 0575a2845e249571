/** A person's own facts: no proof is asked for, nothing is doubled, what was rejected comes back. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allFacts, NO_FACTS } from '../../src/knowledge/fact.ts'
import { pastOf } from '../../src/knowledge/fact-list.ts'
import { addOwnFact, type OwnFact } from '../../src/knowledge/fact-own.ts'
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
        overruled: [],
        near: [],
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

describe('a decision against another one', () => {
  const cache = fact({ id: 'd009', text: 'Use Redis for the session cache.' })
  const no = own({ text: 'Do not use Redis for the session cache.' })

  it('takes its place when a person says it', () => {
    const { facts, overruled, fact: added } = addOwnFact(factsWith(cache), no, AT)

    expect(overruled.map(({ id }) => id)).toEqual(['d009'])
    expect(facts.decisions).toMatchObject([
      { id: 'd009', state: 'superseded', judged: { by: 'code', at: AT, other: added.id } },
      { id: 'd010', state: 'fresh' },
    ])
    expect(pastOf(facts.decisions[0] ?? fact()).at(-1)?.what).toBe('superseded by d010')
  })

  it('is only marked when an agent says it', () => {
    const claudes = fact({ ...cache, evidence: { ...cache.evidence, by: 'assistant' } })
    const { facts, overruled } = addOwnFact(factsWith(claudes), no, AT, 'agent')

    expect(overruled).toMatchObject([{ id: 'd009', state: 'fresh', contradictedBy: 'd010' }])
    expect(facts.decisions[0]).toEqual(overruled[0])
  })

  it('of an agent leaves the user’s as it is, and tells of it', () => {
    const { facts, overruled } = addOwnFact(factsWith(cache), no, AT, 'agent')

    expect(overruled).toEqual([cache])
    expect(facts.decisions).toMatchObject([cache, { id: 'd010', author: 'agent' }])
  })

  it('of another concept leaves it alone', () => {
    const { overruled } = addOwnFact(factsWith({ ...cache, concept: 'c001' }), own({ ...no, concept: 'c002' }), AT)

    expect(overruled).toEqual([])
  })

  it('wins when it is said again, and nothing speaks against it any more', () => {
    const doubted = { ...cache, contradictedBy: 'd010' }
    const against = fact({ id: 'd010', text: no.text })
    const { is, facts } = addOwnFact(factsWith(doubted, against), own({ text: cache.text }), AT)

    expect(is).toBe('known')
    expect(facts.decisions).toMatchObject([{ state: 'fresh' }, { state: 'superseded', judged: { other: 'd009' } }])
    expect(facts.decisions[0]?.contradictedBy).toBeUndefined()
  })

  it.each([
    ['Use Redis for the session cache.', 'Use Memcached for the session cache.'],
    ['We deploy on Tuesdays.', 'We deploy on Fridays.'],
    ['Uploads are capped at 10 MB.', 'Uploads are capped at 25 MB.'],
  ])('is named where code cannot tell: %s %s', (before, text) => {
    const { overruled, near } = addOwnFact(factsWith(fact({ text: before })), own({ text }), AT)

    expect([...overruled, ...near].map(({ id }) => id)).toEqual(['d001'])
  })

  it('is not looked for among what is about other things', () => {
    const { overruled, near } = addOwnFact(factsWith(cache), own({ text: 'Invoices are numbered by year.' }), AT)

    expect([...overruled, ...near]).toEqual([])
  })
})
