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
  withDone,
} from '../../memory/state.ts'
import { statOf } from '../../platform/disk/files.ts'
import { STATE_FILE } from '../../platform/layout.ts'
import { type Captured, type CaptureOptions, captureAll, isBehind } from './capture.ts'
import { isSound } from './cursor.ts'
import { belongingIn, listCandidates, type TranscriptFile } from './transcripts.ts'

interface CatchUpOptions extends CaptureOptions {
  /**
   * `unfinished`: only transcripts that are new or whose session was never found complete after its end, since a start must
   * not stat a thousand files. If sessions were stored in the other place meanwhile, every transcript is checked once.
   * `all`: every transcript. `anew`: also those known to belong to another project.
   */
  look: 'unfinished' | 'all' | 'anew'
  /** This session is left out: the caller captures it. */
  except?: string
}

type FindOptions = Pick<CatchUpOptions, 'look' | 'except' | 'isLate'>

/** A transcript that was not changed for this long is not being written. */
const QUIET_MS = 60_000
/** A session without an announced end may continue and be killed before a hook could record that. */
const LIVE_QUIET_MS = 24 * 60 * 60_000

export function catchUp(store: Store, given: CatchUpOptions): Captured {
  const state = store.readState()
  const otherPlace = lookOfOtherPlace(store)
  const isMoved = otherPlace !== state.otherPlace
  const options: CatchUpOptions = isMoved && given.look === 'unfinished' ? { ...given, look: 'all' } : given
  const isElsewhere = elsewhereTest(state)
  const listed = new Set<string>()
  const found = find(store, state, options, listed)
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
  // Marks of deleted transcripts are no longer needed.
  const isGone = (mark: string): boolean => options.look !== 'unfinished' && !listed.has(elsewhereMark(mark))
  const complete = captured.complete && found.complete
  // A memory that does not exist yet is not created for this.
  const isBegun = statOf(path.join(store.dir, STATE_FILE)) !== null
  const seen = isMoved && complete && isBegun ? { otherPlace } : {}
  if (strangers.length > 0 || finished.length > 0 || 'otherPlace' in seen || state.elsewhere.some(isGone))
    note(store, options.waitMs, { strangers, finished, isGone, seen })
  return { ...captured, complete }
}

/** Whether a start would find nothing to capture. */
export function isCaughtUp(store: Store): boolean {
  const state = store.readState()
  if (lookOfOtherPlace(store) !== state.otherPlace) return false
  const { behind, strangers } = find(store, state, { look: 'unfinished' }, new Set())
  return behind.length === 0 && strangers.length === 0
}

/** `listed` gets the marks of all transcripts that may be the project's. */
function find(store: Store, state: State, options: FindOptions, listed: Set<string>): Found {
  const isElsewhere = elsewhereTest(state)
  const known = knownTest(state, options)
  const isWanted = (session: string): boolean => {
    listed.add(elsewhereMark(session))
    if (session === options.except) return false
    const stored = known(session)
    if (stored !== null) return options.look !== 'unfinished' || stored.isDone !== true
    return options.look === 'anew' || !isElsewhere(session)
  }
  return sort(store, state, listCandidates(store.places, state, isWanted), options)
}

/** A mark of the state in the project's other place: it changes if `storage` was switched and sessions were stored there. */
function lookOfOtherPlace({ dir, places }: Store): string {
  const other = dir === places.atHome ? places.inProject : places.atHome
  const stat = statOf(path.join(other, STATE_FILE))
  return stat === null ? '' : `${stat.mtimeMs} ${stat.size}`
}

/** Null: the session is unknown. For settled sessions a start only checks file names, since it must not read a thousand records. */
function knownTest(state: State, { look }: FindOptions): (session: string) => StoredSession | null {
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

function sort(store: Store, state: State, candidates: readonly TranscriptFile[], options: FindOptions): Found {
  const found: Found = { behind: [], strangers: [], finished: [], complete: true }
  const belongingOf = belongingIn(store.places, state)
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
    const belonging = belongingOf(file)
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
  /** Whether the transcript of another project no longer exists. */
  isGone: (mark: string) => boolean
  /** Other changes to the state. */
  seen: Partial<State>
}

/** Records the result, so that a start need not check again: other projects' transcripts never, finished sessions not until they grow. */
function note(store: Store, waitMs: number, { strangers, finished, isGone, seen }: Noted): void {
  store.whileLocked(waitMs, () => {
    const state = store.readState()
    const done = finished.filter((file) => storedIn(state, file.session) !== undefined && !isBehind(state, file))
    const kept = state.elsewhere.filter((mark) => !isGone(mark)).map(elsewhereMark)
    const elsewhere = [...new Set([...kept, ...strangers])]
    const ids = done.map(({ session }) => session)
    store.perform([stateEffect(withDone({ ...state, ...seen, elsewhere }, ids))])
  })
}
