import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Concept } from '../../../src/core/knowledge/concept.ts'
import { NO_CONCEPTS } from '../../../src/core/knowledge/concept.ts'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { allFacts, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { joinConcepts, joinFacts } from '../../../src/core/knowledge/join-knowledge.ts'
import { knowledgeOf, parseLegacyFacts } from '../../../src/extras/migrate/legacy-facts.ts'
import { listed } from '../../support/fact.ts'

const reading = { id8Of: (session: string) => session, at: '2026-01-01' }
const read = (value: unknown) =>
  parseLegacyFacts(typeof value === 'string' ? value : JSON.stringify(value), reading) ?? NO_ITEMS

describe('facts of earlier versions', () => {
  it('are read whatever their words were called', () => {
    const facts = read({
      decisions: ['a text', { id: 'd7', content: 'b', rationale: 'why b' }],
      facts: [
        { type: 'issue', fact: 'c' },
        { kind: 'issue', issue: 'c2', status: 'resolved' },
        { category: 'decision', statement: 'd' },
        { cause: 'wind', effect: 'waves' },
      ],
    })
    expect(allFacts(facts).map(({ kind, text, reason }) => [kind, text, reason])).toEqual([
      ['decision', 'a text', null],
      ['decision', 'b', 'why b'],
      ['decision', 'd', null],
      ['pattern', 'wind: waves', null],
      ['issue', 'c', null],
      ['issue', 'c2', null],
    ])
  })

  it('that are no JSON are not read', () => {
    expect(parseLegacyFacts('{"decisions":[{"id":"d001"', reading)).toBeNull()
  })

  it('have their permanent part, in every form it had', () => {
    const from = read({
      permanent: { rules: ['one', { rule: 'two' }], solutions: [{ problem: 'p', solution: 'f' }], core_logic: 'none' },
    })
    const { permanent } = listed(joinFacts(NO_ITEMS, from))
    expect([permanent.rules.map(({ text }) => text), permanent.solutions.map(({ text }) => text)]).toEqual([
      ['one', 'two'],
      ['p: f'],
    ])
  })

  it('name each other by the ids they get', () => {
    const judged = (other: string) => ({ by: 'agent', at: '2026-01-02', why: null, other })
    const item = { status: 'declined', by: 'agent', evidence: [], at: '2026-01-02' }
    const from = read({
      _meta: { counter: 3 },
      decisions: [
        { id: 'd001', text: 'Old way.', state: 'superseded', judged: judged('d002') },
        { id: 'd002', text: 'New way.' },
        { id: 'd003', text: 'Doubtful way.' },
        { id: 'd004', text: 'Left way.', state: 'superseded', judged: judged('d098') },
      ],
      permanent: {
        rules: [
          { ...item, id: 'r001', text: 'Old rule.', facts: ['d001', 't001', 'd003'], judged: judged('r002') },
          { ...item, id: 'r002', text: 'New rule.', facts: ['d002'] },
        ],
      },
    })
    const ours = read({
      decisions: [
        { id: 'd001', text: 'Ours.' },
        { id: 'd007', text: 'NEW way!' },
      ],
      permanent: { rules: [{ ...item, id: 'r001', text: 'Our rule.', facts: ['d001'] }] },
    })
    const joined = listed(joinFacts(ours, from))
    const { permanent } = joined
    const idOf = (text: string) => joined.decisions.find((one) => one.text === text)?.id
    const found = (text: string) => joined.decisions.find((one) => one.text === text)

    expect(found('Old way.')?.judged?.other).toBe('d007')
    expect(found('Left way.')?.judged?.other).toBeNull()
    expect(permanent.rules.map(({ id, facts, judged: by }) => [id, facts, by?.other])).toEqual([
      ['r001', ['d001'], undefined],
      ['r002', [idOf('Old way.'), idOf('Doubtful way.')], null],
      ['r003', ['d007'], undefined],
    ])
  })

  it('begin with a byte order mark and are read like any others', () => {
    const { decisions } = listed(read(`\ufeff${JSON.stringify({ decisions: ['a text'] })}`))
    expect(decisions.map(({ text }) => text)).toEqual(['a text'])
  })

  it('join once: none is lost, none comes twice, no id is given twice', () => {
    const anyFact = fc.record({
      id: fc.constantFrom('d001', 'd002', 'd003', 'x', ''),
      content: fc.stringMatching(/^[a-z]{1,3}$/),
    })
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 6 }), fc.array(anyFact, { maxLength: 6 }), (ours, theirs) => {
        const first = joinFacts(NO_ITEMS, read({ decisions: ours }))
        const more = read({ decisions: theirs })
        const once = joinFacts(first, more)

        expect(listed(joinFacts(once, more))).toEqual(listed(once))
        expect(new Set(allFacts(once).map(({ text }) => text))).toEqual(
          new Set([...ours, ...theirs].map(({ content }) => content)),
        )
        expect(new Set(allFacts(once).map(({ id }) => id)).size).toBe(allFacts(once).length)
        expect(listed(parseItems(formatItems(once)))).toEqual(listed(once))
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

const LISTED = [concept('c001', 'auth-flow'), concept('c002', 'Auth Flow'), concept('c005', 'billing')]

describe('concepts of earlier versions', () => {
  it('that are the same become one, and facts follow', () => {
    const joined = joinConcepts(NO_CONCEPTS, LISTED, 0.7)
    expect([joined.concepts.concepts.map(({ id }) => id), Object.fromEntries(joined.idOf)]).toEqual([
      ['c001', 'c005'],
      { c001: 'c001', c002: 'c001', c005: 'c005' },
    ])

    const facts = read({
      decisions: [
        { content: 'a', conceptId: 'c002' },
        { content: 'b', conceptName: 'Billing' },
        { content: 'c', conceptName: 'search index' },
        { content: 'd', conceptId: 'c999' },
      ],
    })
    const known = knowledgeOf([facts], LISTED, 0.7)
    expect(listed(known.facts).decisions.map(({ concept: id }) => id)).toEqual(['c001', 'c005', 'c006', null])
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
