/** Which session continues which: a fork begins with another session's history, told once. */
import path from 'node:path'
import { type KnownEntries, knownEntries } from '../core/capture.ts'
import { id8OfFile } from '../core/layout.ts'
import { type Entry, entryKey, parseSession, type Tombstone } from '../core/session.ts'
import { type SessionState, type State, sessionIn } from '../core/state.ts'
import { adoptSession, plainId8 } from './cursor.ts'
import { list, readPart, sizeOf } from './files.ts'
import { allSessionFiles, isPacked, readSessionBytes, readSessionText } from './session-archive.ts'
import { type Store, sessionPath } from './store.ts'

/** The session whose history this one begins with, by its first entry. */
export function findParent(state: State, session: string, head: string): string | null {
  for (const [id, other] of Object.entries(state.sessions))
    if (id !== session && other.head === head && sessionIn(state, id)?.forkOf?.session !== session) return id
  return null
}

/** After a lost state the session it continues may be there as a file alone: its id is its transcript's, else the file's. */
export function findParentFile(store: Store, transcript: string, own: string, head: string): string | null {
  for (const file of allSessionFiles(store.dir)) {
    const id8 = file === own ? null : id8OfFile(file)
    const first = id8 === null ? undefined : readSession(store, file)[0]
    if (id8 === null || first === undefined || entryKey(first) !== head) continue
    const beside = list(path.dirname(transcript)).map((name) => name.replace(/\.jsonl$/, ''))
    return beside.find((session) => plainId8(session) === id8) ?? id8
  }
  return null
}

/** What this session and those it was forked from hold. */
export function knownOf(store: Store, state: State, session: SessionState): KnownEntries {
  return knownEntries(withParents(store, state, session).flatMap((part) => settledEntries(store, part)))
}

/** A session and those it continues. */
function withParents(store: Store, state: State, session: SessionState): SessionState[] {
  const chain: SessionState[] = []
  const visited = new Set<string>()
  for (let at: SessionState | undefined = session; at !== undefined && !visited.has(at.transcript); ) {
    visited.add(at.transcript)
    chain.push(at)
    const parent: string | undefined = at.forkOf?.session
    at = parent === undefined ? undefined : (sessionIn(state, parent) ?? adoptSession(store, parent, parent))
  }
  return chain
}

function settledEntries(store: Store, session: SessionState): (Entry | Tombstone)[] {
  if (session.file === '') return []
  const bytes = isPacked(store.dir, session.file)
    ? (readSessionBytes(store.dir, session.file)?.subarray(0, session.bytes) ?? null)
    : readPart(path.join(store.dir, sessionPath(session.file)), 0, session.bytes)
  return bytes === null ? [] : parseSession(bytes.toString('utf8')).entries
}

/** Settled and open entries of a session and of those it was forked from. */
export function allEntries(store: Store, state: State, session: SessionState): (Entry | Tombstone)[] {
  return withParents(store, state, session).flatMap((part) => readSession(store, part.file))
}

/** All entries of a session file, open ones at its end included. */
export function readSession(store: Store, file: string): (Entry | Tombstone)[] {
  const text = readSessionText(store.dir, file)
  return text === null ? [] : parseSession(text).entries
}

/** A parent whose transcript has grown since it was captured. */
export function parentBehind(state: State, id: string | undefined): { session: string; transcript: string } | null {
  const parent = id === undefined ? undefined : sessionIn(state, id)
  const size = parent === undefined ? null : sizeOf(parent.transcript)
  return id === undefined || parent === undefined || size === null || size === parent.offset
    ? null
    : { session: id, transcript: parent.transcript }
}
