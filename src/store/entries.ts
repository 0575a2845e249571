/** The entries of a session, with their numbers. */
import type { Numbered } from '../core/digest-types.ts'
import type { SessionState } from '../core/session-state.ts'
import { readSession } from './lineage.ts'
import type { Store } from './store.ts'

/** Those that the state counts. */
export function entriesOf(store: Store, session: SessionState, from: number, to: number): Numbered[] {
  if (session.file === '') return []
  return readSession(store, session.file)
    .slice(0, session.entries)
    .map((entry, n) => ({ n, entry }))
    .slice(from, to)
}
