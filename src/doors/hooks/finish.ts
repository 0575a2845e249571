/** The finisher: a detached process that does the work for which a hook had no time, and ends. */

import path from 'node:path'
import { keepPrepared } from '../../core/briefing/disk/briefing-kept.ts'
import { extraSteps, takeFirstSteps, withdrawOutside } from '../../core/extra.ts'
import { noteUnpushed } from '../../core/knowledge/disk/unpushed.ts'
import { type CallSurroundings, mayAudit, wayIn } from '../../core/model/disk/model-call.ts'
import { judgeRecurring, writeNotes } from '../../core/notes/disk/background.ts'
import { careForKnowledge, settleSessions } from '../../core/notes/disk/care.ts'
import { removeDoubles, rotateIfFull } from '../../core/notes/disk/memory.ts'
import { noteByCode } from '../../core/notes/disk/notes.ts'
import { rewriteNotes } from '../../core/notes/disk/rewrite.ts'
import { factsOfHistory } from '../../core/notes/disk/structure-facts.ts'
import { summariseAll } from '../../core/notes/disk/summaries.ts'
import { unsummarised } from '../../core/notes/disk/tiers.ts'
import {
  cutLive,
  cutOver,
  cutSession,
  giveUpWork,
  growWaiting,
  isDue,
  isOver,
  settleHistory,
} from '../../core/notes/pending.ts'
import { beginPages } from '../../core/pages/disk/pages.ts'
import { trimReceipts } from '../../core/receipts/disk/journal.ts'
import { openIndex } from '../../core/search/disk/memory-index.ts'
import { fillVault } from '../../core/vault/disk/vault-restore.ts'
import { frameFor } from '../../kernel/memory/disk/frame-key.ts'
import { sweepStrays, writtenDirs } from '../../kernel/memory/disk/our-files.ts'
import { sweepServers } from '../../kernel/memory/disk/server-files.ts'
import { COMMAND_WAIT_MS, openStore, refuseReadOnly, type Store, stateEffect } from '../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../kernel/memory/session-state.ts'
import { sessionIn, withSessions } from '../../kernel/memory/state.ts'
import { list, statOf } from '../../kernel/platform/disk/files.ts'
import type { Places } from '../../kernel/platform/disk/locate.ts'
import { attempt, logFailure } from '../../kernel/platform/disk/log.ts'
import { steadyAt, traceReads } from '../../kernel/platform/disk/read-trace.ts'
import { SERVERS_DIR } from '../../kernel/platform/layout.ts'
import { COMMIT_BYTES, captureSession } from '../../kernel/sessions/disk/capture.ts'
import { catchUp } from '../../kernel/sessions/disk/catch-up.ts'
import { type Job, nextJobs, takeJobs, waitingProject } from '../../kernel/sessions/disk/finisher-queue.ts'
import { settleQueues } from '../../kernel/sessions/disk/lost-queue.ts'
import { pausedSince } from '../../kernel/sessions/disk/pause.ts'
import { restoreIfLost } from './restore.ts'
import { prepareStart } from './start.ts'
import type { World } from './world.ts'

/** The time limit of a finisher; the next one continues where it stopped. */
const LONGEST_MS = 10 * 60_000
const TRANSCRIPT_LAG_MS = 500
/** Where stamps on disk are whole seconds. */
const MOST_SETTLING_MS = 2_100

type FinisherWorld = Pick<World, 'now' | 'elapsedMs' | 'isAlive' | 'locate'> &
  Omit<CallSurroundings, 'now' | 'isLate'> & {
    isOurChild: boolean
    wait: (ms: number) => Promise<unknown>
    /** The directory of the programs. */
    programs: string
    /** Keeps what was compiled. */
    keep: () => void
    /** Called between two parts of the work. */
    goOn: () => void
    home: string
    loadProgram: (file: string) => unknown
  }

