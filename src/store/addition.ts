/** What one piece of a transcript adds to its session: the entries that neither the session nor its relatives hold yet. */
import { type ReadPiece, readPiece, settle, withoutKnown } from '../core/capture.ts'
import { withTombstones } from '../core/forget-record.ts'
import { redactorFor } from '../core/redact.ts'
import type { RefineOptions } from '../core/refine.ts'
import { type Entry, entryKey } from '../core/session.ts'
import { newCursor, type SessionState, storedIn } from '../core/state.ts'
import { formatStamp } from '../core/time.ts'
import { readFrom } from './cursor.ts'
import { behindAmong, knownOf, lostRelatives, parentIn } from './lineage.ts'
import type { Named, Roster } from './roster.ts'
import type { Store } from './store.ts'
import { readForgotten } from './tombstones.ts'
import { isHostTranscript } from './transcripts.ts'

/** What one piece of one file gave, and what was known before. */
export interface Reading {
  id: string
  transcript: string
  agent: string | null
  seen: SessionState
  read: ReadPiece
  /** Where the piece began, and how long the file is. */
  from: number
  size: number
  /** Everything before this position is read, or was never a whole line. */
  readAllUpTo: number
}

export interface Addition {
  session: SessionState
  fresh: number
  text: string
  /** Tool uses that count towards the next note. */
  work: number
  /** Recognised now, and their transcripts have grown: they must be read first. */
  relativesBehind: { session: string; transcript: string }[]
}

export function decideAddition(store: Store, roster: Roster, reading: Reading): Addition {
  const { id, agent, seen, read, from, size, readAllUpTo } = reading
  const after =
    agent === null ? { ...seen, ...read.cursor } : { ...seen, agents: { ...seen.agents, [agent]: read.cursor } }
  // The next start looks at it again.
  const { isDone: _, ...session }: SessionState = after
  // Settled entries only: what becomes of an open one depends on when it is read.
  const first = agent === null && (seen.head === '' || from === 0) ? read.entries[0] : undefined
  if (first !== undefined) roster.put(findLost(store, roster, reading, first))
  const { state } = roster
  if (first !== undefined) session.head ||= entryKey(first)
  const relatives = first === undefined ? [] : roster.relativesOf(id, session.head, first.ts)
  if (relatives.length > 0) session.knownUpTo = Math.max(size, session.knownUpTo ?? 0)
  const knownUpTo = agent === null ? session.knownUpTo : read.cursor.knownUpTo
  const isKnownHere = knownUpTo !== undefined && from <= knownUpTo
  const all = isKnownHere && first === undefined ? roster.relativesOf(id, session.head, '') : relatives
  const known = isKnownHere ? knownOf(store, state, id, session, all) : null
  const parent = known === null || agent !== null ? null : parentIn(known, state, id, read.entries)
  if (parent !== null) session.forkOf = { session: parent }
  const entries = known === null ? read.entries : withoutKnown(read.entries, known.entries)
  if (known !== null && readAllUpTo >= Number(knownUpTo)) delete (agent === null ? session : read.cursor).knownUpTo
  const settled = settle(session, withTombstones(entries, id, session.entries, readForgotten(store)))
  return {
    session: settled.session,
    fresh: entries.length,
    text: settled.text,
    work: settled.work,
    relativesBehind: behindAmong(relatives),
  }
}

/** The relatives that are there as session files alone. A relative's own entries are not older than the beginning that all of them share. */
function findLost(store: Store, { state, unnamedSince }: Roster, { seen, transcript }: Reading, first: Entry): Named[] {
  const files = unnamedSince(formatStamp(first.ts)).filter((file) => file !== seen.file)
  if (files.length === 0) return []
  const lost = lostRelatives(store, state, files, first, () => keysIn(store, transcript))
  return lost.filter(([id]) => storedIn(state, id) === undefined)
}

/** The keys of all settled entries of a transcript, which is read to its end. */
function keysIn(store: Store, transcript: string): Set<string> {
  const keys = new Set<string>()
  const { options } = refineOptions(store, transcript, null)
  for (let cursor = newCursor(transcript), isLast = false; !isLast; ) {
    const piece = readFrom(transcript, cursor.offset)
    const read = readPiece(cursor, piece, options)
    for (const entry of read.entries) keys.add(entryKey(entry))
    cursor = read.cursor
    isLast = piece.isLast
  }
  return keys
}

export function refineOptions(
  store: Store,
  transcript: string,
  agent: string | null,
): { options: RefineOptions; redactions: () => number } {
  const redact = redactorFor(store.config)
  let redactions = 0
  const clean = (text: string): string => {
    const { text: cleaned, count } = redact(text)
    redactions += count
    return cleaned
  }
  const options: RefineOptions = {
    outputChars: store.config.toolOutputChars as number,
    redact: clean,
    ...(agent === null ? {} : { agent }),
    ...(isHostTranscript(store.places.hostDir, transcript) ? {} : { isForeign: true }),
  }
  return { options, redactions: () => redactions }
}
