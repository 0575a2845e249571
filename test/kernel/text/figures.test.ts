/** Figures as people read them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, count, ms, quantile, short } from '../../../src/kernel/text/figures.ts'

describe('a figure', () => {
  it.each<[string, (n: number) => string, Record<number, string>]>([
    ['counted', (n) => count(n, 'session'), { 0: '0 sessions', 1: '1 session', 1234: '1,234 sessions' }],
    [
      'of bytes',
      bytes,
      { 0: '0 B', 999: '999 B', 1000: '1.0 kB', 9960: '10 kB', 999600: '1.0 MB', 79e9: '79 GB', 5e12: '5000 GB' },
    ],
    ['of ms', ms, { 0.4: '0 ms', 999.4: '999 ms', 999.6: '1 s', 1598: '1.6 s', 9960: '10 s', 3600000: '3,600 s' }],
    ['in short', short, { 0: '0', 999: '999', 1000: '1k', 1234: '1.2k', 38400: '38k', 999700: '1M', 1400000: '1.4M' }],
  ])('%s', (_, say, said) => {
    expect(Object.keys(said).map((n) => say(Number(n)))).toEqual(Object.values(said))
  })

  it('is counted as the system writes numbers', () => {
    fc.assert(
      fc.property(fc.integer(), (n) => {
        expect(count(n, 'x', 'x')).toBe(`${n.toLocaleString('en-US')} x`)
      }),
    )
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