/** The program: does this job and all others of the project, including those that arrive meanwhile; then jobs of projects without a finisher. */
export async function runFinisher(projectRoot: string, job: Job, world: FinisherWorld): Promise<void> {
  if (world.isOurChild) return
  let own: Job | null = job
  for (let root: string | null = projectRoot; root !== null; ) {
    const places = world.locate(root)
    // Jobs of a paused project wait.
    if (pausedSince(places, null) !== null) return withdrawOutside(openStore(places, { now: world.now }), world.now())
    const jobs = takeJobs(places, own)
    own = null
    if (jobs === null) return
    await finishJobs(root, jobs, world)
    root = world.elapsedMs() > LONGEST_MS ? null : waitingProject(places)
  }
}

async function finishJobs(root: string, first: readonly Job[], world: FinisherWorld): Promise<void> {
  const places = world.locate(root)
  // Jobs that were taken and not done wait for the next event.
  for (let jobs: readonly Job[] | null = first; jobs !== null && world.elapsedMs() <= LONGEST_MS; ) {
    try {
      await finish(root, jobs, world)
    } catch (error) {
      logFailure(places.homeDir, world.now(), 'finisher', error)
    }
    // While this is still the finisher: another one begins when it is not any more.
    world.keep()
    // Whatever the result: a failing job must not start a finisher at every event.
    jobs = nextJobs(places)
  }
}

export async function finish(projectRoot: string, jobs: readonly Job[], world: FinisherWorld): Promise<void> {
  if (world.isOurChild) return
  const store = openStore(world.locate(projectRoot), { now: world.now })
  const isLate = (): boolean => {
    world.goOn()
    return world.elapsedMs() > LONGEST_MS
  }
  refuseReadOnly(store)
  // The host is still writing the turn that made the note due.
  if (jobs.some((job) => job.for === 'note')) await world.wait(TRANSCRIPT_LAG_MS)
  const isComplete = capture(store, jobs, world, isLate)
  if (!store.isPrepared()) {
    for (const { name, run, isForEmpty } of extraSteps())
      if (isForEmpty === true) await guarded(store, world, name, () => run(store, { ...world, isLate }))
    return
  }
  for (const [name, step] of steps(store, jobs, { ...world, isLate, isComplete })) {
    world.goOn()
    await guarded(store, world, name, step)
  }
}

type Step = readonly [name: string, step: () => unknown]

/** Also of other projects: a server may never start there again. */
function sweepAllServers({ places: { homeDir } }: Store, { tempDir, isAlive }: FinisherWorld): void {
  const root = path.join(homeDir, SERVERS_DIR)
  for (const name of list(root)) sweepServers({ dir: path.join(root, name), tempDir, isAlive })
}

