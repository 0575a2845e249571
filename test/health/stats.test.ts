/** The series of `stats`, as characters. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sparkline, squeezed } from '../../src/health/commands/stats.ts'

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

  it('is squeezed into its room, and the greatest value stays visible', () => {
    expect(squeezed([1, 2, 3, 4, 5], 3)).toEqual([1, 3, 5])
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (values, room) => {
        expect(squeezed(values, room).length).toBeLessThanOrEqual(room)
        expect(Math.max(0, ...squeezed(values, room))).toBe(Math.max(0, ...values))
      }),
    )
  })
})
