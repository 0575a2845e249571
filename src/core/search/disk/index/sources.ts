/** The files that the index is built from: lists them, detects changes, and reads them. */
import path from 'node:path'
import { stateIn } from '../../../../kernel/memory/disk/settled.ts'
import type { Store } from '../../../../kernel/memory/disk/store.ts'
import type { Unit } from '../../../../kernel/memory/document.ts'
import { codeOf, type FileStat, list, readOwnText, readPart, statOf } from '../../../../kernel/platform/disk/files.ts'
import {
  ARCHIVE_DIR,
  hostSlug,
  OTHERS_PREFIX,
  SESSIONS_DIR,
  SETTLED_DIR,
  SHARED_DIR,
  SHARED_PREFIX,
  STATE_FILE,
} from '../../../../kernel/platform/layout.ts'
import { anchorAt, anchorOf } from '../../../../kernel/sessions/disk/cursor.ts'
import { isPacked, packedFiles, packedPath, unpackFile } from '../../../../kernel/sessions/disk/session-archive.ts'
import { fingerprint } from '../../../../kernel/text/fingerprint.ts'
import { type Entry, parseEntry, type Tombstone } from '../../../../kernel/transcript/session.ts'
import { othersFiles } from '../../../others/disk/others.ts'
import { trustedPeople } from '../../../others/disk/shared.ts'
import { ORIGINS } from '../../../others/others.ts'
import { HOST_PREFIX } from '../../../pages/files.ts'
import { sourceKindOf, unitsIn } from '../../units.ts'

export interface IndexSource {
  /** As in the manifest. */
  path: string
  file: string
  isSession: boolean
  /** A compressed session. Its path is that of the plain file, so that it stays the same source. */
  isPacked: boolean
  size: number
  ino: number
  /** Changes whenever the file changes. */
  mark: string
}

/** The size of one read of a session. */
const PIECE_BYTES = 512 * 1024
/** A longer line is not an entry. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
/** The limit of a file that is read as a whole; a larger one is skipped. */
const MOST_BYTES = 32 * 1024 * 1024
const NEWLINE = 0x0a
const PACKED = '.gz'
const PACKED_MARK = 'packed '

/** Hand-written files first, then sessions, oldest first. Links are not followed: a repository may have planted one. */
export function listSources(store: Store): IndexSource[] {
  const sessions = path.join(store.dir, SESSIONS_DIR)
  // Plain files are listed before compressed ones: a session that is compressed meanwhile is seen twice, not missed.
  const plain = sourcesIn(sessions, `${SESSIONS_DIR}/`)
  const packed = packedSources(store, new Set(plain.map((source) => source.path)))
  const moved = new Set(packed.map((source) => source.path))
  const own = new Set([...plain.map((source) => source.path), ...moved])
  return [
    ...outsideSessions(store),
    ...sourcesIn(path.join(sessions, ARCHIVE_DIR), `${SESSIONS_DIR}/${ARCHIVE_DIR}/`),
    ...sourcesIn(othersSessions(store), `${SESSIONS_DIR}/`).filter(
      (source) => source.isSession && !own.has(source.path),
    ),
    ...packed,
    ...(moved.size === 0 ? plain : plain.filter((source) => !moved.has(source.path))),
  ]
}

function outsideSessions(store: Store): IndexSource[] {
  return [
    ...sourcesIn(store.dir, ''),
    ...(store.config.autoMemory === 'read' ? sourcesIn(hostMemory(store), HOST_PREFIX) : []),
    ...trustedPeople(store).flatMap(({ who, dir }) => sourcesIn(dir, `${SHARED_PREFIX}${who}/`)),
    ...ORIGINS.flatMap((origin) => othersFiles(store.places, origin)).flatMap(
      ({ path: below }) => sourceOf(below, fileOf(store, below)) ?? [],
    ),
  ]
}

/**
 * The state of the sources. Files that people edit are checked one by one. Sessions are many, and only we write them: adding, deleting or
 * replacing one changes the time of its directory; one that grew is in the state, which is written after it.
 */
export interface Seen {
  /** A mark of the session directories; empty: list them again. */
  dirs: string
  /** The files in them that are not sessions. */
  told: readonly string[]
  /** A mark of all files that are not sessions, and of the state. */
  print: string
}

export const NEVER_SEEN: Seen = { dirs: '', told: [], print: '' }

