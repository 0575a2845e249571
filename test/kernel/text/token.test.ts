import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stemOf, tokenOf } from '../../../src/kernel/text/token.ts'

const FORM = 63

describe('a token', () => {
  it('keeps the stem apart from the form it was written in', () => {
    const [run, running] = [tokenOf('run', 'run'), tokenOf('run', 'running')]

    expect(stemOf(run)).toBe(stemOf(running))
    expect(run).not.toBe(running)
  })

  it('tells neighbouring words apart, though they differ in one character', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `token${i}`)
    const stems = new Set(words.map((word) => stemOf(tokenOf(word, word))))

    // 20,000 of 2^26: some three should share theirs by chance.
    expect(stems.size).toBeGreaterThan(19_980)
  })

  it('spreads forms over all its bits', () => {
    const forms = new Set(Array.from({ length: 2000 }, (_, i) => tokenOf('same', `form${i}`) & FORM))

    expect(forms.size).toBe(64)
  })

  it('fits in 32 bits without a sign, whatever the words are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (stem, form) => {
        const token = tokenOf(stem, form)

        expect(token).toBe(token >>> 0)
        expect(stemOf(token)).toBe(stemOf(stemOf(token)))
        expect(stemOf(token) & FORM).toBe(0)
        expect(stemOf(token)).toBe(stemOf(tokenOf(stem, stem)))
      }),
    )
  })
})
