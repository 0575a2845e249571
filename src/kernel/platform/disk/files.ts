/** Writes to disk: only this file, plain-file.ts (which reads) and stdio.ts import node:fs. A missing file is null, a taken name is false; all other errors are thrown. */
import fs from 'node:fs'
import path from 'node:path'
import { isSetAside } from '../layout.ts'
import {
  codeOf,
  type FileStat,
  MOST_FILE_BYTES,
  NO_LINK,
  NO_WAIT,
  type OpenFile,
  openToRead,
  orNull,
  refused,
  statOf,
  unlessFails,
} from './plain-file.ts'

export * from './plain-file.ts'
export * from './text-file.ts'

/** On Windows, rename and unlink of a file that another program has open (indexer, virus scanner) fail with one of these codes. */
const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY'])
const RENAME_TRIES = 8
const COPY_BYTES = 1024 * 1024

/** Every write to disk, one function each: tests replace it to stop a program after any of them. */
export interface Disk {
  replace(file: string, content: string | Buffer): void
  append(file: string, text: string): void
  appendAt(file: string, at: number, text: string): void
  remove(file: string): void
}

/** How long retried renames may still wait while this process holds a lock. Null: no lock is held. */
export const busy: { patienceMs: number | null } = { patienceMs: null }

/** For a file that belongs to the user: its mode stays, and a new one gets the usual mode. */
export function replaceUsers(file: string, content: string | Buffer): void {
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode
  replaceInPieces(file, [content], mode === undefined ? 0o644 : mode & 0o777)
}

export const disk: Disk = {
  /** Temp file, fsync, rename: a reader sees the old file or the new one. */
  replace(file, content) {
    replaceInPieces(file, [content])
  },
  append(file, text) {
    if (fs.statSync(path.dirname(file), { throwIfNoEntry: false }) === undefined) makeDir(path.dirname(file))
    const fd = openOwn(file, fs.constants.O_WRONLY | fs.constants.O_APPEND)
    try {
      fs.writeFileSync(fd, text)
    } finally {
      fs.closeSync(fd)
    }
  },
  appendAt(file, at, text) {
    makeDir(path.dirname(file))
    const fd = openOwn(file, fs.constants.O_RDWR)
    try {
      writeFrom(fd, at, Buffer.from(text))
    } finally {
      fs.closeSync(fd)
    }
  },
  // Not rmSync, which loads a module at its first use: every hook removes its lock.
  remove(file) {
    if (statOf(file)?.kind === 'dir') setAside(file)
    else orNull(() => fs.unlinkSync(file))
  },
}

/** Renames an unreadable file of ours to `<name>.broken-<stamp>` (the time of its last change). An empty directory is removed. */
export function setAside(file: string): void {
  const stat = statOf(file)
  if (stat === null || removeEmptyDir(file)) return
  rename(file, besideOf(file, stat))
  refused.files.delete(file)
}

function besideOf(file: string, { mtimeMs }: FileStat): string {
  const stem = `${file}.broken-${new Date(mtimeMs).toISOString().replace(/\D/g, '').slice(0, 14)}`
  let to = stem
  for (let n = 2; statOf(to) !== null; n++) to = `${stem}${n}`
  return to
}

/** A file that this process could not read is set aside, not overwritten. */
function makeWay(file: string): void {
  const stat = statOf(file)
  if (stat?.kind === 'dir' || (stat?.kind === 'file' && refused.files.has(file))) setAside(file)
}

/** A file with bytes that are no text is kept byte for byte before what was read of it replaces it; until then it also stays in its place. */
function keepUndecoded(file: string): void {
  const facts = refused.undecoded.has(file) && !isSetAside(file) ? statOf(file) : null
  if (facts?.kind !== 'file') return
  const to = besideOf(file, facts)
  // Not every file system has links.
  if (!unlessFails(() => fs.linkSync(file, to) === undefined, false)) copyFile(file, to)
  refused.undecoded.delete(file)
}

/** Makes renames in this directory durable. Systems that cannot sync a directory are left to their own write order. */
export function syncDir(dir: string): void {
  unlessFails(() => {
    const fd = fs.openSync(dir, 'r')
    try {
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  }, undefined)
}

/** As `replace`, for content too large for memory. If a piece fails, the old file stays. */
export function replaceInPieces(file: string, pieces: Iterable<string | Buffer>, mode = 0o600): void {
  makeDir(path.dirname(file))
  writeAnew(file, pieces, { mode, isSynced: true })
}

/** As `replace`, without fsync: for content that can be rebuilt. */
export function replaceQuickly(file: string, content: string | Buffer): void {
  writeAnew(file, [content], { isSynced: false })
}

function writeAnew(
  file: string,
  pieces: Iterable<string | Buffer>,
  { mode = 0o600, isSynced }: { mode?: number; isSynced: boolean },
): void {
  const temp = newTemp(file)
  const fd = fs.openSync(temp, 'wx', 0o600)
  try {
    if (mode !== 0o600) fs.fchmodSync(fd, mode)
    for (const piece of pieces) fs.writeFileSync(fd, piece)
    if (isSynced) fs.fsyncSync(fd)
  } catch (error) {
    fs.rmSync(temp, { force: true })
    throw error
  } finally {
    fs.closeSync(fd)
  }
  makeWay(file)
  keepUndecoded(file)
  try {
    rename(temp, file)
  } catch (error) {
    removeUnlessBusy(temp)
    throw error
  }
}

/** Replaces everything behind the first `at` bytes; false: the file is shorter. Not synced. */
export function writeBytes(file: string, at: number, bytes: Uint8Array): boolean {
  const fd = openOwn(file, fs.constants.O_RDWR)
  try {
    if (fs.fstatSync(fd).size < at) return false
    writeFrom(fd, at, bytes)
    return true
  } finally {
    fs.closeSync(fd)
  }
}

function writeFrom(fd: number, at: number, bytes: Uint8Array): void {
  if (fs.fstatSync(fd).size > at) fs.ftruncateSync(fd, at)
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done, at + done)
}

