/** The finisher: a detached process that does what a hook had no time for, and ends. */

import { prepareBriefing } from '../briefing/disk/briefing.ts'
import { fillVault } from '../copies/disk/vault-restore.ts'
import { giveUpOver } from '../knowledge/session-facts.ts'
import { COMMAND_WAIT_MS, openStore, type Store, stateEffect, sweepStrays } from '../memory/disk/store.ts'
import { writtenDirs } from '../memory/disk/strays.ts'
import { sessionIn, withSessions } from '../memory/state.ts'
import { takeOverRules } from '../migrate/disk/rules-05.ts'
import type { CallSurroundings } from '../model/disk/model-call.ts'
import { judgeRecurring, writeNotes } from '../notes/disk/background.ts'
import { careForKnowledge, settleSessions } from '../notes/disk/care.ts'
import { rotateIfFull } from '../notes/disk/memory.ts'
import { rewriteNotes } from '../notes/disk/rewrite.ts'
import { factsOfHistory } from '../notes/disk/structure-facts.ts'
import { summariseAll, unsummarised } from '../notes/disk/summaries.ts'
import { cutLive, cutOver, cutSession, growWaiting, isDue, isOver, settleHistory } from '../notes/pending.ts'
import { attempt, logFailure } from '../platform/disk/log.ts'
import { KeeperError } from '../platform/error.ts'
import { trimReceipts } from '../receipts/disk/journal.ts'
import { openIndex } from '../search/disk/index/index.ts'
import { catchUp } from '../sessions/disk/catch-up.ts'
import { fillAuthors } from '../sessions/disk/fill-authors.ts'
import { type Job, nextJobs, takeJobs, waitingProject } from '../sessions/disk/finisher-queue.ts'
import { captureInto, joinMeanwhile } from '../sessions/disk/meanwhile.ts'
import { pausedSince } from '../sessions/disk/pause.ts'
import { restoreIfLost } from './restore.ts'
import type { World } from './world.ts'

/** No finisher works longer; the next one goes on where it stopped. */
const LONGEST_MS = 10 * 60_000
const TRANSCRIPT_LAG_MS = 500

type FinisherWorld = Pick<World, 'now' | 'elapsedMs' | 'isAlive' | 'locate'> &
  Omit<CallSurroundings, 'now' | 'isLate'> & { isOurChild: boolean; wait: (ms: number) => Promise<unknown> }

/** The program: this job and all others of the project, also those that come while it works; then projects that found no finisher free. */
export async function runFinisher(projectRoot: string, job: Job, world: FinisherWorld): Promise<void> {
  if (world.isOurChild) return
  let own: Job | null = job
  for (let root: string | null = projectRoot; root !== null; ) {
    const places = world.locate(root)
    // Jobs of a paused project wait.
    if (pausedSince(places, null) !== null) return
    const jobs = takeJobs(places, own)
    own = null
    if (jobs === null) return
    await finishJobs(root, jobs, world)
    root = world.elapsedMs() > LONGEST_MS ? null : waitingProject(places)
  }
}

async function finishJobs(root: string, first: readonly Job[], world: FinisherWorld): Promise<void> {
  const places = world.locate(root)
  // What is taken and not done waits for the next event.
  for (let jobs: readonly Job[] | null = first; jobs !== null && world.elapsedMs() <= LONGEST_MS; ) {
    try {
      await finish(root, jobs, world)
    } catch (error) {
      logFailure(places.keeperDir, world.now(), 'finisher', error)
    }
    // Whatever became of them: a job that fails must not start a finisher at every event.
    jobs = nextJobs(places)
  }
}

export async function finish(projectRoot: string, jobs: readonly Job[], world: FinisherWorld): Promise<void> {
  if (world.isOurChild) return
  const store = openStore(world.locate(projectRoot), { now: world.now })
  const isLate = (): boolean => world.elapsedMs() > LONGEST_MS
  const why = store.isStateReadable() ? store.whyReadOnly() : null
  if (why !== null) throw new KeeperError('newer', why)
  // The host is still writing the turn that made the note due.
  if (jobs.some((job) => job.for === 'note')) await world.wait(TRANSCRIPT_LAG_MS)
  const { isHere, isComplete } = capture(store, world, isLate)
  if (!isHere || !store.isPrepared()) return
  for (const [name, step] of steps(store, jobs, { ...world, isLate, isComplete }))
    await guarded(store, world, name, step)
}

