/** Capture: reads the new part of transcripts and appends it to their sessions in bounded pieces. No entry is lost or stored twice. */

import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { newCursor, type SessionState } from '../../memory/session-state.ts'
import { type State, sessionIn, storedIn, withSessions } from '../../memory/state.ts'
import { codeOf, isBusy, sizeOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { fingerprintOfWords } from '../../text/fingerprint.ts'
import { expectAnswer } from '../../transcript/refine.ts'
import { readPiece, renderOpen } from '../capture.ts'
import { decideAddition, refineOptions, writeSession } from './addition.ts'
import {
  ANCHOR_BYTES,
  adoptSession,
  anchorAt,
  anchorOf,
  isSound,
  PIECE_BYTES,
  readFrom,
  recogniseFile,
  soundSession,
} from './cursor.ts'
import { openRoster, type Roster } from './lineage.ts'
import { sessionFileState } from './session-archive.ts'
import { agentPath, listAgents, type TranscriptFile } from './transcripts.ts'

export interface Source {
  session: string
  transcript: string
  /** The last answer as reported by the Stop hook: the transcript may lag behind. */
  answer?: string
  /** A hook saw the session; the process id of the host, or 0 if unknown. */
  host?: number
  /** This is the session's last event. */
  isEnd?: boolean
  /** Imported history: its tool uses do not make a note due. */
  isHistory?: boolean
}

export interface CaptureOptions {
  waitMs: number
  now: () => string
  /** Checked between pieces. */
  isLate?: () => boolean
  onProgress?: (done: number, of: number) => void
  /** How much is read before the state is written and the lock let go; else one piece. Where nobody waits, more is faster. */
  commitBytes?: number
}

/** For commands and the finisher: a hook that wants the lock gets it in time. */
export const COMMIT_BYTES = 4 * PIECE_BYTES

export interface Captured {
  /** Sessions with new entries. */
  sessions: number
  entries: number
  bytesIn: number
  badLines: number
  redactions: number
  /** Nothing is left to read. */
  complete: boolean
}

export const NOTHING_CAPTURED: Captured = {
  sessions: 0,
  entries: 0,
  bytesIn: 0,
  badLines: 0,
  redactions: 0,
  complete: true,
}

/** Captures one session's transcript and those of its subagents, as far as time allows. */
export function captureSession(store: Store, source: Source, options: CaptureOptions): Captured {
  return isUpToDate(store, source) ? NOTHING_CAPTURED : captureAll(store, [source], options)
}

/** One part of one session: its own transcript, or that of a subagent. */
interface Part {
  source: Source
  agent: string | null
  /** The sessions with the same beginning have already been read to their ends. */
  areRelativesRead?: true
}

/**
 * Captures many sessions. Small sessions up to the size of a piece are written together, since the state is written as a whole. If the
 * system refuses to read or write one, the others are still captured; the first error is thrown at the end.
 */
export function captureAll(store: Store, sources: readonly Source[], options: CaptureOptions): Captured {
  const refusals: unknown[] = []
  const capture = (): Captured => captureEach(store, sources, options, refusals)
  const total = sources.length > MANY ? withLittleGarbage(capture) : capture()
  if (refusals.length > 0) throw refusals[0]
  return total
}

/** With so many sessions, every written state leaves megabytes of garbage. */
const MANY = 500

/** V8 lets the heap grow to several times what is in use before it collects garbage. Collecting earlier took no measurable time. */
function withLittleGarbage<T>(work: () => T): T {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--heap-growing-percent=60')
  try {
    return work()
  } finally {
    // Zero is V8's own choice. Code compiled under other flags would not be accepted from our cache.
    setFlagsFromString('--heap-growing-percent=0')
  }
}

function captureEach(store: Store, sources: readonly Source[], options: CaptureOptions, refusals: unknown[]): Captured {
  const total = { ...NOTHING_CAPTURED }
  const waiting: Part[] = sources.map((source) => ({ source, agent: null }))
  const gained = new Set<string>()
  while (waiting.length > 0) {
    const done = store.whileLocked(options.waitMs, () => captureParts(store, waiting, options, refusals))
    if (done === null) return { ...total, complete: false }
    for (const step of done.value) {
      total.entries += step.entries
      total.bytesIn += step.bytesIn
      total.badLines += step.badLines
      total.redactions += step.redactions
      if (step.bytesIn > 0 || step.entries > 0) gained.add(step.session)
    }
    total.sessions = gained.size
    options.onProgress?.(sources.length - waiting.filter((part) => part.agent === null).length, sources.length)
    if (waiting.length > 0 && options.isLate?.()) return { ...total, complete: false }
  }
  return total
}

/**
 * Takes parts from `waiting` until a piece is full; unfinished parts go back to the front. Session files are written first and
 * the state last: after a kill in between, all of it is repeated.
 */
function captureParts(store: Store, waiting: Part[], options: CaptureOptions, refusals: unknown[]): Step[] {
  const steps: Step[] = []
  const roster = openRoster(store)
  for (let bytes = 0; bytes < (options.commitBytes ?? PIECE_BYTES) && waiting.length > 0; ) {
    const part = waiting.shift() as Part
    const step = unlessRefusedBy(refusals, () => captureOnce(store, roster, part, options))
    if (step === null) continue
    if (!part.areRelativesRead && step.relativesBehind.length > 0) {
      // The shared entries of a fork belong to the session it continues, which must store them first.
      const relatives = step.relativesBehind.map((source): Part => ({ source, agent: null, areRelativesRead: true }))
      waiting.unshift(...relatives, { ...part, areRelativesRead: true })
      continue
    }
    if (step.first !== null) store.perform([stateEffect(withSessions(roster.state, [[step.session, step.first]]))])
    const isWritten = unlessRefusedBy(refusals, () => {
      store.perform(step.effects)
      return true
    })
    // The state is unchanged: the session is read again later.
    if (isWritten === null) continue
    steps.push(step)
    if (step.after !== null) {
      roster.put([[step.session, step.after]])
      roster.addWork(step.work)
    }
    bytes += step.bytesIn
    if (step.isAtEnd) waiting.unshift(...step.agentsBehind.map((agent) => ({ source: part.source, agent })))
    else waiting.unshift(part)
  }
  if (roster.isChanged) store.perform([stateEffect(roster.state)])
  return steps
}

/** Null: the system refuses it. On Windows a file may be in use for a moment: then the error is thrown, and all of it is repeated later. */
function unlessRefusedBy<T>(refusals: unknown[], work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (isBusy(error) || !/^E[A-Z]+$/.test(codeOf(error))) throw error
    refusals.push(error)
    return null
  }
}

