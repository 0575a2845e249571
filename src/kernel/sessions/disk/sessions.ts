/** The session files of a memory: lists them, finds them by id, reads them with numbers, and summarises them as rows (stored in the user's cache, which may be deleted at any time). */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions } from '../../memory/state.ts'
import { disk, makeDir, markOf, readOwnText, realPath, replaceQuickly, unlessFails } from '../../platform/disk/files.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import type { Numbered } from '../../transcript/session.ts'
import { type RowOfSession, rowOf } from '../session-row.ts'
import { readSession } from './lineage.ts'
import { allSessionFiles, sessionForms } from './session-archive.ts'
import { readForgotten } from './tombstones.ts'

/** The size of the cache of checked sessions. */
const MOST_KNOWN = 500

/** The names of the session files, including compressed ones, in the order the sessions began. Wholly forgotten sessions are left out. */
export function sessionFiles(store: Store): string[] {
  const files = allSessionFiles(store.dir)
  const { raw: touched } = readForgotten(store)
  if (touched.size === 0) return files
  return files.filter((file) => !touched.has(id8OfFile(file) ?? '') || !isEmptied(store, file))
}

let emptied: { mark: string; is: boolean }[] = []

/** All entries are tombstones. Only sessions with forgotten entries are read for this, once. */
function isEmptied(store: Store, file: string): boolean {
  const mark = `${store.dir} ${file} ${sessionMark(store, file)}`
  const known = emptied.find((one) => one.mark === mark)
  if (known !== undefined) return known.is
  const entries = readSession(store, file)
  const is = entries.length > 0 && entries.every(({ role }) => role === 'tombstone')
  emptied = [{ mark, is }, ...emptied.slice(0, MOST_KNOWN)]
  return is
}

export function findSessionFile(store: Store, id8: string): string | null {
  return allSessionFiles(store.dir).find((name) => id8OfFile(name) === id8) ?? null
}

/** Only the entries that the state counts. */
export function entriesOf(store: Store, session: SessionState, from: number, to: number): Numbered[] {
  if (session.file === '') return []
  return readSession(store, session.file)
    .slice(0, session.entries)
    .map((entry, n) => ({ n, entry }))
    .slice(from, to)
}

/** With a fixed number of batches, the written bytes grow linearly with the sessions, not quadratically. */
const BATCHES = 8
/** After a kill at most one batch is repeated. */
const LEAST = 20

/** The number of sessions per hold of the lock: a hook waits a quarter of a second for it, and each hold writes a file. */
const HOLD = 8

export function batchesOf<T>(all: readonly T[]): T[][] {
  return inPieces(all, Math.max(LEAST, Math.ceil(all.length / BATCHES)))
}

export function inPieces<T>(all: readonly T[], size = HOLD): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}

const ROWS_DIR = 'rows'
/** Changes with the format of a row: older rows are counted again. */
const VERSION = 'memory-keeper rows 7'
/** The share of rows that must be new before the file is written: an active session changes with every turn. */
const WORTH_SAVING = 0.01

interface Kept {
  /** Null: there is no cache directory. */
  file: string | null
  /** By session file. A row stays text until it is needed. */
  rows: Map<string, { mark: string; row: RowOfSession | string }>
  fresh: number
}

/** Cached per memory: the page reads it for each view, `numbers` for each chart. */
const known = new Map<string, Kept>()

/** The rows of all sessions; reads each session that was not counted yet. */
export function sessionRows(store: Store): RowOfSession[] {
  const files = newestFirst(store)
  return rowsOf(store, files, files.length)
}

export type SessionRow = Pick<
  RowOfSession,
  'id' | 'startedAt' | 'endedAt' | 'prompts' | 'tools' | 'entries' | 'goal'
> & { session: string | null; file: string }

/** Newest first, including sessions whose transcript the host has deleted. */
export function listSessions(store: Store, limit = Number.POSITIVE_INFINITY): SessionRow[] {
  const ids = new Map(allSessions(store.readState()).map(([id, session]) => [session.file, id]))
  const files = newestFirst(store)
  const shown = files.slice(0, limit)
  return rowsOf(store, shown, files.length).map((row, i) => {
    const { id, startedAt, endedAt, prompts, tools, entries, goal } = row
    const file = shown[i] ?? ''
    return { id, session: ids.get(file) ?? null, file, startedAt, endedAt, prompts, tools, entries, goal }
  })
}

