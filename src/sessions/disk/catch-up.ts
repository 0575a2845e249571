/** Brings the sessions of a project up to date with their transcripts, newest first, as far as time allows. */
import path from 'node:path'
import { type Store, stateEffect } from '../../memory/disk/store.ts'
import {
  allStored,
  elsewhereMark,
  elsewhereTest,
  type State,
  type StoredSession,
  sessionIn,
  storedIn,
  withSessions,
} from '../../memory/state.ts'
import { statOf } from '../../platform/disk/files.ts'
import { STATE_FILE } from '../../platform/layout.ts'
import { type Captured, type CaptureOptions, captureAll, isBehind } from './capture.ts'
import { isSound } from './cursor.ts'
import { belongingOf, listCandidates, type TranscriptFile } from './transcripts.ts'

interface CatchUpOptions extends CaptureOptions {
  /**
   * `unfinished`: only transcripts that are new or whose session never was found complete after its end, since a start must
   * not ask for the size of a thousand files; every transcript, once, when sessions were stored in the other place meanwhile.
   * `all`: every transcript. `anew`: also those that were found to be of another project.
   */
  look: 'unfinished' | 'all' | 'anew'
  /** Left out: this session is captured by the caller. */
  except?: string
}

/** A transcript untouched for so long is not being written. */
const QUIET_MS = 60_000
/** Somebody may come back to a session whose end was not announced, and be killed before a hook could write that. */
const LIVE_QUIET_MS = 24 * 60 * 60_000

export function catchUp(store: Store, given: CatchUpOptions): Captured {
  const state = store.readState()
  const otherPlace = lookOfOtherPlace(store)
  const isMoved = otherPlace !== state.otherPlace
  const options: CatchUpOptions = isMoved && given.look === 'unfinished' ? { ...given, look: 'all' } : given
  const isElsewhere = elsewhereTest(state)
  const known = knownTest(state, options)
  const listed = new Set<string>()
  const isWanted = (session: string): boolean => {
    listed.add(elsewhereMark(session))
    if (session === options.except) return false
    const stored = known(session)
    if (stored !== null) return options.look !== 'unfinished' || stored.isDone !== true
    return options.look === 'anew' || !isElsewhere(session)
  }
  const candidates = listCandidates(store.places, state, isWanted)
  const found = sort(store, state, candidates, options)
  const sources = found.behind.map((file) => ({
    session: file.session,
    transcript: file.path,
    isHistory: storedIn(state, file.session) === undefined,
  }))
  const captured = captureAll(store, sources, options)
  const finished = [...found.finished, ...(captured.complete ? found.behind : [])].filter((file) =>
    isQuiet(state, file, options),
  )
  const strangers = found.strangers.filter((session) => !isElsewhere(session)).map(elsewhereMark)
  // Of those that are gone nobody asks any more.
  const isGone = (mark: string): boolean => options.look !== 'unfinished' && !listed.has(elsewhereMark(mark))
  const complete = captured.complete && found.complete
  // A memory that is not begun yet is not begun for this.
  const isBegun = statOf(path.join(store.dir, STATE_FILE)) !== null
  const seen = isMoved && complete && isBegun ? { otherPlace } : {}
  if (strangers.length > 0 || finished.length > 0 || 'otherPlace' in seen || state.elsewhere.some(isGone))
    note(store, options.waitMs, { strangers, finished, isGone, seen })
  return { ...captured, complete }
}

/** After `storage` was changed, the state in the place that is used no longer stays as it was left. */
function lookOfOtherPlace({ dir, places }: Store): string {
  const other = dir === places.atHome ? places.inProject : places.atHome
  const facts = statOf(path.join(other, STATE_FILE))
  return facts === null ? '' : `${facts.mtimeMs} ${facts.size}`
}

/** Null: no session of ours. A start asks names of files about settled ones, since it must not read a thousand of them. */
function knownTest(state: State, { look }: CatchUpOptions): (session: string) => StoredSession | null {
  const all = look === 'unfinished' ? null : allStored(state)
  const settled: StoredSession = { isDone: true }
  return (session) => {
    if (all !== null) return all[session] ?? null
    return state.sessions[session] ?? (state.settled?.mayHold(session) ? settled : null)
  }
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
    const known = storedIn(state, file.session)
    if (known !== undefined) {
      const session = options.look === 'unfinished' ? undefined : sessionIn(state, file.session)
      if (isBehind(state, file) || (session && !isSound(store, session))) found.behind.push(file)
      else if (!known.isDone) found.finished.push(file)
      continue
    }
    if (options.isLate?.()) {
      found.complete = false
      break
    }
    const belonging = belongingOf(store.places, state, file)
    if (belonging === 'own') found.behind.push(file)
    else if (belonging === 'other') found.strangers.push(file.session)
  }
  return found
}

function isQuiet(state: State, file: TranscriptFile, options: CatchUpOptions): boolean {
  const { isLive, isEnded } = storedIn(state, file.session) ?? {}
  const quietMs = isLive === true && isEnded !== true ? LIVE_QUIET_MS : QUIET_MS
  return file.mtimeMs < Date.parse(options.now()) - quietMs
}

interface Noted {
  strangers: readonly string[]
  finished: readonly TranscriptFile[]
  /** Whether the transcript of another project is not there any more. */
  isGone: (mark: string) => boolean
  /** What of the state is new besides. */
  seen: Partial<State>
}

/** So that a start need not look at them again: strangers never, finished sessions not until something is captured. */
function note(store: Store, waitMs: number, { strangers, finished, isGone, seen }: Noted): void {
  store.whileLocked(waitMs, () => {
    const state = store.readState()
    const done = finished.flatMap((file) => {
      const session = sessionIn(state, file.session)
      if (session === undefined || isBehind(state, file)) return []
      // What only helps while lines come in is not kept for sessions that have ended.
      const refine = { ...session.refine, base: '', said: [] }
      return [[file.session, { ...session, refine, isDone: true as const }] as const]
    })
    const kept = state.elsewhere.filter((mark) => !isGone(mark)).map(elsewhereMark)
    const elsewhere = [...new Set([...kept, ...strangers])]
    store.perform([stateEffect(withSessions({ ...state, ...seen, elsewhere }, done))])
  })
}
