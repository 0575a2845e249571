/** What one piece of a transcript adds to its session: the entries that neither the session nor its relatives hold yet. */
import { type ReadPiece, readPiece, settle, withoutKnown } from '../core/capture.ts'
import { withTombstones } from '../core/forget-record.ts'
import { redactorFor } from '../core/redact.ts'
import type { RefineOptions } from '../core/refine.ts'
import { type Entry, entryKey } from '../core/session.ts'
import { allSessions, newCursor, type SessionState, type State, withSessions } from '../core/state.ts'
import { formatStamp } from '../core/time.ts'
import { readFrom } from './cursor.ts'
import { behindAmong, holderOf, knownOf, lostRelatives, type Named, parentIn, relativesOf } from './lineage.ts'
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
  /** Session files that the state did not name when capturing began. */
  unnamedFiles: () => readonly string[]
}

export interface Addition {
  session: SessionState
  /** With the relatives that were found as session files alone. */
  state: State
  fresh: number
  text: string
  /** Tool uses that count towards the next note. */
  work: number
  /** Recognised now, and their transcripts have grown: they must be read first. */
  relativesBehind: { session: string; transcript: string }[]
}

export function decideAddition(store: Store, before: State, reading: Reading): Addition {
  const { id, agent, seen, read, from, size, readAllUpTo } = reading
  const after =
    agent === null ? { ...seen, ...read.cursor } : { ...seen, agents: { ...seen.agents, [agent]: read.cursor } }
  // The next start looks at it again.
  const { isDone: _, ...session }: SessionState = after
  // Settled entries only: what becomes of an open one depends on when it is read.
  const first = agent === null && (seen.head === '' || from === 0) ? read.entries[0] : undefined
  const state = first === undefined ? before : withLostRelatives(store, before, reading, first)
  if (first !== undefined) session.head ||= entryKey(first)
  const summaries = agent === null ? read.entries.filter(({ role }) => role === 'summary') : []
  const heads = summaries.map(entryKey)
  const family = (begun: string): Named[] => relativesOf(state, id, [session.head, ...heads], begun)
  // A fork that begins with one of these summaries is not older than the summary.
  const relatives = first !== undefined ? family(first.ts) : relativesOf(state, id, heads, summaries[0]?.ts ?? '')
  const holder = first?.role === 'summary' ? holderOf(store, state, id, first) : null
  if (holder !== null) session.forkOf ??= { session: holder[0] }
  if (relatives.length > 0 || holder !== null) session.knownUpTo = Math.max(size, session.knownUpTo ?? 0)
  const knownUpTo = agent === null ? session.knownUpTo : read.cursor.knownUpTo
  const isKnownHere = knownUpTo !== undefined && from <= knownUpTo
  const known = isKnownHere ? knownOf(store, state, id, session, first === undefined ? family('') : relatives) : null
  const parent = known === null || agent !== null ? null : parentIn(known, state, id, read.entries)
  if (parent !== null) session.forkOf = { session: parent }
  const entries = known === null ? read.entries : withoutKnown(read.entries, known.entries)
  if (known !== null && readAllUpTo >= Number(knownUpTo)) delete (agent === null ? session : read.cursor).knownUpTo
  const settled = settle(session, withTombstones(entries, id, session.entries, readForgotten(store)))
  return {
    session: settled.session,
    state,
    fresh: entries.length,
    text: settled.text,
    work: settled.work,
    // Which session a summary was written in is only known once all of them are read to their ends.
    relativesBehind: behindAmong(first?.role === 'summary' ? others(state, id) : relatives),
  }
}

function others(state: State, id: string): Named[] {
  return allSessions(state).filter(([other]) => other !== id)
}

/** The state, with the relatives that are there as session files alone. */
function withLostRelatives(store: Store, state: State, reading: Reading, first: Entry): State {
  // A relative's own entries are not older than the beginning that all of them share. Whoever holds a summary is older than it.
  const begun = first.role === 'summary' ? '' : formatStamp(first.ts)
  const later = reading.unnamedFiles().filter((file) => file >= begun)
  if (later.length === 0) return state
  const known = { ...state.settled?.since(begun), ...state.sessions }
  const named = new Set([reading.seen.file, ...Object.values(known).map(({ file }) => file)])
  const files = later.filter((file) => !named.has(file))
  if (files.length === 0) return state
  const lost = lostRelatives(store, state, files, first, () => keysIn(store, reading.transcript))
  const added = lost.filter(([id]) => known[id] === undefined)
  return added.length === 0 ? state : withSessions(state, added)
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
