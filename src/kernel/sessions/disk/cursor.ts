/** Determines where to continue reading a transcript: the same file grown or moved, a replaced file from its beginning, or a session file that lost its end. */
import path from 'node:path'
import { notedIn } from '../../memory/disk/rebuild.ts'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { type Cursor, newCursor, newSession, type SessionState } from '../../memory/session-state.ts'
import { openToRead, readPart, sizeOf, statOf } from '../../platform/disk/files.ts'
import { plainId8 } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { EMPTY_REFINE_STATE } from '../../transcript/refine-state.ts'
import { parseSession } from '../../transcript/session.ts'
import type { Piece } from '../capture.ts'
import { isPacked, readSessionBytes, sessionFileState } from './session-archive.ts'
import { listAgents } from './transcripts.ts'

/** The size of one piece: it is read, decided and written before the lock is released. */
export const PIECE_BYTES = 4 * 1024 * 1024
/** A longer line is not a line of a transcript. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
export const ANCHOR_BYTES = 256

/** If the file is the same (grown or moved), reading continues. If it shrank or was replaced, it starts again without repeating known entries. */
export function recogniseFile<T extends Cursor>(cursor: T, file: string, size: number): T {
  const isSame = cursor.offset === 0 || (size >= cursor.offset && anchorAt(file, cursor.offset) === cursor.anchor)
  return isSame ? { ...cursor, transcript: file } : fromBeginning(cursor, file)
}

/** Fingerprint of the bytes before a position. */
export function anchorAt(file: string, offset: number): string {
  const from = Math.max(0, offset - ANCHOR_BYTES)
  const bytes = readPart(file, from, offset - from)
  return bytes === null ? '' : anchorOf(bytes, bytes.length)
}

export function anchorOf(bytes: Buffer, offset: number): string {
  return fingerprint(bytes.toString('latin1', Math.max(0, offset - ANCHOR_BYTES), offset))
}

/** At least one whole line, however long. The bytes are valid until the next piece is read, of whatever file. */
export function readFrom(file: string, offset: number): Piece {
  const opened = openToRead(file)
  if (opened === null) return { bytes: Buffer.alloc(0), isLast: true }
  try {
    for (let length = PIECE_BYTES; ; length *= 4) {
      const into = roomFor(Math.min(length, Math.max(0, opened.size() - offset)))
      const bytes = into.subarray(0, opened.read(into, offset))
      if (bytes.length < length) return { bytes, isLast: true }
      if (bytes.includes(0x0a)) return { bytes, isLast: false }
      if (length < LONGEST_LINE_BYTES) continue
      // No line ever ends here: passed over, and counted as unreadable.
      bytes[bytes.length - 1] = 0x0a
      return { bytes, isLast: false }
    }
  } finally {
    opened.close()
  }
}

/** Used again for every piece: memory of its own for each costs more than reading, and stays until it is collected. */
let room = Buffer.alloc(0)

function roomFor(length: number): Buffer {
  if (length > PIECE_BYTES) return Buffer.allocUnsafeSlow(length)
  if (room.length < length) room = Buffer.allocUnsafeSlow(length > PIECE_BYTES / 4 ? PIECE_BYTES : PIECE_BYTES / 4)
  return room.subarray(0, length)
}

/** A session that the state does not know may already have a file (lost state, restored files): its transcript is read again without repeating entries. */
export function adoptSession(
  store: Store,
  session: string,
  transcript: string,
  fileOf: (id8: string) => string | undefined,
): SessionState {
  const file = fileOf(plainId8(session))
  return file === undefined ? newSession(transcript) : adoptFile(store, file, transcript)
}

/** The state of a session of which only the file exists: its transcript is read again from the beginning, and what has a note gets no other. */
export function adoptFile(store: Store, file: string, transcript: string): SessionState {
  const session = recount(store, { ...newSession(transcript), file })
  const watermark = Math.min(notedIn(store.dir)(file), session.entries)
  return allFromBeginning({ ...session, watermark }, transcript)
}

/** If the session file lacks content that the state counts, the transcript is read again. */
export function soundSession(store: Store, session: SessionState, transcript: string): SessionState {
  // It is about to be written: a compressed file is checked as a whole.
  const isReadable = !isPacked(store.dir, session.file) || readSessionBytes(store.dir, session.file) !== null
  return isReadable && isSound(store, session) ? session : readAgain(store, session, transcript)
}

/** The session with what its file contains now: its transcript is read again from the beginning, without repeating entries. */
export function readAgain(store: Store, session: SessionState, transcript: string): SessionState {
  return allFromBeginning(recount(store, session), transcript)
}

/** Checks that a line ends at the last settled byte. For a compressed file it checks the length only. */
export function isSound(store: Store, session: SessionState): boolean {
  if (session.file === '' || session.bytes === 0) return true
  if (isPacked(store.dir, session.file)) {
    const packed = sessionFileState(store.dir, session.file)
    return packed?.isWhole === true && packed.size >= session.bytes
  }
  const file = path.join(store.dir, sessionPath(session.file))
  const last = readPart(file, session.bytes - 1, 1)
  return session.entries > 0 && last?.[0] === 0x0a && statOf(file)?.kind === 'file'
}

/** Counts the actual content of the session file. A link is not a session file. */
function recount(store: Store, session: SessionState): SessionState {
  const bytes = readSessionBytes(store.dir, session.file)
  // One character per byte: damaged bytes must not change the count.
  const text = bytes?.toString('latin1') ?? ''
  const lines = text.split('\n').slice(0, -1)
  while (lines.length > 0 && /"open":true\}$/.test(lines.at(-1) ?? '')) lines.pop()
  const settled = lines.map((line) => `${line}\n`).join('')
  const tools = parseSession(Buffer.from(settled, 'latin1').toString('utf8')).entries.filter(
    (entry) => entry.role === 'tool',
  ).length
  // The watermark stays: entries that are read again get the same numbers, and notes already cover them.
  return { ...session, entries: lines.length, bytes: settled.length, tools }
}

/** Includes the subagents, whose entries are in the same file. */
function allFromBeginning(session: SessionState, transcript: string): SessionState {
  const agents = { ...session.agents }
  for (const { id, path: file } of listAgents(transcript)) agents[id] ??= newCursor(file)
  const anew = Object.entries(agents).map(([id, cursor]) => [id, fromBeginning(cursor, cursor.transcript)])
  return { ...fromBeginning(session, transcript), agents: Object.fromEntries(anew) }
}

/** Everything up to the previous offset or the current end counts as known: the file may be in the middle of a rewrite. */
function fromBeginning<T extends Cursor>(cursor: T, file: string): T {
  const knownUpTo = Math.max(sizeOf(file) ?? 0, cursor.offset, cursor.knownUpTo ?? 0)
  return { ...cursor, transcript: file, offset: 0, anchor: '', refine: EMPTY_REFINE_STATE, knownUpTo }
}
