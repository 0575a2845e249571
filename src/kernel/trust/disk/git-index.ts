/** Reads git's index: which files git tracks below a directory. Starts no process and trusts none of the content. */
import path from 'node:path'
import { codeOf, readPart, statOf } from '../../platform/disk/files.ts'
import { pathTest } from './git-path.ts'

/** One entry at or below the given directory. */
export interface TrackedFile {
  /** Relative to that directory, with slashes, as git spells it; empty: the directory itself, or one of its parents. */
  path: string
  /** The id of the blob, or of a submodule's commit. */
  id: string
  /** A link or a submodule: it points elsewhere. */
  isLink?: true
}

export interface IndexQuestion {
  /** The index file. */
  file: string
  /** The directory to look for, relative to the root of the working tree. */
  below: readonly string[]
  /** The first names lead to the project: git's entries in their place are ignored. */
  outside: number
  isSha256: boolean
}

/** An index of a million files has about 100 MB. */
const MOST_BYTES = 256 * 1024 * 1024
const HEADER_BYTES = 12
/** A file's times, device, mode, owner and size. */
const STAT_BYTES = 40
const HASH_BYTES = 20
const MODE_AT = 24
const KIND_OF_MODE = 0o170000
/** A sparse directory, which is not checked out. */
const FOLDER = 0o040000
const SUBMODULE = 0o160000
const LINK = 0o120000
const LONG_NAME = 0xfff
const EXTENDED = 0x4000

class Damaged extends Error {}

/** Null: the index cannot be read or parsed. A missing index tracks nothing. */
export function readTracked(question: IndexQuestion): TrackedFile[] | null {
  try {
    return trackedIn(question)
  } catch (error) {
    // Damaged, of a future version, or another user's.
    if (error instanceof Damaged || error instanceof RangeError || codeOf(error) !== '') return null
    throw error
  }
}

/** A larger index is not read at the start of a session. */
const MOST_QUICK_BYTES = 2 * 1024 * 1024
const MTIME_AT = 8
const SIZE_AT = 36

/** Returns which of these files (relative to `root`) differ in size or time from git's index. */
export function changedSinceIndex(root: string, names: readonly string[]): Set<string> {
  const file = path.join(root, '.git', 'index')
  const changed = new Set<string>()
  if (names.length === 0 || (statOf(file)?.size ?? MOST_BYTES) > MOST_QUICK_BYTES) return changed
  const wanted = new Set(names)
  try {
    const index = open(file, HASH_BYTES)
    if (index === null) return changed
    walk(index, ({ bytes, from, to }, { at }) => {
      const name = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString()
      const now = wanted.has(name) ? statOf(path.join(root, name)) : null
      if (now === null) return
      const isSame =
        index.bytes.readUInt32BE(at + SIZE_AT) === now.size % 2 ** 32 &&
        index.bytes.readUInt32BE(at + MTIME_AT) === Math.floor(now.mtimeMs / 1000)
      if (!isSame) changed.add(name)
    })
  } catch (error) {
    if (!(error instanceof Damaged || error instanceof RangeError) && codeOf(error) === '') throw error
  }
  return changed
}

function trackedIn({ file, below, outside, isSha256 }: IndexQuestion): TrackedFile[] {
  const index = open(file, isSha256 ? 32 : HASH_BYTES)
  if (index === null) return []
  const found: TrackedFile[] = []
  const isBelow = pathTest(below)
  const ask = (name: Name, entry: Entry): void => {
    const rest = isBelow(name.bytes, name.from, name.to)
    if (rest === null || (rest.missing > 0 && !isInTheWay(entry, below.length - rest.missing > outside))) return
    const isLink = [LINK, SUBMODULE].includes(kindOf(entry))
    found.push({ path: rest.path, id: idOf(entry), ...(isLink ? { isLink } : {}) })
  }
  const nameless: Entry[] = []
  const end = walk(index, (name, entry) => {
    if (name.to > name.from) ask(name, entry)
    else nameless.push({ ...entry })
  })
  const link = linkIn(index, end)
  if (link !== null) walkShared(file, link, nameless, ask)
  else if (nameless.length > 0) throw new Damaged()
  return found
}

/** A link or a file in place of one of the parent directories. A submodule there has an index of its own. */
function isInTheWay(entry: Entry, isInProject: boolean): boolean {
  const kind = kindOf(entry)
  return isInProject && kind !== SUBMODULE && kind !== FOLDER
}

function kindOf({ index, at }: Entry): number {
  return index.bytes.readUInt32BE(at + MODE_AT) & KIND_OF_MODE
}

interface Index {
  bytes: Buffer
  hashBytes: number
  version: number
}

function open(file: string, hashBytes: number): Index | null {
  if (statOf(file) === null) return null
  const bytes = readPart(file, 0, MOST_BYTES, MOST_BYTES)
  if (bytes === null) throw new Damaged()
  const version = bytes.length < HEADER_BYTES + hashBytes ? 0 : bytes.readUInt32BE(4)
  if (version < 2 || version > 4 || bytes.toString('latin1', 0, 4) !== 'DIRC') throw new Damaged()
  return { bytes, hashBytes, version }
}

/** Both objects are reused for every entry: there may be a million. */
interface Name {
  bytes: Uint8Array
  from: number
  to: number
}
interface Entry {
  index: Index
  at: number
}

function idOf({ index: { bytes, hashBytes }, at }: Entry): string {
  return bytes.toString('hex', at + STAT_BYTES, at + STAT_BYTES + hashBytes)
}

