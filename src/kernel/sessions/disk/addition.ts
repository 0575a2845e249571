/** Decides what one piece of a transcript adds to its session: the entries that neither the session nor its relatives contain yet. */

import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { newCursor, type SessionState } from '../../memory/session-state.ts'
import { allSessions, type State, storedIn } from '../../memory/state.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { id8sOf, sessionFile } from '../../platform/layout.ts'
import { formatStamp } from '../../platform/time.ts'
import { type Redactor, redactorFor } from '../../redact/redact.ts'
import { endOfReport } from '../../transcript/agent-report.ts'
import type { RefineOptions } from '../../transcript/refine.ts'
import { type Entry, entryKey, parseEntry } from '../../transcript/session.ts'
import { isNewKind, type ReadPiece, readPiece, renderOpen, settle, withoutKnown } from '../capture.ts'
import { withTombstones } from '../forget-record.ts'
import { pauseTest } from '../pause.ts'
import { readFrom } from './cursor.ts'
import { behindAmong, holderOfSummary, knownOf, lostRelatives, type Named, parentIn, type Roster } from './lineage.ts'
import { readPauses } from './pause.ts'
import { sessionFileState, unpackEffects } from './session-archive.ts'
import { isHostTranscript, listAgents, sessionIdOf } from './transcripts.ts'

/** The result of reading one piece of one file, and the state before. */
interface Reading {
  id: string
  transcript: string
  agent: string | null
  seen: SessionState
  read: ReadPiece
  /** The position of the piece, and the length of the file. */
  from: number
  size: number
  /** Everything before this position is read, or was never a complete line. */
  readAllUpTo: number
}

interface Addition {
  session: SessionState
  fresh: number
  text: string
  /** Tool uses that count towards the next note. */
  work: number
  /** Newly recognised relatives whose transcripts have grown: they must be read first. */
  relativesBehind: { session: string; transcript: string }[]
}

export function decideAddition(store: Store, roster: Roster, reading: Reading): Addition {
  const { id, agent, seen, read, from, size, readAllUpTo } = reading
  const after =
    agent === null ? { ...seen, ...read.cursor } : { ...seen, agents: { ...seen.agents, [agent]: read.cursor } }
  // The next session start checks it again.
  const { isDone: _, ...session }: SessionState = after
  // Settled entries only: the outcome of an open entry depends on when it is read.
  const first = agent === null && (seen.head === '' || from === 0) ? read.entries[0] : undefined
  if (first !== undefined) roster.put(findLost(store, roster, reading, first))
  const { state } = roster
  if (first !== undefined) session.head ||= entryKey(first)
  const summaries = agent === null ? read.entries.filter(({ role }) => role === 'summary') : []
  const heads = [...summaries, ...(first === undefined ? [] : olderHeads(read))].map(entryKey)
  const family = (begun: string): Named[] => roster.relativesOf(id, [session.head, ...heads], begun)
  // A fork that begins with one of these summaries is not older than the summary.
  const relatives = first !== undefined ? family(first.ts) : roster.relativesOf(id, heads, summaries[0]?.ts ?? '')
  const holder = first?.role === 'summary' ? holderOfSummary(store, state, id, first) : null
  if (holder !== null) session.forkOf ??= { session: holder[0] }
  if (relatives.length > 0 || holder !== null) session.knownUpTo = Math.max(size, session.knownUpTo ?? 0)
  const knownUpTo = agent === null ? session.knownUpTo : read.cursor.knownUpTo
  const isKnownHere = knownUpTo !== undefined && from <= knownUpTo
  const known = isKnownHere ? knownOf(store, state, id, session, first === undefined ? family('') : relatives) : null
  const parent = known === null || agent !== null ? null : parentIn(known, state, id, read.entries)
  if (parent !== null) session.forkOf = { session: parent }
  const entries = known === null ? read.entries : withoutKnown(read.entries, known.entries)
  if (known !== null && readAllUpTo >= Number(knownUpTo)) delete (agent === null ? session : read.cursor).knownUpTo
  const settled = settle(session, withTombstones(entries, id, session.entries, roster.forgotten()))
  return {
    session: settled.session,
    fresh: entries.length,
    text: settled.text,
    work: settled.work,
    // All sessions must be read to their ends before it is known which of them contains the summary.
    relativesBehind: behindAmong(first?.role === 'summary' ? others(state, id) : relatives),
  }
}

/** What the same transcript begins with for a version before 0.7: it stored the orphans, and nothing of some lines. */
function olderHeads({ entries, orphans }: ReadPiece): Entry[] {
  const head = entries.slice(0, entries.findIndex((entry) => !isNewKind(entry)) + 1)
  return [...orphans, ...(head.length > 1 ? head : [])]
}

