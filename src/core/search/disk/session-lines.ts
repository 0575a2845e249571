/** The lines of a session's file, read from a byte on, also of a compressed one; and one line again, if it is still the same. */
import { codeOf, readPart } from '../../../kernel/platform/disk/files.ts'
import { anchorAt, anchorOf } from '../../../kernel/sessions/disk/cursor.ts'
import { unpackFile } from '../../../kernel/sessions/disk/session-archive.ts'
import { type Entry, parseEntry, type Tombstone } from '../../../kernel/transcript/session.ts'

/** The size of one read of a session. */
const PIECE_BYTES = 512 * 1024
/** A longer line is not an entry. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a
const PACKED = '.gz'

export function isPackedFile(file: string): boolean {
  return file.endsWith(PACKED)
}

/** One line of a session. `entry` null: not an entry; then it has no number either. */
export interface SourceLine {
  at: number
  size: number
  /** The hash of its bytes. */
  hash: number
  entry: Entry | Tombstone | null
}

interface Lines {
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
export const TURN_BYTES = 16 * 1024
/** And so much how its session did: few sessions are longer. */
export const SESSION_BYTES = 16 * 1024 * 1024

/** The whole entries that stand within so many bytes behind this one. */
export function entriesBehind(
  file: string,
  { at, size }: Pick<SourceLine, 'at' | 'size'>,
  most: number,
): (Entry | Tombstone)[] {
  const from = at + size + 1
  const bytes = readBytes(file, from, most)
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
  return readableEntry(() =>
    isPackedFile(file) ? (unpackFile(file)?.subarray(from, from + length) ?? null) : readPart(file, from, length),
  )
}

/** Fingerprint of the bytes before a position; empty: it cannot be read. */
export function anchorIn(file: string, offset: number): string {
  const find = (): string | null => {
    if (!isPackedFile(file)) return anchorAt(file, offset)
    const bytes = unpackFile(file)
    return bytes === null || bytes.length < offset ? null : anchorOf(bytes, offset)
  }
  return readableEntry(find) ?? ''
}

/** Null: it cannot be read. One unreadable file must not prevent searching the rest. */
export function readableEntry<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === '') throw error
    return null
  }
}
