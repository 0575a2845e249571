/** Formats times, counts and sizes for the page. */

/** Undefined: the browser's own. */
let timezone: string | undefined

/** Sets the time zone of all formats; returns its name if it is not the browser's own. */
export function speakIn(zone: string): string {
  timezone = isKnown(zone) && zone !== Intl.DateTimeFormat().resolvedOptions().timeZone ? zone : undefined
  return timezone ?? ''
}

function isKnown(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone })
    return true
  } catch {
    // This browser does not know the zone: its own is the best guess.
    return false
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(options: Intl.DateTimeFormatOptions, zone = timezone): Intl.DateTimeFormat {
  const key = JSON.stringify([options, zone])
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...options, ...(zone === undefined ? {} : { timeZone: zone }) })
  formats.set(key, made)
  return made
}

/** The first instant of all is that of a text without a date. */
function spoken(at: string | number, options: Intl.DateTimeFormatOptions, zone = timezone): string {
  const ms = new Date(at).getTime()
  return Number.isNaN(ms) || ms === 0 ? '' : format(options, zone).format(ms)
}

/** 14:05 */
export const sayTime = (at: string): string => spoken(at, { hour: '2-digit', minute: '2-digit', hour12: false })
/** 14:05:33 */
export const sayClock = (at: string): string =>
  spoken(at, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
/** 16 Nov 2026 */
export const sayDate = (at: string): string => spoken(at, { day: 'numeric', month: 'short', year: 'numeric' })
/** 16 Nov 2026, 14:05 */
export const sayMoment = (at: string): string => (sayDate(at) === '' ? '' : `${sayDate(at)}, ${sayTime(at)}`)

/** The day of an instant as `2026-11-16`. */
export function dayText(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const parts = format({ year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(date)
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** A day has no zone: it is parsed and formatted in UTC. */
const dayIn = (day: string, options: Intl.DateTimeFormatOptions): string => spoken(`${day}T12:00:00Z`, options, 'UTC')

/** Monday 16 November 2026 */
export const sayDay = (day: string): string =>
  dayIn(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).replace(',', '')
/** 16 Nov */
export const sayShortDay = (day: string): string => dayIn(day, { day: 'numeric', month: 'short' })
/** Mon */
export const sayWeekday = (day: string): string => dayIn(day, { weekday: 'short' })
/** Nov 2026 */
export const sayMonth = (day: string): string => dayIn(day, { month: 'short', year: 'numeric' })
/** 16 Nov 2026 */
export const sayFullDay = (day: string): string => dayIn(day, { day: 'numeric', month: 'short', year: 'numeric' })

const MINUTE = 60_000

/** A duration: 40 s, 12 min, 3 h 05. */
export function sayDuration(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from)
  if (!(ms >= 0)) return ''
  if (ms < MINUTE) return `${Math.round(ms / 1000)} s`
  const minutes = Math.round(ms / MINUTE)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${String(minutes % 60).padStart(2, '0')}` : `${Math.round(hours / 24)} days`
}

const whole = new Intl.NumberFormat('en-GB')

/** 12,345 */
export function sayCount(n: number): string {
  return whole.format(n)
}

/** 1 note, 3 notes */
export function sayMany(n: number, one: string, many = `${one}s`): string {
  return `${sayCount(n)} ${n === 1 ? one : many}`
}

/** For axes: 950, 1.2k, 34k, 1.5M */
export function sayBrief(n: number): string {
  const size = Math.abs(n)
  if (size >= 1e6) return `${trim(n / 1e6)}M`
  if (size >= 1e3) return `${trim(n / 1e3)}k`
  return trim(n)
}

function trim(n: number): string {
  return String(Math.abs(n) >= 10 ? Math.round(n) : Math.round(n * 10) / 10)
}

/** 12 ms, 1.4 s */
export function sayMs(ms: number): string {
  if (ms >= 1000) return `${trim(ms / 1000)} s`
  return `${trim(ms)} ms`
}

/** As on the command line: a kB is a thousand bytes. */
export function sayBytes(bytes: number): string {
  if (bytes < 1000) return `${trim(bytes)} B`
  if (bytes < 1e6) return `${trim(bytes / 1000)} kB`
  return bytes < 1e9 ? `${trim(bytes / 1e6)} MB` : `${trim(bytes / 1e9)} GB`
}

export function sayUsd(usd: number): string {
  return usd === 0 ? '$0' : usd < 0.01 ? '< $0.01' : `$${usd.toFixed(2)}`
}

/** The last part of a path, and the part before it. */
export function splitPath(file: string): { dir: string; name: string } {
  const cut = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'))
  return { dir: file.slice(0, cut + 1), name: file.slice(cut + 1) }
}
