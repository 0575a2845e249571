/** Old sessions: their entries, compressed in `sessions/archive/`. They are read like others and unpacked when they continue. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import {
  codeOf,
  type FileStat,
  list,
  MOST_FILE_BYTES,
  markOf,
  readPart,
  statOf,
  syncDir,
} from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { ARCHIVE_DIR, id8OfFile, SESSIONS_DIR } from '../../platform/layout.ts'

const SUFFIX = '.gz'
/** Header with a comment (flag 16). The file system byte is "unknown", so that every system writes the same bytes. */
export const LABEL_HEADER = Buffer.from([0x1f, 0x8b, 8, 16, 0, 0, 0, 0, 0, 255])
/** An empty block with its checksum and length: it adds nothing when unpacked. */
export const EMPTY_BLOCK = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
const LABEL_BYTES = 120
const SYSTEM_BYTE = 9
/** A compressed file ends with the unpacked size. */
const SIZE_BYTES = 4
/** The last unpacked sessions are cached: each search hit and each shown entry reads them again. */
let mostKept = 32 * 1024 * 1024

/** The label of a compressed session, readable without unpacking it. */
interface PackedLabel {
  /** The unpacked size. */
  bytes: number
  /** The time of the last entry; empty: there is none. */
  lastAt: string
  /** The file has its full length; otherwise its end is lost. */
  isWhole: boolean
}

/** Relative to the memory directory, for the name of a session file. */
export function packedPath(file: string): string {
  return path.join(SESSIONS_DIR, ARCHIVE_DIR, file + SUFFIX)
}

/** Both paths that a session's entries may have: plain and compressed. */
export function sessionForms(file: string): [plain: string, packed: string] {
  return [sessionPath(file), packedPath(file)]
}

/** The name of the session file inside a compressed file's name; null for any other name. */
export function unpackedName(name: string): string | null {
  const file = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : ''
  return id8OfFile(file) === null ? null : file
}

/** The names of the compressed session files, in the order the sessions began. */
export function packedFiles(dir: string): string[] {
  return list(path.join(dir, SESSIONS_DIR, ARCHIVE_DIR)).flatMap((name) => unpackedName(name) ?? [])
}

/** The names of all session files, compressed or not, in the order the sessions began. */
export function allSessionFiles(dir: string): string[] {
  const plain = list(path.join(dir, SESSIONS_DIR)).filter((name) => id8OfFile(name) !== null)
  return [...new Set([...plain, ...packedFiles(dir)])].sort()
}

/** True only if there is no plain file: while both exist, the plain file counts. */
export function isPacked(dir: string, file: string): boolean {
  return file !== '' && plainFacts(dir, file) === null && statOf(path.join(dir, packedPath(file)))?.kind === 'file'
}

/** All bytes of a session file; null: missing, not a file of ours, or damaged. */
export function readSessionBytes(dir: string, file: string): Buffer | null {
  if (file === '') return null
  const plain = plainFacts(dir, file)
  if (plain !== null) return plain.kind === 'file' ? readWhole(path.join(dir, sessionPath(file))) : null
  return unpackFile(path.join(dir, packedPath(file)))
}

/** For reading only: returns the readable part of a compressed session that lost its end. */
export function readSessionText(dir: string, file: string): string | null {
  const whole = readSessionBytes(dir, file)
  if (whole !== null || !isPacked(dir, file)) return whole?.toString('utf8') ?? null
  return unpackWhatIsLeft(path.join(dir, packedPath(file)))
}

/** The text of any compressed file, also of one that lost its end; null: nothing of it can be read. */
export function unpackWhatIsLeft(file: string): string | null {
  const packed = readWhole(file)
  return packed === null ? null : (unpack(packed, 'what is left')?.toString('utf8') ?? null)
}

/** Null: there is no such file. */
export function sessionFileState(
  dir: string,
  file: string,
): { size: number; lastAt: string | null; isWhole: boolean } | null {
  if (file === '') return null
  const plain = plainFacts(dir, file)
  if (plain !== null) return { size: plain.size, lastAt: null, isWhole: plain.kind === 'file' }
  const label = labelOf(path.join(dir, packedPath(file)))
  return label === null ? null : { size: label.bytes, lastAt: label.lastAt, isWhole: label.isWhole }
}

/** Null: not a compressed session of ours, or no file. */
function labelOf(file: string): PackedLabel | null {
  const stat = statOf(file)
  const head = stat?.kind === 'file' ? readPart(file, 0, LABEL_BYTES) : null
  const match = /^session (\d+) (\d+) ([^\0]*)\0/.exec(head?.toString('latin1', LABEL_HEADER.length) ?? '')
  if (match === null || stat === null) return null
  const length = LABEL_HEADER.length + match[0].length + EMPTY_BLOCK.length
  return { bytes: Number(match[1]), lastAt: match[3] ?? '', isWhole: stat.size === length + Number(match[2]) }
}

/** Produces the same bytes for the same session on every machine. */
export function pack(bytes: Buffer): Buffer {
  // Loaded here: no hook needs it.
  const packed = process.getBuiltinModule('node:zlib').gzipSync(bytes)
  packed[SYSTEM_BYTE] = 255
  const label = `session ${bytes.length} ${packed.length} ${lastTimeIn(bytes)}\0`
  return Buffer.concat([LABEL_HEADER, Buffer.from(label, 'latin1'), EMPTY_BLOCK, packed])
}

