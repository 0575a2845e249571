/** What happened around an id, on a day or recently, read from sessions, notes and facts. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { readPart } from '../../../kernel/platform/disk/files.ts'
import { id8OfFile, SESSIONS_DIR } from '../../../kernel/platform/layout.ts'
import { formatStamp } from '../../../kernel/platform/time.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { sessionFileState } from '../../../kernel/sessions/disk/session-archive.ts'
import { sessionFiles } from '../../../kernel/sessions/disk/sessions.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { listNotes } from '../../notes/disk/note-list.ts'
import { chooseRows, type RowOfTimeline, rowsOfFacts, rowsOfNotes, rowsOfSession, type Window } from '../timeline.ts'
import { parseWhen } from '../when.ts'
import { lookUp } from './lookup.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const LATEST_DAYS = 7

export interface Wanted {
  /** An id, or a time as a person writes it; empty: the latest. */
  around: string
  /** The number of days to include before and after it. */
  days?: number
  limit: number
  now: string
}

export interface Timeline {
  from: string
  /** Exclusive. */
  to: string
  /** Oldest first. */
  rows: RowOfTimeline[]
  /** How many rows are left out. */
  left: number
}

/** Null: neither a time nor the id of something with a time. */
export function timelineOf(store: Store, wanted: Wanted): Timeline | null {
  const window = windowOf(store, wanted)
  if (window === null) return null
  const rows = [
    ...sessionsIn(store, window).flatMap((file) => rowsOfSession(id8OfFile(file) ?? '', readSession(store, file))),
    ...rowsOfNotes(listNotes(store).notes),
    ...rowsOfFacts(readFacts(store)),
  ]
  return { ...chooseRows(rows, window), from: instant(window.from), to: instant(window.to) }
}

function windowOf(store: Store, wanted: Wanted): Window | null {
  const around = wanted.around.trim()
  const { limit } = wanted
  if (around === '') return latest(store, wanted.days ?? LATEST_DAYS, limit)
  const when = parseWhen(around, Date.parse(wanted.now), store.config.timezone)
  if (when !== null) {
    const days = (wanted.days ?? 0) * DAY
    // `3d` and `last week` name a start; an instant alone would be an empty window.
    return { from: when.from - days, to: Math.max(when.to, when.from + 1) + days, centre: null, limit }
  }
  const times = (lookUp(store, around, 0)?.parts ?? []).map(({ at }) => Date.parse(at)).filter(Number.isFinite)
  if (times.length === 0) return null
  // A session may have more entries than a function call allows arguments.
  const first = times.reduce((least, time) => Math.min(least, time))
  const last = times.reduce((most, time) => Math.max(most, time))
  const isOne = times.length === 1
  const days = (wanted.days ?? (isOne ? 1 : 0)) * DAY
  return { from: first - days, to: last + days + 1, centre: isOne ? first : null, limit }
}

/** Ends at the last remembered event, whenever that was. */
function latest(store: Store, days: number, limit: number): Window {
  const last = sessionFiles(store).at(-1)
  const entries = last === undefined ? [] : readSession(store, last)
  const instants = [
    ...entries.map((entry) => (entry.role === 'tombstone' ? '' : entry.ts)),
    ...listNotes(store).notes.map(({ at }) => at),
    ...rowsOfFacts(readFacts(store)).map(({ at }) => at),
  ]
  const end = instants
    .map((at) => Date.parse(at))
    .filter(Number.isFinite)
    .reduce((most, time) => Math.max(most, time), 0)
  return { from: end - days * DAY, to: end + 1, centre: null, limit }
}

/** Skips sessions that began later or ended before; times within a session run backwards by less than an hour. */
function sessionsIn(store: Store, { from, to }: Window): string[] {
  const lastStamp = formatStamp(instant(to + HOUR))
  return sessionFiles(store).filter(
    (file) => file.slice(0, lastStamp.length) <= lastStamp && lastTime(store, file) >= from - HOUR,
  )
}

/** The time of the last entry; infinity if unknown. */
function lastTime(store: Store, file: string): number {
  const stat = sessionFileState(store.dir, file)
  if (stat?.lastAt) return Date.parse(stat.lastAt) || Number.POSITIVE_INFINITY
  const place = path.join(store.dir, SESSIONS_DIR, file)
  const size = stat?.size ?? 0
  const end = readPart(place, Math.max(0, size - TAIL_BYTES), TAIL_BYTES)?.toString('latin1') ?? ''
  const time = Date.parse([...end.matchAll(/"ts":"([^"]{10,40})"/g)].at(-1)?.[1] ?? '')
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time
}

const TAIL_BYTES = 4_096

function instant(ms: number): string {
  return new Date(Math.min(Math.max(ms, 0), 8.64e15)).toISOString()
}
