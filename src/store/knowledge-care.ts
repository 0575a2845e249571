/** What a memory knows, kept in shape: stale facts, concepts, what recurs, tiers. Each step is bounded and may be repeated. */
import { upcomingConcepts, updateConcepts } from './concepts.ts'
import { markStale } from './fact-care.ts'
import type { GitWorld } from './git-history.ts'
import { attempt } from './log.ts'
import { refreshOwed } from './owed.ts'
import { reflect } from './reflection.ts'
import { COMMAND_WAIT_MS, type Store } from './store.ts'
import { ageTiers } from './tiers.ts'

export interface CareOptions extends GitWorld {
  now: () => string
  elapsedMs: () => number
  isLate: () => boolean
  /** Claude is asked to sort the facts of sessions that are going on. */
  isSortedByClaude: boolean
}

/** One hold of the lock: a hook waits no longer for it. */
const HOLD_MS = 150

/** One that fails keeps none of the others from being done. */
export function careForKnowledge(store: Store, options: CareOptions): void {
  const { now, isLate } = options
  const step = (name: string, work: () => void): void => {
    if (!isLate()) attempt(store.places.keeperDir, now(), name, work, undefined)
  }
  step('staleness', () => markStale(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  if (!options.isSortedByClaude)
    step('concepts', () => {
      // The words of all facts are read while nobody waits for the lock.
      upcomingConcepts(store)
      store.whileLocked(COMMAND_WAIT_MS, () => updateConcepts(store, now()))
    })
  step('reflection', () => reflectAll(store, options))
  step('tiers', () => ageTiers(store, { now: now(), isLate }))
  step('owed', () => store.whileLocked(COMMAND_WAIT_MS, () => refreshOwed(store)))
}

/** The lock is let go between pieces. */
function reflectAll(store: Store, { now, elapsedMs, isLate }: CareOptions): void {
  for (let isDone = false; !isDone && !isLate(); ) {
    const began = elapsedMs()
    const piece = (): boolean => reflect(store, now(), { isLate: () => elapsedMs() - began > HOLD_MS }).isComplete
    isDone = store.whileLocked(COMMAND_WAIT_MS, piece)?.value ?? true
  }
}
