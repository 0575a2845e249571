/** Sessions and times of earlier versions: converts names and lines of sessions to our entries, and local times to instants. */
import { parseObject, textOr } from '../../kernel/platform/json.ts'
import { instantOf, offsetZone, parseInstant, parseStamp } from '../../kernel/platform/time.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { type Entry, formatEntry, parseEntry, type Tombstone } from '../../kernel/transcript/session.ts'

const NAMED = /^(\d{4}-\d\d-\d\d)(?:[_T ](\d\d)[-:]?(\d\d)(?:[-:]?(\d\d))?)?(?:[_-].+)?$/
const HOST_ID = /(?:^|[_-])([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `stem`: a file's name up to its first dot. `at`: the start of the session; null: the name does not contain it. All files of a session have the same id8. */
export function sessionNamed(stem: string, timezone: string): { at: string | null; id8: string } {
  const host = HOST_ID.exec(stem)?.[1]?.toLowerCase()
  const id8 = host ?? fingerprint(`session of an earlier version: ${stem}`).slice(-8)
  const [, day, hour, minute, second = '00'] = NAMED.exec(stem) ?? []
  // Names without hyphens are in UTC.
  if (day === undefined) return { at: parseStamp(stem), id8 }
  const clock = hour === undefined ? '' : ` ${hour}:${minute}:${second}`
  return { at: datedAt(`${day}${clock}`, timezone)?.at ?? null, id8 }
}

/** Converts the lines of a refined transcript. A line without a time gets that of the previous one; a line that is not an entry is kept as text. */
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

const INSTANT = /"(?:ts|timestamp)"\s*:\s*"([^"]+)"/g

/** The time of the first line that has one; null: none. */
export function firstInstant(text: string): string | null {
  const [written] = text.slice(0, 20_000).matchAll(INSTANT)
  return parseInstant(written?.[1])
}

/** The times of the lines of a session. */
export function instantsIn(text: string): string[] {
  return [...text.matchAll(INSTANT)].flatMap(([, written]) => parseInstant(written) ?? [])
}

/** All times that a text names. */
export function datesNamedIn(text: string, timezone: string): string[] {
  return [...text.matchAll(STAMP)].flatMap((stamp) => whenOf(stamp, timezone)?.at ?? [])
}

export function formatEntries(entries: readonly (Entry | Tombstone)[]): string {
  return entries.map(formatEntry).join('')
}

/** Null: an entry in another version's format. */
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

/** Earlier versions omitted times and outcomes; any other line is kept as it is. */
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
  /** UTC. If only the day is known: local noon, so that it is the same day nearly everywhere. */
  at: string
  /** Only the day is known. */
  isDay: boolean
  /** Of a heading with the time in UTC and the local time behind it: the zone that follows from the two, like `+09:00`. */
  zone?: string
}

const STAMP =
  /(\d{4}-\d\d-\d\d)(?!\d)(?:[T_ ](\d\d):?(\d\d)(?::?(\d\d)(?:\.\d+)?)?(?!\d))?(?:\s?\(?(UTC|Z|[+-]\d\d:?\d\d)\b\)?)?/gi
/** A time behind words is only mentioned. */
const LEADING = /^[^\p{L}\p{N}]*$/u
/** Between two times of one heading. */
const FILLING = /^[^\p{L}\p{N}]*(?:local)?[^\p{L}\p{N}]*$/iu
/** 13.9.5 and later: `2026-02-02_0300 (local 02-02_1200)`. */
const LOCAL_BEHIND = /^\s*\(local (\d\d)-(\d\d)[_T ](\d\d):?(\d\d)(?::?\d\d)?\)/i
/** Of all zones that exist. */
const [MOST_WEST, MOST_EAST, STEP] = [-12 * 60, 14 * 60, 15]
/** The clock was read twice, once for each of the two: a minute may have ended in between. */
const BETWEEN = 1
const BEHIND = /^(?:\s*\(local(?: time)?\))?[\s)\]:|–—-]*/i

/** The time at the beginning of a heading or line; if the same time is given twice, the one with a zone. Null: it begins with none. */
export function datedAt(line: string, timezone: string): (LegacyWhen & { rest: string }) | null {
  const [first, second] = [...line.matchAll(STAMP)]
  if (first === undefined || !LEADING.test(line.slice(0, first.index))) return null
  const end = first.index + first[0].length
  const both = utcAndLocal(first, line.slice(end))
  if (both !== null) return both
  const isNext = second !== undefined && FILLING.test(line.slice(end, second.index))
  // If neither has a zone, they are two times: from and to.
  const isPair = isNext && (first[5] ?? second[5]) !== undefined
  const when = whenOf(isPair && first[5] === undefined ? second : first, timezone)
  const rest = line.slice(isPair ? second.index + second[0].length : end)
  return when === null ? null : { ...when, rest: rest.replace(BEHIND, '').trim() }
}

/** The year of the local time, which it does not have, is the one that gives a zone. Null: there is no local time, or no zone fits. */
function utcAndLocal(first: RegExpMatchArray, behind: string): (LegacyWhen & { rest: string }) | null {
  const local = LOCAL_BEHIND.exec(behind)
  const when = first[5] === undefined ? whenOf(first, 'UTC') : null
  if (local === null || when === null || when.isDay) return null
  const [month, day, hour, minute] = local.slice(1, 5).map(Number) as [number, number, number, number]
  const year = Number(when.at.slice(0, 4))
  const utc = Math.floor(Date.parse(when.at) / 60_000)
  const minutes = [year - 1, year, year + 1]
    .map((one) => Date.UTC(one, month - 1, day, hour, minute) / 60_000 - utc)
    .map((apart) => ({ apart, zone: Math.round(apart / STEP) * STEP }))
    .find(({ apart, zone }) => zone >= MOST_WEST && zone <= MOST_EAST && Math.abs(apart - zone) <= BETWEEN)?.zone
  if (minutes === undefined) return null
  const rest = behind.slice(local[0].length).replace(BEHIND, '').trim()
  return { ...when, zone: offsetZone(minutes), rest }
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