/** Visits all entries; returns the position behind the last one. */
function walk(index: Index, visit: (name: Name, entry: Entry) => void): number {
  const { bytes, hashBytes, version } = index
  const last = bytes.length - hashBytes
  const count = bytes.readUInt32BE(8)
  const name: Name = { bytes: version === 4 ? new Uint8Array(4096) : bytes, from: 0, to: 0 }
  const entry: Entry = { index, at: HEADER_BYTES }
  for (let n = 0; n < count; n++) {
    const flagsAt = entry.at + STAT_BYTES + hashBytes
    if (flagsAt + 2 > last) throw new Damaged()
    const flags = bytes.readUInt16BE(flagsAt)
    const nameAt = flagsAt + ((flags & EXTENDED) !== 0 && version > 2 ? 4 : 2)
    const end = version === 4 ? spell(bytes, nameAt, name) : plainName(bytes, nameAt, flags & LONG_NAME, name)
    if (end >= last || bytes[end] !== 0) throw new Damaged()
    visit(name, entry)
    // Before version 4 entries are padded with at least one zero to a multiple of eight.
    entry.at = version === 4 ? end + 1 : entry.at + ((end - entry.at + 8) & ~7)
  }
  return entry.at
}

/** For a name that is stored whole; returns its end. */
function plainName(bytes: Buffer, at: number, length: number, name: Name): number {
  name.from = at
  name.to = length < LONG_NAME ? at + length : endOf(bytes, at + length)
  return name.to
}

/** Version 4 stores how much of the previous name to cut off, and the suffix to append; returns the suffix's end. */
function spell(bytes: Buffer, at: number, name: Name): number {
  let from = at
  let byte = bytes[from++] ?? 0
  let cut = byte & 127
  for (; (byte & 128) !== 0; cut = (cut + 1) * 128 + (byte & 127)) {
    if (from - at > 4) throw new Damaged()
    byte = bytes[from++] ?? 0
  }
  const end = endOf(bytes, from)
  const kept = name.to - cut
  if (kept < 0) throw new Damaged()
  name.to = kept + end - from
  if (name.to > name.bytes.length) {
    const longer = new Uint8Array(2 * name.to)
    longer.set(name.bytes)
    name.bytes = longer
  }
  for (let i = from; i < end; i++) name.bytes[kept + i - from] = bytes[i] ?? 0
  return end
}

function endOf(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0, from)
  if (end < 0) throw new Damaged()
  return end
}

/** A split index names another file that contains most entries, and lists which of them are deleted or replaced. */
interface Link {
  id: string
  hashBytes: number
  isGone: (n: number) => boolean
  isReplaced: (n: number) => boolean
}

/** Extensions follow the entries. Those in capitals are optional; of the others only this one matters. */
function linkIn({ bytes, hashBytes }: Index, from: number): Link | null {
  for (let at = from; at + 8 <= bytes.length - hashBytes; ) {
    const size = bytes.readUInt32BE(at + 4)
    if (bytes.toString('latin1', at, at + 4) === 'link')
      return parseLink(bytes.subarray(at + 8, at + 8 + size), hashBytes)
    at += 8 + size
  }
  return null
}

function parseLink(bytes: Buffer, hashBytes: number): Link | null {
  const id = bytes.toString('hex', 0, hashBytes)
  if (/^0*$/.test(id)) return null
  if (bytes.length === hashBytes) return { id, hashBytes, isGone: () => false, isReplaced: () => false }
  const gone = parseBitmap(bytes, hashBytes)
  const replaced = parseBitmap(bytes, gone.end)
  return { id, hashBytes, isGone: (n) => gone.set.has(n), isReplaced: (n) => replaced.set.has(n) }
}

/** Compressed: each word says how many words of equal bits and how many plain words follow. */
function parseBitmap(bytes: Buffer, from: number): { set: Set<number>; end: number } {
  const bits = bytes.readUInt32BE(from)
  const end = from + 8 + bytes.readUInt32BE(from + 4) * 8
  if (bits > MOST_BYTES / STAT_BYTES || end + 4 > bytes.length) throw new Damaged()
  const set = new Set<number>()
  let n = 0
  for (let at = from + 8; at < end; ) {
    const [high, low] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
    const run = Math.floor(low / 2) + (high % 2) * 2 ** 31
    const stop = Math.min(bits, n + run * 64)
    if (low % 2 === 1) for (let i = n; i < stop; i++) set.add(i)
    n += run * 64
    at += 8
    for (let words = Math.floor(high / 2); words > 0; words--, at += 8, n += 64)
      for (let i = 0; i < 64; i++) {
        const half = bytes.readUInt32BE(i < 32 ? at + 4 : at)
        if ((half >>> (i % 32)) & 1) set.add(n + i)
      }
  }
  return { set, end: end + 4 }
}

/** A replacing entry has no name of its own: it takes the names of the shared file, in order. */
function walkShared(
  file: string,
  { id, hashBytes, isGone, isReplaced }: Link,
  nameless: readonly Entry[],
  ask: (name: Name, entry: Entry) => void,
): void {
  const shared = open(path.join(path.dirname(file), `sharedindex.${id}`), hashBytes)
  if (shared === null) throw new Damaged()
  let n = 0
  let used = 0
  walk(shared, (name, entry) => {
    const place = n++
    if (isGone(place)) return
    const instead = isReplaced(place) ? nameless[used++] : entry
    if (instead === undefined) throw new Damaged()
    ask(name, instead)
  })
  if (used < nameless.length) throw new Damaged()
}
