/** Sessions of earlier versions: what their names say, and their lines → entries of ours. */

import { parseObject, textOr } from '../platform/json.ts'
import { parseInstant } from '../platform/time.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { type Entry, formatEntry, parseEntry, type Tombstone } from '../transcript/session.ts'
import { datedAt } from './legacy-time.ts'

const NAMED = /^(\d{4}-\d\d-\d\d)(?:[_T ](\d\d)[-:]?(\d\d)(?:[-:]?(\d\d))?)?(?:[_-](.+))?$/
const STAMPED = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(?:_(.+))?$/
const UUID = /^([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `stem`: a file's name up to its first dot. `at`: when the session began; null: the name does not tell. All files of a session have the same id8. */
export function sessionNamed(stem: string, timezone: string): { at: string | null; id8: string } {
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
