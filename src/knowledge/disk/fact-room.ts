/** Whether a piece of a session may bring facts at all, and how many. */

import type { Store } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { uncovered } from '../../outgoing/coverage.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { toTell } from '../../sessions/delta.ts'
import type { Numbered } from '../../sessions/digest-types.ts'
import { allFacts, type Facts } from '../fact.ts'
import { readFacts } from './knowledge.ts'

/** How many facts of a model a session has; those that code found make room for them. */
export function roomFor(store: Store, facts: Facts, id8: string): number {
  const known = allFacts(facts).filter(({ session, author }) => session === id8 && author !== 'extractive').length
  return Math.max(0, store.config.maxFactsPerSession - known)
}

/** Nothing in it carries weight, or the session has all the facts it may have: nobody is asked, which costs nothing. */
export function mayHaveFacts(store: Store, session: SessionState, entries: readonly Numbered[]): boolean {
  if (uncovered(toTell(entries), [], new Set()).length === 0) return false
  return roomFor(store, readFacts(store), id8OfFile(session.file) ?? '') > 0
}
