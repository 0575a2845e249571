import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'

/** Characters per token that others measured for the newest tokenizer; `bench/tokens.ts` compares with whole texts. */
const within = (text: string, charsPerToken: number, tolerance: number): void => {
  const truth = text.length / charsPerToken
  expect(estimateTokens(text)).toBeGreaterThan(truth * (1 - tolerance))
  expect(estimateTokens(text)).toBeLessThan(truth * (1 + tolerance))
}

describe('estimateTokens', () => {
  it('counts nothing for nothing', () => {
    expect(estimateTokens('')).toBe(0)
  })

  it('counts at least one for anything seen', () => {
    for (const text of ['a', '1', '.', '한', '字', 'か', '\n', '🙂', 'é'])
      expect(estimateTokens(text)).toBeGreaterThan(0)
  })

  it('is near the published ratio for English prose and TypeScript', () => {
    const prose =
      'The report was late again, and nobody in the warehouse had noticed that the numbers were two days old. '
    const code = 'export function firstOf<T>(items: readonly T[], fallback: T): T {\n  return items[0] ?? fallback\n}\n'

    within(prose.repeat(20), 3.3, 0.15)
    within(code.repeat(20), 2.69, 0.15)
  })

  it('prices Hangul, Han and kana far above Latin letters', () => {
    const latin = estimateTokens('a'.repeat(100))

    expect(estimateTokens('가'.repeat(100))).toBe(150)
    expect(estimateTokens('字'.repeat(100))).toBe(100)
    expect(estimateTokens('か'.repeat(100))).toBe(115)
    expect(latin).toBe(38)
  })

  it('takes indentation for nearly nothing', () => {
    expect(estimateTokens(`x${' '.repeat(40)}y`)).toBeLessThanOrEqual(estimateTokens('x y') + 2)
  })

  // With time that grows faster than the text it would not end before the test's own limit.
  it('reads 10 MB', () => {
    const line = 'Some words, 한국어 조금, and 42 numbers.\n'

    expect(estimateTokens(line.repeat(250_000))).toBeGreaterThan(250_000 * (estimateTokens(line) - 2))
  })

  it('never falls when a text grows, and parts together cost what the whole costs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (head, tail) => {
        const whole = estimateTokens(head + tail)
        const parts = estimateTokens(head) + estimateTokens(tail)

        expect(whole).toBeGreaterThanOrEqual(estimateTokens(head))
        // Each part is rounded up, and a space at the seam may be a further one.
        expect(Math.abs(whole - parts)).toBeLessThanOrEqual(2)
      }),
    )
  })
})