function others(state: State, id: string): Named[] {
  return allSessions(state).filter(([other]) => other !== id)
}

/** Relatives that exist only as session files. */
function findLost(store: Store, { state, unnamedSince }: Roster, { seen, transcript }: Reading, first: Entry): Named[] {
  // A relative's own entries are not older than the shared beginning. The session that contains a summary is older than the summary.
  const begun = first.role === 'summary' ? '' : formatStamp(first.ts)
  const files = unnamedSince(begun).filter((file) => file !== seen.file)
  if (files.length === 0) return []
  const lost = lostRelatives(
    store,
    state,
    files,
    first,
    () => new Set([...entriesInTranscript(store, transcript)].map(entryKey)),
  )
  return lost.filter(([id]) => storedIn(state, id) === undefined)
}

/** All settled entries of a transcript; reads it to its end. */
export function* entriesInTranscript(store: Store, transcript: string): Generator<Entry> {
  const { options } = refineOptions(store, transcript, null)
  for (let cursor = newCursor(transcript), isLast = false; !isLast; ) {
    const piece = readFrom(transcript, cursor.offset)
    const read = readPiece(cursor, piece, options)
    yield* read.entries
    cursor = read.cursor
    isLast = piece.isLast
  }
}

export function refineOptions(
  store: Store,
  transcript: string,
  agent: string | null,
): { options: RefineOptions; redactions: () => number } {
  const redact = redactorOf(store)
  let redactions = 0
  const clean: RefineOptions['redact'] = (text, printed) => {
    const { text: cleaned, count } = redact(text, printed)
    redactions += count
    return cleaned
  }
  const options: RefineOptions = {
    outputChars: store.config.toolOutputChars,
    redact: clean,
    ...(agent === null ? {} : { agent }),
    ...(isHostTranscript(store.places.hostDir, transcript) ? {} : { isForeign: true }),
    isInOwnFile: (one, report) => isAgentsLast(transcript, one, report),
    isPaused: pauseTest(readPauses(store.places), sessionIdOf(transcript)),
  }
  return { options, redactions: () => redactions }
}

/** After the last text the host may write some lines of its own. */
const AGENT_END_BYTES = 256 * 1024

/** Whether the own transcript of an agent ends with this report: then it is stored with the agent's entries. */
function isAgentsLast(transcript: string, id: string, report: string): boolean {
  const file = listAgents(transcript).find((agent) => agent.id === id)?.path
  const size = file === undefined ? null : sizeOf(file)
  if (file === undefined || size === null) return false
  const from = Math.max(0, size - AGENT_END_BYTES)
  return readPart(file, from, size - from)?.includes(endOfReport(report)) === true
}

const redactors = new WeakMap<Store['config'], Redactor>()

/** Made once: an import asks for every transcript. */
function redactorOf({ config }: Store): Redactor {
  const known = redactors.get(config) ?? redactorFor(config)
  redactors.set(config, known)
  return known
}

/** Writes the session file behind its settled entries: the new entries, then the open ones. */
export function writeSession(
  store: Store,
  roster: Roster,
  id: string,
  seen: SessionState,
  session: SessionState,
  text: string,
  now: () => string,
): { session: SessionState; effects: Effect[]; isChanged: boolean } {
  const open = renderOpen(session)
  const isNew = session.file === '' && (text !== '' || open !== '')
  const named = isNew ? { ...session, file: newFile(roster, id, text || open, now) } : session
  const isChanged = isNew || JSON.stringify(named) !== JSON.stringify(seen)
  // No file on disk has the name of a new one.
  const onDisk = isNew ? 0 : (sessionFileState(store.dir, named.file)?.size ?? 0)
  const isStale = onDisk !== named.bytes + Buffer.byteLength(open)
  const effects: Effect[] =
    named.file !== '' && (text !== '' || isStale || isChanged)
      ? [
          // A compressed session that continues is unpacked.
          ...(isNew ? [] : unpackEffects(store.dir, named.file)),
          { do: 'appendAt', path: sessionPath(named.file), at: seen.bytes, text: text + open },
        ]
      : []
  return { session: named, effects, isChanged }
}

/** `YYYYMMDD_HHMMSS_<id8>`, from the time of the first entry. Two sessions never share an id8. */
function newFile(roster: Roster, session: string, text: string, now: () => string): string {
  let id8 = ''
  for (id8 of id8sOf(session)) if (!roster.isTaken(id8)) break
  return sessionFile(firstTime(text) || now(), id8)
}

/** A forgotten entry has no time. */
function firstTime(text: string): string {
  for (let at = 0, end = text.indexOf('\n'); end >= 0; at = end + 1, end = text.indexOf('\n', at)) {
    const entry = parseEntry(text.slice(at, end))
    if (entry !== null && entry.role !== 'tombstone') return entry.ts
  }
  return ''
}