/** Names in a directory, sorted; empty if there is no such directory. */
export function list(dir: string): string[] {
  // Checked first: an exception costs a starting process more than the check.
  const read = (): string[] | null => (fs.statSync(dir, { throwIfNoEntry: false }) ? fs.readdirSync(dir).sort() : null)
  return orNull(read, dir + path.sep) ?? []
}

/** Creates the parents too. Node's own recursion never ends where nothing can be created (below /proc). */
export function makeDir(dir: string): void {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = path.dirname(dir)
  if (parent !== dir && fs.statSync(parent, { throwIfNoEntry: false }) === undefined) makeDir(parent)
  try {
    fs.mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    // Another process created it first.
    if (codeOf(error) !== 'EEXIST' || !fs.statSync(dir).isDirectory()) throw error
  }
}

export function removeTree(dir: string): void {
  fs.rmSync(dir, { recursive: true, force: true })
}

/** False: there is no plain file, or it is too large. */
export function copyFile(from: string, to: string): boolean {
  const source = openToRead(from, MOST_FILE_BYTES)
  if (source === null) return false
  try {
    makeDir(path.dirname(to))
    // Only what was read as text and is written back is kept beside it.
    refused.undecoded.delete(to)
    writeAnew(to, piecesOf(source), { isSynced: false })
    return true
  } finally {
    source.close()
  }
}

function* piecesOf(source: OpenFile): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(COPY_BYTES, source.size())))
  for (let at = 0; at < MOST_FILE_BYTES; at += buffer.length) {
    const count = source.read(buffer, at)
    if (count > 0) yield buffer.subarray(0, count)
    if (count < buffer.length) return
  }
}

/** Creates a file that must not exist yet. False: it exists, or Windows is still deleting one of that name. */
export function create(file: string, text: string): boolean {
  let fd: number
  try {
    fd = fs.openSync(file, 'wx', 0o600)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || isBusy(error)) return false
    throw error
  }
  try {
    fs.writeFileSync(fd, text)
    return true
  } catch (error) {
    // On a full disk: an empty lock would block all other processes.
    fs.rmSync(file, { force: true })
    throw error
  } finally {
    fs.closeSync(fd)
  }
}

export function setMode(file: string, mode: number): void {
  fs.chmodSync(file, mode)
}

/** False: the directory is not empty, or missing. */
export function removeEmptyDir(dir: string): boolean {
  if (statOf(dir)?.kind !== 'dir' || list(dir).length > 0) return false
  fs.rmdirSync(dir)
  return true
}

export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** On Windows: another program has the file open, or it is being deleted. On other systems these codes are real refusals. */
export function isBusy(error: unknown): boolean {
  return process.platform === 'win32' && BUSY.has(codeOf(error))
}

/** False: Windows refuses because another program has the file open. */
export function removeUnlessBusy(file: string): boolean {
  try {
    disk.remove(file)
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/** A pid is not enough: processes in different pid namespaces may share it. A link that a repository placed there is removed. */
function newTemp(file: string): string {
  const temp = `${file}.${process.pid}${Math.random().toFixed(9).slice(2)}.tmp`
  if (statOf(temp) !== null) fs.rmSync(temp, { force: true, recursive: true })
  return temp
}

/** Opens or creates a file of ours. A link or a pipe in its place is removed; a link's target is not touched. */
function openOwn(file: string, flags: number): number {
  const kind = statOf(file)?.kind
  if (kind === 'link' || kind === 'other') fs.rmSync(file)
  makeWay(file)
  return fs.openSync(file, flags | fs.constants.O_CREAT | NO_LINK | NO_WAIT, 0o600)
}

/** Retries while Windows reports one of the files as in use. */
export function rename(from: string, to: string): void {
  for (let tries = 1; ; tries++) {
    try {
      fs.renameSync(from, to)
      return
    } catch (error) {
      const ms = (busy.patienceMs === null ? 5 : 1) * 2 ** (tries - 1)
      if (!BUSY.has(codeOf(error)) || tries === RENAME_TRIES || ms > (busy.patienceMs ?? ms)) throw error
      if (busy.patienceMs !== null) busy.patienceMs -= ms
      pause(ms)
    }
  }
}
