/**
 * Settled sessions on disk: `sessions/settled/YYYY-MM.jsonl`, a line for each session that began in that month. The state
 * is the newer of the two: a session that both know is not settled, or not any more.
 */
import path from 'node:path'
import { list, readOwnText, sizeOf, statOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import {
  ARCHIVE_DIR,
  id8OfFile,
  id8sOf,
  isSettledFile,
  plainId8,
  SESSIONS_DIR,
  SETTLED_DIR,
  STATE_FILE,
  settledFile,
  WITHOUT_FILE,
} from '../../platform/layout.ts'
import { once } from '../../text/once.ts'
import type { SessionState } from '../session-state.ts'
import { formatSettled, parseSettled, type SettledLines } from '../settled.ts'
import {
  allSessions,
  EMPTY_STATE,
  formatState,
  parseState,
  type Settled,
  type State,
  type StoredSession,
  withSessions,
} from '../state.ts'

/** Below the memory directory. */
export function settledPath(name: string): string {
  return path.join(SESSIONS_DIR, SETTLED_DIR, name)
}

/** Names of the files that are there. */
export function settledNames(dir: string): string[] {
  return list(path.join(dir, SESSIONS_DIR, SETTLED_DIR)).filter(isSettledFile)
}

/** The settled sessions of this memory. What names of files tell is looked up once: it belongs to one reading of the state. */
export function settledIn(dir: string): Settled {
  const names = once(() => settledNames(dir))
  const files = once(() => sessionFilesById8(dir))
  const read = (name: string): SettledLines['sessions'] =>
    names().includes(name) ? readSettled(dir, name).sessions : new Map()
  const byFile = (id: string): StoredSession | undefined => {
    for (const id8 of id8sOf(id)) {
      const file = files().get(id8)
      if (file === undefined) return undefined
      const stored = read(settledFile(file)).get(id)
      if (stored !== undefined) return stored
    }
    return undefined
  }
  // The session's file may be lost. A hook does not read a year for that; the finisher has read it anyway.
  const amongRead = (id: string): StoredSession | undefined =>
    names()
      .filter((name) => kept.has(path.join(dir, settledPath(name))))
      .map((name) => read(name).get(id))
      .find((stored) => stored !== undefined)
  return {
    mayHold: (id) => {
      if (names().length === 0) return false
      const file = files().get(plainId8(id))
      return (file !== undefined && names().includes(settledFile(file))) || read(WITHOUT_FILE).has(id)
    },
    one: (id) => (names().length === 0 ? undefined : (byFile(id) ?? read(WITHOUT_FILE).get(id) ?? amongRead(id))),
    since: (stamp) => {
      if (names().length === 0) return {}
      const later = [...files().values()].filter((file) => file >= stamp)
      const found = [...new Set(later.map(settledFile))].flatMap((name) => [...read(name)])
      return Object.fromEntries(found.filter(([, { file }]) => String(file ?? '') >= stamp))
    },
    all: () => Object.fromEntries(names().flatMap((name) => [...read(name)])),
  }
}

/** The state of a memory directory with its settled sessions, as it is on disk; null: there is none that can be read. */
export function stateIn(dir: string): State | null {
  const state = parseState(readOwnText(path.join(dir, STATE_FILE)) ?? '')
  return state === null ? null : { ...state, settled: settledIn(dir) }
}

/** What a file holds. Files are replaced as a whole: one that looks the same is the same. */
export function readSettled(dir: string, name: string): SettledLines {
  const file = path.join(dir, settledPath(name))
  const facts = statOf(file)
  if (facts?.kind !== 'file') return { sessions: new Map(), bad: [] }
  const mark = `${facts.ino} ${facts.mtimeMs} ${facts.size}`
  const known = kept.get(file)
  if (known?.mark === mark) return known.parsed
  const parsed = parseSettled(readOwnText(file) ?? '')
  kept.set(file, { mark, parsed })
  return parsed
}

const kept = new Map<string, { mark: string; parsed: SettledLines }>()

/**
 * The effects that store these sessions as settled, each in its file; another file that holds a session of this id loses it.
 * The state that drops them is written behind these effects.
 */
export function settledEffects(dir: string, sessions: ReadonlyMap<string, StoredSession>): Effect[] {
  const nameOf = (stored: StoredSession): string => settledFile(String(stored.file ?? ''))
  const wanted = new Set([...sessions.values()].map(nameOf))
  const changed = [...new Set([...wanted, ...settledNames(dir)])].flatMap((name) => {
    const { sessions: before, bad } = readSettled(dir, name)
    const others = [...before].filter(([id]) => !sessions.has(id))
    if (!wanted.has(name) && others.length === before.size) return []
    const own = [...sessions].filter(([, stored]) => nameOf(stored) === name)
    // Without a file and without a transcript there is nothing to know of a session.
    const worth = [...others, ...own].filter(([, one]) => name !== WITHOUT_FILE || hasTranscript(one))
    return [{ name, text: formatSettled({ sessions: new Map(worth), bad }) }]
  })
  // Where a session comes to stands before the file that it leaves.
  return changed
    .toSorted((a, b) => Number(wanted.has(b.name)) - Number(wanted.has(a.name)))
    .map(({ name, text }) => ({ do: 'write', path: settledPath(name), text }))
}

function hasTranscript({ transcript }: StoredSession): boolean {
  return sizeOf(String(transcript ?? '')) !== null
}

export interface SessionChange {
  session: (session: SessionState) => SessionState
  /** Of the state besides its sessions. */
  state?: (state: State) => State
  /** A line that cannot be read; null: it is dropped. */
  badLine: (line: string) => string | null
}

/** Whether a file below the memory is the state or a file of settled sessions. */
export function isStatePath(name: string): boolean {
  const base = path.basename(name)
  return name === STATE_FILE || (isSettledFile(base) && path.normalize(name) === settledPath(base))
}

/** Changes the sessions in the state, or in a file of settled sessions. False: all stays as it is. */
export function changeStateFile(
  dir: string,
  name: string,
  change: SessionChange,
  write: (file: string, text: string) => void,
): boolean {
  if (name !== STATE_FILE) return changeSettled(dir, path.basename(name), change, write)
  const state = stateIn(dir)
  if (state === null) return false
  const before = allSessions({ sessions: state.sessions })
  const after = before.map(([id, session]): [string, SessionState] => [id, change.session(session)])
  const text = formatState(withSessions(change.state?.(state) ?? state, after))
  if (text === formatState(withSessions(state, before))) return false
  write(path.join(dir, STATE_FILE), text)
  return true
}

/** The same in one file of settled sessions, also of those that went on since. */
export function changeSettled(
  dir: string,
  name: string,
  change: SessionChange,
  write: (file: string, text: string) => void,
): boolean {
  const { sessions, bad } = readSettled(dir, name)
  const before = allSessions({ sessions: Object.fromEntries(sessions) })
  const stored = (all: [string, SessionState][]): Map<string, StoredSession> =>
    new Map(Object.entries(withSessions(EMPTY_STATE, all).sessions))
  const after = stored(before.map(([id, session]) => [id, change.session(session)]))
  const lines = bad.flatMap((line) => change.badLine(line) ?? [])
  const text = formatSettled({ sessions: after, bad: lines })
  if (text === formatSettled({ sessions: stored(before), bad })) return false
  write(path.join(dir, settledPath(name)), text)
  return true
}

/** Compressed or not. */
function sessionFilesById8(dir: string): Map<string, string> {
  const sessions = path.join(dir, SESSIONS_DIR)
  const packed = list(path.join(sessions, ARCHIVE_DIR)).map((name) => name.replace(/\.gz$/, ''))
  const files = new Map<string, string>()
  for (const name of [...packed, ...list(sessions)]) {
    const id8 = id8OfFile(name)
    if (id8 !== null) files.set(id8, name)
  }
  return files
}
