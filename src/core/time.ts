/** Instants are UTC ISO strings; this turns them into the stamps used in file names. */

/** `2026-01-13T12:00:00.000Z` → `20260113_120000`. */
export function formatStamp(at: string): string {
  const digits = at.replace(/\D/g, '').padEnd(14, '0')
  return `${digits.slice(0, 8)}_${digits.slice(8, 14)}`
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
