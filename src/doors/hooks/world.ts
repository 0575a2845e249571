/** The environment of the programs, and the parts of the program that only some events need. */
import type { RoomLine } from '../../core/briefing/briefing-input.ts'
import { cutOver, settleHistory, uncoveredSessions } from '../../core/notes/pending.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import type { State } from '../../kernel/memory/state.ts'
import type { Places } from '../../kernel/platform/disk/locate.ts'
import type { Job } from '../../kernel/sessions/disk/finisher-queue.ts'
import type { HookEvent, Reply } from './host.ts'

/** The environment as `bin/` passes it in: only `bin/` reads clock and environment variables. */
export interface World {
  now: () => string
  /** The MCP server answers instead of the hook program. */
  by?: 'server'
  /** Milliseconds since this process started. */
  elapsedMs: () => number
  /** Those of them in which a server was waited for in vain. */
  waitedMs?: number
  /** A person attends this session. */
  isAttended: boolean
  /** A child Claude that we started ourselves: nothing of it is recorded. */
  isOurChild: boolean
  /** The host's process. */
  hostPid: number
  /** Whether the host started this hook: Claude can run the program as well, with an invented event. */
  isStartedByHost: () => boolean
  isAlive: (pid: number) => boolean
  locate: (startDir: string) => Places
  projectDir: string | undefined
  /** Unless one is already running, which then does this job too. */
  startFinisher: (projectRoot: string, job: Job) => void
  /** The output of our command for a skill with these words; `isUsers`: it runs as the user's order. Null: it could not be run. */
  runSkill: (projectRoot: string, skill: string, words: string, isUsers: boolean) => string | null
  /** Work that the host need not wait for: at once, or when the answer is on its way. */
  soon: (work: () => void) => void
  /** Runs the writes about what was injected, once it is certain that the host received it. */
  later: (work: () => void) => void
  /** A word for the work that this event has for us: what is compiled for it may be kept. */
  doing: (what: string) => void
  loadStarter: () => Starter
  loadRecaller: () => Recaller
  loadKeeper: () => Keeper
}

/** In a file of its own: the code that only a start needs. */
export interface Starter {
  start: (moment: Moment) => Reply
}

/** In a file of its own: the code that searches the memory. */
export interface Recaller {
  /** What is remembered about a person's prompt, a failed command or the task of an agent, for Claude; empty: nothing relevant. */
  recall: (moment: Moment) => string
}

/** In a file of its own: the code that reads sessions and writes notes. */
export interface Keeper {
  /** Notes of ended sessions, an interrupted rotation, the section in CLAUDE.md. */
  settle: (moment: Moment) => void
  /** What extras do before all else. */
  takeFirstSteps: (store: Store, now: string) => boolean
  compact: (moment: Moment) => Reply
  /** Fixes the piece of work for which a turn is blocked. Call it under the lock. */
  handOut: (store: Store, now: string) => void
  /** What this session did, for its briefing after a compaction. */
  compacted: (store: Store, session: string) => readonly RoomLine[] | null
}

/** An event after its session was captured. */
export interface Moment {
  event: HookEvent
  store: Store
  world: World
  /** Everything readable has been read. */
  isComplete: boolean
  restored: string | null
  /** Injected characters, by part. */
  injected: Record<string, number>
  /** Runs the work; if it fails, logs the error and returns `otherwise`. */
  tryTo: <T>(where: string, work: () => T, otherwise: T) => T
}

/** The state after deciding which sessions are over. An incompletely read history does not show where it ends. */
export function stateAtStart({ store, world, isComplete }: Moment): State {
  const state = store.readState()
  // The usual case: a cheap check of a thousand sessions.
  if (state.beganAt !== null && uncoveredSessions(state).length === 0) return state
  const now = world.now()
  const settled = isComplete ? settleHistory(state, now, store.config.firstRunMaxEntries) : state
  return cutOver(settled, now, world.isAlive)
}