interface Step {
  session: string
  /** Null: nothing changed. */
  after: SessionState | null
  /** Tool uses that count towards the next note. */
  work: number
  effects: Effect[]
  entries: number
  bytesIn: number
  badLines: number
  redactions: number
  isAtEnd: boolean
  agentsBehind: string[]
  /** The state to write before the session file, so that a kill in between can be recognised. */
  first: SessionState | null
  /** Newly recognised sessions with the same beginning whose transcripts have grown. */
  relativesBehind: readonly Source[]
}

/** Reads one piece of one file and decides what it adds. */
function captureOnce(store: Store, roster: Roster, { source, agent }: Part, options: CaptureOptions): Step {
  const file = agent === null ? source.transcript : agentPath(source.transcript, agent)
  const size = sizeOf(file) ?? 0
  const { session: id, transcript } = source
  const known = sessionIn(roster.state, id) ?? adoptSession(store, id, transcript, roster.fileOf)
  const seen = soundSession(store, known, source.transcript)
  const cursor = recogniseFile(agent === null ? seen : (seen.agents[agent] ?? newCursor(file)), file, size)
  const piece = readFrom(file, cursor.offset)
  const refining = refineOptions(store, source.transcript, agent)
  const read = readPiece(cursor, piece, refining.options)
  if (agent === null && source.answer && piece.isLast) {
    read.cursor.refine = expectAnswer(read.cursor.refine, source.answer, options.now(), refining.options.redact)
  }
  const bytesIn = read.cursor.offset - cursor.offset
  // The bytes before the new position are still here, unless the piece is short or its last line was ended by force.
  const isHere = piece.isLast && (cursor.offset === 0 || bytesIn >= ANCHOR_BYTES)
  if (bytesIn > 0) read.cursor.anchor = isHere ? anchorOf(piece.bytes, bytesIn) : anchorAt(file, read.cursor.offset)

  // All complete lines are read: the rest of the file is an unfinished line that has not been read before.
  const readAllUpTo = piece.isLast ? size : read.cursor.offset
  const decided = decideAddition(store, roster, {
    id,
    transcript,
    agent,
    seen,
    read,
    from: cursor.offset,
    size,
    readAllUpTo,
  })
  const session: SessionState = {
    ...(source.host === undefined ? decided.session : seenBy(decided.session, source.host, source.isEnd)),
    badLines: seen.badLines + read.badLines,
    redactions: seen.redactions + refining.redactions(),
  }
  const written = writeSession(store, roster, id, seen, session, decided.text, options.now)
  return {
    session: id,
    after: written.isChanged ? written.session : null,
    work: source.isHistory ? 0 : decided.work,
    effects: written.effects,
    entries: decided.fresh,
    bytesIn,
    badLines: read.badLines,
    redactions: refining.redactions(),
    isAtEnd: piece.isLast,
    agentsBehind: agent === null ? listBehind(source.transcript, seen) : [],
    first: stateFirst(known, seen, written.session.file, source),
    relativesBehind: decided.relativesBehind,
  }
}

