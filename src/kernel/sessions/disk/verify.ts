/** Compares sessions on disk with the transcripts that still exist, and lists what is missing, damaged or not captured yet. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { allSessions, elsewhereTest, type State, sessionIn, storedIn } from '../../memory/state.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { SESSIONS_DIR } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { theTally } from '../../transcript/agent.ts'
import { compare, isComplete, newTally, type Tally, type Verified } from '../../transcript/verify.ts'
import { pauseTest } from '../pause.ts'
import { isBehind } from './capture.ts'
import { isSound } from './cursor.ts'
import { allEntries } from './lineage.ts'
import { readPauses } from './pause.ts'
import { isPacked, packedFiles, packedPath, readSessionBytes } from './session-archive.ts'
import { readForgotten } from './tombstones.ts'
import { belongingIn, listAgents, listCandidates, type TranscriptFile } from './transcripts.ts'

const PIECE_BYTES = 4 * 1024 * 1024

export interface VerifiedSession extends Verified {
  session: string
  transcript: string
}

export function verifySession(store: Store, state: State, session: string, transcript: string): VerifiedSession {
  const redact = redactorFor(store.config)
  const clean = (text: string): string => redact(text).text
  const isPaused = pauseTest(readPauses(store.places), session)
  const tally = newTally()
  tallyFile(tally, transcript, false, clean, isPaused)
  for (const agent of listAgents(transcript)) tallyFile(tally, agent.path, true, clean, isPaused)
  const known = sessionIn(state, session)
  const kept = known ? allEntries(store, state, known) : []
  return { session, transcript, ...compare(tally, kept, readForgotten(store).open.get(session)) }
}

/** Whether a transcript contains anything that its session lacks. A session that the state does not know contains nothing. */
function holdsMore(store: Store, state: State, file: Pick<TranscriptFile, 'session' | 'path'>): boolean {
  if (storedIn(state, file.session) !== undefined)
    return !isComplete(verifySession(store, state, file.session, file.path))
  return [
    { path: file.path, inSubagent: false },
    ...listAgents(file.path).map((agent) => ({ ...agent, inSubagent: true })),
  ].some((part) => holdsWords(part.path, part.inSubagent, pauseTest(readPauses(store.places), file.session)))
}

function holdsWords(file: string, inSubagent: boolean, isPaused: (at: string) => boolean): boolean {
  const tally = newTally()
  const tallyLine = theTally()
  for (const line of linesOf(file)) {
    tallyLine(tally, line, inSubagent, (text) => text, isPaused)
    if (tally.expected.length > 0 || tally.queued.some(({ words }) => words !== '')) return true
  }
  return false
}

/** How many transcripts and sessions were not compared, and why. */
export interface LeftOut {
  /** Transcripts of sessions started in another project. */
  otherProjects: number
  /** Transcripts that do not name their launch directory, or that may not be read. */
  silent: number
  /** Sessions whose transcript was deleted. */
  gone: number
}

/** All transcripts that belong to the project, whether or not the state knows their sessions, and the counts of those left out. */
export function transcriptsToVerify(
  store: Store,
  state: State,
): { files: { path: string; session: string }[]; leftOut: LeftOut } {
  const candidates = listCandidates(store.places, state)
  const leftOut: LeftOut = { otherProjects: 0, silent: 0, gone: 0 }
  const files = new Map<string, string>()
  const belongingOf = belongingIn(store.places, state)
  for (const file of candidates) {
    const belonging = belongingOf(file)
    if (belonging === 'own') files.set(file.session, file.path)
    else leftOut[belonging === 'other' ? 'otherProjects' : 'silent']++
  }
  for (const [session, { transcript }] of allSessions(state)) {
    if (sizeOf(transcript) !== null) files.set(session, transcript)
    else if (!files.has(session)) leftOut.gone++
  }
  return { files: [...files].map(([session, path]) => ({ session, path })), leftOut }
}

/** Compressed sessions that cannot be read completely: they are never deleted, and their transcripts may still exist. */
export function damagedArchives(store: Store): string[] {
  return packedFiles(store.dir)
    .filter((file) => isPacked(store.dir, file) && readSessionBytes(store.dir, file) === null)
    .map(packedPath)
}

function tallyFile(
  tally: Tally,
  file: string,
  ...how: [boolean, (text: string) => string, (at: string) => boolean]
): void {
  const tallyLine = theTally()
  for (const line of linesOf(file)) tallyLine(tally, line, ...how)
}

/** Line by line, so that a file of any size fits; an incomplete last line is left for later. */
function* linesOf(file: string): Generator<string> {
  const size = sizeOf(file) ?? 0
  let rest: Buffer = Buffer.alloc(0)
  for (let at = 0; at < size; at += PIECE_BYTES) {
    const bytes = Buffer.concat([rest, readPart(file, at, Math.min(PIECE_BYTES, size - at)) ?? Buffer.alloc(0)])
    let from = 0
    for (let newline = bytes.indexOf(0x0a); newline >= 0; newline = bytes.indexOf(0x0a, from)) {
      yield bytes.toString('utf8', from, newline)
      from = newline + 1
    }
    rest = bytes.subarray(from)
  }
  const last = rest.toString('utf8').trim()
  if (last.endsWith('}')) yield last
}

export const COVERED = 'every transcript on this machine is captured'
export const NO_TRANSCRIPTS = 'no transcripts of this project on this machine'

/** The project's transcripts, without those known to belong to another project. */
function ownTranscripts(store: Store, state: State): TranscriptFile[] {
  const isElsewhere = elsewhereTest(state)
  const candidates = listCandidates(
    store.places,
    state,
    (session) => !isElsewhere(session) || storedIn(state, session) !== undefined,
  )
  const belongingOf = belongingIn(store.places, state)
  return candidates.filter((file) => belongingOf(file) === 'own')
}

/** The project's transcripts that contain more than is captured, counted as `verify` does. */
export function transcriptsBehind(store: Store): string[] {
  const state = store.readState()
  return ownTranscripts(store, state)
    .filter((file) => isBehind(state, file) && holdsMore(store, state, file))
    .map((file) => file.path)
}

/** Whether one of the project's transcripts was written after this time. */
export function workedSince(store: Store, sinceMs: number): boolean {
  return ownTranscripts(store, store.readState()).some((file) => file.mtimeMs > sinceMs)
}

/** Whether there is any transcript to compare with. */
export function hasTranscripts(store: Store): boolean {
  const state = store.readState()
  if (allSessions(state).some(([, { transcript }]) => sizeOf(transcript) !== null)) return true
  return ownTranscripts(store, state).length > 0
}

/** Session files that differ from what was written and can be repaired or reported: the file is gone, or its transcript still exists. */
export function damagedFiles(store: Store): string[] {
  return allSessions(store.readState())
    .map(([, session]) => session)
    .filter((session) => !isSound(store, session))
    .filter(({ file, transcript }) => sizeOf(transcript) !== null || storedBytes(store, file) === 0)
    .map((session) => session.file)
}

/** The size on disk, compressed or not. */
export function storedBytes(store: Store, file: string): number {
  const plain = sizeOf(path.join(store.dir, SESSIONS_DIR, file))
  return plain ?? sizeOf(path.join(store.dir, packedPath(file))) ?? 0
}
