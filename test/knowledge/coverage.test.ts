/** Which entries are asked about: by structure, and only where no fact of the turn cites them. */
import { describe, expect, it } from 'vitest'
import { carryWeight, uncovered } from '../../src/knowledge/coverage.ts'
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
const asked = (cited: readonly number[], nothingIn: readonly number[] = [], which?: 'all'): number[] =>
  uncovered(
    ENTRIES,
    cited.map((entry) => ({ evidence: { entry, quote: 'x' } })),
    new Set(nothingIn),
    which,
  ).map(({ entry }) => entry)

describe('what carries weight', () => {
  it('is an answer, a failure that passed later, and a commit, the weightiest first; a prompt costs no round', () => {
    expect(asked([])).toEqual([1, 2, 4])
    expect(asked([], [], 'all')).toEqual([1, 2, 4, 0])
  })

  it('is covered by a fact of its turn from there on, or by whoever found nothing in it', () => {
    expect(asked([1])).toEqual([2, 4])
    expect(asked([2])).toEqual([4])
    expect(asked([], [4])).toEqual([])
    expect(asked([5])).toEqual([])
  })

  it('is not there where somebody only says hello', () => {
    expect(carryWeight(entriesOf(asks('hello'), answers('Hello!')))).toBe(false)
    expect(carryWeight(entriesOf(asks('Please keep every price in whole cents from now on.')))).toBe(true)
    expect(carryWeight(ENTRIES)).toBe(true)
  })
})
