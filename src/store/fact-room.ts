/** Whether a piece of a session may bring facts at all, and how many. */
import { uncovered } from '../core/coverage.ts'
import { toTell } from '../core/delta.ts'
import type { Numbered } from '../core/digest-types.ts'
import { allFacts, type Facts } from '../core/fact.ts'
import { id8OfFile } from '../core/layout.ts'
import type { SessionState } from '../core/session-state.ts'
import { readFacts } from './knowledge.ts'
import type { Store } from './store.ts'

/** How many facts of a model a session has; those that code found make room for them. */
export function roomFor(store: Store, facts: Facts, id8: string): number {
  const known = allFacts(facts).filter(({ session, author }) => session === id8 && author !== 'extractive').length
  return Math.max(0, Number(store.config.maxFactsPerSession) - known)
}

/** Nothing in it carries weight, or the session has all the facts it may have: nobody is asked, which costs nothing. */
export function mayHaveFacts(store: Store, session: SessionState, entries: readonly Numbered[]): boolean {
  if (uncovered(toTell(entries), [], new Set()).length === 0) return false
  return roomFor(store, readFacts(store), id8OfFile(session.file) ?? '') > 0
}