/** The sources that may have changed. */
export interface Look {
  seen: Seen
  sources: IndexSource[]
  /** All sources are listed; otherwise unchanged sessions are missing. */
  isAll: boolean
}

/** On a file system that counts in seconds, a second change within this time may leave the directory's time unchanged. */
const TICK_MS = 2_500

/** Null: nothing changed. Each mark is taken before the files it covers are read. */
export function lookAround(store: Store, before: Seen): Look | null {
  const state = markOf(path.join(store.dir, STATE_FILE))
  const { dirs, isOld } = lookAtDirs(store)
  const all = before.dirs === dirs ? null : listSources(store)
  const others = all?.filter(({ isSession }) => !isSession) ?? [
    ...outsideSessions(store),
    ...before.told.flatMap((below) => sourceOf(below, fileOf(store, below)) ?? []),
  ]
  const print = fingerprint([state, ...others.map((source) => `${source.path} ${source.mark}`)].join('\n'))
  if (all === null && print === before.print) return null
  const live = all === null ? liveSessions(store) : null
  const told = others.map((source) => source.path).filter((below) => below.startsWith(`${SESSIONS_DIR}/`))
  const seen = { dirs: isOld ? dirs : '', told, print }
  return live === null
    ? { seen, sources: all ?? listSources(store), isAll: true }
    : { seen, sources: [...others, ...live], isAll: false }
}

function lookAtDirs(store: Store): { dirs: string; isOld: boolean } {
  const sessions = path.join(store.dir, SESSIONS_DIR)
  const facts = [
    sessions,
    path.join(sessions, ARCHIVE_DIR),
    path.join(sessions, SETTLED_DIR),
    othersSessions(store),
  ].map(statOf)
  const isOld = facts.every((one) => one === null || Date.now() - one.mtimeMs > TICK_MS)
  return { dirs: facts.map((one) => `${one?.ino} ${one?.mtimeMs}`).join(), isOld }
}

/** The sessions that capture may write, or has written since they were last settled; null: the state cannot be read. */
function liveSessions(store: Store): IndexSource[] | null {
  const state = stateIn(store.dir)
  if (state === null) return null
  const paths = Object.values(state.sessions).map(({ file }) => `${SESSIONS_DIR}/${file ?? ''}`)
  return paths.flatMap((below) => sourceOf(below, fileOf(store, below)) ?? [])
}

function markOf(file: string): string {
  const facts = statOf(file)
  return facts === null ? '' : sourceMark(file, facts)
}

function sourcesIn(dir: string, prefix: string): IndexSource[] {
  // A plain concatenation: there may be thousands, and every search lists all of them.
  return list(dir).flatMap((name) => sourceOf(prefix + name, dir + path.sep + name) ?? [])
}

/** While the plain file exists, it is used. */
function packedSources(store: Store, listed: ReadonlySet<string>): IndexSource[] {
  return packedFiles(store.dir).flatMap((name) => {
    const below = `${SESSIONS_DIR}/${name}`
    if (listed.has(below) && !isPacked(store.dir, name)) return []
    return sourceOf(below, store.dir + path.sep + packedPath(name)) ?? []
  })
}

/** Null: not a file that is searched. */
function sourceOf(below: string, file: string): IndexSource | null {
  const kind = sourceKindOf(below)
  const facts = kind === null ? null : statOf(file)
  if (facts?.kind !== 'file') return null
  const { size, ino } = facts
  const mark = sourceMark(file, facts)
  return { path: below, file, isSession: kind === 'session', isPacked: file.endsWith(PACKED), size, ino, mark }
}

function sourceMark(file: string, { size, mtimeMs, ino }: FileStat): string {
  return `${file.endsWith(PACKED) ? PACKED_MARK : ''}${size} ${mtimeMs} ${ino}`
}

export function isPackedMark(mark: string): boolean {
  return mark.startsWith(PACKED_MARK)
}

/** The current file of a source: a session may have been compressed or unpacked meanwhile. */
export function fileOf(store: Store, source: string): string {
  if (source.startsWith(HOST_PREFIX)) return path.join(hostMemory(store), source.slice(HOST_PREFIX.length))
  // Shared memory is in the project, wherever the memory itself is stored.
  if (source.startsWith(SHARED_PREFIX))
    return path.join(store.places.inProject, SHARED_DIR, source.slice(SHARED_PREFIX.length))
  if (source.startsWith(OTHERS_PREFIX)) return path.join(store.places.others, source.slice(OTHERS_PREFIX.length))
  const name = path.basename(source)
  const isSession = sourceKindOf(source) === 'session'
  if (isSession && isPacked(store.dir, name)) return path.join(store.dir, packedPath(name))
  const file = path.join(store.dir, source)
  return isSession && statOf(file) === null ? path.join(othersSessions(store), name) : file
}

