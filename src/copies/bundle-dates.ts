/**
 * Dates in somebody else's bundle: one that is no date, lies in the future, or before there was any session, would stand before or
 * after everything else. Such a file name is refused; such a date in a file becomes the day of the import.
 */
import { isObject } from '../platform/json.ts'

/** No session of Claude Code is older. */
const EARLIEST_MS = Date.UTC(2020, 0, 1)
/** Clocks differ, and so do time zones. */
const DAY_MS = 86_400_000
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
/** What holds a time: `at`, `lastAt`, `lastMemoryUpdateTs`, `date`. */
const TIME_FIELD = /^(?:at|ts|date|time|timestamp)$|(?:At|Ts|_at|Date|Time)$/

export function isSoundDate(text: string, now: string): boolean {
  if (!DATE.test(text)) return false
  const ms = Date.parse(text)
  return ms >= EARLIEST_MS && ms <= Date.parse(now) + DAY_MS
}

/** The time in a name like `sessions/20260113_120000_1a2b3c4d.l1.jsonl`; null: it has none. */
export function timeInName(path: string): string | null {
  const found = /(?:^|[/_])(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(?:_|\.)/.exec(path)
  if (found === null) return null
  const [, year, month, day, hour, minute, second] = found
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
}

/** Every field of an object that holds a time, at any depth. */
export function withSoundTimes(value: unknown, now: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withSoundTimes(one, now))
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, held]): [string, unknown] => {
    const isWrong = TIME_FIELD.test(name) && typeof held === 'string' && !isSoundDate(held, now)
    return [name, isWrong ? now : withSoundTimes(held, now)]
  })
  return Object.fromEntries(fields)
}

/** The heading of a note or of a piece by hand, which search and rotation read as its date. */
export function withSoundHeadings(text: string, now: string): string {
  return text.replace(/^## (\W{0,4}\d{4}[-./]\d[^\n]*)$/gm, (line: string, said: string) => {
    const day = /\d{4}-\d\d-\d\d(?!\d)/.exec(said)?.[0] ?? ''
    return isSoundDate(day, now) ? line : `## ${said.replace(/^[\d\s.:/()+,TZUTC-]+/, '').trim() || 'Note'}`
  })
}
