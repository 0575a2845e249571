/** Where reading of a transcript goes on: the same file grown or moved, a replaced one from its beginning, a session file that lost its end. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { type Cursor, newCursor, newSession, type SessionState } from '../../memory/session-state.ts'
import { readPart, sizeOf, statOf } from '../../platform/disk/files.ts'
import { plainId8 } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { EMPTY_REFINE_STATE } from '../../transcript/refine.ts'
import { parseSession } from '../../transcript/session.ts'
import type { Piece } from '../capture.ts'
import { isPacked, readSessionBytes, sessionFacts } from './session-archive.ts'
import { listAgents } from './transcripts.ts'

/** One piece: what is read, decided and written before the lock is let go. */
export const PIECE_BYTES = 4 * 1024 * 1024
/** A line longer than this is no line of a transcript. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
const ANCHOR_BYTES = 256

/** Same file, grown or moved: go on. Shrunk or replaced: from the beginning, without telling again what is known. */
export function recogniseFile<T extends Cursor>(cursor: T, file: string, size: number): T {
  const isSame = cursor.offset === 0 || (size >= cursor.offset && anchorAt(file, cursor.offset) === cursor.anchor)
  return isSame ? { ...cursor, transcript: file } : fromBeginning(cursor, file)
}

/** Fingerprint of the bytes just before a position. */
export function anchorAt(file: string, offset: number): string {
  const from = Math.max(0, offset - ANCHOR_BYTES)
  const bytes = readPart(file, from, offset - from)
  return bytes === null ? '' : anchorOf(bytes, bytes.length)
}

export function anchorOf(bytes: Buffer, offset: number): string {
  return fingerprint(bytes.toString('latin1', Math.max(0, offset - ANCHOR_BYTES), offset))
}

/** At least one whole line, however long. */
export function readFrom(file: string, offset: number): Piece {
  for (let length = PIECE_BYTES; ; length *= 4) {
    const bytes = readPart(file, offset, length)
    if (bytes === null) return { bytes: Buffer.alloc(0), isLast: true }
    if (bytes.length < length) return { bytes, isLast: true }
    if (bytes.includes(0x0a)) return { bytes, isLast: false }
    if (length < LONGEST_LINE_BYTES) continue
    // No line ever ends here: passed over, and counted as unreadable.
    bytes[bytes.length - 1] = 0x0a
    return { bytes, isLast: false }
  }
}

/** A session that the state does not know may have its file already (lost state, restored files): it is gone through again, not told again. */
export function adoptSession(
  store: Store,
  session: string,
  transcript: string,
  fileOf: (id8: string) => string | undefined,
): SessionState {
  const file = fileOf(plainId8(session))
  return file === undefined ? newSession(transcript) : adoptFile(store, file, transcript)
}

/** The state of a session that has its file and nothing else: its transcript is read again from the beginning. */
export function adoptFile(store: Store, file: string, transcript: string): SessionState {
  return allFromBeginning(recount(store, { ...newSession(transcript), file }), transcript)
}

/** The session file must hold what the state says; if it was cut, everything is gone through again. */
export function soundSession(store: Store, session: SessionState, transcript: string): SessionState {
  // It is about to be written: a compressed one is looked at as a whole.
  const isReadable = !isPacked(store.dir, session.file) || readSessionBytes(store.dir, session.file) !== null
  return isReadable && isSound(store, session) ? session : allFromBeginning(recount(store, session), transcript)
}

/** As far as a look at the last settled byte tells: a line ends there. Of a compressed one, as far as its length tells. */
export function isSound(store: Store, session: SessionState): boolean {
  if (session.file === '' || session.bytes === 0) return true
  if (isPacked(store.dir, session.file)) {
    const packed = sessionFacts(store.dir, session.file)
    return packed?.isWhole === true && packed.size >= session.bytes
  }
  const file = path.join(store.dir, sessionPath(session.file))
  const last = readPart(file, session.bytes - 1, 1)
  return session.entries > 0 && last?.[0] === 0x0a && statOf(file)?.kind === 'file'
}

/** Counts what the session file really holds. A link is no session file. */
function recount(store: Store, session: SessionState): SessionState {
  const bytes = readSessionBytes(store.dir, session.file)
  // One character for one byte: damaged ones must not change the count.
  const text = bytes?.toString('latin1') ?? ''
  const lines = text.split('\n').slice(0, -1)
  while (lines.length > 0 && /"open":true\}$/.test(lines.at(-1) ?? '')) lines.pop()
  const settled = lines.map((line) => `${line}\n`).join('')
  const tools = parseSession(Buffer.from(settled, 'latin1').toString('utf8')).entries.filter(
    (entry) => entry.role === 'tool',
  ).length
  // The watermark stays: what is read again gets the numbers it had, and is told already.
  return { ...session, entries: lines.length, bytes: settled.length, tools }
}

/** With its subagents, whose entries stand in the same file. */
function allFromBeginning(session: SessionState, transcript: string): SessionState {
  const agents = { ...session.agents }
  for (const { id, path: file } of listAgents(transcript)) agents[id] ??= newCursor(file)
  const anew = Object.entries(agents).map(([id, cursor]) => [id, fromBeginning(cursor, cursor.transcript)])
  return { ...fromBeginning(session, transcript), agents: Object.fromEntries(anew) }
}

/** Known is all up to where it was read before, or ends now: a file may be caught while it is written anew. */
function fromBeginning<T extends Cursor>(cursor: T, file: string): T {
  const knownUpTo = Math.max(sizeOf(file) ?? 0, cursor.offset, cursor.knownUpTo ?? 0)
  return { ...cursor, transcript: file, offset: 0, anchor: '', refine: EMPTY_REFINE_STATE, knownUpTo }
}
