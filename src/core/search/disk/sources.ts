/** The files that the search index of a memory is built from: lists them, and sees at little cost whether any changed. */
import path from 'node:path'
import { stateIn } from '../../../kernel/memory/disk/settled.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { type FileStat, list, statOf } from '../../../kernel/platform/disk/files.ts'
import {
  ARCHIVE_DIR,
  hostSlug,
  OTHERS_PREFIX,
  SESSIONS_DIR,
  SETTLED_DIR,
  SHARED_DIR,
  SHARED_PREFIX,
  STATE_FILE,
} from '../../../kernel/platform/layout.ts'
import { isPacked, packedFiles, packedPath } from '../../../kernel/sessions/disk/session-archive.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import { othersFiles } from '../../others/disk/others.ts'
import { trustedPeople } from '../../others/disk/shared.ts'
import { ORIGINS } from '../../others/others.ts'
import { HOST_PREFIX } from '../../pages/files.ts'
import { sourceKindOf } from '../units.ts'
import type { DocumentSource, Look, Seen } from './index/documents.ts'
import { isPackedFile } from './session-lines.ts'

const PACKED_MARK = 'packed '

/** Hand-written files first, then sessions, oldest first. Links are not followed: a repository may have planted one. */
export function listSources(store: Store): DocumentSource[] {
  const sessions = path.join(store.dir, SESSIONS_DIR)
  // Plain files are listed before compressed ones: a session that is compressed meanwhile is seen twice, not missed.
  const plain = sourcesIn(sessions, `${SESSIONS_DIR}/`)
  const plainPaths = pathsOf(plain)
  const packed = packedSources(store, plainPaths)
  const packedPaths = pathsOf(packed)
  const isUnpacked = ({ path: below }: DocumentSource): boolean => !packedPaths.has(below)
  return [
    ...outsideSessions(store),
    ...sourcesIn(path.join(sessions, ARCHIVE_DIR), `${SESSIONS_DIR}/${ARCHIVE_DIR}/`),
    ...sourcesIn(othersSessions(store), `${SESSIONS_DIR}/`).filter(
      (source) => source.isLog && isUnpacked(source) && !plainPaths.has(source.path),
    ),
    ...packed,
    ...plain.filter(isUnpacked),
  ]
}

function pathsOf(sources: readonly DocumentSource[]): Set<string> {
  return new Set(sources.map((source) => source.path))
}

function outsideSessions(store: Store): DocumentSource[] {
  return [
    ...sourcesIn(store.dir, ''),
    ...(store.config.autoMemory === 'read' ? sourcesIn(hostMemory(store), HOST_PREFIX) : []),
    ...trustedPeople(store).flatMap(({ who, dir }) => sourcesIn(dir, `${SHARED_PREFIX}${who}/`)),
    ...sourcesAt(
      store,
      ORIGINS.flatMap((origin) => othersFiles(store.places, origin).map((file) => file.path)),
    ),
  ]
}

/** On a file system that counts in seconds, a second change within this time may leave the directory's time unchanged. */
const TICK_MS = 2_500

/**
 * Null: nothing changed. Files that people edit are checked one by one. Sessions are many, and only we write them: adding, deleting or
 * replacing one changes the time of its directory; one that grew is in the state, which is written after it.
 */
export function lookAround(store: Store, before: Seen): Look | null {
  const stateFile = path.join(store.dir, STATE_FILE)
  const state = markOf(stateFile, statOf(stateFile))
  const { dirs, isOld } = lookAtDirs(store)
  const all = before.dirs === dirs ? null : listSources(store)
  const others = all?.filter(({ isLog }) => !isLog) ?? [
    ...outsideSessions(store),
    ...sourcesAt(store, before.otherSources),
  ]
  const print = fingerprint([state, ...others.map((source) => `${source.path} ${source.mark}`)].join('\n'))
  if (all === null && print === before.print) return null
  const live = all === null ? liveSessions(store) : null
  const otherSources = [...pathsOf(others)].filter((below) => below.startsWith(`${SESSIONS_DIR}/`))
  const seen = { dirs: isOld ? dirs : '', otherSources, print }
  const sources = live === null ? (all ?? listSources(store)) : [...others, ...live]
  return { seen, sources, isGone: (below) => live === null || !isSessionFile(below) }
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
function liveSessions(store: Store): DocumentSource[] | null {
  const state = stateIn(store.dir)
  if (state === null) return null
  return sourcesAt(
    store,
    Object.values(state.sessions).map(({ file }) => `${SESSIONS_DIR}/${file ?? ''}`),
  )
}

function sourcesIn(dir: string, prefix: string): DocumentSource[] {
  // A plain concatenation: there may be thousands, and every search lists all of them.
  return list(dir).flatMap((name) => sourceOf(prefix + name, dir + path.sep + name) ?? [])
}

/** While the plain file exists, it is used. */
function packedSources(store: Store, listed: ReadonlySet<string>): DocumentSource[] {
  return packedFiles(store.dir).flatMap((name) => {
    const below = `${SESSIONS_DIR}/${name}`
    if (listed.has(below) && !isPacked(store.dir, name)) return []
    return sourceOf(below, store.dir + path.sep + packedPath(name)) ?? []
  })
}

/** Those of these paths that are there. */
function sourcesAt(store: Store, paths: readonly string[]): DocumentSource[] {
  return paths.flatMap((below) => sourceOf(below, fileOf(store, below)) ?? [])
}

/** Null: not a file that is searched. */
function sourceOf(below: string, file: string): DocumentSource | null {
  const kind = sourceKindOf(below)
  const facts = kind === null ? null : statOf(file)
  if (facts?.kind !== 'file') return null
  return {
    path: below,
    file,
    isLog: kind === 'session',
    size: facts.size,
    ino: facts.ino,
    mark: markOf(file, facts),
  }
}

/** Empty: it is not there. */
function markOf(file: string, facts: FileStat | null): string {
  return facts === null ? '' : `${isPackedFile(file) ? PACKED_MARK : ''}${facts.size} ${facts.mtimeMs} ${facts.ino}`
}

export function isPackedMark(mark: string): boolean {
  return mark.startsWith(PACKED_MARK)
}

export function isSessionFile(source: string): boolean {
  return sourceKindOf(source) === 'session'
}

/** The current file of a source: a session may have been compressed or unpacked meanwhile. */
export function fileOf(store: Store, source: string): string {
  const elsewhere = [
    [HOST_PREFIX, hostMemory(store)],
    // In the project, wherever the memory itself is stored.
    [SHARED_PREFIX, path.join(store.places.inProject, SHARED_DIR)],
    [OTHERS_PREFIX, store.places.others],
  ] as const
  for (const [prefix, dir] of elsewhere)
    if (source.startsWith(prefix)) return path.join(dir, source.slice(prefix.length))
  const name = path.basename(source)
  const isSession = isSessionFile(source)
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
