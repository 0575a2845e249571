/** Which names are one topic, and where facts go when no model says so. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Concepts, NO_CONCEPTS, renameConcept } from '../../src/knowledge/concept.ts'
import { addConcept, assignConcepts, findConcept } from '../../src/knowledge/concept-assign.ts'
import { allFacts, type Fact, type Facts, NO_FACTS } from '../../src/knowledge/fact.ts'
import { nameSimilarity } from '../../src/outgoing/concept-name.ts'
import { TOPICS } from '../fixtures/topics.ts'
import { FRESH_TOPICS } from '../fixtures/topics-fresh.ts'
import { fact, factsWith, someFacts } from '../support/fact.ts'
import { factsOf, judge, type Labelled, sessionsAbout } from '../support/topics.ts'

const named = (...names: string[]): Concepts =>
  names.reduce((concepts, name) => addConcept(concepts, name).concepts, NO_CONCEPTS)
const saying = (...texts: string[]): Facts =>
  factsWith(...texts.map((text, i) => fact({ id: `d00${i + 1}`, text, author: 'extractive' })))
const assign = (concepts: Concepts, facts: Facts) => assignConcepts(concepts, facts, 0.7)
const placesOf = (facts: Facts): (string | null)[] => allFacts(facts).map(({ concept }) => concept)

function grown(sessions: readonly Labelled[][]): { concepts: Concepts; facts: Facts } {
  let known = { concepts: NO_CONCEPTS, facts: NO_FACTS }
  for (const session of sessions) {
    known = assign(known.concepts, {
      ...known.facts,
      decisions: [...known.facts.decisions, ...factsOf(session).decisions],
    })
  }
  return known
}

describe('a name', () => {
  it.each([
    ['auth', 'Authentication'],
    ['DB', 'databases'],
    ['config', 'configuration handling'],
    ['결제', 'payments'],
    ['결제처리', '결제 처리 방식'],
    ['CI', 'continuous integration'],
    ['i18n', 'internationalization'],
    ['time zones', 'timezone'],
    ['WebSocket reconnects', 'websocket reconnect'],
  ])('%s is %s', (a, b) => {
    expect(nameSimilarity(a, b)).toBeGreaterThanOrEqual(0.7)
  })

  it.each([
    ['test runner', 'test data'],
    ['authentication', 'authorization'],
    ['form', 'format'],
    ['log', 'login'],
    ['로그', '로그인'],
    ['database', 'database migration'],
    ['production', 'product'],
    ['결제', '결재'],
  ])('%s is not %s', (a, b) => {
    expect(nameSimilarity(a, b)).toBeLessThan(0.7)
  })

  it('is as much like another as that one is like it, and wholly like itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const likeness = nameSimilarity(a, b)
        expect(likeness).toBeGreaterThanOrEqual(0)
        expect(likeness).toBeLessThanOrEqual(1)
        expect(nameSimilarity(b, a)).toBeCloseTo(likeness, 6)
        expect(nameSimilarity(a, a)).toBeCloseTo(1, 6)
      }),
    )
  })

  it('of the labelled pairs is joined with no other, and with nine of ten that mean the same', () => {
    const file = path.resolve(import.meta.dirname, '../../bench/labels/concept-pairs.jsonl')
    const pairs = fs
      .readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const names = pairs.filter(({ kind }) => kind === 'name')
    const isAlike = ({ a, b }: { a: string; b: string }): boolean => nameSimilarity(a, b) >= 0.7
    const same = names.filter((one) => one.same)

    expect(names.length).toBeGreaterThan(140)
    expect(same.filter(isAlike).length / same.length).toBeGreaterThan(0.9)
    expect(names.filter((one) => !one.same && isAlike(one)).length / names.length).toBeLessThan(0.03)
  })
})

describe('finding a concept', () => {
  const concepts = renameConcept(named('Card payments', 'Search index'), 'c001', 'Payments')

  it.each([
    [{ id: 'c002' }, { is: 'known', id: 'c002' }],
    [{ name: 'search-indexes' }, { is: 'known', id: 'c002' }],
    [{ name: 'card payment' }, { is: 'known', id: 'c001' }],
    [{ id: 'payments' }, { is: 'known', id: 'c001' }],
    [{ name: 'payment handling' }, { is: 'similar', id: 'c001', name: 'Payments' }],
    [{ name: '  Login\n flow ' }, { is: 'new', name: 'Login flow' }],
    [
      { id: 'c077', name: 'Login' },
      { is: 'new', name: 'Login' },
    ],
    [{ id: '', name: ' ' }, { is: 'none' }],
    [{}, { is: 'none' }],
  ])('%j gives %j', (given, found) => {
    expect(findConcept(concepts, given, 0.7)).toEqual(found)
  })

  it('names the closest when an id is unknown', () => {
    const found = findConcept(concepts, { id: 'c099' }, 0.7)
    expect(found).toMatchObject({ is: 'unknown' })
    expect(found.is === 'unknown' && found.closest.map(({ id }) => id)).toEqual(['c001', 'c002'])
  })

  it('never gives an id twice', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), fc.nat(5), (names, nextId) => {
        const all = names.reduce((some, name) => addConcept(some, name).concepts, { ...named('One', 'Two'), nextId })
        const ids = all.concepts.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })
})

describe('a fact without a concept', () => {
  it('goes to the one whose name it is about, in either language', () => {
    const { facts, concepts } = assign(
      named('Payments', 'Search'),
      saying('결제는 웹훅에서 확정한다', 'Search results come in pages of twenty', 'The office has a new door'),
    )
    expect(placesOf(facts)).toEqual(['c001', 'c002', null])
    expect(concepts.concepts).toHaveLength(2)
  })

  it('founds one together with another, under a name that is a noun of theirs', () => {
    const { facts, concepts } = assign(
      NO_CONCEPTS,
      saying('Use invoices without gaps', 'We never delete invoices', 'Buttons are round now'),
    )
    expect(concepts.concepts.map(({ name }) => name)).toEqual(['invoices'])
    expect(placesOf(facts)).toEqual(['c001', 'c001', null])
  })

  it('waits when it is alone', () => {
    expect(placesOf(assign(NO_CONCEPTS, saying('Use Postgres for the queue')).facts)).toEqual([null])
  })

  it('founds none with another that shares only a verb, a time or a stop word', () => {
    const { concepts } = assign(
      NO_CONCEPTS,
      saying('Always run the linter on Monday', 'Never run the importer on Monday', 'Keep it for two days please'),
    )
    expect(concepts.concepts.map(({ name }) => name)).toEqual([])
  })

  it('names a concept in the language of its facts', () => {
    const { concepts } = assign(NO_CONCEPTS, saying('환불은 일주일 안에만 한다', '환불은 두 사람이 확인한다'))
    expect(concepts.concepts.map(({ name }) => name)).toEqual(['환불'])
  })

  it('is left alone when it was rejected or superseded', () => {
    const gone: Fact[] = ['rejected', 'superseded'].map((state, i) =>
      fact({ id: `d00${i + 1}`, text: 'Payments are captured at once.', state: state as Fact['state'] }),
    )
    expect(placesOf(assign(named('Payments'), factsWith(...gone)).facts)).toEqual([null, null])
  })
})

describe('assigning', () => {
  it('moves no fact that a model or a person placed, and gives only ids that are there', () => {
    fc.assert(
      fc.property(someFacts, fc.infiniteStream(fc.nat(3)), (facts, stream) => {
        const concepts = named('Queue', '캐시', 'Deployment')
        const place = (one: Fact): Fact => ({
          ...one,
          concept: concepts.concepts[stream.next().value as number]?.id ?? null,
        })
        const before = { ...facts, decisions: facts.decisions.map(place), issues: facts.issues.map(place) }
        const after = assign(concepts, before)

        const ids = after.concepts.concepts.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(placesOf(after.facts).every((id) => id === null || ids.includes(id))).toBe(true)
        allFacts(before).forEach((one, i) => {
          const other = allFacts(after.facts)[i]
          expect({ ...other, concept: null }).toEqual({ ...one, concept: null })
          if (one.concept !== null) expect(other?.concept).toBe(one.concept)
        })
      }),
    )
  })

  it('changes nothing when it is done again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 12 }), (seed, sessions) => {
        const once = grown(sessionsAbout(TOPICS, sessions, 8, seed))
        expect(assign(once.concepts, once.facts)).toEqual(once)
      }),
      { numRuns: 25 },
    )
  })

  it('drops a concept of its own when its facts are gone, and keeps one that a person made', () => {
    const { concepts } = assign(named('By hand'), saying('We never delete invoices', 'Use invoices without gaps'))
    expect(concepts.concepts.map(({ name }) => name)).toEqual(['By hand', 'invoices'])
    expect(assign(concepts, factsWith()).concepts.concepts.map(({ name }) => name)).toEqual(['By hand'])
  })

  it('takes back only what code founded: a renamed concept stays, with its facts', () => {
    const sessions = sessionsAbout(TOPICS, 30, 8, 4)
    const early = grown(sessions.slice(0, 6))
    const names = early.concepts.concepts.map(({ id }) => [id, `Chosen ${id}`] as const)
    let known = {
      facts: early.facts,
      concepts: names.reduce((concepts, [id, name]) => renameConcept(concepts, id, name), early.concepts),
    }
    for (const session of sessions.slice(6)) {
      const decisions = [...known.facts.decisions, ...factsOf(session).decisions]
      known = assign(known.concepts, { ...known.facts, decisions })
    }
    const after = new Map(allFacts(known.facts).map(({ id, concept }) => [id, concept]))
    for (const [id, name] of names) expect(known.concepts.concepts.find((one) => one.id === id)?.name).toBe(name)
    for (const one of allFacts(early.facts)) if (one.concept !== null) expect(after.get(one.id)).toBe(one.concept)
  })

  it.each([1, 2, 3])('makes few and pure concepts of 100 sessions about 12 topics (seed %i)', (seed) => {
    const sessions = sessionsAbout(TOPICS, 100, 8, seed)
    const { facts } = grown(sessions)
    const { used, purity, without, covered } = judge(facts, sessions.flat())

    expect(used).toBeLessThanOrEqual(15)
    expect(purity).toBeGreaterThanOrEqual(0.9)
    expect(covered).toBe(12)
    expect(without).toBeLessThan(20)
  })

  it('makes much the same of the sessions in reverse', () => {
    const sessions = sessionsAbout(TOPICS, 100, 8, 2).reverse()
    const { used, purity } = judge(grown(sessions).facts, sessions.flat())

    expect(used).toBeLessThanOrEqual(16)
    expect(purity).toBeGreaterThanOrEqual(0.9)
  })

  it('keeps topics apart whose words are in no table', () => {
    const sessions = sessionsAbout(FRESH_TOPICS, 100, 8, 2)
    const { used, purity, covered } = judge(grown(sessions).facts, sessions.flat())

    expect(purity).toBeGreaterThanOrEqual(0.9)
    expect(covered).toBe(6)
    expect(used).toBeLessThanOrEqual(15)
  })

  it('makes few concepts of names that a model words differently each time', () => {
    let concepts = NO_CONCEPTS
    sessionsAbout(TOPICS, 100, 8, 1)
      .flat()
      .forEach(({ topic }, i) => {
        const names = TOPICS[topic]?.names ?? []
        const found = findConcept(concepts, { name: names[i % names.length] ?? '' }, 0.7)
        if (found.is === 'new') concepts = addConcept(concepts, found.name).concepts
      })
    expect(concepts.concepts.length).toBeLessThanOrEqual(16)
  })
})
