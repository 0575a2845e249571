/** Sessions of earlier versions: what their names say, and their lines and conversations → entries of ours. */

import { isoWeekOf } from '../notes/iso-week.ts'
import { isObject, textOr } from '../platform/json.ts'
import { sessionFile } from '../platform/layout.ts'
import { parseInstant } from '../platform/time.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { type Entry, formatEntry, parseEntry, type Tombstone } from '../transcript/session.ts'
import { datedAt, legacyDays } from './legacy-time.ts'

export interface LegacySession {
  /** When it began, as its name says; null: the name does not. */
  at: string | null
  /** The same for every file of one session. */
  id8: string
}

const NAMED = /^(\d{4}-\d\d-\d\d)(?:[_T ](\d\d)[-:]?(\d\d)(?:[-:]?(\d\d))?)?(?:[_-](.+))?$/
const STAMPED = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(?:_(.+))?$/
const UUID = /^([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `stem`: a file's name without what stands behind its first dot. */
export function sessionNamed(stem: string, timezone: string): LegacySession {
  const [, day, hour, minute, second, behind] = NAMED.exec(stem) ?? []
  const [, ...stamp] = STAMPED.exec(stem) ?? []
  const host = UUID.exec(behind ?? stamp[6] ?? stem)?.[1]?.toLowerCase()
  const id8 = host ?? fingerprint(`session of an earlier version: ${stem}`).slice(-8)
  if (day !== undefined) {
    const clock = hour === undefined ? '' : ` ${hour}:${minute}:${second ?? '00'}`
    return { at: datedAt(`${day}${clock}`, timezone)?.when.at ?? null, id8 }
  }
  // Names without hyphens were made from UTC.
  const [y, mo, d, h, mi, s] = stamp
  return { at: y === undefined ? null : parseInstant(`${y}-${mo}-${d}T${h}:${mi}:${s}.000Z`), id8 }
}

/** The name that its session file has with us. */
export function sessionFileOf({ id8 }: LegacySession, startedAt: string): string {
  return sessionFile(startedAt, id8)
}

/** `week-03.md` says no year: the dates in it do, or the time at which it was written. Null: no such week. */
export function weekFileOf(week: number, text: string, written: string): string | null {
  if (week < 1 || week > 53) return null
  const weeks = legacyDays(text).flatMap((day) => isoWeekOf(`${day}T12:00:00.000Z`) ?? [])
  const fitting = weeks.filter((one) => one.week === week)
  const last = weeks.at(-1) ?? isoWeekOf(written)
  const year = fitting.at(-1)?.year ?? (last === null ? null : last.year - (week > last.week ? 1 : 0))
  return year === null ? null : `week-${year}-${String(week).padStart(2, '0')}.md`
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

/** A line of another form: other names for the same things. */
function entryOf(line: string, before: string): Entry {
  const raw = parseLine(line)
  const ts = parseInstant(raw?.ts ?? raw?.timestamp) ?? before
  if (raw === null) return { role: 'summary', ts, text: line.trim() }
  const said = [raw.text, raw.content, raw.message, raw.summary].find((one) => typeof one === 'string' && one !== '')
  const name = textOr(raw.name, textOr(raw.tool, ''))
  if (name !== '' && typeof said !== 'string') {
    const { cmd, command, input, output, result } = raw
    const told = [cmd, command, input].find((one) => one !== undefined && one !== null)
    const done = [output, result].find((one) => typeof one === 'string' && one !== '')
    return {
      role: 'tool',
      ts,
      name,
      cmd: typeof told === 'string' ? told : told === undefined ? '' : JSON.stringify(told),
      ok: typeof raw.ok === 'boolean' ? raw.ok : null,
      ...(typeof done === 'string' ? { output: done } : {}),
    }
  }
  if (typeof said !== 'string') return { role: 'summary', ts, text: line.trim() }
  const role = textOr(raw.role, textOr(raw.type, ''))
  return { role: role === 'user' || role === 'assistant' ? role : 'summary', ts, text: said }
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
