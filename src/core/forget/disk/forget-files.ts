/** The files that contain forgotten content: checked without the lock, changed under it. */
import path from 'node:path'
import { allBelow, filesBelow, type OurPlace, placesOf } from '../../../kernel/memory/disk/our-files.ts'
import { sweepServers } from '../../../kernel/memory/disk/server-files.ts'
import { COMMAND_WAIT_MS, type Store, sessionPath } from '../../../kernel/memory/disk/store.ts'
import type { Forgetting, Gone, Outcome } from '../../../kernel/memory/forgetting.ts'
import {
  codeOf,
  type Disk,
  disk,
  MOST_FILE_BYTES,
  readOwnText,
  readPart,
  statOf,
} from '../../../kernel/platform/disk/files.ts'
import { isAlive } from '../../../kernel/platform/disk/lock.ts'
import { decodeText } from '../../../kernel/platform/encoding.ts'
import { id8OfFile, isArchiveFile, isSetAside, SERVERS_DIR, summaryFileOf } from '../../../kernel/platform/layout.ts'
import { allSessionFiles, packedPath, unpackWhatIsLeft } from '../../../kernel/sessions/disk/session-archive.ts'
import { fileKindOf, leftOfFile } from '../../files.ts'
import type { ForgetSurroundings } from './forget-about.ts'
import { forgetArchive, forgetInSession, forgetInState, notesAnew } from './forget-sessions.ts'

/** A file from which something is deleted. */
export interface FileWork {
  file: string
  gone: Gone[]
  place: OurPlace
  /** Relative to its place, with slashes. */
  name: string
  is: 'text' | 'session' | 'raw' | 'state'
  /** It contains the requested item itself; all others were derived from it. */
  isSource: boolean
}

type Found = Omit<FileWork, 'isSource'>

const ONLY_LOOK: Disk = {
  replace: () => undefined,
  append: () => undefined,
  appendAt: () => undefined,
  remove: () => undefined,
}

/** In the order of the work: copies, derived files, sources. */
export function lookThrough(store: Store, around: ForgetSurroundings, sources: ReadonlySet<string>): FileWork[] {
  const isSource = ({ place, name, is }: Found): boolean =>
    place.root === store.dir && (is === 'session' || sources.has(name))
  const rank = (one: Found): number => {
    if (one.place.root !== store.dir) return one.is === 'session' ? 1 : 0
    return isSource(one) ? (one.is === 'session' ? 4 : 5) : one.is === 'state' ? 3 : 2
  }
  return placesOf(store)
    .flatMap((place) => lookIn(store, place, around))
    .toSorted((a, b) => rank(a) - rank(b))
    .map((one) => ({ ...one, isSource: isSource(one) }))
}

function lookIn(store: Store, place: OurPlace, around: ForgetSurroundings): Found[] {
  const files = filesBelow(place.root).flatMap((file): Found[] => {
    const name = path.relative(place.root, file).split(path.sep).join('/')
    const is = mannerOf(place, name)
    if (is === null || is === 'session') return []
    const gone = goneIn(store, { file, place, name, is }, around)
    return gone.length === 0 ? [] : [{ file, gone, place, name, is }]
  })
  const sessions = allSessionFiles(place.root).flatMap((name): Found[] => {
    if (!around.about.sessions.has(id8OfFile(name) ?? '')) return []
    const gone = forgetInSession(place.root, name, around.about, ONLY_LOOK)
    const plain = path.join(place.root, sessionPath(name))
    const file = statOf(plain) === null ? path.join(place.root, packedPath(name)) : plain
    return gone.length === 0 ? [] : [{ file, gone, place, name, is: 'session' }]
  })
  return [...files, ...sessions]
}

/** How something is taken out of a file, by its kind; null: nothing of a session is in it, or it cannot be read. */
function mannerOf(place: OurPlace, name: string): FileWork['is'] | null {
  switch (fileKindOf(name)?.forgets) {
    case 'never':
      return null
    case 'entries':
      return 'session'
    case 'whole':
      return 'raw'
    case 'state':
      return place.is === 'memory' ? 'state' : 'text'
    default:
      return name.endsWith('.gz') ? null : 'text'
  }
}

function goneIn(store: Store, { file, place, name, is }: Omit<Found, 'gone'>, around: ForgetSurroundings): Gone[] {
  if (is === 'state')
    return takeOutOfState(store, place.root, name, around, ONLY_LOOK) ? [{ id: '', kind: 'state', text: '' }] : []
  if (is === 'raw') return goneInRaw(file, name, around.about)
  const outcome = outcomeOf(store, place, name, around.about)
  if (outcome === null) return []
  return outcome.gone.length > 0 ? outcome.gone : [{ id: name, kind: 'made anew', text: '' }]
}

