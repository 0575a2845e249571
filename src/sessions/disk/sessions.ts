/** The session files of a memory: listed, summed up, found by id. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions } from '../../memory/state.ts'
import { statOf } from '../../platform/disk/files.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { type Entry, isTool, type Numbered, type Tombstone } from '../../transcript/session.ts'
import { readSession } from './lineage.ts'
import { allSessionFiles, packedPath } from './session-archive.ts'
import { readForgotten } from './tombstones.ts'

/** Sessions that are known to be empty, or not. */
const MOST_KNOWN = 500

export interface SessionRow {
  id: string
  session: string | null
  file: string
  startedAt: string
  endedAt: string
  prompts: number
  tools: number
  entries: number
  /** The first thing the person asked for. */
  goal: string
}

/** Newest first, also sessions whose transcript the host has deleted. Each is read for it: `limit` spares the older ones. */
export function listSessions(store: Store, limit = Number.POSITIVE_INFINITY): SessionRow[] {
  const ids = new Map(allSessions(store.readState()).map(([id, session]) => [session.file, id]))
  return sessionFiles(store)
    .reverse()
    .slice(0, limit)
    .map((file) => summarise(file, ids.get(file) ?? null, readSession(store, file)))
}

/** Names of the session files, compressed ones too, in the order the sessions began; none of which all is forgotten. */
export function sessionFiles(store: Store): string[] {
  const files = allSessionFiles(store.dir)
  const { raw: touched } = readForgotten(store)
  if (touched.size === 0) return files
  return files.filter((file) => !touched.has(id8OfFile(file) ?? '') || !isEmptied(store, file))
}

let emptied: { mark: string; is: boolean }[] = []

/** Its numbers stay, and no word. Only sessions that something was forgotten of are read for it, once. */
function isEmptied(store: Store, file: string): boolean {
  const facts = statOf(path.join(store.dir, sessionPath(file))) ?? statOf(path.join(store.dir, packedPath(file)))
  const mark = `${store.dir} ${file} ${facts?.size} ${facts?.mtimeMs}`
  const known = emptied.find((one) => one.mark === mark)
  if (known !== undefined) return known.is
  const entries = readSession(store, file)
  const is = entries.length > 0 && entries.every(({ role }) => role === 'tombstone')
  emptied = [{ mark, is }, ...emptied.slice(0, MOST_KNOWN)]
  return is
}

function summarise(file: string, session: string | null, entries: readonly (Entry | Tombstone)[]): SessionRow {
  const told = entries.filter((entry): entry is Entry => entry.role !== 'tombstone')
  const prompts = told.filter((entry) => entry.role === 'user')
  const first = prompts.find((entry) => 'text' in entry && !entry.text.startsWith('/')) ?? prompts[0]
  return {
    id: id8OfFile(file) ?? '',
    session,
    file,
    startedAt: told[0]?.ts ?? '',
    endedAt: told.at(-1)?.ts ?? '',
    prompts: prompts.length,
    tools: told.filter(isTool).length,
    entries: told.length,
    goal: first && 'text' in first ? first.text : '',
  }
}

export function findSessionFile(store: Store, id8: string): string | null {
  return allSessionFiles(store.dir).find((name) => id8OfFile(name) === id8) ?? null
}

/** Those that the state counts. */
export function entriesOf(store: Store, session: SessionState, from: number, to: number): Numbered[] {
  if (session.file === '') return []
  return readSession(store, session.file)
    .slice(0, session.entries)
    .map((entry, n) => ({ n, entry }))
    .slice(from, to)
}

/** With a fixed number of batches, what is written grows with the sessions and not with their square. */
const BATCHES = 8
/** Killed in between, no more than one batch is done again. */
const LEAST = 20

/** So many sessions are done in one hold of the lock: a hook waits a quarter of a second for it, and each hold makes a file. */
const HOLD = 8

export function batchesOf<T>(all: readonly T[]): T[][] {
  return inPieces(all, Math.max(LEAST, Math.ceil(all.length / BATCHES)))
}

export function inPieces<T>(all: readonly T[], size = HOLD): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}
