/** The disk: the only file that imports node:fs. Missing is null, taken is false; everything else is thrown. */
import fs from 'node:fs'
import path from 'node:path'

/** Windows' indexer and virus scanner hold files for moments. */
const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY'])
const RENAME_TRIES = 8

export interface FileFacts {
  size: number
  mtimeMs: number
  ino: number
  kind: 'file' | 'dir' | 'link' | 'other'
}

/** Every write to disk, one function each: tests replace it to stop a program after any of them. */
export interface Disk {
  replace(file: string, content: string | Buffer): void
  append(file: string, text: string): void
  appendAt(file: string, at: number, text: string): void
  remove(file: string): void
}

/** Told of every path before it is looked at; null: nobody wants to know. */
export const looks: { note: ((file: string) => void) | null } = { note: null }

/** A file that belongs to the user, not to us: its mode stays, a new one is as readable as any of his. */
export function replaceUsers(file: string, content: string | Buffer): void {
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode
  replaceInPieces(file, [content], mode === undefined ? 0o644 : mode & 0o777)
}

export const disk: Disk = {
  /** Temp, fsync, rename: a reader sees the old file or the new one. */
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
      if (fs.fstatSync(fd).size > at) fs.ftruncateSync(fd, at)
      const bytes = Buffer.from(text)
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done, at + done)
    } finally {
      fs.closeSync(fd)
    }
  },
  // Not rmSync, which loads a module of its own at its first use: every hook removes its lock.
  remove(file) {
    orNull(() => fs.unlinkSync(file))
  },
}

/** What was renamed into this directory is there for good; where a system does not sync directories, its own order must do. */
export function syncDir(dir: string): void {
  try {
    const fd = fs.openSync(dir, 'r')
    try {
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    if (codeOf(error) === '') throw error
  }
}

/** As `replace`, for what is too large to be held at once; a failing piece leaves the old file as it was. */
export function replaceInPieces(file: string, pieces: Iterable<string | Buffer>, mode = 0o600): void {
  makeDir(path.dirname(file))
  const temp = newTemp(file)
  const fd = fs.openSync(temp, 'wx', 0o600)
  try {
    if (mode !== 0o600) fs.fchmodSync(fd, mode)
    for (const piece of pieces) fs.writeFileSync(fd, piece)
    fs.fsyncSync(fd)
  } catch (error) {
    fs.rmSync(temp, { force: true })
    throw error
  } finally {
    fs.closeSync(fd)
  }
  renameBusy(temp, file)
}

/** As `replace`, without waiting for the disk: for what can be made again. */
export function replaceQuickly(file: string, content: string | Buffer): void {
  const temp = newTemp(file)
  const fd = fs.openSync(temp, 'wx', 0o600)
  try {
    fs.writeFileSync(fd, content)
  } catch (error) {
    fs.rmSync(temp, { force: true })
    throw error
  } finally {
    fs.closeSync(fd)
  }
  renameBusy(temp, file)
}

/** Makes the file `its first {at} bytes` + these; false: it has not as many. Not synced either. */
export function writeBytes(file: string, at: number, bytes: Uint8Array): boolean {
  const fd = openOwn(file, fs.constants.O_RDWR)
  try {
    const { size } = fs.fstatSync(fd)
    if (size < at) return false
    if (size > at) fs.ftruncateSync(fd, at)
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done, at + done)
    return true
  } finally {
    fs.closeSync(fd)
  }
}

/** A file that stays open: for many small reads, and for one that others may remove meanwhile. */
export interface OpenFile {
  size: () => number
  /** Fills `into` from this byte on; how many bytes there were. */
  read: (into: Uint8Array, at: number) => number
  close: () => void
}

export function openToRead(file: string): OpenFile | null {
  return ifThere(file, () => {
    const fd = fs.openSync(file, 'r')
    return {
      size: () => fs.fstatSync(fd).size,
      read: (into, at) => {
        let done = 0
        while (done < into.length) {
          const count = fs.readSync(fd, into, done, into.length - done, at + done)
          if (count === 0) break
          done += count
        }
        return done
      },
      close: () => fs.closeSync(fd),
    }
  })
}

export function readText(file: string): string | null {
  return ifThere(file, () => fs.readFileSync(file, 'utf8'))
}

/** Null for a link, and where anybody else may have written it: what is in it is run, or told to Claude. */
export function readPrivate(file: string): Buffer | null {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) return null
  const isOurs = process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0)
  return isOurs ? fs.readFileSync(file) : null
}

/** A file of ours; null for a link in its place, which a repository may have planted. */
export function readOwnText(file: string): string | null {
  return factsOf(file)?.kind === 'file' ? readText(file) : null
}

/** At most `length` bytes from `from` on. */
export function readPart(file: string, from: number, length: number): Buffer | null {
  return ifThere(file, () => {
    const fd = fs.openSync(file, 'r')
    try {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, fs.fstatSync(fd).size - from)))
      let done = 0
      while (done < buffer.length) {
        const count = fs.readSync(fd, buffer, done, buffer.length - done, from + done)
        if (count === 0) break
        done += count
      }
      return buffer.subarray(0, done)
    } finally {
      fs.closeSync(fd)
    }
  })
}

/** A symbolic link is told as such, not followed. */
export function factsOf(file: string): FileFacts | null {
  return orNull(() => {
    const stats = fs.lstatSync(file, { throwIfNoEntry: false })
    return stats === undefined ? null : factsFrom(stats)
  }, file)
}

