/** Brings every session of a project up to date with its transcript, newest first, as far as time allows. */
import type { State } from '../core/state.ts'
import { type Captured, type CaptureOptions, captureSession, isBehind } from './capture.ts'
import { type Store, stateEffect } from './store.ts'
import { belongsTo, launchDirOf, listCandidates, type TranscriptFile } from './transcripts.ts'

export interface CaughtUp {
  sessions: number
  entries: number
  bytesIn: number
  badLines: number
  redactions: number
  complete: boolean
}

export interface CatchUpOptions extends Omit<CaptureOptions, 'answer'> {
  /** Left out: this session is captured by the caller. */
  except?: string
  onProgress?: (done: number, of: number) => void
}

export function catchUp(store: Store, options: CatchUpOptions): CaughtUp {
  const known = store.readState().sessions
  const behind = findBehind(store, options)
  const total: CaughtUp = { sessions: 0, entries: 0, bytesIn: 0, badLines: 0, redactions: 0, complete: behind.complete }
  behind.files.forEach((file, i) => {
    if (!total.complete) return
    addTo(
      total,
      captureSession(
        store,
        { session: file.session, transcript: file.path },
        { ...options, isHistory: !known[file.session] },
      ),
    )
    options.onProgress?.(i + 1, behind.files.length)
    if (options.isLate?.() && i + 1 < behind.files.length) total.complete = false
  })
  return total
}

export function addTo(total: CaughtUp, captured: Captured): void {
  if (captured.bytesIn > 0 || captured.entries > 0) total.sessions++
  total.entries += captured.entries
  total.bytesIn += captured.bytesIn
  total.badLines += captured.badLines
  total.redactions += captured.redactions
  total.complete &&= captured.complete
}

function findBehind(store: Store, options: CatchUpOptions): { files: TranscriptFile[]; complete: boolean } {
  const state = store.readState()
  const elsewhere = new Set(state.elsewhere)
  const strangers: string[] = []
  const files: TranscriptFile[] = []
  let complete = true
  const candidates = listCandidates(store.places)
    .filter((file) => file.session !== options.except && !elsewhere.has(file.session))
    .filter((file) => isBehind(state.sessions[file.session], file.path, file.size))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
  for (const file of candidates) {
    if (options.isLate?.()) {
      complete = false
      break
    }
    const verdict = state.sessions[file.session] ? 'ours' : whose(store, file)
    if (verdict === 'ours') files.push(file)
    else if (verdict === 'elsewhere') strangers.push(file.session)
  }
  if (strangers.length > 0) noteStrangers(store, options.waitMs, strangers)
  return { files, complete }
}

function whose(store: Store, file: TranscriptFile): 'ours' | 'elsewhere' | 'unknown' {
  const launchDir = launchDirOf(file.path)
  if (launchDir === null) return 'unknown'
  return belongsTo(store.places.project.root, launchDir) ? 'ours' : 'elsewhere'
}

/** So that they are not opened again at every start. */
function noteStrangers(store: Store, waitMs: number, sessions: readonly string[]): void {
  store.whileLocked(waitMs, () => {
    const state: State = store.readState()
    store.perform([stateEffect({ ...state, elsewhere: [...new Set([...state.elsewhere, ...sessions])] })])
  })
}
