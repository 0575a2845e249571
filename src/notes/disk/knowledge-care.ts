/** What a memory knows, kept in shape: stale facts, concepts, what recurs, tiers. Each step is bounded and may be repeated. */
import { sortConcepts } from '../../knowledge/disk/concepts.ts'
import { markStale } from '../../knowledge/disk/fact-care.ts'
import type { GitWorld } from '../../knowledge/disk/git-history.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { refreshOwed } from '../../knowledge/disk/owed.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { reflectAll } from '../../outgoing/disk/reflection-all.ts'
import { attempt } from '../../platform/disk/log.ts'
import { ageTiers } from './tiers.ts'

export interface CareOptions extends GitWorld {
  now: () => string
  elapsedMs: () => number
  isLate: () => boolean
  /** Claude is asked to sort the facts of sessions that are going on. */
  isSortedByClaude: boolean
}

/** One that fails keeps none of the others from being done. */
export function careForKnowledge(store: Store, options: CareOptions): void {
  const { now, isLate } = options
  const step = (name: string, work: () => void): void => {
    if (!isLate()) attempt(store.places.keeperDir, now(), name, work, undefined)
  }
  step('staleness', () => markStale(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  if (!options.isSortedByClaude) step('concepts', () => sortConcepts(store, COMMAND_WAIT_MS, now()))
  step('reflection', () => reflectAll(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  step('tiers', () => ageTiers(store, { now: now(), isLate }))
  step('owed', () => {
    // Read while nobody waits for the lock: under it, the same file is not parsed again.
    readFacts(store)
    store.whileLocked(COMMAND_WAIT_MS, () => refreshOwed(store))
  })
}
