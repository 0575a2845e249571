/** The files that the index is made of: which there are, whether they changed, and reading them. */
import path from 'node:path'
import { trustedPeople } from '../../../copies/disk/shared.ts'
import { stateIn } from '../../../memory/disk/settled.ts'
import type { Store } from '../../../memory/disk/store.ts'
import { codeOf, type FileStat, list, readPart, statOf } from '../../../platform/disk/files.ts'
import { ARCHIVE_DIR, hostSlug, SESSIONS_DIR, SETTLED_DIR, SHARED_DIR, STATE_FILE } from '../../../platform/layout.ts'
import { anchorAt, anchorOf } from '../../../sessions/disk/cursor.ts'
import { isPacked, packedFiles, packedPath, unpackFile } from '../../../sessions/disk/session-archive.ts'
import { fingerprint } from '../../../text/fingerprint.ts'
import { type Entry, parseEntry, type Tombstone } from '../../../transcript/session.ts'
import type { Unit } from '../../corpus.ts'
import { HOST_PREFIX, sourceKindOf, unitsIn } from '../../units.ts'
import { SHARED_PREFIX } from '../../units-json.ts'

export interface IndexSource {
  /** As in the manifest. */
  path: string
  file: string
  isSession: boolean
  /** A session that is compressed; its path is that of the plain file, so that it stays the same source. */
  isPacked: boolean
  size: number
  ino: number
  /** Changes whenever the file does. */
  mark: string
}

/** So much of a session is read at once. */
const PIECE_BYTES = 512 * 1024
/** A line longer than this is none. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
/** Of a file that is read as a whole; a larger one is not read. */
const MOST_BYTES = 32 * 1024 * 1024
const NEWLINE = 0x0a
const PACKED = '.gz'
const PACKED_MARK = 'packed '

/** What people keep first, then sessions, the oldest first. Links are not followed: a repository may have planted one. */
export function listSources(store: Store): IndexSource[] {
  const sessions = path.join(store.dir, SESSIONS_DIR)
  // Plain ones are listed before compressed ones: whoever is compressed meanwhile is seen twice, not never.
  const plain = sourcesIn(sessions, `${SESSIONS_DIR}/`)
  const packed = packedSources(store, new Set(plain.map((source) => source.path)))
  const moved = new Set(packed.map((source) => source.path))
  return [
    ...outsideSessions(store),
    ...sourcesIn(path.join(sessions, ARCHIVE_DIR), `${SESSIONS_DIR}/${ARCHIVE_DIR}/`),
    ...packed,
    ...(moved.size === 0 ? plain : plain.filter((source) => !moved.has(source.path))),
  ]
}

function outsideSessions(store: Store): IndexSource[] {
  return [
    ...sourcesIn(store.dir, ''),
    ...(store.config.autoMemory === 'read' ? sourcesIn(hostMemory(store), HOST_PREFIX) : []),
    ...trustedPeople(store).flatMap(({ who, dir }) => sourcesIn(dir, `${SHARED_PREFIX}${who}/`)),
  ]
}

/**
 * How the sources looked. Files that people edit are looked at one by one. Sessions are many, and only we write them: a new, removed or
 * replaced one changes the time of its directory, one that was appended to is in the state, which is written behind it.
 */
export interface Seen {
  /** Of the directories of sessions; empty: they are to be listed again. */
  dirs: string
  /** What lies in them and is no session. */
  told: readonly string[]
  /** Of all files that are no sessions, and of the state. */
  print: string
}

export const NEVER_SEEN: Seen = { dirs: '', told: [], print: '' }

/** What may have changed. */
export interface Look {
  seen: Seen
  sources: IndexSource[]
  /** These are all there are; otherwise sessions are missing that did not change. */
  isAll: boolean
}

/** So long after a change another one may leave a directory with the same time, where a system counts in seconds. */
const TICK_MS = 2_500