/** A hook saw the session: it continues, or it ends now. */
function seenBy({ isEnded: _, ...session }: SessionState, pid: number, isEnd = false): SessionState {
  return { ...session, isLive: true, pid, ...(isEnd ? { isEnded: true } : {}) }
}

/**
 * The state names a new file before the file exists, so that it is not taken for a file of a lost state. It drops a damaged file
 * before that is rewritten, so that the new content is not taken for the old.
 */
function stateFirst(known: SessionState, seen: SessionState, file: string, source: Source): SessionState | null {
  if (seen !== known) return { ...seen, file }
  return file === seen.file || source.isHistory ? null : { ...seen, file }
}

/** The usual case after a quiet moment. Checked without the lock: the state is always replaced as a whole. */
function isUpToDate(store: Store, { session: id, transcript, answer, host, isEnd = false }: Source): boolean {
  const session = store.isPrepared() ? sessionIn(store.readState(), id) : undefined
  const size = sizeOf(transcript)
  // Not written yet, or deleted: there is nothing to read, and no reason to create a memory.
  if (size === null) return !answer
  if (session === undefined || session.offset !== size || session.transcript !== transcript) return false
  // A hook saw the session: it continues, and the next start must check it again.
  const isAsBefore = session.isLive && (session.isEnded ?? false) === isEnd && !session.isDone && session.pid === host
  if (host !== undefined && !isAsBefore) return false
  if (anchorAt(transcript, size) !== session.anchor) return false
  const { said, answer: announced } = session.refine
  const mark = fingerprintOfWords(answer ?? '')
  const isSaid = !answer || said.includes(mark) || (announced !== null && fingerprintOfWords(announced.text) === mark)
  // Open entries may be cut off as well, which the state would not show.
  const onDisk = sessionFileState(store.dir, session.file)?.size ?? 0
  const isWhole = onDisk === session.bytes + Buffer.byteLength(renderOpen(session))
  return isSaid && isWhole && listBehind(transcript, session).length === 0 && isSound(store, session)
}

function listBehind(transcript: string, session: SessionState): string[] {
  return listAgents(transcript)
    .filter((agent) => sizeOf(agent.path) !== session.agents[agent.id]?.offset)
    .map((agent) => agent.id)
}

/** Whether there is anything to capture, judged by sizes. */
export function isBehind(state: State, file: TranscriptFile): boolean {
  if (storedIn(state, file.session)?.offset !== file.size) return true
  const session = file.hasAgents ? sessionIn(state, file.session) : undefined
  return session !== undefined && listBehind(file.path, session).length > 0
}
