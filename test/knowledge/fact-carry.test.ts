/** What facts of a model do to others once they are added. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allFacts, type Fact, type Facts } from '../../src/knowledge/fact.ts'
import type { SoundFact } from '../../src/knowledge/fact-draft.ts'
import { carryOut, takenAs, withinLimit } from '../../src/knowledge/fact-own.ts'
import { fact, factsWith, judgedBy, SAID, someText } from '../support/fact.ts'

const NOW = '2026-03-01T00:00:00.000Z'
const code = (id: string, more: Partial<Fact> = {}): Fact =>
  fact({ id, author: 'extractive', text: `Thing ${id}.`, evidence: { entry: 1, quote: id, by: 'assistant' }, ...more })
const ids = (facts: Facts): string[] => allFacts(facts).map(({ id }) => id)

describe('a session with too many facts', () => {
  it('loses what only code found, the oldest first', () => {
    const facts = factsWith(
      code('d001', { at: '2026-01-03' }),
      code('d002', { at: '2026-01-02' }),
      fact({ id: 'd003' }),
    )

    expect(ids(withinLimit(facts, '1a2b3c4d', 2))).toEqual(['d001', 'd003'])
  })

  it('keeps what the user said, what was repeated, and what others rest on', () => {
    const facts = factsWith(
      code('d001', { evidence: { entry: 1, quote: 'x', by: 'user' } }),
      code('d002', { also: ['aaaaaaaa#3'] }),
      code('d003'),
      code('d005'),
      fact({ id: 'd006', state: 'superseded', judged: judgedBy('code', { other: 'd003' }) }),
    )
    const rule = {
      id: 'r001',
      text: 'x',
      at: '',
      status: 'active',
      by: 'code',
      facts: ['d005'],
      evidence: [],
      concept: null,
      usedAt: '',
    } as const
    const permanent = { ...facts.permanent, rules: [{ ...rule, facts: [...rule.facts], evidence: [] }] }

    expect(ids(withinLimit({ ...facts, permanent }, '1a2b3c4d', 1))).toEqual(ids(facts))
  })

  it('never loses what a person or a model said, whatever the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean(), someText)), fc.nat(9), (given, max) => {
        const all = given.map(([isCode, isUser, text], i) =>
          fact({
            id: `d${i + 1}`,
            text,
            author: isCode ? 'extractive' : 'agent',
            evidence: { entry: i, quote: text, by: isUser ? 'user' : 'assistant' },
          }),
        )
        const kept = ids(withinLimit(factsWith(...all), '1a2b3c4d', max))

        for (const { id, author, evidence } of all)
          if (author !== 'extractive' || evidence.by === 'user') expect(kept).toContain(id)
      }),
    )
  })
})

describe('a fact that names what it replaces', () => {
  const old = fact({
    id: 'd001',
    text: 'Sessions live in Redis.',
    session: 'aaaaaaaa',
    evidence: { entry: 1, quote: 'sessions in Redis', by: 'user' },
  })
  const later = (quote: string, by: 'user' | 'assistant'): Fact =>
    fact({ id: 'd002', text: 'Sessions live in signed cookies.', at: NOW, evidence: { entry: 9, quote, by } })
  const became = (fresh: Fact): Fact[] => {
    const sound: SoundFact = { number: 1, fact: fresh, concept: { is: 'none' }, supersedes: 'd001', resolves: null }
    return carryOut(factsWith(old, fresh), sound, 'agent', NOW).decisions
  }

  it('replaces the user’s decision by the user’s own words only', () => {
    expect(became(later('put the sessions in signed cookies', 'user'))[0]).toMatchObject({ state: 'superseded' })
    const claudes = later('put the sessions in signed cookies', 'assistant')
    expect(became(claudes)).toEqual([old, claudes])
  })
})

it('a fact is found under the id it is kept by', () => {
  const kept = fact({ at: SAID })

  expect(takenAs(factsWith(kept), [kept])).toEqual([kept])
  expect(takenAs(factsWith(kept), [{ ...kept, session: 'bbbbbbbb' }])).toEqual([])
})
