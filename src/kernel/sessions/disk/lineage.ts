/** Finds which session continues which. A fork's transcript begins with another session's history; each entry is stored once. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions, type State, sessionIn, storeSession } from '../../memory/state.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { id8OfFile, plainId8 } from '../../platform/layout.ts'
import { formatStamp } from '../../platform/time.ts'
import { once, remembered } from '../../text/once.ts'
import { openEntries } from '../../transcript/open-entries.ts'
import { type Entry, entryKey, parseSession, type Tombstone } from '../../transcript/session.ts'
import { type KnownEntries, knownEntries } from '../capture.ts'
import type { Forgotten } from '../forget-record.ts'
import { adoptFile, adoptSession } from './cursor.ts'
import { allSessionFiles, isPacked, readSessionBytes, readSessionText } from './session-archive.ts'
import { readForgotten } from './tombstones.ts'
import { listCandidates } from './transcripts.ts'

/** For a fork that begins with the summary of a compaction: the session that contains this summary. */
export function holderOfSummary(store: Store, state: State, id: string, summary: Entry): Named | null {
  const newestFirst = allSessions(state).toSorted(([, a], [, b]) => (a.file < b.file ? 1 : -1))
  const isHolder = ([other, { file }]: Named): boolean =>
    other !== id && isBefore(file, summary) && holds(readSession(store, file), summary)
  return newestFirst.find(isHolder) ?? null
}

/** Whether a session file began before this entry, or with it. */
function isBefore(file: string, entry: Entry): boolean {
  const stamp = formatStamp(entry.ts)
  return file !== '' && file.slice(0, stamp.length) <= stamp
}

function holds(entries: readonly (Entry | Tombstone)[], wanted: Entry): boolean {
  const key = entryKey(wanted)
  return entries.some((entry) => entryKey(entry) === key)
}

/** The relatives whose transcripts have grown since they were captured, oldest first. */
export function behindAmong(relatives: readonly Named[]): { session: string; transcript: string }[] {
  return relatives
    .filter(([, { transcript, offset }]) => (sizeOf(transcript) ?? offset) !== offset)
    .toSorted(([, a], [, b]) => (a.file < b.file ? -1 : 1))
    .map(([session, { transcript }]) => ({ session, transcript }))
}

/**
 * The relatives among session files that the state does not name: files whose first entry is in this transcript, and the file
 * that contains the compaction's summary with which this transcript begins. Returned as records for the state.
 */
export function lostRelatives(
  store: Store,
  state: State,
  files: readonly string[],
  first: Entry,
  keys: () => Set<string>,
): Named[] {
  const isSummary = first.role === 'summary'
  const here = keys()
  const candidates = listCandidates(store.places, state)
  return files.flatMap((file): Named[] => {
    const entries = readSession(store, file)
    const id8 = id8OfFile(file)
    const hasSameBeginning = entries[0] !== undefined && here.has(entryKey(entries[0]))
    if (id8 === null || !(hasSameBeginning || (isSummary && holds(entries, first)))) return []
    const found = candidates.find(({ session }) => plainId8(session) === id8)
    const session = adoptFile(store, file, found?.path ?? '')
    return [[found?.session ?? id8, hasSameBeginning ? { ...session, head: entryKey(first) } : session]]
  })
}

interface KnownOfKin {
  entries: KnownEntries
  /** The other session that contains an entry, by the entry's key. */
  heldBy: Map<string, string>
}

/** The entries of this session, of those it continues and of its relatives. */
export function knownOf(
  store: Store,
  state: State,
  id: string,
  session: SessionState,
  relatives: readonly Named[],
): KnownOfKin {
  const others = new Map([...withParents(store, state, session).slice(1), ...relatives])
  others.delete(id)
  const entries = knownEntries(settledEntries(store, session))
  const heldBy = new Map<string, string>()
  for (const [other, relative] of others) {
    for (const [key, count] of knownEntries(settledEntries(store, relative))) {
      if (!entries.has(key)) heldBy.set(key, other)
      entries.set(key, (entries.get(key) ?? 0) + count)
    }
    // The host forks a session inside a tool use, and the fork records that use as interrupted. The result belongs to the session that started it.
    if (relative.forkOf?.session === id) continue
    const begun = openEntries(relative.refine).filter(({ role }) => role === 'tool')
    for (const [key, count] of knownEntries(begun)) entries.set(key, (entries.get(key) ?? 0) + count)
  }
  return { entries, heldBy }
}

/** The session that this one continues: the one that contains the last entry which is not this session's own. */
export function parentIn({ heldBy }: KnownOfKin, state: State, id: string, entries: readonly Entry[]): string | null {
  const last = entries.findLast((entry) => heldBy.has(entryKey(entry)))
  const parent = last && heldBy.get(entryKey(last))
  return parent === undefined || sessionIn(state, parent)?.forkOf?.session === id ? null : parent
}