export function sizeOf(file: string): number | null {
  return orNull(() => fs.statSync(file, { throwIfNoEntry: false })?.size ?? null, file)
}

/** Names in a directory, sorted; empty when there is none. */
export function list(dir: string): string[] {
  return ifThere(dir, () => fs.readdirSync(dir).sort()) ?? []
}

/** With all above it. Not Node's own recursion: where nothing can be made (below /proc), that never ends. */
export function makeDir(dir: string): void {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = path.dirname(dir)
  if (parent !== dir && fs.statSync(parent, { throwIfNoEntry: false }) === undefined) makeDir(parent)
  try {
    fs.mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    // Somebody else was faster.
    if (codeOf(error) !== 'EEXIST' || !fs.statSync(dir).isDirectory()) throw error
  }
}

export function removeTree(dir: string): void {
  fs.rmSync(dir, { recursive: true, force: true })
}

export function copyFile(from: string, to: string): void {
  makeDir(path.dirname(to))
  const temp = newTemp(to)
  fs.copyFileSync(from, temp, fs.constants.COPYFILE_EXCL)
  fs.chmodSync(temp, 0o600)
  renameBusy(temp, to)
}

export function rename(from: string, to: string): void {
  renameBusy(from, to)
}

/** Creates a file that must not exist yet; false: it does. */
export function create(file: string, text: string): boolean {
  let fd: number
  try {
    fd = fs.openSync(file, 'wx', 0o600)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  try {
    fs.writeFileSync(fd, text)
    return true
  } catch (error) {
    // On a full disk: an empty lock would keep everybody out.
    fs.rmSync(file, { force: true })
    throw error
  } finally {
    fs.closeSync(fd)
  }
}

/** The path with all symbolic links followed; the path itself where it does not exist. */
export function realPath(file: string): string {
  return orNull(() => fs.realpathSync.native(file), file) ?? path.resolve(file)
}

/** Who may read and write it; null: it is not there, or this system has no such thing. */
export function modeOf(file: string): number | null {
  if (process.platform === 'win32') return null
  return orNull(() => {
    const stats = fs.lstatSync(file, { throwIfNoEntry: false })
    return stats === undefined ? null : stats.mode & 0o777
  })
}

export function setMode(file: string, mode: number): void {
  fs.chmodSync(file, mode)
}

/** False: it is not empty, or not there. */
export function removeEmptyDir(dir: string): boolean {
  if (factsOf(dir)?.kind !== 'dir' || list(dir).length > 0) return false
  fs.rmdirSync(dir)
  return true
}

export function isWritable(dir: string): boolean {
  try {
    fs.accessSync(dir, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** A file, or a link to one, that this user may start. */
export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** Bytes free for us where this directory is, or null where the system does not say. */
export function freeBytes(dir: string): number | null {
  return orNull(() => {
    const { bavail, bsize } = fs.statfsSync(dir)
    return bavail * bsize
  })
}

export function readStdin(): string {
  const parts: Buffer[] = []
  const buffer = Buffer.allocUnsafe(65_536)
  for (;;) {
    try {
      const count = fs.readSync(0, buffer, 0, buffer.length, null)
      if (count === 0) break
      parts.push(Buffer.from(buffer.subarray(0, count)))
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EOF') break
      // Standard input of a terminal or a slow pipe: nothing there yet.
      if (code !== 'EAGAIN') throw error
      pause(2)
    }
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Straight to the file descriptor: the stream of `process.stdout` takes milliseconds to make. */
export function writeStdout(text: string): void {
  if (text !== '') fs.writeSync(1, text)
}

/** Whether a descriptor of ours leads to another program that made us, and to no file, pipe or terminal. */
export function isSocket(fd: number): boolean {
  return orNull(() => fs.fstatSync(fd).isSocket()) ?? false
}

export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** Whatever stands there, a repository may have put it there: a link would lead the writing elsewhere. */
function newTemp(file: string): string {
  const temp = `${file}.${process.pid}.tmp`
  if (factsOf(temp) !== null) fs.rmSync(temp, { force: true, recursive: true })
  return temp
}

/** Opens or creates a file of ours; a link in its place goes, what it leads to stays as it is. */
function openOwn(file: string, flags: number): number {
  const own = flags | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0)
  try {
    return fs.openSync(file, own, 0o600)
  } catch (error) {
    if (factsOf(file)?.kind !== 'link') throw error
    fs.rmSync(file)
    return fs.openSync(file, own, 0o600)
  }
}

function renameBusy(from: string, to: string): void {
  for (let tries = 1; ; tries++) {
    try {
      fs.renameSync(from, to)
      return
    } catch (error) {
      if (!BUSY.has(codeOf(error)) || tries === RENAME_TRIES) {
        fs.rmSync(from, { force: true })
        throw error
      }
      pause(5 * 2 ** (tries - 1))
    }
  }
}

/** Looks before it reads: an exception costs a starting process far more than the question. It may still vanish in between. */
function ifThere<T>(file: string, read: () => T): T | null {
  return orNull(() => (fs.statSync(file, { throwIfNoEntry: false }) === undefined ? null : read()), file)
}

function orNull<T>(read: () => T | null, file?: string): T | null {
  if (file !== undefined) looks.note?.(file)
  try {
    return read()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null
    throw error
  }
}

function factsFrom(stats: fs.Stats): FileFacts {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'dir' : stats.isSymbolicLink() ? 'link' : 'other'
  return { size: stats.size, mtimeMs: stats.mtimeMs, ino: stats.ino, kind }
}
