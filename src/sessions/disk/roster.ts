/**
 * All sessions of a memory while some of them are captured. Names and beginnings are looked up in maps that are made once:
 * a history has thousands of sessions, and each is compared with all others. Use it under the lock.
 */

import type { Store } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { type State, sessionIn, storeSession } from '../../memory/state.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { formatStamp } from '../../platform/time.ts'
import { once } from '../../text/once.ts'
import { allSessionFiles } from './session-archive.ts'

export type Named = [id: string, session: SessionState]

export interface Roster {
  /** As it was read, with what was put in since. */
  readonly state: State
  readonly isChanged: boolean
  put(sessions: Iterable<readonly [id: string, session: SessionState]>): void
  /** Tool uses that count towards the next note. */
  addWork(work: number): void
  /** The session file on disk with this id8. */
  fileOf(id8: string): string | undefined
  /** Whether a session file has this id8, be it on disk or in the state. */
  isTaken(id8: string): boolean
  /**
   * The sessions whose transcripts begin with one of these entries: forks of this one, what it was forked from, and other forks
   * of that. A fork begins with the first entry of the session that it continues, or with the summary of its last compaction.
   * `begun`: when the oldest of these entries was written; no file of theirs is older. Empty: unknown.
   */
  relativesOf(id: string, heads: readonly string[], begun: string): Named[]
  /** Session files not older than this stamp that no session names: there are some after a lost state. */
  unnamedSince(stamp: string): string[]
}

export function openRoster(store: Store): Roster {
  const before = store.readState()
  const sessions = { ...before.sessions }
  const state = { ...before, sessions }
  let isChanged = false
  const files = once(() => allSessionFiles(store.dir))
  const byId8 = once(() => new Map(files().map((file) => [id8OfFile(file) ?? '', file])))
  // Made from the sessions when they are first asked for: a hook that goes on with a session needs neither.
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
        // One that went on since may have been read anew.
        return session !== undefined && wanted.has(session.head) ? [[other, session]] : []
      })
    },
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
