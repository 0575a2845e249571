import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseWhen } from '../../../src/core/search/when.ts'

/** A Tuesday. */
const NOW = Date.parse('2026-01-13T12:34:56.000Z')

const told = (text: string, now = NOW, timezone = 'UTC'): string => {
  const when = parseWhen(text, now, timezone)
  const short = (ms: number): string =>
    new Date(ms)
      .toISOString()
      .replace(/T00:00:00.000Z$/, '')
      .replace(/:00.000Z$/, '')
  return when === null ? 'none' : `${short(when.from)} ${short(when.to)}`
}

describe('a time in words', () => {
  it.each([
    ['2026-01-03', '2026-01-03 2026-01-04'],
    ['2026-1-3', '2026-01-03 2026-01-04'],
    ['2026-02', '2026-02-01 2026-03-01'],
    ['2025', '2025-01-01 2026-01-01'],
    ['2026-01-03T10:20', '2026-01-03T10:20 2026-01-03T10:21'],
    ['2026-01-03 10:20', '2026-01-03T10:20 2026-01-03T10:21'],
    ['2026-01-03T10:20:00+09:00', '2026-01-03T01:20 2026-01-03T01:20:01.000Z'],
    ['today', '2026-01-13 2026-01-14'],
    [' Yesterday ', '2026-01-12 2026-01-13'],
    ['3d', '2026-01-10 2026-01-11'],
    ['3 days ago', '2026-01-10 2026-01-11'],
    ['2w', '2025-12-30 2025-12-31'],
    ['1 month ago', '2025-12-13 2025-12-14'],
    ['1y', '2025-01-13 2025-01-14'],
    ['last week', '2026-01-05 2026-01-12'],
    ['this week', '2026-01-12 2026-01-19'],
    ['last-month', '2025-12-01 2026-01-01'],
    ['this year', '2026-01-01 2027-01-01'],
    ['2026-02-30', 'none'],
    ['2026-13-01', 'none'],
    ['2026-01-03T25:00', 'none'],
    ['someday', 'none'],
    ['', 'none'],
    ['3', 'none'],
    ['constructor', 'none'],
  ])('%j is %s', (text, expected) => {
    expect(told(text)).toBe(expected)
  })

  it.each([
    ['today', 'Asia/Seoul', '2026-01-12T15:00 2026-01-13T15:00'],
    ['yesterday', 'America/New_York', '2026-01-12T05:00 2026-01-13T05:00'],
    ['2026-01-03', 'Asia/Seoul', '2026-01-02T15:00 2026-01-03T15:00'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00 2026-03-29T22:00'],
    ['2026-01-03T10:20', 'Asia/Seoul', '2026-01-03T01:20 2026-01-03T01:21'],
    ['2026-01-03T10:20Z', 'Asia/Seoul', '2026-01-03T10:20 2026-01-03T10:21'],
    ['last week', 'Asia/Seoul', '2026-01-04T15:00 2026-01-11T15:00'],
  ])('%j in %s is %s', (text, timezone, expected) => {
    expect(told(text, NOW, timezone)).toBe(expected)
  })

  it('counts hours from now', () => {
    expect(parseWhen('5h', NOW)).toEqual({ from: NOW - 5 * 3_600_000, to: NOW - 5 * 3_600_000 })
  })

  it('ends a shorter month at its last day', () => {
    expect(told('1 month ago', Date.parse('2026-03-31T00:00:00Z'))).toBe('2026-02-28 2026-03-01')
  })

  it('is never the wrong way round, whatever is written', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^\d{1,4} ?(?:h|d|w|m|y|days?|weeks ago)$/),
      fc.stringMatching(/^\d{4}-\d\d-\d\d$/),
      fc.constantFrom('last week', 'this month'),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 4e12 }), (said, now) => {
        const when = parseWhen(said, now)
        if (when === null) return
        expect(Number.isFinite(when.from) && Number.isFinite(when.to)).toBe(true)
        expect(when.to).toBeGreaterThanOrEqual(when.from)
      }),
    )
  })

  it('finds every day again by its own name', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), (day) => {
        const from = day * 86_400_000
        expect(parseWhen(new Date(from).toISOString().slice(0, 10), NOW)).toEqual({ from, to: from + 86_400_000 })
      }),
    )
  })
})
