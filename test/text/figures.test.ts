/** Figures as people read them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, count, ms, quantile, short } from '../../src/text/figures.ts'

describe('a figure', () => {
  it.each([
    [0, '0 sessions'],
    [1, '1 session'],
    [1234, '1,234 sessions'],
  ])('%i is counted in words', (n, said) => {
    expect(count(n, 'session')).toBe(said)
  })

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [9_960, '10 kB'],
    [999_600, '1.0 MB'],
    [79_000_000_000, '79 GB'],
    [5_000_000_000_000, '5000 GB'],
  ])('of %i bytes is %s', (size, said) => {
    expect(bytes(size)).toBe(said)
  })

  it.each([
    [0.4, '0 ms'],
    [999.4, '999 ms'],
    [999.6, '1 s'],
    [1598, '1.6 s'],
    [9_960, '10 s'],
    [3_600_000, '3,600 s'],
  ])('of %f ms is %s', (time, said) => {
    expect(ms(time)).toBe(said)
  })

  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [1234, '1.2k'],
    [38_400, '38k'],
    [999_700, '1M'],
    [1_400_000, '1.4M'],
  ])('%i is short: %s', (n, said) => {
    expect(short(n)).toBe(said)
  })

  it('is never longer than six characters up to a billion, and grows with its number', () => {
    const value = (text: string): number =>
      Number.parseFloat(text) * (text.endsWith('M') ? 1e6 : text.endsWith('k') ? 1e3 : 1)
    fc.assert(
      fc.property(fc.nat(999_000_000), fc.nat(999_000_000), (a, b) => {
        expect(short(a).length).toBeLessThanOrEqual(6)
        if (a <= b) expect(value(short(a))).toBeLessThanOrEqual(value(short(b)))
      }),
    )
  })

  it('of a quantile is one of the values, between the least and the greatest', () => {
    expect(quantile([], 0.5)).toBe(0)
    expect(quantile([3, 1, 2], 0.5)).toBe(2)
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
        const found = quantile(values, share)
        expect(values).toContain(found)
        expect(found).toBeLessThanOrEqual(quantile(values, 1))
        expect(found).toBeGreaterThanOrEqual(quantile(values, 0))
      }),
    )
  })
})
