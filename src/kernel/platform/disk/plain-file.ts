/** Reads files: every file is opened here, as a plain file and up to a size limit. */
import fs from 'node:fs'
import path from 'node:path'

export interface FileStat {
  size: number
  mtimeMs: number
  ino: number
  kind: 'file' | 'dir' | 'link' | 'other'
}

/** Called with every path before it is looked at, with a separator at its end where names are listed; null: nobody wants to know. */
export const readTrace: { note: ((file: string) => void) | null } = { note: null }

/**
 * Paths that this process did not read: no plain file, a file beyond its limit, or one that this user may not read. `note` is
 * called with each new path. A path leaves the list when it is read. `undecoded`: read, but some bytes are no text.
 */
interface Refused {
  files: Set<string>
  undecoded: Set<string>
  note: ((file: string) => void) | null
}

/** One list for the whole process: a program may consist of several bundles, each with its own copy of this module. */
const PLACE: unique symbol = Symbol.for('memory-keeper.refused') as typeof PLACE
const shared = globalThis as { [PLACE]?: Refused }
shared[PLACE] ??= { files: new Set(), undecoded: new Set(), note: null }
export const refused: Refused = shared[PLACE]

/** The limit of a text file, unless the caller gives another one. */
export const MOST_TEXT_BYTES = 64 * 1024 * 1024
/** The limit of any file that is read or copied whole. A JavaScript string cannot be longer either. */
export const MOST_FILE_BYTES = 512 * 1024 * 1024
const MOST_REFUSED = 100

/** A file that stays open: for many small reads, and for a file that others may delete meanwhile. */
export interface OpenFile {
  size: () => number
  /** Fills `into` from byte `at` on; returns the number of bytes read. */
  read: (into: Uint8Array, at: number) => number
  close: () => void
}

export function openToRead(file: string, most = Number.POSITIVE_INFINITY): OpenFile | null {
  const opened = openPlain(file, { follow: false })
  if (opened === null) return null
  const { fd, stats } = opened
  const close = (): void => fs.closeSync(fd)
  if (stats.size <= most) return { size: () => fs.fstatSync(fd).size, read: (into, at) => fill(fd, into, at), close }
  close()
  return refuse(file)
}

/** Reads a file in /proc whose path we built ourselves. */
export function readSystem(file: string): string | null {
  return orNull(() => fs.readFileSync(file, 'utf8'))
}

/** For content that is executed or injected: null if another user could have written the file or could replace it in its directory. */
export function readPrivate(file: string): Buffer | null {
  return reading(file, { follow: false }, (opened) => {
    const isSafe = isOursAlone(opened.stats) && isOwnDir(path.dirname(file))
    return isSafe ? readOpen(opened, 0, MOST_TEXT_BYTES) : null
  })
}