/** If a step fails, for example because of one unreadable file, the others still run. */
function steps(
  store: Store,
  jobs: readonly Job[],
  world: FinisherWorld & { isLate: () => boolean; isComplete: boolean },
): readonly Step[] {
  const { now, isLate, isAlive } = world
  const lock = <T>(work: () => T): { value: T } | null => store.whileLocked(COMMAND_WAIT_MS, work)
  const locked = (work: () => unknown) => () => lock(work)
  let isAnswered = true
  const ended = new Set(jobs.flatMap((job) => (job.for === 'end' ? [job.session] : [])))
  const isLeft = (session: SessionState, id: string): boolean => !ended.has(id) && isOver(session, now(), isAlive)
  return [
    ['first steps', () => takeFirstSteps(store, now(), COMMAND_WAIT_MS)],
    ...extraSteps('captured').map(({ name, run }): Step => [name, () => run(store, world)]),
    ['queues', locked(() => settleQueues(store, (id, session) => ended.has(id) || isOver(session, now(), isAlive)))],
    ['cut', locked(() => cutFor(store, jobs, world.isComplete, world))],
    // A model may take minutes for the notes: the next prompt finds an updated index all the same.
    ['index', () => mayAudit(store, now()) && refreshIndex(store, world)],
    // Where Claude itself writes: what it left undone in earlier sessions, and the start had no time for.
    ['notes left', locked(() => wayIn(store, now()) === 'agent' && noteByCode(store, now(), { isWanted: isLeft }))],
    ['notes', async () => (isAnswered = await writeNotes(store, world))],
    // After a failed call another one would fail, too, and two in a row begin a pause.
    ['notes again', () => isAnswered && rewriteNotes(store, world)],
    ['doubles', locked(() => removeDoubles(store))],
    // Text that a person wrote into memory.md can make it full, too.
    ['rotation', locked(() => rotateIfFull(store, now()))],
    ['facts', () => factsOfHistory(store, { now, isLate, waitMs: COMMAND_WAIT_MS })],
    ['summaries', () => summariseAll(store, unsummarised(store, { now: now(), isAlive }), lock, isLate)],
    ['knowledge', () => careForKnowledge(store, world)],
    ['verdicts', () => judgeRecurring(store, world)],
    ['settle', locked(() => settleSessions(store, now(), isAlive))],
    ...extraSteps('settled').map(({ name, run }): Step => [name, () => run(store, world)]),
    ['servers', () => sweepAllServers(store, world)],
    ['strays', locked(() => sweepStrays(writtenDirs(store), Date.parse(now())))],
    ['receipts', locked(() => trimReceipts(store))],
    ['vault', locked(() => fillVault(store))],
    ...extraSteps('copied').map(({ name, run }): Step => [name, () => run(store, world)]),
    ['index', () => refreshIndex(store, world)],
    ['unpushed', () => noteUnpushed(store, { ...world, waitMs: COMMAND_WAIT_MS })],
    // And the next start. In the middle of a session its next turn would change what that reads.
    ...(jobs.some((job) => job.for !== 'note') ? [['start', () => prepareNext(store.places, world)] as const] : []),
  ]
}

/** With a store of its own: what that reads when it is opened counts, too. What was written a moment ago is not trusted to stay as it is. */
async function prepareNext(places: Places, { now, wait, programs, isAlive }: FinisherWorld): Promise<void> {
  // The first frame of all makes its key, which changes the directory.
  frameFor(places)('memory-keeper', [])
  const { value, seen } = traceReads(() => {
    // Another build under the same path.
    statOf(path.join(programs, 'keeper-main.cjs'))
    const store = openStore(places, { now })
    return { store, prepared: prepareStart(store, now(), isAlive) }
  })
  if (value.prepared === null) return
  await wait(Math.max(0, Math.min(MOST_SETTLING_MS, steadyAt(seen) - Date.parse(now()))))
  keepPrepared(value.store, value.prepared, seen, programs)
}

async function guarded({ places }: Store, { now }: FinisherWorld, name: string, step: () => unknown): Promise<void> {
  try {
    await step()
  } catch (error) {
    logFailure(places.homeDir, now(), name, error)
  }
}

/** Whether every transcript was read to its end. */
function capture(store: Store, jobs: readonly Job[], { now }: FinisherWorld, isLate: () => boolean): boolean {
  const tryTo = <T>(name: string, work: () => T, otherwise: T): T =>
    attempt(store.places.homeDir, now(), name, work, otherwise)
  tryTo('restore', () => restoreIfLost(store), null)
  const options = { waitMs: COMMAND_WAIT_MS, commitBytes: COMMIT_BYTES, now, look: 'all', isLate } as const
  for (const job of jobs)
    if (job.for === 'end' && job.seen !== undefined) {
      const ended = { session: job.session, ...job.seen, isEnd: true }
      tryTo('capture', () => captureSession(store, ended, options), null)
    }
  return tryTo('capture', () => catchUp(store, options).complete, false)
}

function refreshIndex(store: Store, { now, goOn }: FinisherWorld): void {
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now, onProgress: goOn })
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
  state = giveUpWork(state, (session) => isOver(session, now, world.isAlive))
  if (state !== before) store.perform([stateEffect(state)])
  beginPages(store, before, state)
}
