/** Times as earlier versions wrote them: local without a zone, UTC, or both; turned into instants. */

export interface LegacyWhen {
  /** UTC. Of a day alone: its noon where the user is, so that it stays the same day nearly everywhere. */
  at: string
  /** `day`: no more is known. */
  is: 'time' | 'day'
  /** A zone stood beside it: nothing had to be assumed. */
  isZoned: boolean
}

export interface Dated {
  when: LegacyWhen
  /** What is said beside the times. */
  rest: string
}

const DAY = String.raw`(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?!\d)`
const CLOCK = String.raw`(?:[T_, ]\s?(\d{1,2}):?(\d{2})(?::?(\d{2})(?:\.\d+)?)?(?!\d))?(?:\s?([AP]M)\b)?`
const ZONE = String.raw`(?:\s?\(?(UTC|GMT|KST|JST|Z|[+-]\d{2}:?\d{2})\b\)?)?`
const STAMP = new RegExp(`(?:\\b(UTC|GMT):?\\s*)?${DAY}${CLOCK}${ZONE}`, 'gi')
/** What may stand before the time that dates a heading; behind other words a time is only mentioned. */
const LEADING = /^(?:[^\p{L}\p{N}]|\b(?:session|update|updated|note|date|local|time)\b|세션|업데이트|기록)*$/iu
const FILLING = /^[\s()[\]/|,;:·–—-]*(?:(?:local|utc|time)[\s()[\]/|,;:·–—-]*)*$/i
const BEHIND = /^(?:\s*\(local(?: time)?\))?[\s)\]:|–—-]*/i
const OFFSETS: Readonly<Record<string, number>> = { UTC: 0, GMT: 0, Z: 0, KST: 540, JST: 540 }
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** The time that a heading or a line begins with; of the same time told twice, the one with a zone. Null: it begins with none. */
export function datedAt(line: string, timezone: string): Dated | null {
  const [first, second] = [...line.matchAll(STAMP)]
  if (first === undefined || !LEADING.test(line.slice(0, first.index))) return null
  const end = first.index + first[0].length
  // Between two times of one heading stands nothing but what joins them; else the second belongs to the words.
  const isNext = second !== undefined && FILLING.test(line.slice(end, second.index))
  const whens = (isNext ? [first, second] : [first]).map((match) => whenOf(match, timezone))
  const zoned = whens.find((one) => one?.isZoned === true) ?? null
  // Without a zone in either they are two times: from, and to.
  const isPair = isNext && zoned !== null
  const when = zoned ?? whens[0] ?? null
  const rest = isPair ? line.slice(second.index + second[0].length) : line.slice(end)
  return when === null ? null : { when, rest: rest.replace(BEHIND, '').trim() }
}

/**
 * `2026-01-14 15:30:00` on the clocks of a place → UTC. An hour that a place has twice (clocks go back) means the first
 * one; a time that it never had (clocks go forward) means as much later. An empty time zone is the system's.
 */
export function instantOf(local: string, timezone: string): string {
  const asUtc = Date.parse(`${local.replace(' ', 'T')}Z`)
  const offsets = [asUtc - DAY_MS, asUtc + DAY_MS].map((ms) => offsetAt(ms, timezone))
  const fits = offsets.map((offset) => asUtc - offset).filter((ms) => ms + offsetAt(ms, timezone) === asUtc)
  return new Date(fits.length > 0 ? Math.min(...fits) : asUtc - (offsets[0] ?? 0)).toISOString()
}

function whenOf(match: RegExpMatchArray, timezone: string): LegacyWhen | null {
  const [, before, year = '', month = '', day = '', hour, minute, second = '00', half, behind] = match
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10) !== date) return null
  if (hour === undefined || minute === undefined)
    return { at: instantOf(`${date} 12:00:00`, timezone), is: 'day', isZoned: false }
  const time = `${String(hourOf(Number(hour), half)).padStart(2, '0')}:${minute}:${second}`
  const asUtc = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(asUtc)) return null
  const zone = (before ?? behind)?.toUpperCase()
  if (zone === undefined) return { at: instantOf(`${date} ${time}`, timezone), is: 'time', isZoned: false }
  return { at: new Date(asUtc - minutesOf(zone) * MINUTE_MS).toISOString(), is: 'time', isZoned: true }
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour
  return (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)
}

function minutesOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? []
  if (sign === undefined) return OFFSETS[zone] ?? 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** In milliseconds, east of Greenwich positive. */
function offsetAt(ms: number, timezone: string): number {
  const format = formats.get(timezone) ?? newFormat(timezone)
  formats.set(timezone, format)
  const parts = Object.fromEntries(format.formatToParts(new Date(ms)).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000
}

function newFormat(timezone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-CA', {
    ...(timezone === '' ? {} : { timeZone: timezone }),
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  })
}
