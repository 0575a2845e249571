/** Instants are UTC ISO strings. Formats them as stamps for file names and as times for people. */

/** `2026-01-13T12:00:00.000Z` → `20260113_120000`. */
export function formatStamp(at: string): string {
  const digits = at.replace(/\D/g, '').padEnd(14, '0')
  return `${digits.slice(0, 8)}_${digits.slice(8, 14)}`
}

/** The instant of the stamp at the beginning of a name; null: no stamp, or not a valid date. */
export function parseStamp(name: string): string | null {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)/.exec(name) ?? []
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  return new Date(Date.parse(at) || 0).toISOString() === at ? at : null
}

/** A transcript's timestamp as a UTC instant; null if it is not valid. */
export function parseInstant(value: unknown): string | null {
  if (typeof value !== 'string' || value.length < 10) return null
  // The usual form needs no Date.
  if (value.length === 24 && value[10] === 'T' && value[23] === 'Z' && value[4] === '-' && value[19] === '.')
    return value
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value)) return value
  const millis = Date.parse(value)
  return Number.isNaN(millis) ? null : new Date(millis).toISOString()
}

/** The time of what nothing dates: before everything else. */
export const NO_TIME = '1970-01-01T00:00:00.000Z'

/** Whether the system supports the time zone. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-CA', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The day of an instant in a time zone, as `2026-01-13`; empty if the instant is not valid. An empty time zone means the system's. */
export function dayIn(timezone: string): (at: string) => string {
  if (timezone === '') return (at) => (Number.isNaN(Date.parse(at)) ? '' : systemLocal(at).slice(0, 10))
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return (at) => {
    const millis = Date.parse(at)
    return Number.isNaN(millis) ? '' : format.format(millis)
  }
}

/** The day of an instant in UTC. */
export function utcDay(at: string): string {
  return at.slice(0, 10)
}

/** What the clocks of a time zone show, for screens. Files and JSON have UTC. */
export interface Clock {
  /** The name of the time zone, like `Asia/Seoul`. */
  zone: string
  /** `2026-01-13 21:00`. What is no instant is returned as it stands. */
  minute(at: string): string
  /** `2026-01-13`; of an instant that is a day alone, that day. */
  day(at: string): string
}

/** An empty time zone is the system's. */
export function clockOf(timezone: string): Clock {
  const local = localIn(timezone)
  const minute = (at: string): string => {
    if (at === NO_TIME) return 'undated'
    return at.length <= 10 || Number.isNaN(Date.parse(at)) ? at.slice(0, 16).replace('T', ' ') : local(at).slice(0, 16)
  }
  return {
    zone: new Intl.DateTimeFormat('en-CA', zoned(timezone)).resolvedOptions().timeZone,
    minute,
    day: (at) => minute(at).slice(0, 10),
  }
}

/** `2026-01-13 21:00 (Asia/Seoul)`: a time that stands alone in a sentence. */
export function zonedMinute(at: string, timezone: string): string {
  const { minute, zone } = clockOf(timezone)
  return `${minute(at)} (${zone})`
}

/**
 * `2026-01-13 12:00:00 UTC (2026-01-13 21:00:00 +09:00)`. An empty time zone means the system's. An invalid instant (in a
 * note edited by hand) is returned as it is.
 */
export function formatBothTimes(at: string, timezone: string): string {
  const utc = `${at.slice(0, 19).replace('T', ' ')} UTC`
  return Number.isNaN(Date.parse(at)) ? utc : `${utc} (${localIn(timezone)(at)})`
}

const DAY_MS = 24 * 60 * 60_000

/**
 * `2026-01-14 15:30:00` on the clocks of a place → UTC. An hour that a place has twice (clocks go back) means the first
 * one; a time that it never had (clocks go forward) means as much later. An empty time zone is the system's.
 */
export function instantOf(local: string, timezone: string): string {
  const asUtc = Date.parse(`${local.replace(' ', 'T')}Z`)
  const offset = offsetIn(timezone)
  const offsets = [asUtc - DAY_MS, asUtc + DAY_MS].map(offset)
  const fits = offsets.map((one) => asUtc - one).filter((ms) => ms + offset(ms) === asUtc)
  return new Date(fits.length > 0 ? Math.min(...fits) : asUtc - (offsets[0] ?? 0)).toISOString()
}

/** In milliseconds, east of Greenwich positive. */
export function offsetIn(timezone: string): (ms: number) => number {
  const local = localIn(timezone)
  return (ms) =>
    Date.parse(`${local(new Date(ms).toISOString()).slice(0, 19).replace(' ', 'T')}Z`) - Math.floor(ms / 1000) * 1000
}

function zoned(timezone: string): { timeZone?: string } {
  return timezone === '' ? {} : { timeZone: timezone }
}

/** Making one takes longer than formatting a hundred times, and every note of a file is formatted: each is made once. */
const LOCAL = new Map<string, (at: string) => string>()

/** `2026-01-13 21:00:00 +09:00`. */
function localIn(timezone: string): (at: string) => string {
  if (timezone === '') return systemLocal
  const minutes = minutesOf(timezone)
  if (minutes !== null) return (at) => shownAt(Date.parse(at), minutes)
  const local = LOCAL.get(timezone) ?? createLocal(timezone)
  LOCAL.set(timezone, local)
  return local
}

/** Without Intl: its first use takes 25 ms of CPU in every process that writes a note. */
function systemLocal(at: string): string {
  const date = new Date(at)
  return shownAt(date.getTime(), -Math.round(date.getTimezoneOffset()))
}

function shownAt(ms: number, minutes: number): string {
  const shown = new Date(ms + minutes * 60_000).toISOString()
  return `${shown.slice(0, 10)} ${shown.slice(11, 19)} ${offsetZone(minutes)}`
}

/** A zone of one offset, in minutes: `+09:00`. Notes of earlier versions show no more of their zone. */
export function offsetZone(minutes: number): string {
  const two = (n: number): string => String(n).padStart(2, '0')
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
}

/** Null: no zone of `offsetZone`. */
function minutesOf(timezone: string): number | null {
  const [hours = Number.NaN, rest = Number.NaN] = timezone.slice(1).split(':').map(Number)
  const minutes = (timezone.startsWith('-') ? -1 : 1) * (hours * 60 + rest)
  return offsetZone(minutes) === timezone ? minutes : null
}

function createLocal(timezone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  })
  return (at) => {
    const parts = format.formatToParts(new Date(at))
    const get = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
    const offset = get('timeZoneName').replace('GMT', '') || '+00:00'
    return `${get('year')}-${get('month')}-${get('day')} ${get('hour')}:${get('minute')}:${get('second')} ${offset}`
  }
}
