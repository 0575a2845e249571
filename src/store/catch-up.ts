/** Brings the sessions of a project up to date with their transcripts, newest first, as far as time allows. */
import { type State, sessionIn, withSessions } from '../core/state.ts'
import { type Captured, type CaptureOptions, captureAll, isBehind } from './capture.ts'
import { isSound } from './cursor.ts'
import { type Store, stateEffect } from './store.ts'
import { belongsTo, isOwn, launchDirOf, listCandidates, type TranscriptFile } from './transcripts.ts'

export interface CatchUpOptions extends CaptureOptions {
  /**
   * A look at every transcript, or only at those that are new or whose session never was found complete after its end:
   * a start must not ask for the size of a thousand files.
   */
  look: 'all' | 'unfinished'
  /** Left out: this session is captured by the caller. */
  except?: string
}

/** A transcript untouched for so long is not being written. */
const QUIET_MS = 60_000

export function catchUp(store: Store, options: CatchUpOptions): Captured {
  const state = store.readState()
  const skip = new Set(state.elsewhere)
  if (options.except) skip.add(options.except)
  const isFinished = (session: string): boolean =>
    options.look === 'unfinished' && state.sessions[session]?.isDone === true
  const candidates = listCandidates(store.places, (session) => !skip.has(session) && !isFinished(session))
  const found = sort(store, state, candidates, options)
  const sources = found.behind.map((file) => ({
    session: file.session,
    transcript: file.path,
    isHistory: !state.sessions[file.session],
  }))
  const captured = captureAll(store, sources, options)
  const finished = [...found.finished, ...(captured.complete ? found.behind : [])].filter((file) =>
    isQuiet(file, options),
  )
  if (found.strangers.length > 0 || finished.length > 0) note(store, options.waitMs, found.strangers, finished)
  return { ...captured, complete: captured.complete && found.complete }
}

interface Found {
  behind: TranscriptFile[]
  strangers: string[]
  /** Known to be complete. */
  finished: TranscriptFile[]
  complete: boolean
}

function sort(store: Store, state: State, candidates: readonly TranscriptFile[], options: CatchUpOptions): Found {
  const found: Found = { behind: [], strangers: [], finished: [], complete: true }
  for (const file of candidates.toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
    if (state.sessions[file.session]) {
      const session = options.look === 'all' ? sessionIn(state, file.session) : undefined
      if (isBehind(state, file) || (session && !isSound(store, session))) found.behind.push(file)
      else if (!state.sessions[file.session]?.isDone) found.finished.push(file)
      continue
    }
    if (options.isLate?.()) {
      found.complete = false
      break
    }
    const launchDir = launchDirOf(file.path)
    if (launchDir === null) continue
    if (belongsTo(store.places.project.root, launchDir)) found.behind.push(file)
    else found.strangers.push(file.session)
  }
  return found
}

function isQuiet(file: TranscriptFile, options: CatchUpOptions): boolean {
  return file.mtimeMs < Date.parse(options.now()) - QUIET_MS
}

/** So that a start need not look at them again: strangers never, finished sessions not until something is captured. */
function note(store: Store, waitMs: number, strangers: readonly string[], finished: readonly TranscriptFile[]): void {
  store.whileLocked(waitMs, () => {
    const state = store.readState()
    const done = finished.flatMap((file) => {
      const session = sessionIn(state, file.session)
      if (session === undefined || isBehind(state, file)) return []
      // What only helps while lines come in is not kept for sessions that have ended.
      const refine = { ...session.refine, base: '', said: [] }
      return [[file.session, { ...session, refine, isDone: true as const }] as const]
    })
    const elsewhere = [...new Set([...state.elsewhere, ...strangers])]
    store.perform([stateEffect(withSessions({ ...state, elsewhere }, done))])
  })
}

/** The project's transcripts that hold more than is captured. */
export function transcriptsBehind(store: Store): string[] {
  const state = store.readState()
  return listCandidates(store.places, (session) => !state.elsewhere.includes(session))
    .filter((file) => isBehind(state, file) && (state.sessions[file.session] || isOwn(store.places, file.path)))
    .map((file) => file.path)
}
