/** What the programs know of the world around them, and what only some events need. */
import type { Places } from '../store/locate.ts'
import type { Store } from '../store/store.ts'
import type { HookEvent, Reply } from './host.ts'

/** Why the finisher is started: a session ended, a note is due, or a transcript is not read to its end. */
export type Job = { for: 'end'; session: string } | { for: 'note' } | { for: 'catch-up' }

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
  isAlive: (pid: number) => boolean
  locate: (startDir: string) => Places
  projectDir: string | undefined
  startFinisher: (projectRoot: string, job: Job) => void
  /** What only some events need lies in a file of its own. */
  loadKeeper: () => Keeper
}

/** Lies in a file of its own: a start and a compaction need more than the other events. */
export interface Keeper {
  start: (moment: Moment) => Reply
  compact: (moment: Moment) => Reply
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
