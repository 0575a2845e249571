/** Decides what one piece of a transcript adds to its session, as data: entries to append, and the state after it. */

import type { Cursor, SessionState } from '../memory/session-state.ts'
import { openEntries, type RefineOptions, refine } from '../transcript/refine.ts'
import { skipObject, skipSpace } from '../transcript/scan.ts'
import { type Entry, entryKey, formatEntry, isOurs, type Tombstone } from '../transcript/session.ts'
import { createLineParser, type TranscriptLine } from '../transcript/transcript.ts'

/** How often each known entry may be met again before it counts as new. */
export type KnownEntries = Map<string, number>

export interface Piece {
  bytes: Buffer
  /** The transcript ends with these bytes, so that a last line without line break may be complete. */
  isLast: boolean
}

export interface ReadPiece {
  entries: Entry[]
  cursor: Cursor
  badLines: number
}

/** Reads whole lines from a piece; what is left over waits for the next one. The caller sets the new anchor. */
export function readPiece(cursor: Cursor, piece: Piece, options: RefineOptions): ReadPiece {
  const end = endOfLines(piece)
  const parse = createLineParser(piece.bytes)
  const lines: TranscriptLine[] = []
  let badLines = 0
  for (let at = skipMark(piece.bytes, cursor.offset); at < end; ) {
    const newline = piece.bytes.indexOf(0x0a, at)
    const lineEnd = newline < 0 || newline > end ? end : newline
    const parsed = parse(at, lineEnd)
    for (const line of parsed.lines) lines.push(line)
    badLines += parsed.bad
    at = lineEnd + 1
  }
  const { entries, state } = refine(cursor.refine, lines, options)
  return { entries, badLines, cursor: { ...cursor, offset: cursor.offset + end, refine: state } }
}

/** The entries that are not known yet; takes the others out of `known`. */
export function withoutKnown(entries: readonly Entry[], known: KnownEntries): Entry[] {
  return entries.filter((entry) => {
    const key = entryKey(entry)
    const left = known.get(key) ?? 0
    if (left > 0) known.set(key, left - 1)
    return left === 0
  })
}

export function knownEntries(entries: Iterable<Parameters<typeof entryKey>[0]>): KnownEntries {
  const known: KnownEntries = new Map()
  for (const entry of entries) {
    const key = entryKey(entry)
    known.set(key, (known.get(key) ?? 0) + 1)
  }
  return known
}

/** The session after these entries are settled. */
export function settle(
  session: SessionState,
  entries: readonly (Entry | Tombstone)[],
): { session: SessionState; text: string; work: number } {
  const text = entries.map(formatEntry).join('')
  const tools = entries.filter((entry) => entry.role === 'tool')
  return {
    text,
    work: tools.filter((entry) => !isOurs(entry)).length,
    session: {
      ...session,
      entries: session.entries + entries.length,
      bytes: session.bytes + Buffer.byteLength(text),
      tools: session.tools + tools.length,
    },
  }
}

/** What stands behind the settled entries until it is settled itself. */
export function renderOpen(session: SessionState): string {
  const agents = Object.entries(session.agents).flatMap(([, cursor]) => openEntries(cursor.refine))
  return [...openEntries(session.refine), ...agents].map(formatEntry).join('')
}

/** Position after the last whole line. */
function endOfLines({ bytes, isLast }: Piece): number {
  const end = bytes.lastIndexOf(0x0a) + 1
  if (!isLast || end === bytes.length) return end
  // The host writes the line break with the line; a file copied without its last one is complete all the same.
  return isWhole(bytes, end) ? bytes.length : end
}

/** Whether nothing but whole objects follows: the beginning of an object never ends where an object ends. */
function isWhole(bytes: Buffer, from: number): boolean {
  let at = skipSpace(bytes, from + skipMark(bytes.subarray(from), 0), bytes.length)
  while (at >= 0 && at < bytes.length) {
    at = skipObject(bytes, at, bytes.length)
    if (at >= 0) at = skipSpace(bytes, at, bytes.length)
  }
  return at >= 0
}

/** A byte order mark at the beginning of a file. */
function skipMark(bytes: Buffer, offset: number): number {
  return offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}
