/** A time as a person writes it: `2026-01-13`, `yesterday`, `3d`, `last week`. */
import { instantOf, offsetIn } from '../../kernel/platform/time.ts'

/** Milliseconds since 1970; `to` is exclusive. For an instant both are equal. */
export interface When {
  from: number
  to: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The length of a unit, and the months of a calendar unit. */
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: DAY, w: 7 * DAY }
const MONTHS: Readonly<Record<string, number>> = { m: 1, y: 12 }

const AGO = /^(\d{1,4})\s?(?:([hdwmy])|(h)ours?|(d)ays?|(w)eeks?|(m)onths?|(y)ears?)(?: ago)?$/
const PERIOD = /^(last|this)[ -](week|month|year)$/
const ISO =
  /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[t ](\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(z|[+-]\d\d:?\d\d)?)?)?)?$/

/** Null: this is no time. Days begin and end on the clocks of the time zone; an empty one is the system's. */
export function parseWhen(text: string, now: number, timezone = 'UTC'): When | null {
  const said = text.trim().toLowerCase().replace(/\s+/g, ' ')
  const zone = ISO.exec(said)?.[7]
  if (zone !== undefined) return moved(parseIso(said), (ms) => ms - offsetOf(zone))
  if (timezone === 'UTC') return parseOnClock(said, now)
  const when = parseOnClock(said, now + offsetIn(timezone)(now))
  return moved(when, (ms) => Date.parse(instantOf(new Date(ms).toISOString().slice(0, 19), timezone)) + (ms % 1000))
}

/** `now` and the result are what the clock shows, as if it showed UTC. */
function parseOnClock(said: string, now: number): When | null {
  if (said === 'now') return { from: now, to: now }
  if (said === 'today') return dayFrom(startOfDay(now))
  if (said === 'yesterday') return dayFrom(startOfDay(now) - DAY)
  return parseIso(said) ?? parseAgo(said, now) ?? parsePeriod(said, startOfDay(now))
}

function moved(when: When | null, move: (ms: number) => number): When | null {
  return when && { from: move(when.from), to: move(when.to) }
}

/** A year, a month, a day, a minute or a second. */
function parseIso(said: string): When | null {
  const [, year, month = '1', day, hour, minute, second] = ISO.exec(said) ?? []
  if (year === undefined) return null
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1))
  const isDate = new Date(at).getUTCMonth() === Number(month) - 1 && Number(year) >= 1970
  if (!isDate || Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) return null
  if (hour !== undefined) {
    const from = at + Number(hour) * HOUR + Number(minute) * 60_000 + Number(second ?? 0) * 1000
    return { from, to: from + (second === undefined ? 60_000 : 1000) }
  }
  return day === undefined ? { from: at, to: addMonths(at, said.includes('-') ? 1 : 12) } : dayFrom(at)
}

function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * HOUR + Number(minutes) * 60_000)
}

/** `3d` means the whole day, including its morning. */
function parseAgo(said: string, now: number): When | null {
  const [, count, ...units] = AGO.exec(said) ?? []
  const unit = units.find((one) => one !== undefined) ?? ''
  if (count === undefined) return null
  const months = MONTHS[unit]
  if (months !== undefined) return dayFrom(addMonths(startOfDay(now), -months * Number(count)))
  const at = now - Number(count) * (UNITS[unit] ?? DAY)
  return unit === 'h' ? { from: at, to: at } : dayFrom(startOfDay(at))
}

function parsePeriod(said: string, today: number): When | null {
  const [, which, unit] = PERIOD.exec(said) ?? []
  if (which === undefined) return null
  const back = which === 'this' ? 0 : 1
  const date = new Date(today)
  if (unit === 'week') {
    const monday = today - (((date.getUTCDay() + 6) % 7) + back * 7) * DAY
    return { from: monday, to: monday + 7 * DAY }
  }
  const length = unit === 'month' ? 1 : 12
  const first = Date.UTC(date.getUTCFullYear(), unit === 'month' ? date.getUTCMonth() : 0, 1)
  return { from: addMonths(first, -back * length), to: addMonths(first, (1 - back) * length) }
}

function dayFrom(from: number): When {
  return { from, to: from + DAY }
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY) * DAY
}

/** By the calendar: a month back from the 31st is the last day of the shorter month. */
function addMonths(at: number, months: number): number {
  const date = new Date(at)
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + months
  if (month < 1970 * 12) return 0
  const last = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate()
  return Date.UTC(Math.floor(month / 12), month % 12, Math.min(date.getUTCDate(), last))
}
