/** Facts of one session: which entries carry weight, and the file with what was extracted. */

import { describe, expect, it } from 'vitest'
import {
  carryWeight,
  isSessionFacts,
  renderSessionFacts,
  uncovered,
} from '../../../src/core/knowledge/session-facts.ts'
import { answers, asks, entriesOf, runs } from '../../support/briefing.ts'
import { fact as someFact } from '../../support/fact.ts'

describe('the file with the facts of a session', () => {
  const d001 = someFact({ id: 'd001', evidence: { entry: 9, quote: 'q' }, also: ['cccccccc#1'], pinned: true })
  const i002 = someFact({ id: 'i002', kind: 'issue', evidence: { entry: 3, quote: 'r' } })

  it('shows them in the order of the entries', () => {
    const text = renderSessionFacts('1a2b3c4d', [d001, i002]) ?? ''

    expect(isSessionFacts(text)).toBe(true)
    expect(JSON.parse(text)).toMatchObject({
      session: '1a2b3c4d',
      facts: [{ id: 'i002' }, { id: 'd001', text: d001.text }],
    })
    expect(text).not.toContain('cccccccc')
    expect(renderSessionFacts('1a2b3c4d', [])).toBeNull()
  })

  it('is told from what 0.6 extracted, and from what is no JSON', () => {
    expect(isSessionFacts('{"version": 1, "session": "1a2b3c4d", "facts": []}')).toBe(false)
    expect(isSessionFacts('{')).toBe(false)
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
