/** Weeks and months as periods, and the names of their files. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monthOf, periodOf, weekOf } from '../../../src/core/notes/tier-period.ts'

const anyInstant = fc
  .integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2099, 11, 31) })
  .map((ms) => new Date(ms).toISOString())

describe('a period', () => {
  it('is named after its ISO week or its month', () => {
    expect(weekOf('2026-12-31T10:00:00.000Z')).toEqual({
      file: 'week-2026-53.md',
      is: 'week',
      title: 'Week 2026-53, 2026-12-28 to 2027-01-03',
      from: '2026-12-28T00:00:00.000Z',
      to: '2027-01-04T00:00:00.000Z',
    })
    expect(monthOf('2026-12-31T10:00:00.000Z')).toEqual({
      file: 'archive/2026-12.md',
      is: 'month',
      title: 'Month 2026-12',
      from: '2026-12-01T00:00:00.000Z',
      to: '2027-01-01T00:00:00.000Z',
    })
  })

  it.each([
    // A year that begins on a Thursday has 53 weeks, and so has a leap year that begins on a Wednesday.
    ['2026-12-31T23:59:59.999Z', '2026-53'],
    ['2027-01-03T23:59:59.999Z', '2026-53'],
    ['2027-01-04T00:00:00.000Z', '2027-01'],
    ['2020-12-31T12:00:00.000Z', '2020-53'],
    ['2021-01-03T12:00:00.000Z', '2020-53'],
    ['2021-01-04T12:00:00.000Z', '2021-01'],
    ['2024-12-29T23:59:59.999Z', '2024-52'],
    ['2024-12-30T00:00:00.000Z', '2025-01'],
    ['2025-12-29T00:00:00.000Z', '2026-01'],
    ['2026-01-12T00:00:00.000Z', '2026-03'],
    ['2022-01-01T00:00:00.000Z', '2021-52'],
    ['2016-01-03T10:00:00.000Z', '2015-53'],
    // The nights in which clocks change are nights like any other: weeks are those of UTC.
    ['2026-03-29T01:30:00.000Z', '2026-13'],
    ['2026-10-25T00:30:00.000Z', '2026-43'],
  ])('of %s is the week %s', (at, name) => {
    expect(weekOf(at)?.file).toBe(`week-${name}.md`)
  })

  it.each([
    ...['week-2026-54.md', 'week-2025-53.md', 'week-2026-00.md', 'week-2026-W03.md', 'archive/2026-13.md'],
    ...['archive/2026-00.md', '2026-01.md', 'archive/week-2026-01.md', 'week-2026-03.md.bak'],
    '20260113_100000_1a2b3c4d.md',
  ])('is not what %s names', (file) => {
    expect(periodOf(file)).toBeNull()
  })

  it('of an instant holds it, and is found again by the name of its file', () => {
    fc.assert(
      fc.property(anyInstant, (at) => {
        for (const period of [weekOf(at), monthOf(at)]) {
          if (period === null) throw new Error(`${at} has no period`)
          expect(period.from <= at && at < period.to).toBe(true)
          expect(periodOf(period.file)).toEqual(period)
        }
        const week = weekOf(at)
        expect(new Date(week?.from ?? '').getUTCDay()).toBe(1)
        expect(weekOf(new Date(Date.parse(at) + 7 * 86_400_000).toISOString())?.from).toBe(week?.to)
      }),
    )
    for (const none of ['never', '']) expect(weekOf(none)).toBeNull()
    expect(monthOf('never')).toBeNull()
  })
})
