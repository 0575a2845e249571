/** Facts of one session: which entries carry weight, and the file with what was extracted. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addSessionFacts,
  carryWeight,
  formatSessionFacts,
  parseSessionFacts,
  type SessionFact,
  sessionFactOf,
  uncovered,
} from '../../../src/core/knowledge/session-facts.ts'
import { answers, asks, entriesOf, runs } from '../../support/briefing.ts'
import { fact as someFact } from '../../support/fact.ts'

function fact(id: string, entry: number, text = `fact ${id}`): SessionFact {
  const whole = someFact({ id, text, evidence: { entry, quote: text } })
  return sessionFactOf(whole, whole)
}

describe('the facts of a session', () => {
  it('come back as they were written', () => {
    const anyFact = fc
      .record({ id: fc.stringMatching(/^d\d{3}$/), entry: fc.nat(99), text: fc.string({ minLength: 1 }) })
      .map(({ id, entry, text }) => fact(id, entry, text))
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 8 }), fc.array(fc.nat(99)), (facts, uncovered) => {
        const made = addSessionFacts(null, '1a2b3c4d', facts, uncovered)
        expect(parseSessionFacts(formatSessionFacts(made))).toEqual(made)
      }),
    )
  })

  it('keep what another version wrote beside them', () => {
    const other = parseSessionFacts('{"version": 12, "facts": [], "summary": "about money", "turns": [1, 2]}')
    const after = addSessionFacts(other, '1a2b3c4d', [fact('d001', 3)], [])

    expect(parseSessionFacts(formatSessionFacts(after))).toMatchObject({ summary: 'about money', turns: [1, 2] })
  })

  it('of a further piece join them, and the same piece again changes nothing', () => {
    const first = addSessionFacts(null, '1a2b3c4d', [fact('d002', 9), fact('d001', 3)], [7])
    const both = addSessionFacts(first, '1a2b3c4d', [fact('i001', 20)], [7, 22])

    expect(both.facts.map(({ id }) => id)).toEqual(['d001', 'd002', 'i001'])
    expect(both.uncovered).toEqual([7, 22])
    expect(addSessionFacts(both, '1a2b3c4d', [fact('i001', 20)], [22])).toEqual(both)
  })

  it("keep a model's words for what code finds again", () => {
    const first = addSessionFacts(null, '1a2b3c4d', [fact('d001', 3, 'in a better way')], [])
    const again = { ...fact('d001', 3, 'word for word'), author: 'extractive' as const }

    expect(addSessionFacts(first, '1a2b3c4d', [again], [])).toEqual(first)
  })

  it('are read as far as they can be, those of earlier versions too', () => {
    const text = JSON.stringify({
      facts: [{ id: 'd001', content: 'Use ports' }, 5, { text: '' }, null],
      uncovered: ['x', 4],
    })

    expect(parseSessionFacts(text)).toMatchObject({
      facts: [{ id: 'd001', text: 'Use ports', evidence: { entry: -1, quote: '' } }],
      uncovered: [4],
    })
    expect(parseSessionFacts('[]')).toBeNull()
    expect(parseSessionFacts('{')).toBeNull()
  })
})

const TS = '2026-01-13T12:00:00.000Z'
const chosen = { role: 'user', by: 'user', via: 'AskUserQuestion', ts: TS, text: '"Which?"="SQLite"' } as const
const ENTRIES = entriesOf(
  asks('Please move the whole queue to another database today.'),
  chosen,
  runs('npm test', false, '1 failed'),
  runs('npm test'),
  runs('git commit -m "Move the queue"'),
  answers('Done.'),
)

describe('what carries weight', () => {
  it.each([
    [[], [1, 2, 4, 0]],
    [[1], [2, 4]],
    [[2], [4]],
    [[5], []],
  ])('that no fact of its turn covers: with facts about %j it is %j', (cited, expected) => {
    const facts = cited.map((entry) => ({ evidence: { entry, quote: 'x' } }))

    expect(uncovered(ENTRIES, facts).map(({ entry }) => entry)).toEqual(expected)
  })

  it('is not there where somebody only says hello', () => {
    expect(carryWeight(entriesOf(asks('hello'), answers('Hello!')))).toBe(false)
    expect(carryWeight(entriesOf(asks('Please keep every price in whole cents from now on.')))).toBe(true)
    expect(carryWeight(ENTRIES)).toBe(true)
  })
})
