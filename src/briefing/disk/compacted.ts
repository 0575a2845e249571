/** What a session did before its compaction, and a preview of the briefing. */

import type { Store } from '../../memory/disk/store.ts'
import { sessionIn } from '../../memory/state.ts'
import type { Briefing } from '../../receipts/receipt.ts'
import { toTell } from '../../sessions/delta.ts'
import { entriesOf } from '../../sessions/disk/sessions.ts'
import { renderBriefing } from '../briefing.ts'
import { compactedFrom } from '../briefing-digest.ts'
import type { Compacted } from '../briefing-input.ts'
import { gatherBriefing } from './briefing.ts'

/** The maximum for the briefing after a compaction. */
const COMPACTED_CHARS = 4_500

/** Null: the session is unknown. */
export function compactedOf(store: Store, id: string): Compacted | null {
  const session = sessionIn(store.readState(), id)
  if (session === undefined) return null
  return compactedFrom(toTell(entriesOf(store, session, 0, session.entries)), COMPACTED_CHARS)
}

/** What would be injected into a new session; with a session: what would be injected after its compaction. */
export function previewBriefing(store: Store, session: string | null): Briefing | null {
  const compacted = session === null ? null : compactedOf(store, session)
  return renderBriefing(gatherBriefing(store, store.readState(), { session: session ?? '', compacted }))
}
