/** When two texts are one fact: word for word, whatever their case, marks and articles are. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameFact, sameAs, similarity, textIndex } from '../../src/knowledge/fact-similar.ts'
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

  it('is found among many by its words, also where others were put in its place', () => {
    fc.assert(
      fc.property(fc.array(someText, { maxLength: 12 }), fc.nat(11), someText, (texts, at, text) => {
        const index = textIndex(texts)
        const all = [...texts]
        if (at < all.length) {
          index.set(at, text)
          all[at] = text
        }
        for (const one of [...texts, text]) {
          const same = all.flatMap((other, i) => (isSameFact(one, other) ? [i] : []))
          expect(index.same(one)).toEqual(same)
          expect(sameAs(all)(one)).toEqual(same)
        }
      }),
    )
  })

  it('shares words with another by their stems', () => {
    expect(similarity('Prices are stored as cents', 'Store prices in cents')).toBeGreaterThan(0.7)
    expect(similarity('Prices are stored as cents', 'The worker polls the queue')).toBe(0)
  })
})