/** After memory.md: by then, a note that it names has been rewritten. */
function takeOutOfState(
  { config }: Store,
  root: string,
  name: string,
  { about, marks }: ForgetSurroundings,
  to: Disk,
): boolean {
  const isWaiting = (id8: string, mark: string, text: string): boolean =>
    about.whole.has(id8) || marks.get(id8)?.has(mark) === true || about.from(id8).traces(text)
  const owed = config.summarizer === 'extractive' ? [] : notesAnew(root, about)
  return forgetInState(root, name, about, isWaiting, owed, to)
}

/** Null: done. Otherwise the file that still contains it, and why. */
export function takeOut(store: Store, work: FileWork, around: ForgetSurroundings, to: Disk): string | null {
  try {
    const held = store.whileLocked(COMMAND_WAIT_MS, () => takeOutNow(store, work, around, to))
    return held === null ? `${work.file}: another process is writing` : null
  } catch (error) {
    // The system refuses this file (no permission, read-only, full); the others are still changed.
    if (!/^E[A-Z]+$/.test(codeOf(error))) throw error
    return `${work.file}: it cannot be written (${codeOf(error)})`
  }
}

function takeOutNow(store: Store, { file, place, name, is }: FileWork, around: ForgetSurroundings, to: Disk): void {
  if (is === 'session') forgetInSession(place.root, name, around.about, to)
  else if (is === 'raw') to.remove(file)
  else if (is === 'state') takeOutOfState(store, place.root, name, around, to)
  else takeOutOfText(store, place, name, around.about, to)
}

/** The summary of an archive is deleted before the archive changes: after a kill in between, nothing would show that it is outdated. */
function takeOutOfText(store: Store, place: OurPlace, name: string, about: Forgetting, to: Disk): void {
  const outcome = outcomeOf(store, place, name, about)
  if (outcome === null) return
  const archive = name.replace(/\.summary\.json$/, '.md')
  const summary = path.join(place.root, summaryFileOf(archive))
  if (isArchiveFile(name) && statOf(summary) !== null) to.remove(summary)
  const file = path.join(place.root, name)
  if (outcome.text === null) to.remove(file)
  else to.replace(file, isSetAside(name) ? linesLeft(file, outcome.text) : outcome.text)
  if (isArchiveFile(archive)) forgetArchive(place.root, archive, to)
}

/** Of a file that was set aside, the lines that stay, byte for byte: it may be the only place of what is in it, and no text. */
function linesLeft(file: string, text: string): Buffer {
  const bytes = readPart(file, 0, MOST_FILE_BYTES) ?? Buffer.alloc(0)
  const lines = bytes.toString('latin1').split('\n')
  const left = text.split('\n').toReversed()
  // What stays is in the same order.
  const kept = lines.filter((line) => {
    const isLeft = left.length > 0 && decodeText(Buffer.from(line, 'latin1')).text === left.at(-1)
    if (isLeft) left.pop()
    return isLeft
  })
  return left.length === 0 ? Buffer.from(kept.join('\n'), 'latin1') : Buffer.from(text)
}

/** Null: nothing in it changes, or it was deleted meanwhile. */
function outcomeOf(store: Store, { root }: OurPlace, name: string, about: Forgetting): Outcome | null {
  const textOf = (file: string): string | null => readOwnText(path.join(root, file))
  const text = textOf(name)
  const outcome = text === null ? null : leftOfFile(name, text, { textOf, timezone: store.config.timezone }, about)
  return outcome?.text === text ? null : outcome
}

/** For a whole transcript: it is unknown which of its lines an entry came from, so that the file is deleted. */
function goneInRaw(file: string, name: string, about: Forgetting): Gone[] {
  const id8 = /_([0-9a-z]{8})\.[^/]*$/.exec(name)?.[1] ?? ''
  const isGone = about.sessions.has(id8) || about.from(id8).isRepeatedBy(unpackWhatIsLeft(file) ?? '')
  return isGone ? [{ id: id8, kind: 'raw backup', text: '' }] : []
}

/** Deletes temporary files of killed writers, and answers of servers: they may contain forgotten text. */
export function removeStrays(store: Store): void {
  const { homeDir, project } = store.places
  // Sockets in the system's directory contain no text.
  sweepServers({ dir: path.join(homeDir, SERVERS_DIR, project.key), tempDir: '', isAlive }, 0)
  for (const file of placesOf(store).flatMap(({ root }) => allBelow(root))) {
    const pid = Number(/\.(\d+)\.tmp$/.exec(file)?.[1] ?? 0)
    if (pid > 0 && !isAlive(pid)) disk.remove(file)
  }
}