/** A directory (no link) in which no other user can create or replace files. */
export function isOwnDir(dir: string): boolean {
  const stats = fs.lstatSync(dir, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && isOursAlone(stats)
}

export function isOursAlone({ uid, mode }: fs.Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

/** At most `length` bytes from `from` on. Null: missing, no plain file, or larger than `most` bytes. */
export function readPart(file: string, from: number, length: number, most = Number.POSITIVE_INFINITY): Buffer | null {
  return reading(file, { follow: false }, (opened) =>
    opened.stats.size > most ? refuse(file) : readOpen(opened, from, length),
  )
}

/** Does not follow a symbolic link. */
export function statOf(file: string): FileStat | null {
  return orNull(() => {
    const stats = fs.lstatSync(file, { throwIfNoEntry: false })
    return stats === undefined ? null : factsFrom(stats)
  }, file)
}

/** Another one after each change of a plain file; empty: there is none. */
export function markOf(file: string): string {
  const stat = statOf(file)
  return stat?.kind === 'file' ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : ''
}

export function linkTarget(file: string): string | null {
  return orNull(() => fs.readlinkSync(file))
}

/** Follows all symbolic links; returns the path itself if it does not exist. */
export function realPath(file: string): string {
  return orNull(() => resolvedPath(file), file) ?? path.resolve(file)
}

/** RAM disks and virtual disks of Windows cannot answer the system's own call: it fails with one of these. */
const CANNOT_TELL = new Set(['EISDIR', 'UNKNOWN', 'EINVAL'])

function resolvedPath(file: string): string {
  for (const resolve of [fs.realpathSync.native, fs.realpathSync]) {
    try {
      return resolve(file)
    } catch (error) {
      if (!CANNOT_TELL.has(codeOf(error))) throw error
    }
  }
  return path.resolve(file)
}

/** The permission bits; null: the file is missing, or the system has no such bits. */
export function modeOf(file: string): number | null {
  if (process.platform === 'win32') return null
  const stats = orNull(() => fs.lstatSync(file, { throwIfNoEntry: false }) ?? null)
  return stats === null ? null : stats.mode & 0o777
}

export function isWritable(dir: string): boolean {
  try {
    fs.accessSync(dir, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** A file, or a link to one, that this user may execute. */
export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

export function sizeOf(file: string): number | null {
  return orNull(() => fs.statSync(file, { throwIfNoEntry: false })?.size ?? null, file)
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** Returns `otherwise` if the system refuses (an error with a code). Programming errors are thrown. */
export function unlessFails<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (codeOf(error) === '') throw error
    return otherwise
  }
}

/** Thrown instead of returning null: a file of ours that counted as missing would be overwritten. */
export function tooLarge(file: string, most: number): Error {
  const error = new Error(`${file} is larger than ${Math.ceil(most / 1024 / 1024)} MB and is not read.`)
  return Object.assign(error, { code: 'EFBIG', path: file })
}

interface Opened {
  fd: number
  stats: fs.Stats
}

interface Links {
  follow: boolean
}

/** Windows has neither flag. Without O_NONBLOCK, opening a pipe waits for a writer. */
export const NO_WAIT = fs.constants.O_NONBLOCK ?? 0
export const NO_LINK = fs.constants.O_NOFOLLOW ?? 0
const OPEN_TRIES = 8

/** Null: missing, or no plain file. */
function openPlain(file: string, { follow }: Links): Opened | null {
  readTrace.note?.(file)
  const ask = follow ? fs.statSync : fs.lstatSync
  for (let tries = 1; ; tries++) {
    // Checked before opening: an exception costs a starting process more than the check, and a device must never be opened.
    const named = orNull(() => ask(file, { throwIfNoEntry: false }) ?? null)
    if (named === null) return null
    if (!named.isFile()) return refuse(file)
    const fd = orNull(() => openOrRefuse(file, fs.constants.O_RDONLY | NO_WAIT | (follow ? 0 : NO_LINK)))
    if (fd === null) return null
    const stats = fs.fstatSync(fd)
    if (stats.isFile() && stats.ino === named.ino) {
      refused.files.delete(file)
      return { fd, stats }
    }
    fs.closeSync(fd)
    // The file was replaced in between. A writer does that once, not every time.
    if (tries === OPEN_TRIES) return refuse(file)
  }
}

/**
 * Null: this user may not read the file. On Windows the same code may mean that another program has the file open for a moment:
 * then it is thrown, so that the caller tries again later.
 */
function openOrRefuse(file: string, flags: number): number | null {
  try {
    return fs.openSync(file, flags)
  } catch (error) {
    if (process.platform === 'win32' || !['EACCES', 'EPERM'].includes(codeOf(error))) throw error
    return refuse(file)
  }
}

function reading<T>(file: string, links: Links, read: (opened: Opened) => T): T | null {
  const opened = openPlain(file, links)
  if (opened === null) return null
  try {
    return read(opened)
  } finally {
    fs.closeSync(opened.fd)
  }
}

export function readWhole(file: string, most: number, links: Links): Buffer | null {
  return reading(file, links, (opened) => {
    if (opened.stats.size > most) throw tooLarge(file, most)
    return readOpen(opened, 0, most)
  })
}

function readOpen({ fd, stats }: Opened, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, stats.size - from)))
  return buffer.subarray(0, fill(fd, buffer, from))
}

function fill(fd: number, into: Uint8Array, at: number): number {
  let done = 0
  while (done < into.length) {
    const count = fs.readSync(fd, into, done, into.length - done, at + done)
    if (count === 0) break
    done += count
  }
  return done
}

export function refuse(file: string): null {
  if (refused.files.has(file) || refused.files.size >= MOST_REFUSED) return null
  refused.files.add(file)
  refused.note?.(file)
  return null
}

/** Returns null for a missing file; other errors are thrown. `file` is reported to `looks`. */
export function orNull<T>(read: () => T | null, file?: string): T | null {
  if (file !== undefined) readTrace.note?.(file)
  try {
    return read()
  } catch (error) {
    const code = codeOf(error)
    // A circle of links counts as missing.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP') return null
    throw error
  }
}

function factsFrom(stats: fs.Stats): FileStat {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'dir' : stats.isSymbolicLink() ? 'link' : 'other'
  return { size: stats.size, mtimeMs: stats.mtimeMs, ino: stats.ino, kind }
}
