/** Charts made of characters. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bar, sparkline, squeezed } from '../../src/health/commands/stats-text.ts'
import { width } from '../../src/memory/commands/output.ts'

const most = (some: readonly number[]): number => Math.max(0, ...some)
const sum = (some: readonly number[]): number => some.reduce((total, one) => total + one, 0)

describe('a sparkline', () => {
  it('shows zero as a dot and the greatest as a full block', () => {
    expect(sparkline([0, 1, 4, 8])).toBe('·▁▄█')
    expect(sparkline([0, 0])).toBe('··')
    expect(sparkline([])).toBe('')
    expect(sparkline([0.001, 1000])).toBe('▁█')
  })

  it('has a character for each value, and more is never shown as less', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), (values) => {
        const line = Array.from(sparkline(values))
        expect(line).toHaveLength(values.length)
        const level = (i: number): number => '·▁▂▃▄▅▆▇█'.indexOf(line[i] ?? '')
        values.forEach((value, i) => {
          if (value > 0) expect(level(i)).toBeGreaterThan(0)
          values.forEach((other, j) => {
            if (value <= other) expect(level(i)).toBeLessThanOrEqual(level(j))
          })
        })
      }),
    )
  })

  it('is squeezed into its room without losing anything', () => {
    expect(squeezed([1, 2, 3, 4, 5], 3, sum)).toEqual([1, 5, 9])
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (values, room) => {
        expect(squeezed(values, room, sum).length).toBeLessThanOrEqual(room)
        expect(sum(squeezed(values, room, sum))).toBe(sum(values))
        expect(most(squeezed(values, room, most))).toBe(most(values))
      }),
    )
  })
})

describe('a bar', () => {
  it('is as long as its share, and never longer than its room', () => {
    expect(bar(5, 10, 4)).toBe('██')
    expect(bar(1, 1000, 4)).toBe('▏')
    expect(bar(0, 10, 4)).toBe('')
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), fc.nat(60), (value, greatest, room) => {
        expect(width(bar(value, greatest, room))).toBeLessThanOrEqual(room)
      }),
    )
  })
})
