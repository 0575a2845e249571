/** Collects standing instructions from the sessions of a memory as they grow. */
import { toTell } from '../core/delta.ts'
import { id8OfFile } from '../core/layout.ts'
import { statedIn } from '../core/standing.ts'
import { addStated } from '../core/standing-merge.ts'
import { entriesOf } from './notes.ts'
import { readStanding, unreadSessions, writeStanding } from './standing.ts'
import type { Store } from './store.ts'

/** Looks at what is new; false: there was no time for all of it, go on later. Call it under the lock. */
export function collectStanding(store: Store, isLate: () => boolean): boolean {
  const before = readStanding(store)
  let list = before
  let isComplete = true
  for (const session of unreadSessions(before, store.readState())) {
    if (isLate()) {
      isComplete = false
      break
    }
    const id8 = id8OfFile(session.file) ?? ''
    // Fewer than before: the session was written anew, and what it says is known already.
    const entries = toTell(entriesOf(store, session, list.read[id8] ?? 0, session.entries))
    list = addStated(list, id8, statedIn(entries), session.entries)
  }
  if (list !== before) writeStanding(store, list)
  return isComplete
}