/** Null: everything is as it was. Each mark is taken before what it stands for is looked at. */
export function lookAround(store: Store, before: Seen): Look | null {
  const state = markOf(path.join(store.dir, STATE_FILE))
  const { dirs, isOld } = lookAtDirs(store)
  const all = before.dirs === dirs ? null : listSources(store)
  const others = all?.filter(({ isSession }) => !isSession) ?? [
    ...outsideSessions(store),
    ...before.told.flatMap((below) => sourceAt(store, below) ?? []),
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

function lookAtDirs({ dir }: Store): { dirs: string; isOld: boolean } {
  const sessions = path.join(dir, SESSIONS_DIR)
  const facts = [sessions, path.join(sessions, ARCHIVE_DIR), path.join(sessions, SETTLED_DIR)].map(statOf)
  const isOld = facts.every((one) => one === null || Date.now() - one.mtimeMs > TICK_MS)
  return { dirs: facts.map((one) => `${one?.ino} ${one?.mtimeMs}`).join(), isOld }
}

/** The sessions that capture may write, or has written since they were last settled; null: the state cannot be read. */
function liveSessions(store: Store): IndexSource[] | null {
  const state = stateIn(store.dir)
  if (state === null) return null
  const files = Object.values(state.sessions).map(({ file }) => String(file ?? ''))
  return files.flatMap((name) => (name === '' ? [] : (sourceAt(store, `${SESSIONS_DIR}/${name}`) ?? [])))
}

function sourceAt(store: Store, below: string): IndexSource | null {
  const file = fileOf(store, below)
  const kind = sourceKindOf(below)
  const facts = kind === null ? null : statOf(file)
  return facts?.kind === 'file' ? sourceOf(below, file, facts, kind === 'session') : null
}

function markOf(file: string): string {
  const facts = statOf(file)
  return facts === null ? '' : sourceMark(file, facts)
}

function sourcesIn(dir: string, prefix: string): IndexSource[] {
  const sources: IndexSource[] = []
  for (const name of list(dir)) {
    const below = prefix + name
    const kind = sourceKindOf(below)
    if (kind === null) continue
    // Plainly put together: there may be thousands, and every search asks for all of them.
    const file = dir + path.sep + name
    const facts = statOf(file)
    if (facts?.kind === 'file') sources.push(sourceOf(below, file, facts, kind === 'session'))
  }
  return sources
}

/** As long as the plain file is there, that one counts. */
function packedSources(store: Store, listed: ReadonlySet<string>): IndexSource[] {
  return packedFiles(store.dir).flatMap((name): IndexSource[] => {
    const below = `${SESSIONS_DIR}/${name}`
    if (listed.has(below) && !isPacked(store.dir, name)) return []
    const file = store.dir + path.sep + packedPath(name)
    const facts = statOf(file)
    return facts?.kind === 'file' ? [sourceOf(below, file, facts, true)] : []
  })
}

function sourceOf(below: string, file: string, facts: FileStat, isSession: boolean): IndexSource {
  const { size, ino } = facts
  return { path: below, file, isSession, isPacked: file.endsWith(PACKED), size, ino, mark: sourceMark(file, facts) }
}

function sourceMark(file: string, { size, mtimeMs, ino }: FileStat): string {
  return `${file.endsWith(PACKED) ? PACKED_MARK : ''}${size} ${mtimeMs} ${ino}`
}

export function isPackedMark(mark: string): boolean {
  return mark.startsWith(PACKED_MARK)
}

/** Where a source is to be read now: a session may be compressed meanwhile, or no longer. */
export function fileOf(store: Store, source: string): string {
  if (source.startsWith(HOST_PREFIX)) return path.join(hostMemory(store), source.slice(HOST_PREFIX.length))
  // Wherever the memory itself is kept, what people share lies in the project.
  if (source.startsWith(SHARED_PREFIX))
    return path.join(store.places.inProject, SHARED_DIR, source.slice(SHARED_PREFIX.length))
  const name = path.basename(source)
  const isSession = sourceKindOf(source) === 'session'
  return path.join(store.dir, isSession && isPacked(store.dir, name) ? packedPath(name) : source)
}

/** Where the host keeps its own notes about the project. */
function hostMemory({ places }: Store): string {
  return path.join(places.hostDir, 'projects', hostSlug(places.project.root), 'memory')
}

/** Of a file that is read as a whole; null: it cannot be read. */
export function readUnits(source: Pick<IndexSource, 'path' | 'file'>): Unit[] | null {
  const text = readSourceText(source.file)
  return text === null ? null : unitsIn(source.path, text)
}

/** Of a file that is read as a whole; null: it cannot be read. */
export function readSourceText(file: string): string | null {
  return (
    readable(() => readPart(file, 0, MOST_BYTES, MOST_BYTES))
      ?.toString('utf8')
      .replace(/^\ufeff/, '') ?? null
  )
}

/** One line of a session; null: no entry, it has no number either. */
export interface SourceLine {
  at: number
  size: number
  /** Of its bytes. */
  hash: number
  entry: Entry | Tombstone | null
}

export interface Lines {
  lines: SourceLine[]
  /** Behind the last whole line. */
  end: number
  isLast: boolean
}

/** Whole lines from this byte on, one at least however long; null: the file cannot be read. */
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

/** The line that stands there, without its line break; null: there is another one, or the file cannot be read. */
export function readLine(file: string, { at, size, hash }: Omit<SourceLine, 'entry'>): Entry | Tombstone | null {
  const bytes = readBytes(file, at, size)
  return bytes === null || hashOf(bytes, 0, bytes.length) !== hash ? null : parseEntry(bytes.toString('utf8'))
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

/** Of a compressed session, the bytes that it was made from. */
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

/** Null: it cannot be read. A file that only its owner may read must not cost the rest of the memory. */
function readable<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === '') throw error
    return null
  }
}
