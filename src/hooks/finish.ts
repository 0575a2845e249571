/** The finisher: a detached process that does what a hook had no time for, and ends. */
import { giveUpOver } from '../core/mining.ts'
import { cutLive, cutOver, cutSession, growWaiting, isDue, isOver, settleHistory } from '../core/pending.ts'
import { sessionIn, withSessions } from '../core/state.ts'
import { judgeRecurring, writeNotes } from '../store/background.ts'
import { prepareBriefing } from '../store/briefing.ts'
import { catchUp } from '../store/catch-up.ts'
import { factsOfHistory } from '../store/code-facts.ts'
import { type Job, nextJobs, takeJobs } from '../store/finisher-queue.ts'
import { trimJournal } from '../store/journal.ts'
import { careForKnowledge } from '../store/knowledge-care.ts'
import { attempt, logFailure } from '../store/log.ts'
import type { Surroundings } from '../store/model-call.ts'
import { trimRecalls } from '../store/recall-ledger.ts'
import { openIndex } from '../store/search-index/index.ts'
import { settleSessions } from '../store/settle-sessions.ts'
import { collectStanding } from '../store/standing-collect.ts'
import { COMMAND_WAIT_MS, openStore, type Store, stateEffect, sweepStrays } from '../store/store.ts'
import { writtenDirs } from '../store/strays.ts'
import { summariseAll, unsummarised } from '../store/summaries.ts'
import { trimReceipts } from '../store/told.ts'
import { fillVault } from '../store/vault-fill.ts'
import { wayIn } from '../store/way.ts'
import { restoreIfLost } from './restore.ts'
import type { World } from './world.ts'

/** No finisher works longer; the next one goes on where it stopped. */
const LONGEST_MS = 10 * 60_000
const TRANSCRIPT_LAG_MS = 500
/** The lock is let go between pieces: a hook waits a quarter of a second for it. */
const COLLECT_MS = 100

type FinisherWorld = Pick<World, 'now' | 'elapsedMs' | 'isAlive' | 'locate'> &
  Omit<Surroundings, 'now' | 'isLate'> & { isOurChild: boolean; wait: (ms: number) => Promise<unknown> }

/** The program: this job and all others of the project, also those that come while it works. */
export async function runFinisher(projectRoot: string, job: Job, world: FinisherWorld): Promise<void> {
  if (world.isOurChild) return
  const places = world.locate(projectRoot)
  let jobs = takeJobs(places, job)
  // What is taken and not done waits for the next event.
  while (jobs !== null && world.elapsedMs() <= LONGEST_MS) {
    try {
      await finish(projectRoot, jobs, world)
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
  // The host is still writing the turn that made the note due.
  if (jobs.some((job) => job.for === 'note')) await world.wait(TRANSCRIPT_LAG_MS)
  restoreIfLost(store)
  const { complete } = catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'all', isLate })
  if (!store.isPrepared()) return
  store.whileLocked(COMMAND_WAIT_MS, () => cutFor(store, jobs, complete, world))
  collectAll(store, world, isLate)
  await writeNotes(store, { ...world, isLate })
  factsOfHistory(store, { now: world.now, isLate, waitMs: COMMAND_WAIT_MS })
  const unsummed = unsummarised(store.readState(), world.now(), world.isAlive)
  summariseAll(store, unsummed, (work) => store.whileLocked(COMMAND_WAIT_MS, work), isLate)
  const isEnd = jobs.some((job) => job.for === 'end')
  careForKnowledge(store, { ...world, isLate, isSortedByClaude: !isEnd && isHeld(store, world.now()) })
  await judgeRecurring(store, { ...world, isLate })
  const settle = (): number => settleSessions(store, world.now(), world.isAlive)
  attempt(store.places.keeperDir, world.now(), 'settle', () => store.whileLocked(COMMAND_WAIT_MS, settle), null)
  store.whileLocked(COMMAND_WAIT_MS, () => {
    sweepStrays(writtenDirs(store), Date.parse(world.now()))
    trimJournal(store.dir)
    trimReceipts(store)
    trimRecalls(store)
    fillVault(store)
  })
  // So that the next prompt finds it done.
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now: world.now })
  index.refresh()
  index.close()
  // And the next start. Last: what was written a moment ago is not trusted to stay as it is.
  prepareBriefing(store, store.readState())
}

/** Claude is held to all that it owes, concepts too. */
function isHeld(store: Store, now: string): boolean {
  const { enforcement } = store.config
  return (enforcement === 'stop' || enforcement === 'block') && wayIn(store, now) === 'agent'
}

/** What people said for good in sessions that grew. */
function collectAll(store: Store, { elapsedMs }: FinisherWorld, isLate: () => boolean): void {
  for (let isDone = false; !isDone && !isLate(); ) {
    const began = elapsedMs()
    const piece = (): boolean => collectStanding(store, () => elapsedMs() - began > COLLECT_MS)
    isDone = store.whileLocked(COMMAND_WAIT_MS, piece)?.value ?? true
  }
}

function cutFor(store: Store, jobs: readonly Job[], isComplete: boolean, world: FinisherWorld): void {
  const before = store.readState()
  const now = world.now()
  const isNoteDue = jobs.some((job) => job.for === 'note') && isDue(before, Number(store.config.saveInterval))
  let state = growWaiting(isNoteDue ? cutLive(before) : before)
  for (const job of jobs) {
    if (job.for !== 'end') continue
    const session = sessionIn(state, job.session)
    if (session !== undefined) state = withSessions(state, [[job.session, { ...session, isEnded: true }]])
    state = cutSession(state, job.session)
  }
  if (isComplete) state = settleHistory(state, now, Number(store.config.firstRunMaxEntries))
  state = cutOver(state, now, world.isAlive)
  state = giveUpOver(state, (session) => isOver(session, now, world.isAlive))
  if (state !== before) store.perform([stateEffect(state)])
}
