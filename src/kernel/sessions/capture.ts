/** Decides what one piece of a transcript adds to its session, as data: the entries to append, and the state afterwards. */

import type { Cursor, SessionState } from '../memory/session-state.ts'
import { theAgent } from '../transcript/agent.ts'
import { openEntries } from '../transcript/open-entries.ts'
import { type RefineOptions, refine } from '../transcript/refine.ts'
import { queuedEntry } from '../transcript/refine-open.ts'
import type { QueuedText } from '../transcript/refine-state.ts'
import { skipObject, skipSpace } from '../transcript/scan.ts'
import { type Entry, entryKey, formatEntry, isOurs, type Tombstone } from '../transcript/session.ts'
import type { TranscriptLine } from '../transcript/transcript.ts'

/** For each known entry, how often it may occur again before it counts as new. */
export type KnownEntries = Map<string, number>

export interface Piece {
  bytes: Buffer
  /** The transcript ends with these bytes, so that a last line without a line break may be complete. */
  isLast: boolean
}

export interface ReadPiece {
  entries: Entry[]
  /** Entries that versions before 0.7 stored, and this one leaves out. */
  orphans: Entry[]
  cursor: Cursor
  badLines: number
}

/** Reads the complete lines of a piece; the rest waits for the next piece. The caller sets the new anchor. */
export function readPiece(cursor: Cursor, piece: Piece, options: RefineOptions): ReadPiece {
  const end = endOfLines(piece)
  const parse = theAgent().createLineParser(piece.bytes)
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
  const { entries, orphans, state } = refine(cursor.refine, lines, options)
  return { entries, orphans, badLines, cursor: { ...cursor, offset: cursor.offset + end, refine: state } }
}

/**
 * Returns the entries that are not known yet, and removes the others from `known`. Versions before 0.7 stored no interruptions: one
 * before an entry that they stored would now come behind it, so that it is left out.
 */
export function withoutKnown(entries: readonly Entry[], known: KnownEntries): Entry[] {
  const isKnown = entries.map((entry) => {
    const key = entryKey(entry)
    const left = known.get(key) ?? 0
    if (left > 0) known.set(key, left - 1)
    return left > 0
  })
  const last = isKnown.lastIndexOf(true)
  return entries.filter((entry, i) => !(isKnown[i] || (i < last && isNewKind(entry))))
}

/** Entries of lines of which versions before 0.7 stored nothing. */
export function isNewKind(entry: Entry): boolean {
  if (entry.role === 'subagent') return 'report' in entry
  return entry.role === 'user' && (entry.via === 'interrupt' || entry.plan === true || entry.via === 'ExitPlanMode')
}

export function knownEntries(entries: Iterable<Parameters<typeof entryKey>[0]>): KnownEntries {
  const known: KnownEntries = new Map()
  for (const entry of entries) {
    const key = entryKey(entry)
    known.set(key, (known.get(key) ?? 0) + 1)
  }
  return known
}

/** Returns the session with these entries settled. */
export function settle(
  session: SessionState,
  entries: readonly (Entry | Tombstone)[],
): { session: SessionState; text: string; work: number } {
  let [text, tools, work] = ['', 0, 0]
  for (const entry of entries) {
    text += formatEntry(entry)
    if (entry.role !== 'tool') continue
    tools++
    if (!isOurs(entry)) work++
  }
  return {
    text,
    work,
    session: {
      ...session,
      entries: session.entries + entries.length,
      bytes: session.bytes + Buffer.byteLength(text),
      tools: session.tools + tools,
    },
  }
}

/**
 * Settles what waits in the host's queue: the host has ended, and nothing will take it from there. A line of its own may still follow
 * when the session goes on, and is not stored again then. `known`: the keys of the session's entries. Null: nothing waits.
 */
export function settleQueue(
  session: SessionState,
  known: ReadonlySet<string>,
): { session: SessionState; text: string } | null {
  const { refine } = session
  const waiting = refine.queue.filter(isWaiting)
  if (waiting.length === 0) return null
  const entries = waiting.map(queuedEntry).filter((entry) => !known.has(entryKey(entry)))
  const queue = refine.queue.map((one) => (isWaiting(one) ? { ...one, at: 'told' as const, since: refine.ts } : one))
  return settle({ ...session, refine: { ...refine, queue } }, entries)
}

function isWaiting({ at, text }: QueuedText): boolean {
  return at !== 'told' && text !== ''
}

/** The open entries that follow the settled ones in the session file. */
export function renderOpen(session: SessionState): string {
  const agents = Object.entries(session.agents).flatMap(([, cursor]) => openEntries(cursor.refine))
  return [...openEntries(session.refine), ...agents].map(formatEntry).join('')
}

/** The position behind the last complete line. */
function endOfLines({ bytes, isLast }: Piece): number {
  const end = bytes.lastIndexOf(0x0a) + 1
  if (!isLast || end === bytes.length) return end
  // The host writes the line break with the line; a file copied without its last line break is complete all the same.
  return isWhole(bytes, end) ? bytes.length : end
}

/** Whether only complete objects follow: an incomplete object never ends where an object ends. */
function isWhole(bytes: Buffer, from: number): boolean {
  let at = skipSpace(bytes, from + skipMark(bytes.subarray(from), 0), bytes.length)
  while (at >= 0 && at < bytes.length) {
    at = skipObject(bytes, at, bytes.length)
    if (at >= 0) at = skipSpace(bytes, at, bytes.length)
  }
  return at >= 0
}

/** Skips a byte order mark at the beginning of a file. */
function skipMark(bytes: Buffer, offset: number): number {
  return offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}
