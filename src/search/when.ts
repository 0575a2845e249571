/** What a person writes for a time: `2026-01-13`, `yesterday`, `3d`, `last week`; days are those of UTC, as everywhere. */

/** In milliseconds since 1970, from and up to, not including; an instant has both equal. */
export interface When {
  from: number
  to: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How far back, by the word or letter behind the number; months and years are counted by the calendar. */
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: DAY, w: 7 * DAY }
const MONTHS: Readonly<Record<string, number>> = { m: 1, y: 12 }
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const AGO = /^(\d{1,4})\s?(?:(h|d|w|m|y)|(h)(?:ou)?rs?|(d)ays?|(w)(?:ee)?ks?|(m)o(?:nths?)?|(y)(?:ea)?rs?)(?:\s+ago)?$/
const PERIOD = /^(last|this|past)[\s-](week|month|year|hour|day)$/
const WEEKDAY = /^(?:last\s)?(sun|mon|tue|wed|thu|fri|sat)(?:day|sday|nesday|rsday|urday)?$/
const ISO =
  /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[t ](\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(z|[+-]\d\d:?\d\d)?)?)?)?$/
/** How many days back. */
const DAYS: Readonly<Record<string, number>> = {
  today: 0,
  오늘: 0,
  今日: 0,
  今天: 0,
  yesterday: 1,
  어제: 1,
  昨日: 1,
  昨天: 1,
  그저께: 2,
  그제: 2,
  一昨日: 2,
  前天: 2,
}

/** Null: not a time. */
export function parseWhen(text: string, now: number): When | null {
  const said = text.trim().toLowerCase().replace(/\s+/g, ' ')
  const today = startOfDay(now)
  if (said === 'now') return { from: now, to: now }
  const back = Object.hasOwn(DAYS, said) ? DAYS[said] : undefined
  if (back !== undefined) return { from: today - back * DAY, to: today - (back - 1) * DAY }
  return parseIso(said) ?? parseAgo(said, now) ?? parsePeriod(said, now) ?? parseWeekday(said, today)
}

/** A year, a month, a day, or a minute of it. */
function parseIso(said: string): When | null {
  const [, year, month, day, hour, minute, second, zone] = ISO.exec(said) ?? []
  if (year === undefined) return null
  const at = Date.UTC(Number(year), Number(month ?? 1) - 1, Number(day ?? 1))
  const isDate = new Date(at).getUTCMonth() === Number(month ?? 1) - 1 && Number(year) >= 1970
  if (!isDate || Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) return null
  if (hour !== undefined) {
    const from = at + Number(hour) * HOUR + Number(minute) * 60_000 + Number(second ?? 0) * 1000 - offsetOf(zone)
    return { from, to: from + (second === undefined ? 60_000 : 1000) }
  }
  if (day !== undefined) return { from: at, to: at + DAY }
  return { from: at, to: addMonths(at, month === undefined ? 12 : 1) }
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60_000)
}

/** `3d`, `2 weeks ago`: whole days begin with the day, so that what happened in the morning is not left out. */
function parseAgo(said: string, now: number): When | null {
  const [, count, ...units] = AGO.exec(said) ?? []
  const unit = units.find((one) => one !== undefined)
  if (count === undefined || unit === undefined) return null
  const months = MONTHS[unit]
  if (months !== undefined) return dayFrom(addMonths(startOfDay(now), -months * Number(count)))
  const at = now - Number(count) * (UNITS[unit] ?? DAY)
  return unit === 'h' ? { from: at, to: at } : dayFrom(startOfDay(at))
}

function parsePeriod(said: string, now: number): When | null {
  const [, which, unit] = PERIOD.exec(said) ?? []
  if (which === undefined || unit === undefined) return null
  const today = startOfDay(now)
  if (unit === 'hour') return { from: now - HOUR, to: now }
  if (unit === 'day') return { from: now - DAY, to: now }
  if (which === 'past') return { from: parseAgo(`1 ${unit}`, now)?.from ?? now, to: now }
  const back = which === 'this' ? 0 : 1
  if (unit === 'week') {
    const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY
    return { from: monday - back * 7 * DAY, to: monday + (1 - back) * 7 * DAY }
  }
  const length = unit === 'month' ? 1 : 12
  const date = new Date(today)
  const first = Date.UTC(date.getUTCFullYear(), unit === 'month' ? date.getUTCMonth() : 0, 1)
  return { from: addMonths(first, -back * length), to: addMonths(first, (1 - back) * length) }
}

/** The last one that is over or begun. */
function parseWeekday(said: string, today: number): When | null {
  const name = WEEKDAY.exec(said)?.[1]
  if (name === undefined) return null
  const back = (new Date(today).getUTCDay() - WEEKDAYS.indexOf(name) + 7) % 7
  return dayFrom(today - back * DAY)
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
