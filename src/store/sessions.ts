/** The session files of a memory: listed, summed up, found by id. */
import { id8OfFile } from '../core/layout.ts'
import { type Entry, isTool, type Tombstone } from '../core/session.ts'
import { allSessions } from '../core/state.ts'
import { readSession } from './lineage.ts'
import { allSessionFiles } from './session-archive.ts'
import type { Store } from './store.ts'

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

/** Names of the session files, compressed ones too, in the order the sessions began. */
export function sessionFiles(store: Store): string[] {
  return allSessionFiles(store.dir)
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
    entries: entries.length,
    goal: first && 'text' in first ? first.text : '',
  }
}

export function findSessionFile(store: Store, id8: string): string | null {
  return sessionFiles(store).find((name) => id8OfFile(name) === id8) ?? null
}
