/** Which entries are named to whoever extracts facts: by structure, and only where no fact of the turn cites them. */
import { describe, expect, it } from 'vitest'
import { carryWeight, uncovered } from '../../src/knowledge/session-facts.ts'
import { answers, asks, entriesOf, runs } from '../support/briefing.ts'

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
