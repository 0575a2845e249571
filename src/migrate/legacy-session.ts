/** Sessions and times of earlier versions: names and lines of sessions → entries of ours, times without a zone → instants. */
import { parseObject, textOr } from '../platform/json.ts'
import { formatBothTimes, parseInstant, parseStamp } from '../platform/time.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { type Entry, formatEntry, parseEntry, type Tombstone } from '../transcript/session.ts'

const NAMED = /^(\d{4}-\d\d-\d\d)(?:[_T ](\d\d)[-:]?(\d\d)(?:[-:]?(\d\d))?)?(?:[_-].+)?$/
const HOST_ID = /(?:^|[_-])([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `stem`: a file's name up to its first dot. `at`: when the session began; null: the name does not tell. All files of a session have the same id8. */
export function sessionNamed(stem: string, timezone: string): { at: string | null; id8: string } {
  const host = HOST_ID.exec(stem)?.[1]?.toLowerCase()
  const id8 = host ?? fingerprint(`session of an earlier version: ${stem}`).slice(-8)
  const [, day, hour, minute, second = '00'] = NAMED.exec(stem) ?? []
  // Names without hyphens were made from UTC.
  if (day === undefined) return { at: parseStamp(stem), id8 }
  const clock = hour === undefined ? '' : ` ${hour}:${minute}:${second}`
  return { at: datedAt(`${day}${clock}`, timezone)?.at ?? null, id8 }
}

/** Lines of a refined transcript. What lacks a time has that of the line before it; what is no entry is kept as it stands. */
export function convertLines(text: string, startedAt: string): (Entry | Tombstone)[] {
  const entries: (Entry | Tombstone)[] = []
  let ts = startedAt
  for (const line of text.replace(/^\ufeff/, '').split('\n')) {
    if (line.trim() === '') continue
    const entry = soundEntry(parseEntry(line)) ?? entryOf(line, ts)
    if ('ts' in entry) ts = entry.ts
    entries.push(entry)
  }
  return entries
}

/** When the first line says it happened; null: none does. */
export function firstInstant(text: string): string | null {
  const told = /"(?:ts|timestamp)"\s*:\s*"([^"]+)"/.exec(text.slice(0, 20_000))?.[1]
  return told === undefined ? null : parseInstant(told)
}

export function formatEntries(entries: readonly (Entry | Tombstone)[]): string {
  return entries.map(formatEntry).join('')
}

/** Null: another version's idea of an entry. */
function soundEntry(entry: Entry | Tombstone | null): Entry | Tombstone | null {
  if (entry === null || entry.role === 'tombstone') return entry
  if (parseInstant(entry.ts) === null) return null
  if ('name' in entry) {
    const isKnown = entry.role === 'tool' || (entry.role === 'subagent' && typeof entry.agent === 'string')
    return isKnown ? { ...entry, ok: entry.ok ?? null } : null
  }
  const isSpoken = ['user', 'assistant', 'summary'].includes(entry.role)
  return isSpoken || (entry.role === 'subagent' && typeof entry.agent === 'string') ? entry : null
}

/** Earlier versions left out times and outcomes; any other line is kept as it is. */
function entryOf(line: string, before: string): Entry {
  const raw = parseObject(line)
  const ts = parseInstant(raw?.ts ?? raw?.timestamp) ?? before
  const { role, text, content, name, cmd, output } = raw ?? {}
  if (role === 'tool' && typeof name === 'string' && typeof cmd === 'string')
    return { role, ts, name, cmd, ok: null, ...(typeof output === 'string' ? { output } : {}) }
  const said = textOr(text, textOr(content, ''))
  if (said !== '' && (role === 'user' || role === 'assistant')) return { role, ts, text: said }
  return { role: 'summary', ts, text: line.trim() }
}

export interface LegacyWhen {
  /** UTC. Of a day alone: its noon where the user is, so that it stays the same day nearly everywhere. */
  at: string
  /** No more is known than the day. */
  isDay: boolean
}

const STAMP =
  /(\d{4}-\d\d-\d\d)(?!\d)(?:[T_ ](\d\d):?(\d\d)(?::?(\d\d)(?:\.\d+)?)?(?!\d))?(?:\s?\(?(UTC|Z|[+-]\d\d:?\d\d)\b\)?)?/gi
/** A time behind words is only mentioned. */
const LEADING = /^[^\p{L}\p{N}]*$/u
/** Between two times of one heading. */
const FILLING = /^[^\p{L}\p{N}]*(?:local)?[^\p{L}\p{N}]*$/iu
const BEHIND = /^(?:\s*\(local(?: time)?\))?[\s)\]:|–—-]*/i
const DAY_MS = 24 * 60 * 60_000

/** The time that a heading or a line begins with; of the same time told twice, the one with a zone. Null: it begins with none. */
export function datedAt(line: string, timezone: string): (LegacyWhen & { rest: string }) | null {
  const [first, second] = [...line.matchAll(STAMP)]
  if (first === undefined || !LEADING.test(line.slice(0, first.index))) return null
  const end = first.index + first[0].length
  const isNext = second !== undefined && FILLING.test(line.slice(end, second.index))
  // Without a zone in either they are two times: from, and to.
  const isPair = isNext && (first[5] ?? second[5]) !== undefined
  const when = whenOf(isPair && first[5] === undefined ? second : first, timezone)
  const rest = line.slice(isPair ? second.index + second[0].length : end)
  return when === null ? null : { ...when, rest: rest.replace(BEHIND, '').trim() }
}

function whenOf(
  [, day = '', hour, minute, second = '00', zone]: RegExpMatchArray,
  timezone: string,
): LegacyWhen | null {
  if (new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) !== day) return null
  if (hour === undefined) return { at: instantOf(`${day} 12:00:00`, timezone), isDay: true }
  const time = `${hour}:${minute}:${second}`
  const offset = zone === undefined || !/\d/.test(zone) ? 'Z' : zone.replace(/(?<=^.\d\d)(?=\d)/, ':')
  const ms = Date.parse(`${day}T${time}${offset}`)
  if (Number.isNaN(ms)) return null
  return { at: zone === undefined ? instantOf(`${day} ${time}`, timezone) : new Date(ms).toISOString(), isDay: false }
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

/** In milliseconds, east of Greenwich positive. */
function offsetAt(ms: number, timezone: string): number {
  const [, day, time] = /\((\S+) (\S+)/.exec(formatBothTimes(new Date(ms).toISOString(), timezone)) ?? []
  return Date.parse(`${day}T${time}Z`) - Math.floor(ms / 1000) * 1000
}
