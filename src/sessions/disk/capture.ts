/** Capture: reads what transcripts have gained and appends it to their sessions, in bounded pieces, none of which is lost or told twice. */

import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { newCursor, type SessionState } from '../../memory/session-state.ts'
import { type State, sessionIn, storedIn, withSessions } from '../../memory/state.ts'
import { codeOf, isBusy, sizeOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { fingerprintOfWords } from '../../text/fingerprint.ts'
import { expectAnswer } from '../../transcript/refine.ts'
import { readPiece, renderOpen } from '../capture.ts'
import { decideAddition, refineOptions, writeSession } from './addition.ts'
import { adoptSession, anchorAt, isSound, PIECE_BYTES, readFrom, recogniseFile, soundSession } from './cursor.ts'
import { openRoster, type Roster } from './lineage.ts'
import { sessionFacts } from './session-archive.ts'
import { agentPath, listAgents, type TranscriptFile } from './transcripts.ts'

export interface Source {
  session: string
  transcript: string
  /** The last answer as the Stop hook names it: the transcript may lag behind. */
  answer?: string
  /** Seen by a hook: the process of the host, or 0 where it is not known. */
  host?: number
  /** It was seen for the last time. */
  isEnd?: boolean
  /** History that nobody waits to be noted: its tool uses do not make a note due. */
  isHistory?: boolean
}

export interface CaptureOptions {
  waitMs: number
  now: () => string
  /** Asked between pieces. */
  isLate?: () => boolean
  onProgress?: (done: number, of: number) => void
}

export interface Captured {
  /** Sessions that gained something. */
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
  /** The sessions with the same beginning were read to their ends before. */
  areRelativesRead?: true
}

/**
 * Many sessions; as many small ones as make up a piece are written together, since the state is written as a whole. One that the system
 * refuses to read or write does not keep the others from it: the first refusal is thrown at the end.
 */
export function captureAll(store: Store, sources: readonly Source[], options: CaptureOptions): Captured {
  const refusals: unknown[] = []
  const total = captureEach(store, sources, options, refusals)
  if (refusals.length > 0) throw refusals[0]
  return total
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
 * Takes parts from `waiting` until a piece is full; what is not read to its end goes back to the front. Session files
 * are written at once, the state that makes it count last: after a kill in between, it is all done again.
 */
function captureParts(store: Store, waiting: Part[], options: CaptureOptions, refusals: unknown[]): Step[] {
  const steps: Step[] = []
  const roster = openRoster(store)
  for (let bytes = 0; bytes < PIECE_BYTES && waiting.length > 0; ) {
    const part = waiting.shift() as Part
    const step = unlessRefusedBy(refusals, () => captureOnce(store, roster, part, options))
    if (step === null) continue
    if (!part.areRelativesRead && step.relativesBehind.length > 0) {
      // What a fork shares belongs to the session it continues, which must have it first.
      const relatives = step.relativesBehind.map((source): Part => ({ source, agent: null, areRelativesRead: true }))
      waiting.unshift(...relatives, { ...part, areRelativesRead: true })
      continue
    }
    if (step.first !== null) store.perform([stateEffect(withSessions(roster.state, [[step.session, step.first]]))])
    const isWritten = unlessRefusedBy(refusals, () => {
      store.perform(step.effects)
      return true
    })
    // The state stays as it was: the session is gone through again.
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

/** Null: the system refuses it. On Windows a file may be in use for a moment: then all of it is done later. */
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
  /** Null: nothing of it changed. */
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
  /** What the state must say before the session file is touched, so that a kill in between is understood. */
  first: SessionState | null
  /** Recognised now: sessions with the same beginning whose transcripts have grown. */
  relativesBehind: readonly Source[]
}

/** One piece of one file: read and decide. */
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
  if (bytesIn > 0) read.cursor.anchor = anchorAt(file, read.cursor.offset)

  // All whole lines are read: what is left of the file is a line that nobody has read before.
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

/** A hook saw it: whatever was announced before, it goes on, or it ends now. */
function seenBy({ isEnded: _, ...session }: SessionState, pid: number, isEnd = false): SessionState {
  return { ...session, isLive: true, pid, ...(isEnd ? { isEnded: true } : {}) }
}

/**
 * A new file is known to the state before it exists: nobody takes it for one of a lost state. A damaged one is given up
 * before it is written anew: nobody takes the new content for the old.
 */
function stateFirst(known: SessionState, seen: SessionState, file: string, source: Source): SessionState | null {
  if (seen !== known) return { ...seen, file }
  return file === seen.file || source.isHistory ? null : { ...seen, file }
}

/** The usual case after a quiet moment, told without the lock: the state is always replaced as a whole. */
function isUpToDate(store: Store, { session: id, transcript, answer, host, isEnd = false }: Source): boolean {
  const session = store.isPrepared() ? sessionIn(store.readState(), id) : undefined
  const size = sizeOf(transcript)
  // Not written yet, or gone: nothing to read, and no reason to begin a memory.
  if (size === null) return !answer
  if (session === undefined || session.offset !== size || session.transcript !== transcript) return false
  // A hook saw it: it goes on, and the next start must look at it again.
  const isAsBefore = session.isLive && (session.isEnded ?? false) === isEnd && !session.isDone && session.pid === host
  if (host !== undefined && !isAsBefore) return false
  if (anchorAt(transcript, size) !== session.anchor) return false
  const { said, answer: announced } = session.refine
  const mark = fingerprintOfWords(answer ?? '')
  const isSaid = !answer || said.includes(mark) || (announced !== null && fingerprintOfWords(announced.text) === mark)
  // Open entries may be cut off as well: nothing in the state would tell.
  const onDisk = sessionFacts(store.dir, session.file)?.size ?? 0
  const isWhole = onDisk === session.bytes + Buffer.byteLength(renderOpen(session))
  return isSaid && isWhole && listBehind(transcript, session).length === 0 && isSound(store, session)
}

function listBehind(transcript: string, session: SessionState): string[] {
  return listAgents(transcript)
    .filter((agent) => sizeOf(agent.path) !== session.agents[agent.id]?.offset)
    .map((agent) => agent.id)
}

/** Whether there is anything to capture, as far as sizes tell. */
export function isBehind(state: State, file: TranscriptFile): boolean {
  if (storedIn(state, file.session)?.offset !== file.size) return true
  const session = file.hasAgents ? sessionIn(state, file.session) : undefined
  return session !== undefined && listBehind(file.path, session).length > 0
}
