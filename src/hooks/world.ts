/** What the programs know of the world around them, and what only some events need. */
import type { Compacted } from '../briefing/briefing-input.ts'
import type { Store } from '../memory/disk/store.ts'
import type { State } from '../memory/state.ts'
import { cutOver, settleHistory, untoldSessions } from '../notes/pending.ts'
import type { Places } from '../platform/disk/locate.ts'
import type { Job } from '../sessions/disk/finisher-queue.ts'
import type { HookEvent, Reply } from './host.ts'

/** The world as `bin/` sees it: the only place that reads clock and environment. */
export interface World {
  now: () => string
  /** Milliseconds since this process was started. */
  elapsedMs: () => number
  /** Someone sits in front of this session. */
  isAttended: boolean
  /** A child Claude that we started ourselves: nothing of it is remembered. */
  isOurChild: boolean
  /** The host's process. */
  hostPid: number
  /** Whether the host started this hook: Claude can run the program as well, and make up an event. */
  isStartedByHost: () => boolean
  isAlive: (pid: number) => boolean
  locate: (startDir: string) => Places
  projectDir: string | undefined
  /** Unless one is at work already, which does this job, too. */
  startFinisher: (projectRoot: string, job: Job) => void
  /** What our own command says to a skill with these words; `isUsers`: it runs with the user's hand. Null: it could not be run. */
  runSkill: (projectRoot: string, skill: string, words: string, isUsers: boolean) => string | null
  /** Writes down what was injected, once it is certain that the host got it. */
  later: (work: () => void) => void
  /** This event has work for us: what is compiled for it may be kept. */
  doing: (event: string) => void
  loadStarter: () => Starter
  loadRecaller: () => Recaller
  loadKeeper: () => Keeper
}

/** Lies in a file of its own: what only a start needs. */
export interface Starter {
  start: (moment: Moment) => Reply
}

/** Lies in another one: what searches the memory. */
export interface Recaller {
  /** What is remembered about a person's prompt, for Claude; empty: nothing that matters. */
  recall: (moment: Moment) => string
}

/** Lies in another one: what reads sessions and writes notes. */
export interface Keeper {
  /** Notes for sessions that are over, a rotation that was killed, the section in CLAUDE.md. */
  settle: (moment: Moment) => void
  /** Rules of 0.5.x, once. */
  takeOverRules: (moment: Moment) => void
  compact: (moment: Moment) => Reply
  /** Fixes the piece of work whose note Claude is held to. Call it under the lock. */
  handOut: (store: Store, now: string) => void
  /** What this session did, for its briefing after a compaction. */
  compacted: (store: Store, session: string) => Compacted | null
}

/** An event after its session was captured. */
export interface Moment {
  event: HookEvent
  store: Store
  world: World
  /** Everything that can be read is read. */
  isComplete: boolean
  restored: string | null
  /** Characters told to Claude, by part. */
  told: Record<string, number>
  /** Does it, or logs why not and gives what stands for it. */
  tryTo: <T>(where: string, work: () => T, otherwise: T) => T
}

/** The state once it is known which sessions are over. Half of a history says nothing about where it ends. */
export function stateAtStart({ store, world, isComplete }: Moment): State {
  const state = store.readState()
  // The usual case, told by one look at a thousand sessions.
  if (state.beganAt !== null && untoldSessions(state).length === 0) return state
  const now = world.now()
  const settled = isComplete ? settleHistory(state, now, store.config.firstRunMaxEntries) : state
  return cutOver(settled, now, world.isAlive)
}