/** A session and those that it continues. */
function withParents(store: Store, state: State, session: SessionState): Named[] {
  const fileOf = (id8: string): string | undefined => allSessionFiles(store.dir).find((name) => id8OfFile(name) === id8)
  const chain: Named[] = []
  const visited = new Set<string>()
  for (let at: Named | null = ['', session]; at !== null && !visited.has(at[1].transcript); ) {
    visited.add(at[1].transcript)
    chain.push(at)
    const parent: string | undefined = at[1].forkOf?.session
    at = parent === undefined ? null : [parent, sessionIn(state, parent) ?? adoptSession(store, parent, parent, fileOf)]
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
  return withParents(store, state, session).flatMap(([, part]) => readSession(store, part.file))
}

/** A server does not keep more than this of a session in memory. */
const MOST_KEPT_CHARS = 1_000_000

const parseEntries = (text: string): readonly (Entry | Tombstone)[] => parseSession(text).entries
const entriesAgain = remembered(parseEntries)

/**
 * All entries of a session file, open ones at its end included. The same text gives the same objects: note, summary and briefing
 * are about one session, and what was made of an entry (`perObject`) is made once.
 */
export function readSession(store: Store, file: string): readonly (Entry | Tombstone)[] {
  const text = readSessionText(store.dir, file)
  if (text === null) return []
  return text.length > MOST_KEPT_CHARS ? parseEntries(text) : entriesAgain(text)
}

export type Named = [id: string, session: SessionState]

export interface Roster {
  /** The state as read, with the changes since. */
  readonly state: State
  readonly isChanged: boolean
  put(sessions: Iterable<readonly [id: string, session: SessionState]>): void
  /** Tool uses that count towards the next note. */
  addWork(work: number): void
  /** The session file on disk with this id8. */
  fileOf(id8: string): string | undefined
  /** Whether a session file on disk or in the state has this id8. */
  isTaken(id8: string): boolean
  /**
   * The sessions whose transcripts begin with one of these entries: forks of this one, the session it was forked from, and other
   * forks of that. A fork begins with the first entry of the session that it continues, or with the summary of its last compaction.
   * `begun`: when the oldest of these entries was written; no file of theirs is older. Empty: unknown.
   */
  relativesOf(id: string, heads: readonly string[], begun: string): Named[]
  /** Session files from this stamp on that no session names; they exist after a lost state. */
  unnamedSince(stamp: string): string[]
  /** Read once: nothing is forgotten while this process has the lock. */
  forgotten(): Forgotten
}

export function openRoster(store: Store): Roster {
  const before = store.readState()
  const sessions = { ...before.sessions }
  const state = { ...before, sessions }
  let isChanged = false
  const files = once(() => allSessionFiles(store.dir))
  const byId8 = once(() => new Map(files().map((file) => [id8OfFile(file) ?? '', file])))
  // Built on first use: a hook that continues a session needs neither.
  let names: Names | null = null
  const named = (): Names => {
    if (names !== null) return names
    names = { files: new Set(), id8s: new Set() }
    for (const id in sessions) addName(names, String(sessions[id]?.file ?? ''))
    return names
  }
  const unnamed = once(() => files().filter((file) => !named().files.has(file)))
  let idsByHead: Map<string, Set<string>> | null = null
  const heads = (): Map<string, Set<string>> => {
    if (idsByHead !== null) return idsByHead
    idsByHead = new Map()
    for (const id in sessions) addHead(idsByHead, id, String(sessions[id]?.head ?? ''))
    return idsByHead
  }
  return {
    state,
    get isChanged() {
      return isChanged
    },
    put: (changed) => {
      for (const [id, session] of changed) {
        sessions[id] = storeSession(session)
        if (names !== null) addName(names, session.file)
        if (idsByHead !== null) addHead(idsByHead, id, session.head)
        isChanged = true
      }
    },
    addWork: (work) => {
      state.counter += work
    },
    fileOf: (id8) => byId8().get(id8),
    isTaken: (id8) => byId8().has(id8) || named().id8s.has(id8),
    relativesOf: (id, given, begun) => {
      const wanted = new Set<unknown>(given.filter((head) => head !== ''))
      if (wanted.size === 0) return []
      const settled = state.settled?.since(formatStamp(begun)) ?? {}
      const others = Object.keys(settled).filter((other) => wanted.has(settled[other]?.head))
      const ids = new Set([...given.flatMap((head) => [...(heads().get(head) ?? [])]), ...others])
      ids.delete(id)
      return [...ids].flatMap((other): Named[] => {
        const session = sessionIn(state, other)
        // A session that has continued since may have been read again.
        return session !== undefined && wanted.has(session.head) ? [[other, session]] : []
      })
    },
    forgotten: once(() => readForgotten(store)),
    unnamedSince: (stamp) => {
      const later = unnamed().filter((file) => file >= stamp && !named().files.has(file))
      if (later.length === 0) return later
      const settled = new Set(Object.values(state.settled?.since(stamp) ?? {}).map(({ file }) => file))
      return later.filter((file) => !settled.has(file))
    },
  }
}

interface Names {
  files: Set<string>
  id8s: Set<string>
}

function addName({ files, id8s }: Names, file: string): void {
  const id8 = id8OfFile(file)
  if (id8 === null) return
  files.add(file)
  id8s.add(id8)
}

function addHead(ids: Map<string, Set<string>>, id: string, head: string): void {
  if (head === '') return
  const known = ids.get(head)
  if (known === undefined) ids.set(head, new Set([id]))
  else known.add(id)
}
