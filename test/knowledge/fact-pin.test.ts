/** Pinned facts: told first while they hold, however old. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decisionLines, issueLines, patternLines } from '../../src/briefing/briefing-facts.ts'
import { allFacts, type Fact, type Facts, formatFacts, NO_FACTS, parseFacts } from '../../src/knowledge/fact.ts'
import { addFacts } from '../../src/knowledge/fact-add.ts'
import { pinFact, rejectFact, reviveFact, unpinFact } from '../../src/knowledge/fact-change.ts'
import { isPinned, MANY_FACTS_CHARS, newestFacts } from '../../src/knowledge/fact-list.ts'
import { parseLegacyFacts, unproven } from '../../src/migrate/legacy-facts.ts'
import { fact, factsWith, judgedBy, someFacts } from '../support/fact.ts'

const nothingTold = (): boolean => false
const idsOf = (lines: { text: string }[]): string[] =>
  lines.map(({ text }) => text.split(' ')[1]?.replace(':', '') ?? '')
const old = (more: Partial<Fact>): Fact => fact({ at: '2020-01-01T00:00:00.000Z', pinned: true, ...more })
const pinnedIn = (facts: Facts): string[] => allFacts(facts).flatMap((one) => (isPinned(one) ? [one.id] : []))

describe('a pinned fact', () => {
  it('is told before newer ones of its kind', () => {
    const facts = factsWith(
      fact({ id: 'd002', text: 'We deploy on Tuesdays.' }),
      old({ id: 'd001' }),
      fact({ type: 'issue', id: 'i003', text: 'The import is slow.' }),
      old({ type: 'issue', id: 'i004', text: 'The login fails.', status: 'resolved', resolution: 'a new cookie' }),
      old({ type: 'pattern', id: 'p005', text: 'Queries go through one file.' }),
    )

    expect(idsOf(decisionLines(facts, nothingTold))).toEqual(['d001', 'd002'])
    expect(idsOf(issueLines(facts, nothingTold))).toEqual(['i004', 'i003'])
    expect(issueLines(facts, nothingTold)[0]?.text).toContain('(resolved: a new cookie)')
    expect(idsOf(patternLines(facts, nothingTold))).toEqual(['p005'])
  })

  it('is among those that are read of a file with thousands', () => {
    const many = Array.from({ length: 1_500 }, (_, i) =>
      fact({
        id: `d${i + 10}`,
        at: new Date(Date.UTC(2025, 0, 1, i)).toISOString(),
        text: `Decision number ${i} about "pinned":true.`,
      }),
    )
    const solved = old({ type: 'issue', id: 'i002', text: 'It leaks.', status: 'resolved' })
    const text = formatFacts(factsWith(old({}), ...many, solved))
    const newest = newestFacts(text)

    expect(text.length).toBeGreaterThan(MANY_FACTS_CHARS)
    expect(newest?.tally).not.toBeNull()
    expect(newest === null ? [] : pinnedIn(newest.facts)).toEqual(['d001', 'i002'])
  })

  it('stays pinned when it is said again, and when it was rejected and is back', () => {
    const facts = factsWith(old({}))
    const {
      id: _,
      pinned: __,
      ...again
    } = fact({ session: 'ffffffff', author: 'headless', text: 'Prices are kept in cents.' })
    const said = addFacts(facts, [again])
    const rejected = rejectFact(said, 'd001', judgedBy('user'))
    const back = rejected.is === 'changed' ? reviveFact(rejected.facts, 'd001', judgedBy('user')) : rejected

    expect(said.decisions).toMatchObject([{ pinned: true, also: ['ffffffff#4'] }])
    expect(rejected.is === 'changed' ? pinnedIn(rejected.facts) : ['?']).toEqual([])
    expect(back.is === 'changed' ? pinnedIn(back.facts) : ['?']).toEqual(['d001'])
  })

  it('of a stranger is not pinned here', () => {
    const theirs = parseLegacyFacts(formatFacts(factsWith(old({}))), { id8Of: (id) => id, at: '' }) ?? NO_FACTS

    expect(theirs.decisions[0]?.pinned).toBe(true)
    expect(unproven(theirs).decisions[0]).not.toHaveProperty('pinned')
  })
})

it.each([['rejected' as const], ['superseded' as const]])('refuses to pin what is %s', (state) => {
  expect(pinFact(factsWith(fact({ state })), 'D001')).toMatchObject({ is: 'refused', code: 'not-live' })
})

it('refuses what is not there, and what is so already', () => {
  expect(pinFact(factsWith(), 'd001')).toMatchObject({ code: 'not-found' })
  expect(unpinFact(factsWith(), 'd001')).toMatchObject({ code: 'not-found' })
  expect(pinFact(factsWith(old({})), 'd001')).toMatchObject({ code: 'already' })
  expect(unpinFact(factsWith(fact()), 'd001')).toMatchObject({ code: 'already' })
})

it('changes the pin of one fact and nothing else, there and back, through the file', () => {
  fc.assert(
    fc.property(someFacts, fc.nat(9), (facts, n) => {
      const one = allFacts(facts)[n]
      const done = one === undefined ? null : pinFact(facts, one.id)
      if (one === undefined || done?.is !== 'changed') return
      const read = parseFacts(formatFacts(done.facts)) as Facts

      expect(pinnedIn(read)).toEqual([one.id])
      expect(unpinFact(read, one.id)).toMatchObject({ is: 'changed', facts })
    }),
  )
})

it('reads nothing but a true pin as one', () => {
  const text = JSON.stringify({
    decisions: [
      { id: 'd001', text: 'a', pinned: 'yes' },
      { id: 'd002', text: 'b', pinned: 1 },
    ],
  })

  expect(pinnedIn(parseFacts(text) as Facts)).toEqual([])
})
