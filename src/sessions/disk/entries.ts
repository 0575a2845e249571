/** The entries of a session, with their numbers. */

import type { Store } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import type { Numbered } from '../numbered.ts'
import { readSession } from './lineage.ts'

/** Those that the state counts. */
export function entriesOf(store: Store, session: SessionState, from: number, to: number): Numbered[] {
  if (session.file === '') return []
  return readSession(store, session.file)
    .slice(0, session.entries)
    .map((entry, n) => ({ n, entry }))
    .slice(from, to)
}
