/**
 * Settled sessions on disk: `sessions/settled/YYYY-MM.jsonl`, one line per session that began in that month. If a session is both
 * here and in the state, the state's record is newer, and the session is not (or no longer) settled.
 */
import path from 'node:path'
import { list, markOf, readOwnText, sizeOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { parseObject } from '../../platform/json.ts'
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
import {
  allSessions,
  EMPTY_STATE,
  formatState,
  parseState,
  type Settled,
  type State,
  type StoredSession,
  type StoredSessions,
  withSessions,
} from '../state.ts'

/** Relative to the memory directory. */
export function settledPath(name: string): string {
  return path.join(SESSIONS_DIR, SETTLED_DIR, name)
}

/** The names of the existing files. */
export function settledNames(dir: string): string[] {
  return list(path.join(dir, SESSIONS_DIR, SETTLED_DIR)).filter(isSettledFile)
}

/** The settled sessions of this memory. Directory listings are read once: the object belongs to one reading of the state. */
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
  // The session's file may be lost. A hook does not read all months for that; it only checks files that are already read.
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

/** The state in a memory directory with its settled sessions; null: there is no readable state. */
export function stateIn(dir: string): State | null {
  const state = parseState(readOwnText(path.join(dir, STATE_FILE)) ?? '')
  return state === null ? null : { ...state, settled: settledIn(dir) }
}

/** The sessions of the state and of the newest months, until there are so many: not all months are read for them. */
export function newestStored(dir: string, { sessions }: Pick<State, 'sessions'>, most: number): StoredSessions {
  const known = new Map(Object.entries(sessions))
  for (const name of settledNames(dir).toReversed()) {
    if (known.size >= most) break
    // The state's record is newer than that of a settled file.
    for (const [id, stored] of readSettled(dir, name).sessions) if (!known.has(id)) known.set(id, stored)
  }
  return Object.fromEntries(known)
}

/** Parses a file, with a cache. Files are always replaced as a whole, so that equal inode, time and size mean equal content. */
export function readSettled(dir: string, name: string): SettledLines {
  const file = path.join(dir, settledPath(name))
  const mark = markOf(file)
  if (mark === '') return { sessions: new Map(), bad: [] }
  const known = kept.get(file)
  if (known?.mark === mark) return known.parsed
  const parsed = parseSettled(readOwnText(file) ?? '')
  kept.set(file, { mark, parsed })
  return parsed
}

const kept = new Map<string, { mark: string; parsed: SettledLines }>()

/**
 * Returns the effects that store these sessions as settled, each in its file, and remove them from other files.
 * The state that drops them must be written after these effects.
 */
export function settledEffects(dir: string, sessions: ReadonlyMap<string, StoredSession>): Effect[] {
  const nameOf = (stored: StoredSession): string => settledFile(String(stored.file ?? ''))
  const wanted = new Set([...sessions.values()].map(nameOf))
  const changed = [...new Set([...wanted, ...settledNames(dir)])].flatMap((name) => {
    const { sessions: before, bad } = readSettled(dir, name)
    const others = [...before].filter(([id]) => !sessions.has(id))
    if (!wanted.has(name) && others.length === before.size) return []
    const own = [...sessions].filter(([, stored]) => nameOf(stored) === name)
    // A session with neither a file nor a transcript needs no record.
    const worth = [...others, ...own].filter(([, one]) => name !== WITHOUT_FILE || hasTranscript(one))
    return [{ name, text: formatSettled({ sessions: new Map(worth), bad }) }]
  })
  // Writes the file that gains a session before the file that loses it.
  return changed
    .toSorted((a, b) => Number(wanted.has(b.name)) - Number(wanted.has(a.name)))
    .map(({ name, text }) => ({ do: 'write', path: settledPath(name), text }))
}

function hasTranscript({ transcript }: StoredSession): boolean {
  return sizeOf(String(transcript ?? '')) !== null
}

export interface SessionChange {
  session: (session: SessionState) => SessionState
  /** Changes the state apart from its sessions. */
  state?: (state: State) => State
  /** Changes an unreadable line; null: it is dropped. */
  badLine: (line: string) => string | null
}

/** Whether a file below the memory is the state or a file of settled sessions. */
export function isStatePath(name: string): boolean {
  const base = path.basename(name)
  return name === STATE_FILE || (isSettledFile(base) && path.normalize(name) === settledPath(base))
}

/** Changes the sessions in the state or in a file of settled sessions. False: nothing changed. */
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

/** The same in one file of settled sessions, including sessions that have continued since. */
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

/** Both compressed and plain files. */
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

/** Conditions of a session that its state does not contain. */
interface SettledAround {
  /** The session has ended. */
  isOver: boolean
  /** Its transcript still exists. */
  hasTranscript: boolean
  /** Its note or its facts wait. */
  hasWork: boolean
}

/**
 * A session is settled if its transcript is captured to its end or gone, all its entries are noted and summarised, and no
 * work about it is pending. Remaining work of the finisher keeps a session in the state.
 */
export function isSettled(session: SessionState, { isOver, hasTranscript, hasWork }: SettledAround): boolean {
  const { entries, watermark, summed, knownUpTo, isDone, file } = session
  if (!isOver || hasWork || knownUpTo !== undefined) return false
  if (isDone !== true && hasTranscript) return false
  return entries <= watermark && (file === '' || summed >= entries)
}

/** The content of a file of settled sessions. */
interface SettledLines {
  sessions: ReadonlyMap<string, StoredSession>
  /** Unreadable lines; they are kept unchanged. */
  bad: readonly string[]
}

/** One session per line. */
function parseSettled(text: string): SettledLines {
  const sessions = new Map<string, StoredSession>()
  const bad: string[] = []
  for (const line of text.split('\n')) {
    if (line === '') continue
    const { id, ...stored } = parseObject(line) ?? {}
    if (typeof id === 'string' && id !== '') sessions.set(id, stored as StoredSession)
    else bad.push(line)
  }
  return { sessions, bad }
}

/** Sorted by the start of the sessions. */
function formatSettled({ sessions, bad }: SettledLines): string {
  const sorted = [...sessions].toSorted(([, a], [, b]) => (String(a.file ?? '') < String(b.file ?? '') ? -1 : 1))
  const lines = [...sorted.map(([id, stored]) => JSON.stringify({ id, ...stored })), ...bad]
  return lines.map((line) => `${line}\n`).join('')
}
