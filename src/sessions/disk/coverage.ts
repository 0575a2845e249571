/** Whether everything on this machine is captured, and whether what was captured is still there. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { allSessions, elsewhereTest, type State, storedIn } from '../../memory/state.ts'
import { sizeOf } from '../../platform/disk/files.ts'
import { SESSIONS_DIR } from '../../platform/layout.ts'
import { isBehind } from './capture.ts'
import { isSound } from './cursor.ts'
import { packedPath } from './session-archive.ts'
import { belongingOf, listCandidates, type TranscriptFile } from './transcripts.ts'
import { holdsMore } from './verify.ts'

export const COVERED = 'every transcript on this machine is captured'
export const NO_TRANSCRIPTS = 'no transcripts of this project on this machine'

/** The project's transcripts, without those that are known to belong to another project. */
function ownTranscripts(store: Store, state: State): TranscriptFile[] {
  const isElsewhere = elsewhereTest(state)
  const candidates = listCandidates(
    store.places,
    state,
    (session) => !isElsewhere(session) || storedIn(state, session) !== undefined,
  )
  return candidates.filter((file) => belongingOf(store.places, state, file) === 'own')
}

/** The project's transcripts that hold more than is captured, as `verify` counts it. */
export function transcriptsBehind(store: Store): string[] {
  const state = store.readState()
  return ownTranscripts(store, state)
    .filter((file) => isBehind(state, file) && holdsMore(store, state, file))
    .map((file) => file.path)
}

/** Whether one of the project's transcripts was written to after that. */
export function workedSince(store: Store, sinceMs: number): boolean {
  return ownTranscripts(store, store.readState()).some((file) => file.mtimeMs > sinceMs)
}

/** Whether there is anything to compare with. */
export function hasTranscripts(store: Store): boolean {
  const state = store.readState()
  if (allSessions(state).some(([, { transcript }]) => sizeOf(transcript) !== null)) return true
  return ownTranscripts(store, state).length > 0
}

/** Not what was written, and there is something to do about it: the file is gone, or its transcript is still there. */
export function damagedFiles(store: Store): string[] {
  return allSessions(store.readState())
    .map(([, session]) => session)
    .filter((session) => !isSound(store, session))
    .filter(({ file, transcript }) => sizeOf(transcript) !== null || storedBytes(store, file) === 0)
    .map((session) => session.file)
}

/** On disk, compressed or not. */
export function storedBytes(store: Store, file: string): number {
  const plain = sizeOf(path.join(store.dir, SESSIONS_DIR, file))
  return plain ?? sizeOf(path.join(store.dir, packedPath(file))) ?? 0
}