/** The rows of these sessions (id8) that exist; no other session is read. */
export function sessionRowsOf(store: Store, ids: ReadonlySet<string>): Map<string, RowOfSession> {
  const files = newestFirst(store)
  const wanted = files.filter((file) => ids.has(id8OfFile(file) ?? ''))
  return new Map(rowsOf(store, wanted, files.length).map((row) => [row.id, row]))
}

/** Counts the uncounted sessions, and yields after each one that had to be read. */
export function* countRows(store: Store): Generator<void> {
  const kept = keptOf(store)
  for (const file of newestFirst(store)) {
    const { fresh } = kept
    rowIn(store, kept, file)
    if (kept.fresh > fresh) yield
  }
  save(kept, store)
}

/** The file contains goals and file names: `forget` deletes it. */
export function removeSessionRows(store: Store): void {
  const file = rowsFile(store)
  known.delete(store.dir)
  if (file !== null) disk.remove(file)
}

function newestFirst(store: Store): string[] {
  return sessionFiles(store).reverse()
}

/** `all`: the number of sessions; if there are more rows, some belong to deleted sessions. */
function rowsOf(store: Store, files: readonly string[], all: number): RowOfSession[] {
  const kept = keptOf(store)
  const rows = files.map((file) => rowIn(store, kept, file))
  if (kept.fresh > WORTH_SAVING * kept.rows.size || kept.rows.size > all) save(kept, store)
  return rows
}

function rowIn(store: Store, kept: Kept, file: string): RowOfSession {
  const mark = sessionMark(store, file)
  const old = kept.rows.get(file)
  const row = old?.mark === mark ? parsed(old.row) : null
  if (row !== null) {
    if (old !== undefined) old.row = row
    return row
  }
  const made = rowOf(id8OfFile(file) ?? '', readSession(store, file))
  kept.rows.set(file, { mark, row: made })
  kept.fresh++
  return made
}

/** Changes whenever the session's file changes; empty: the file is missing. */
export function sessionMark({ dir }: Store, file: string): string {
  const [plain, packed] = sessionForms(file)
  return markOf(path.join(dir, plain)) || markOf(path.join(dir, packed))
}

function keptOf(store: Store): Kept {
  const before = known.get(store.dir)
  if (before !== undefined) return before
  const at = rowsFile(store)
  const kept: Kept = { file: at, rows: new Map(), fresh: 0 }
  known.set(store.dir, kept)
  const text = at === null ? null : unlessFails(() => readOwnText(at), null)
  const [version, ...lines] = (text ?? '').split('\n')
  if (version !== VERSION) return kept
  for (const line of lines) {
    const [file = '', mark = ''] = line.split('\t', 2)
    if (mark !== '') kept.rows.set(file, { mark, row: line.slice(file.length + mark.length + 2) })
  }
  return kept
}

/** The file with the rows of this memory; null: there is no cache directory. */
export function rowsFile({ dir, places }: Store): string | null {
  return places.cacheDir === '' ? null : path.join(places.cacheDir, ROWS_DIR, fingerprint(realPath(dir)))
}

/** A row in the file has a fingerprint: a damaged one is counted again. */
function summed(row: string): string {
  return `${fingerprint(row)} ${row}`
}

/** Null: the row is not as it was written. */
function parsed(row: RowOfSession | string): RowOfSession | null {
  if (typeof row !== 'string') return row
  const text = row.slice(row.indexOf(' ') + 1)
  return row === summed(text) ? (JSON.parse(text) as RowOfSession) : null
}

/** Leaves out deleted sessions. If the file cannot be written, the sessions are counted again next time. */
function save(kept: Kept, store: Store): void {
  const files = new Set(sessionFiles(store))
  const gone = [...kept.rows.keys()].filter((file) => !files.has(file))
  for (const file of gone) kept.rows.delete(file)
  if (kept.file === null || kept.fresh + gone.length === 0) return
  kept.fresh = 0
  const lines = [...kept.rows].map(
    ([file, { mark, row }]) => `${file}\t${mark}\t${typeof row === 'string' ? row : summed(JSON.stringify(row))}`,
  )
  const to = kept.file
  unlessFails(() => {
    makeDir(path.dirname(to))
    replaceQuickly(to, `${VERSION}\n${lines.join('\n')}\n`)
  }, undefined)
}
