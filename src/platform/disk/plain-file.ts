/** Looking at files and reading them: every file that is read is opened here, as a plain file and up to a limit. */
import fs from 'node:fs'
import path from 'node:path'

export interface FileStat {
  size: number
  mtimeMs: number
  ino: number
  kind: 'file' | 'dir' | 'link' | 'other'
}

/** Called with every path before it is looked at; null: nobody wants to know. */
export const looks: { note: ((file: string) => void) | null } = { note: null }

/**
 * Paths that this process did not read because there is no plain file, one beyond its limit, or one that this user may not read. `note` is
 * called with each new one. A path leaves the list when it is read.
 */
interface Refused {
  files: Set<string>
  note: ((file: string) => void) | null
}

/** One for the whole process: a program may consist of several bundles, each with its own copy of this module. */
const PLACE: unique symbol = Symbol.for('memory-keeper.refused') as typeof PLACE
const shared = globalThis as { [PLACE]?: Refused }
shared[PLACE] ??= { files: new Set(), note: null }
export const refused: Refused = shared[PLACE]

/** Of a text, unless the caller gives another limit. */
const MOST_TEXT_BYTES = 64 * 1024 * 1024
/** Of any file that is read or copied whole. A string cannot be longer either. */
export const MOST_FILE_BYTES = 512 * 1024 * 1024
const MOST_REFUSED = 100

/** A file that stays open: for many small reads, and for one that others may remove meanwhile. */
export interface OpenFile {
  size: () => number
  /** Fills `into` from this byte on; how many bytes there were. */
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

/**
 * A file in a place of the user's own (home, a path given by hand): links are followed. Null: not there, no plain file, or not readable.
 * Nothing is read of a file in /proc: each of them has size 0.
 */
export function readText(file: string, most = MOST_TEXT_BYTES): string | null {
  return readWhole(file, most, { follow: true })?.toString('utf8') ?? null
}

/** A file of ours or of a project. Null also for a link in its place, which a repository may have planted. */
export function readOwnText(file: string, most = MOST_TEXT_BYTES): string | null {
  return readWhole(file, most, { follow: false })?.toString('utf8') ?? null
}

/** A file below this directory that we never write. Null also where it is larger, or where a link leads to it. `name`: with slashes. */
export function readBelow(dir: string, name: string, most: number): string | null {
  const names = name.split('/')
  const above = names.slice(0, -1).map((_, n) => path.join(dir, ...names.slice(0, n + 1)))
  const notDir = above.find((one) => (statOf(one)?.kind ?? 'dir') !== 'dir')
  if (notDir !== undefined) return refuse(notDir)
  return readPart(path.join(dir, ...names), 0, most, most)?.toString('utf8') ?? null
}

/** A file in /proc whose path we made ourselves. */
export function readSystem(file: string): string | null {
  return orNull(() => fs.readFileSync(file, 'utf8'))
}

/** For what is run, or told to Claude: null where anybody else may have written the file, or may replace it in its directory. */
export function readPrivate(file: string): Buffer | null {
  return reading(file, { follow: false }, (opened) => {
    const isSafe = isOursAlone(opened.stats) && isOwnDir(path.dirname(file))
    return isSafe ? readOpen(opened, 0, MOST_TEXT_BYTES) : null
  })
}

/** A directory, and no link to one, in which nobody else can put or exchange files. */
export function isOwnDir(dir: string): boolean {
  const stats = fs.lstatSync(dir, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && isOursAlone(stats)
}

function isOursAlone({ uid, mode }: fs.Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

/** At most `length` bytes from `from` on. Null: not there, no plain file, or a file of more than `most` bytes. */
export function readPart(file: string, from: number, length: number, most = Number.POSITIVE_INFINITY): Buffer | null {
  return reading(file, { follow: false }, (opened) =>
    opened.stats.size > most ? refuse(file) : readOpen(opened, from, length),
  )
}

/** A symbolic link is told as such, not followed. */
export function statOf(file: string): FileStat | null {
  return orNull(() => {
    const stats = fs.lstatSync(file, { throwIfNoEntry: false })
    return stats === undefined ? null : factsFrom(stats)
  }, file)
}

export function sizeOf(file: string): number | null {
  return orNull(() => fs.statSync(file, { throwIfNoEntry: false })?.size ?? null, file)
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** `otherwise` where the system refuses it: an error with a code. Mistakes of ours are thrown. */
export function unlessFails<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (codeOf(error) === '') throw error
    return otherwise
  }
}

/** Thrown where a file counts as missing for no other reason: a file of ours that counted as missing would be written anew. */
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

/** Windows knows neither flag. Without O_NONBLOCK, opening a pipe waits for a writer. */
export const NO_WAIT = fs.constants.O_NONBLOCK ?? 0
export const NO_LINK = fs.constants.O_NOFOLLOW ?? 0
const OPEN_TRIES = 8

/** Null: not there, or no plain file. */
function openPlain(file: string, { follow }: Links): Opened | null {
  looks.note?.(file)
  const ask = follow ? fs.statSync : fs.lstatSync
  for (let tries = 1; ; tries++) {
    // Asked before it is opened: an exception costs a starting process more than the question, and a device is never opened.
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
 * Null: this user may not read it. On Windows the same code may mean that another program has the file open for a moment: thrown, so
 * that the caller does its work later.
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

function readWhole(file: string, most: number, links: Links): Buffer | null {
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

function refuse(file: string): null {
  if (refused.files.has(file) || refused.files.size >= MOST_REFUSED) return null
  refused.files.add(file)
  refused.note?.(file)
  return null
}

/** `file`: what is looked at. Missing is null; everything else is thrown. */
export function orNull<T>(read: () => T | null, file?: string): T | null {
  if (file !== undefined) looks.note?.(file)
  try {
    return read()
  } catch (error) {
    const code = codeOf(error)
    // Links that lead in a circle lead nowhere.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP') return null
    throw error
  }
}

function factsFrom(stats: fs.Stats): FileStat {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'dir' : stats.isSymbolicLink() ? 'link' : 'other'
  return { size: stats.size, mtimeMs: stats.mtimeMs, ino: stats.ino, kind }
}
