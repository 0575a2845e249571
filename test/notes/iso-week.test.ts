/** ISO weeks: year ends, week 53, and every day in exactly one week. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isoWeekOf, mondayOf } from '../../src/notes/tier-period.ts'

const DAY_MS = 24 * 60 * 60_000
const anyInstant = fc
  .integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2100, 0, 1) })
  .map((ms) => new Date(ms).toISOString())

describe('an ISO week', () => {
  it.each([
    // A year that begins on a Thursday has 53 weeks, and so has a leap year that begins on a Wednesday.
    ['2026-12-31T23:59:59.999Z', 2026, 53],
    ['2027-01-03T23:59:59.999Z', 2026, 53],
    ['2027-01-04T00:00:00.000Z', 2027, 1],
    ['2020-12-31T12:00:00.000Z', 2020, 53],
    ['2021-01-03T12:00:00.000Z', 2020, 53],
    ['2021-01-04T12:00:00.000Z', 2021, 1],
    ['2024-12-29T23:59:59.999Z', 2024, 52],
    ['2024-12-30T00:00:00.000Z', 2025, 1],
    ['2025-12-29T00:00:00.000Z', 2026, 1],
    ['2026-01-12T00:00:00.000Z', 2026, 3],
    ['2022-01-01T00:00:00.000Z', 2021, 52],
    ['2016-01-03T10:00:00.000Z', 2015, 53],
    // The nights in which clocks change are nights like any other: weeks are those of UTC.
    ['2026-03-29T01:30:00.000Z', 2026, 13],
    ['2026-10-25T00:30:00.000Z', 2026, 43],
  ])('of %s is %i-%i', (at, year, week) => {
    expect(isoWeekOf(at)).toEqual({ year, week })
  })

  it('is none for what is no instant', () => {
    expect(isoWeekOf('yesterday')).toBeNull()
    expect(isoWeekOf('')).toBeNull()
  })

  it('begins on a Monday, not later than the instant, and less than seven days before it', () => {
    fc.assert(
      fc.property(anyInstant, (at) => {
        const week = isoWeekOf(at)
        if (week === null) throw new Error(`${at} has no week`)
        const monday = mondayOf(week)
        expect(new Date(monday).getUTCDay()).toBe(1)
        const since = Date.parse(at) - Date.parse(monday)
        expect(since).toBeGreaterThanOrEqual(0)
        expect(since).toBeLessThan(7 * DAY_MS)
        expect(isoWeekOf(monday)).toEqual(week)
        expect(week.week).toBeGreaterThanOrEqual(1)
        expect(week.week).toBeLessThanOrEqual(53)
      }),
    )
  })

  it('is followed by the next one, whose number is one more or the first of the next year', () => {
    fc.assert(
      fc.property(anyInstant, (at) => {
        const week = isoWeekOf(at)
        const next = isoWeekOf(new Date(Date.parse(at) + 7 * DAY_MS).toISOString())
        if (week === null || next === null) throw new Error(`${at} has no week`)
        const isNext = next.year === week.year ? next.week === week.week + 1 : next.week === 1
        expect(isNext).toBe(true)
        expect(mondayOf({ ...week, week: week.week + 1 })).toBe(mondayOf(next))
      }),
    )
  })
})
