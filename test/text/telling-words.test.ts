/** The words of a text that tell what it is about. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stemsOf, tellingWords } from '../../src/text/words.ts'

it('are the same in other forms, and without the words that stand everywhere', () => {
  expect([...tellingWords('The tables were locked')]).toEqual([...tellingWords('locking a table')].reverse())
  expect(tellingWords('it is what it is').size).toBe(0)
})

it('are the same in another Korean politeness', () => {
  const [plain, polite] = [tellingWords('캐시를 사용한다'), tellingWords('캐시를 사용합니다')]

  expect([...plain].filter((word) => polite.has(word)).length).toBeGreaterThanOrEqual(plain.size - 1)
})

it('of two texts together are those of each', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(tellingWords(`${a}\n${b}`)).toEqual(new Set([...tellingWords(a), ...tellingWords(b)]))
      expect(stemsOf(a).length).toBeGreaterThanOrEqual(tellingWords(a).size)
    }),
  )
})
