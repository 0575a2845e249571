/** Before the host forgets: everything is captured, a note becomes due, and its summariser hears what must survive. */
import { renderCompactionGuidance } from '../briefing/compaction.ts'
import { readFacts } from '../knowledge/disk/knowledge.ts'
import { HOOK_WAIT_MS, stateEffect } from '../memory/disk/store.ts'
import { sessionIn } from '../memory/state.ts'
import { cutSession } from '../notes/pending.ts'
import { toTell } from '../sessions/delta.ts'
import { entriesOf } from '../sessions/disk/sessions.ts'
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
  if (session === undefined || !store.config.compactionGuidance) return NOTHING
  const entries = toTell(entriesOf(store, session, 0, session.entries))
  const text = renderCompactionGuidance(entries, readFacts(store))
  if (text === null) return NOTHING
  told.guidance = text.length
  return { say: 'guidance', text }
}
