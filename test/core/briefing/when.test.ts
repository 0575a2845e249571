import { expect, it } from 'vitest'
import { hoursBetween, shortDay, shortSpan, shortTime } from '../../../src/core/briefing/when.ts'

it.each([
  ['within a day', '2026-11-17T05:02:10.000Z', '2026-11-17T06:10:00.000Z', '11-17 05:02–06:10'],
  ['over midnight', '2026-11-17T23:50:00.000Z', '2026-11-18T00:10:00.000Z', '11-17 23:50 – 11-18 00:10'],
  ['of one minute', '2026-11-17T05:02:10.000Z', '2026-11-17T05:02:40.000Z', '11-17 05:02'],
  ['without a beginning', '', '2026-11-17T05:02:40.000Z', '11-17 05:02'],
  ['without times', 'soon', '', ''],
])('shortSpan formats a span %s', (_, from, to, span) => {
  expect(shortSpan(from, to)).toBe(span)
})

it('shortTime and shortDay are in UTC, and empty for what is no time', () => {
  expect([shortTime('2026-11-17T05:02:10.000Z'), shortDay('2026-11-17T05:02:10.000Z')]).toEqual([
    '11-17 05:02',
    '11-17',
  ])
  expect([shortTime('yesterday'), shortDay('')]).toEqual(['', ''])
})

it('hoursBetween counts hours, and endless ones where a time is unknown', () => {
  expect(hoursBetween('2026-11-17T05:00:00.000Z', '2026-11-17T06:30:00.000Z')).toBe(1.5)
  expect(hoursBetween('', '2026-11-17T06:30:00.000Z')).toBe(Number.POSITIVE_INFINITY)
})