/** Sessions that the user's other machines sent (`syncSessions`). */
function othersSessions({ places }: Store): string {
  return path.join(places.others, SESSIONS_DIR)
}

/** The host's directory for its own notes about the project. */
function hostMemory({ places }: Store): string {
  return path.join(places.hostDir, 'projects', hostSlug(places.project.root), 'memory')
}

/** The units of a file that is read as a whole; null: it cannot be read. */
export function readUnits(source: Pick<IndexSource, 'path' | 'file'>): Unit[] | null {
  const text = readSourceText(source.file)
  return text === null ? null : unitsIn(source.path, text)
}

/** The text of a file that is read as a whole; null: it cannot be read. */
export function readSourceText(file: string): string | null {
  return readable(() => readOwnText(file, MOST_BYTES))
}

/** One line of a session. `entry` null: not an entry; then it has no number either. */
export interface SourceLine {
  at: number
  size: number
  /** The hash of its bytes. */
  hash: number
  entry: Entry | Tombstone | null
}

export interface Lines {
  lines: SourceLine[]
  /** The position behind the last complete line. */
  end: number
  isLast: boolean
}

/** Complete lines from this byte on, at least one however long; null: the file cannot be read. */
export function readLines(file: string, from: number): Lines | null {
  for (let length = PIECE_BYTES; ; length *= 4) {
    const bytes = readBytes(file, from, length)
    if (bytes === null) return null
    const isLast = bytes.length < length
    const end = bytes.lastIndexOf(NEWLINE) + 1
    if (end > 0 || isLast || length >= LONGEST_LINE_BYTES)
      return { lines: linesIn(bytes, from), end: from + end, isLast }
  }
}

/** The entry at this position; null: the bytes changed, or the file cannot be read. */
export function readLine(file: string, { at, size, hash }: Omit<SourceLine, 'entry'>): Entry | Tombstone | null {
  const bytes = readBytes(file, at, size)
  return bytes === null || hashOf(bytes, 0, bytes.length) !== hash ? null : parseEntry(bytes.toString('utf8'))
}

/** So much behind an entry tells how its turn went on. */
const BEHIND_BYTES = 16 * 1024

/** The whole entries that stand near behind this one. */
export function entriesBehind(file: string, { at, size }: Pick<SourceLine, 'at' | 'size'>): (Entry | Tombstone)[] {
  const from = at + size + 1
  const bytes = readBytes(file, from, BEHIND_BYTES)
  return bytes === null ? [] : linesIn(bytes, from).flatMap(({ entry }) => entry ?? [])
}

/** FNV-1a. */
function hashOf(bytes: Buffer, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return hash >>> 0
}

function linesIn(bytes: Buffer, from: number): SourceLine[] {
  const lines: SourceLine[] = []
  let at = 0
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
    const entry = parseEntry(bytes.toString('utf8', at, end))
    lines.push({ at: from + at, size: end - at, hash: hashOf(bytes, at, end), entry })
    at = end + 1
  }
  return lines
}

/** For a compressed session: its unpacked bytes. */
function readBytes(file: string, from: number, length: number): Buffer | null {
  return readable(() =>
    file.endsWith(PACKED) ? (unpackFile(file)?.subarray(from, from + length) ?? null) : readPart(file, from, length),
  )
}

/** Fingerprint of the bytes before a position; empty: it cannot be read. */
export function anchorIn(file: string, offset: number): string {
  if (!file.endsWith(PACKED)) return readable(() => anchorAt(file, offset)) ?? ''
  const bytes = readable(() => unpackFile(file))
  return bytes === null || bytes.length < offset ? '' : anchorOf(bytes, offset)
}

export function canRead({ file }: Pick<IndexSource, 'file'>): boolean {
  return readBytes(file, 0, 1) !== null
}

/** Null: it cannot be read. One unreadable file must not prevent searching the rest. */
function readable<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === '') throw error
    return null
  }
}