/** Null: damaged. With `what is left`: nothing could be read. */
function unpack(packed: Buffer, wanted: 'all' | 'what is left' = 'all'): Buffer | null {
  const { gunzipSync, constants } = process.getBuiltinModule('node:zlib')
  const finishFlush = wanted === 'all' ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
  try {
    return gunzipSync(packed, { finishFlush, maxOutputLength: MOST_FILE_BYTES, chunkSize: roomFor(packed) })
  } catch (error) {
    // The caller decides what to do with a damaged file.
    if (codeOf(error) === '') throw error
    return null
  }
}

const ROOM = { least: 64, most: 16 * 1024 }

/** zlib returns a part of its room: in the usual one of 16 kB, a cached session of 3 kB would keep five times its size. */
function roomFor(packed: Buffer): number {
  const size = packed.length < SIZE_BYTES ? 0 : packed.readUInt32LE(packed.length - SIZE_BYTES)
  return Math.min(ROOM.most, Math.max(ROOM.least, size + 1))
}

/**
 * Deletes a plain file only after its compressed copy was written, synced, read back and found equal. Returns the packed files.
 * Compresses before taking the lock, so that nobody waits for it; `isStillOld` is checked under the lock.
 */
export function packSessions(
  store: Store,
  files: readonly string[],
  waitMs: number,
  isStillOld: (file: string) => boolean,
): string[] {
  const ready = files.flatMap((file) => {
    const plain = canPack(store.dir, file) ? readSessionBytes(store.dir, file) : null
    return plain === null ? [] : [{ file, plain, bytes: pack(plain) }]
  })
  const held = store.whileLocked(waitMs, () => {
    const packed = ready.filter(({ file, plain, bytes }) => {
      const isSame = canPack(store.dir, file) && readSessionBytes(store.dir, file)?.equals(plain) === true
      return isSame && isStillOld(file) && isWritten(store, file, plain, bytes)
    })
    if (packed.length === 0) return []
    // Once for all of them: it takes as long for one.
    syncDir(path.join(store.dir, SESSIONS_DIR, ARCHIVE_DIR))
    for (const { file } of packed) store.perform([{ do: 'remove', path: sessionPath(file) }])
    return packed
  })
  return held?.value.map(({ file }) => file) ?? []
}

/** The compressed copy is on disk and contains the session. */
function isWritten(store: Store, file: string, plain: Buffer, bytes: Buffer): boolean {
  const to = path.join(store.dir, packedPath(file))
  if (readWhole(to)?.equals(bytes) !== true) store.perform([{ do: 'writeBytes', path: packedPath(file), bytes }])
  const back = readWhole(to)
  return back !== null && unpack(back)?.equals(plain) === true
}

/** The plain file exists, and the compressed file is not damaged: a damaged one may be all that is left of the session. */
export function canPack(dir: string, file: string): boolean {
  if (plainFacts(dir, file)?.kind !== 'file') return false
  const packed = path.join(dir, packedPath(file))
  return statOf(packed) === null || unpackFile(packed) !== null
}

/** Unpacks a session before it continues. If that fails, the compressed file stays. */
export function unpackEffects(dir: string, file: string): Effect[] {
  const bytes = isPacked(dir, file) ? readSessionBytes(dir, file) : null
  if (bytes === null) return []
  return [
    { do: 'writeBytes', path: sessionPath(file), bytes },
    { do: 'remove', path: packedPath(file) },
  ]
}

const kept = new Map<string, { mark: string; bytes: Buffer }>()

/** For a program that reads one session after the other, and seldom the same again. */
export function keepUnpacked(bytes: number): void {
  mostKept = bytes
}

/** The unpacked bytes of a compressed file; null: damaged, or missing. */
export function unpackFile(file: string): Buffer | null {
  const mark = markOf(file)
  if (mark === '') return null
  const known = kept.get(file)
  if (known?.mark === mark) return known.bytes
  kept.delete(file)
  const packed = readWhole(file)
  const bytes = packed === null ? null : unpack(packed)
  if (bytes !== null) keep(file, { mark, bytes })
  return bytes
}

function keep(file: string, one: { mark: string; bytes: Buffer }): void {
  kept.set(file, one)
  let total = 0
  for (const { bytes } of kept.values()) total += bytes.length
  for (const [oldest, { bytes }] of kept) {
    if (total <= mostKept) break
    kept.delete(oldest)
    total -= bytes.length
  }
}

function plainFacts(dir: string, file: string): FileStat | null {
  return statOf(path.join(dir, sessionPath(file)))
}

function readWhole(file: string): Buffer | null {
  return readPart(file, 0, MOST_FILE_BYTES, MOST_FILE_BYTES)
}

const TAIL_BYTES = 64 * 1024

/** Accepts only characters of a time, because the value is written into a header. */
function lastTimeIn(bytes: Buffer): string {
  const end = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_BYTES))
  return [...end.matchAll(/"ts":"([\dTZ:.+-]{10,40})"/g)].at(-1)?.[1] ?? ''
}
