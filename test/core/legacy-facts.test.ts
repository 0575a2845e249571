import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Concept } from '../../src/core/concept.ts'
import { NO_CONCEPTS } from '../../src/core/concept.ts'
import { allFacts, formatFacts, NO_FACTS, parseFacts } from '../../src/core/fact.ts'
import { assignLegacy, joinConcepts } from '../../src/core/legacy-concepts.ts'
import { joinLegacyFacts, joinLegacyPermanent, parseLegacyFacts } from '../../src/core/legacy-facts.ts'

const reading = { id8Of: (session: string) => session, at: '2026-01-01', session: 's' }
const read = (value: unknown) => parseLegacyFacts(typeof value === 'string' ? value : JSON.stringify(value), reading)

describe('facts of earlier versions', () => {
  it('are read whatever their words were called', () => {
    const { facts } = read({
      decisions: ['a text', { id: 'd7', content: 'b', rationale: 'why b' }],
      facts: [
        { type: 'issue', fact: 'c' },
        { kind: 'issue', issue: 'c2', status: 'resolved' },
        { category: 'decision', statement: 'd' },
        { cause: 'wind', effect: 'waves' },
      ],
    })
    expect(facts.map(({ fact }) => [fact.type, fact.text, fact.reason])).toEqual([
      ['decision', 'a text', null],
      ['decision', 'b', 'why b'],
      ['issue', 'c', null],
      ['issue', 'c2', null],
      ['decision', 'd', null],
      ['pattern', 'cause: wind; effect: waves', null],
    ])
  })

  it('that are cut off are read as far as they are whole', () => {
    const { facts, isBroken } = read('{"decisions":[{"id":"d001","content":"whole"},{"id":"d002","content":"cut o')
    expect([isBroken, facts.map(({ fact }) => fact.text)]).toEqual([true, ['whole']])
  })

  it('have their permanent part, in every form it had', () => {
    const from = read({
      permanent: { rules: ['one', { rule: 'two' }], solutions: [{ problem: 'p', solution: 'f' }], core_logic: 'none' },
    })
    const { permanent } = joinLegacyPermanent(NO_FACTS, from)
    expect([permanent.rules.map(({ text }) => text), permanent.solutions.map(({ text }) => text)]).toEqual([
      ['one', 'two'],
      ['p: f'],
    ])
  })

  it('join once: none is lost, none comes twice, no id is given twice', () => {
    const anyFact = fc.record({
      id: fc.constantFrom('d001', 'd002', 'd003', 'x', ''),
      content: fc.stringMatching(/^[a-z]{1,3}$/),
    })
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 6 }), fc.array(anyFact, { maxLength: 6 }), (ours, theirs) => {
        const first = joinLegacyFacts(
          NO_FACTS,
          read({ decisions: ours }).facts.map(({ fact }) => fact),
        )
        const more = read({ decisions: theirs }).facts.map(({ fact }) => fact)
        const once = joinLegacyFacts(first, more)

        expect(joinLegacyFacts(once, more)).toEqual(once)
        expect(new Set(allFacts(once).map(({ text }) => text))).toEqual(
          new Set([...ours, ...theirs].map(({ content }) => content)),
        )
        expect(new Set(allFacts(once).map(({ id }) => id)).size).toBe(allFacts(once).length)
        expect(parseFacts(formatFacts(once))).toEqual(once)
      }),
    )
  })
})

const concept = (id: string, name: string): Concept => ({
  id,
  name,
  summary: `About ${name}.`,
  files: [],
  keywords: [],
  exchanges: [],
  aliases: [],
})

describe('concepts of earlier versions', () => {
  it('that are the same become one, and facts follow', () => {
    const joined = joinConcepts(
      NO_CONCEPTS,
      [concept('c001', 'auth-flow'), concept('c002', 'Auth Flow'), concept('c005', 'billing')],
      0.7,
    )
    expect([joined.concepts.concepts.map(({ id }) => id), Object.fromEntries(joined.idOf)]).toEqual([
      ['c001', 'c005'],
      { c001: 'c001', c002: 'c001', c005: 'c005' },
    ])

    const { facts } = read({
      decisions: [
        { content: 'a', conceptId: 'c002' },
        { content: 'b', conceptName: 'Billing' },
        { content: 'c', conceptName: 'search index' },
        { content: 'd', conceptId: 'c999' },
      ],
    })
    const assigned = assignLegacy(joined, facts, 0.7)
    expect(assigned.facts.map((fact) => fact.concept)).toEqual(['c001', 'c005', 'c006', null])
  })

  it('each lead to one that is there, with an id of its own', () => {
    const anyConcepts = fc.array(
      fc.tuple(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('auth flow', 'Auth-Flow', 'billing', 'search index', 'login screen'),
      ),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(anyConcepts, anyConcepts, (ours, theirs) => {
        const unique = (list: [number, string][]): Concept[] => [
          ...new Map(list.map(([n, name]) => [n, concept(`c00${n}`, name)])).values(),
        ]
        const first = joinConcepts(NO_CONCEPTS, unique(ours), 0.7).concepts
        const { concepts, idOf } = joinConcepts(first, unique(theirs), 0.7)
        const ids = concepts.concepts.map(({ id }) => id)

        expect(new Set(ids).size).toBe(ids.length)
        for (const { id } of unique(theirs)) expect(ids).toContain(idOf.get(id))
        expect(joinConcepts(concepts, unique(theirs), 0.7).concepts.concepts.length).toBe(ids.length)
      }),
    )
  })
})
