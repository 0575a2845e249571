/** Instants are UTC ISO strings; this turns them into the stamps of file names and the times that people read. */

/** `2026-01-13T12:00:00.000Z` → `20260113_120000`. */
export function formatStamp(at: string): string {
  const digits = at.replace(/\D/g, '').padEnd(14, '0')
  return `${digits.slice(0, 8)}_${digits.slice(8, 14)}`
}

/** The instant of a stamp that a name begins with; null: there is none, or its month has no such day. */
export function parseStamp(name: string): string | null {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)/.exec(name) ?? []
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  return new Date(Date.parse(at) || 0).toISOString() === at ? at : null
}

/** A transcript's timestamp as a UTC instant, or null when it is none. */
export function parseInstant(value: unknown): string | null {
  if (typeof value !== 'string' || value.length < 10) return null
  // The usual form needs no Date.
  if (value.length === 24 && value[10] === 'T' && value[23] === 'Z' && value[4] === '-' && value[19] === '.')
    return value
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value)) return value
  const millis = Date.parse(value)
  return Number.isNaN(millis) ? null : new Date(millis).toISOString()
}

/** Whether this system knows the time zone; one it does not know cannot be shown. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-CA', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The day on which an instant is there, as `2026-01-13`; empty: it is none. An empty time zone is the system's. */
export function dayIn(timezone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    ...(timezone === '' ? {} : { timeZone: timezone }),
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

/**
 * `2026-01-13 12:00:00 UTC (2026-01-13 21:00:00 +09:00)`. An empty time zone is the system's. What is no instant (somebody
 * edited the note) is told as it stands.
 */
export function formatBothTimes(at: string, timezone: string): string {
  const utc = `${at.slice(0, 19).replace('T', ' ')} UTC`
  return Number.isNaN(Date.parse(at)) ? utc : `${utc} (${formatLocal(at, timezone)})`
}

function formatLocal(at: string, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    ...(timezone === '' ? {} : { timeZone: timezone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(new Date(at))
  const get = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
  const offset = get('timeZoneName').replace('GMT', '') || '+00:00'
  return `${get('year')}-${get('month')}-${get('day')} ${get('hour')}:${get('minute')}:${get('second')} ${offset}`
}
