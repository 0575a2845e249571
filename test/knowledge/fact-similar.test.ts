/** When two texts are one fact: word for word, whatever their case, marks and articles are. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameFact, similarity, textKey } from '../../src/knowledge/fact-list.ts'
import { someText } from '../support/fact.ts'

describe('one fact', () => {
  it.each([
    ['with other marks', 'Use tabs in Go files.', 'use tabs, in go files'],
    ['with an article', 'Commit the lockfile', 'Commit lockfile'],
    ['in Korean', '세션은 Redis에 저장한다.', '세션은 redis에 저장한다'],
  ])('stays one %s', (_, a, b) => {
    expect(isSameFact(a, b)).toBe(true)
  })

  it.each([
    ['another object', 'Run the linter before every commit', 'Run the formatter before every commit'],
    ['another number', 'Keep backups for 7 days', 'Keep backups for 30 days'],
    ['another version', 'Upgrade to TypeScript 5.4', 'Upgrade to TypeScript 5.6'],
    ['another file', 'Rename src/a.ts to src/c.ts', 'Rename src/b.ts to src/c.ts'],
    ['a no', 'Commit the lockfile', "Don't commit the lockfile"],
    ['a Korean no', 'lockfile은 커밋한다', 'lockfile은 커밋하지 않는다'],
    ['two things exchanged', 'Use fetch instead of axios', 'Use axios instead of fetch'],
    ['a way turned round', 'Copy it from staging to production', 'Copy it from production to staging'],
    ['an exception', 'Use tabs everywhere', 'Use tabs everywhere except in YAML'],
  ])('is two with %s', (_, a, b) => {
    expect(isSameFact(a, b)).toBe(false)
  })

  it('has a key of its own', () => {
    fc.assert(
      fc.property(someText, someText, (one, other) => {
        expect(isSameFact(one, other)).toBe(textKey(one) === textKey(other))
      }),
    )
  })

  it('shares words with another by their stems', () => {
    expect(similarity('Prices are stored as cents', 'Store prices in cents')).toBeGreaterThan(0.7)
    expect(similarity('Prices are stored as cents', 'The worker polls the queue')).toBe(0)
  })
})