type Step = readonly [name: string, step: () => unknown]

/** A step that fails, because of one file that cannot be read or written, does not keep the others from being done. */
function steps(
  store: Store,
  jobs: readonly Job[],
  world: FinisherWorld & { isLate: () => boolean; isComplete: boolean },
): readonly Step[] {
  const { now, isLate, isAlive } = world
  const lock = <T>(work: () => T): { value: T } | null => store.whileLocked(COMMAND_WAIT_MS, work)
  const locked = (work: () => unknown) => () => lock(work)
  return [
    ['authors', () => fillAuthors(store, (work) => lock(work)?.value === true, isLate)],
    ['cut', locked(() => cutFor(store, jobs, world.isComplete, world))],
    // So that the next prompt finds it done: the notes may take minutes.
    ['index', () => refreshIndex(store, now)],
    ['rules', locked(() => takeOverRules(store, now()))],
    ['notes', () => writeNotes(store, world)],
    ['notes again', () => rewriteNotes(store, world)],
    // What somebody wrote into memory.md by hand makes it full, too.
    ['rotation', locked(() => rotateIfFull(store, store.readState(), now()))],
    ['facts', () => factsOfHistory(store, { now, isLate, waitMs: COMMAND_WAIT_MS })],
    ['summaries', () => summariseAll(store, unsummarised(store.readState(), now(), isAlive), lock, isLate)],
    ['knowledge', () => careForKnowledge(store, world)],
    ['verdicts', () => judgeRecurring(store, world)],
    ['settle', locked(() => settleSessions(store, now(), isAlive))],
    ['strays', locked(() => sweepStrays(writtenDirs(store), Date.parse(now())))],
    ['receipts', locked(() => trimReceipts(store))],
    ['vault', locked(() => fillVault(store))],
    ['index', () => refreshIndex(store, now)],
    // And the next start. Last: what was written a moment ago is not trusted to stay as it is.
    ['briefing', () => prepareBriefing(store, store.readState())],
  ]
}

async function guarded({ places }: Store, { now }: FinisherWorld, name: string, step: () => unknown): Promise<void> {
  try {
    await step()
  } catch (error) {
    logFailure(places.keeperDir, now(), name, error)
  }
}

/** `isHere`: in this memory, and not at home while its state cannot be read. */
function capture(
  store: Store,
  { now }: FinisherWorld,
  isLate: () => boolean,
): { isHere: boolean; isComplete: boolean } {
  const tryTo = <T>(name: string, work: () => T, otherwise: T): T =>
    attempt(store.places.keeperDir, now(), name, work, otherwise)
  const into = tryTo('capture', () => captureInto(store, now), store)
  if (into === store) {
    tryTo('restore', () => restoreIfLost(store), null)
    tryTo('join', () => joinMeanwhile(store, now), null)
  }
  const options = { waitMs: COMMAND_WAIT_MS, now, look: 'all', isLate } as const
  return { isHere: into === store, isComplete: tryTo('capture', () => catchUp(into, options).complete, false) }
}

function refreshIndex(store: Store, now: () => string): void {
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now })
  try {
    index.refresh()
  } finally {
    index.close()
  }
}

function cutFor(store: Store, jobs: readonly Job[], isComplete: boolean, world: FinisherWorld): void {
  const before = store.readState()
  const now = world.now()
  const isNoteDue = jobs.some((job) => job.for === 'note') && isDue(before, store.config.saveInterval)
  let state = growWaiting(isNoteDue ? cutLive(before) : before)
  for (const job of jobs) {
    if (job.for !== 'end') continue
    const session = sessionIn(state, job.session)
    if (session !== undefined) state = withSessions(state, [[job.session, { ...session, isEnded: true }]])
    state = cutSession(state, job.session)
  }
  if (isComplete) state = settleHistory(state, now, store.config.firstRunMaxEntries)
  state = cutOver(state, now, world.isAlive)
  state = giveUpOver(state, (session) => isOver(session, now, world.isAlive))
  if (state !== before) store.perform([stateEffect(state)])
}
