/** What a session did before its compaction, and a look at the briefing that would be told. */
import { type Briefing, renderBriefing } from '../core/briefing.ts'
import { compactedFrom } from '../core/briefing-digest.ts'
import type { Compacted } from '../core/briefing-input.ts'
import { toTell } from '../core/delta.ts'
import { digestEntries } from '../core/digest.ts'
import { sessionIn } from '../core/state.ts'
import { gatherBriefing } from './briefing.ts'
import { entriesOf } from './entries.ts'
import type { Store } from './store.ts'

/** Null: nothing is known of it. */
export function compactedOf(store: Store, id: string): Compacted | null {
  const session = sessionIn(store.readState(), id)
  if (session === undefined) return null
  return compactedFrom(digestEntries(toTell(entriesOf(store, session, 0, session.entries))))
}

/** What a new session would be told, line by line; with a session: what it would be told after a compaction. */
export function previewBriefing(store: Store, session: string | null): Briefing | null {
  const compacted = session === null ? null : compactedOf(store, session)
  return renderBriefing(gatherBriefing(store, store.readState(), { session: session ?? '', compacted }))
}
