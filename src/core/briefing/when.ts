/** Times as a briefing tells them: day and minute in UTC, without the year. */

import { NO_TIME } from '../../kernel/platform/time.ts'

/** Empty: there is none. */
export function shortTime(at: string): string {
  if (at === NO_TIME) return ''
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(at) ? `${at.slice(5, 10)} ${at.slice(11, 16)}` : ''
}

/** `11-17 05:02–06:10`, or with both days. */
export function shortSpan(from: string, to: string): string {
  const [begin, end] = [shortTime(from), shortTime(to)]
  if (begin === '' || end === '' || begin === end) return end || begin
  return begin.slice(0, 5) === end.slice(0, 5) ? `${begin}–${end.slice(6)}` : `${begin} – ${end}`
}

/** How many hours lie between two times; endless where one is unknown. */
export function hoursBetween(earlier: string, later: string): number {
  const hours = (Date.parse(later) - Date.parse(earlier)) / 3_600_000
  return Number.isFinite(hours) ? hours : Number.POSITIVE_INFINITY
}

/** `11-17`. */
export function shortDay(at: string): string {
  return shortTime(at).slice(0, 5)
}
