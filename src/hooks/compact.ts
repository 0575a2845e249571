/** Before the host forgets: everything is captured, a note becomes due, and its summariser hears what must survive. */
import { renderCompactionGuidance } from '../core/compaction.ts'
import { toTell } from '../core/delta.ts'
import { digestEntries } from '../core/digest.ts'
import { cutSession } from '../core/pending.ts'
import { sessionIn } from '../core/state.ts'
import { entriesOf } from '../store/entries.ts'
import { readFacts } from '../store/knowledge.ts'
import { HOOK_WAIT_MS, stateEffect } from '../store/store.ts'
import { NOTHING, type Reply } from './host.ts'
import type { Moment } from './world.ts'

export function beforeCompaction({ event, store, world, told, tryTo }: Moment): Reply {
  if (!store.isPrepared()) return NOTHING
  const cut = (): boolean => {
    const before = store.readState()
    const state = cutSession(before, event.session)
    if (state !== before) store.perform([stateEffect(state)])
    return state !== before
  }
  if (tryTo('cut', () => store.whileLocked(HOOK_WAIT_MS, cut), null)?.value)
    world.startFinisher(store.places.project.root, { for: 'note' })
  const session = sessionIn(store.readState(), event.session)
  if (session === undefined || store.config.compactionGuidance === false) return NOTHING
  const digest = digestEntries(toTell(entriesOf(store, session, 0, session.entries)))
  const text = renderCompactionGuidance(digest, readFacts(store))
  if (text === null) return NOTHING
  told.guidance = text.length
  return { say: 'guidance', text }
}
