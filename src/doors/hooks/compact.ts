/** Before a compaction: captures everything, makes a note due, and tells the host's summariser what must survive. */

import { cutSession } from '../../core/notes/pending.ts'
import { HOOK_WAIT_MS, stateEffect } from '../../kernel/memory/disk/store.ts'
import { sessionIn } from '../../kernel/memory/state.ts'
import { NOTHING, type Reply } from './host.ts'
import type { Moment } from './world.ts'

/** One line for the host's summariser. It must not begin with a brace: the host would parse it as JSON. */
const GUIDANCE = 'Keep file paths, commands, numbers, decisions and open issues word for word in the summary.'

export function beforeCompaction({ event, store, world, injected, tryTo }: Moment): Reply {
  if (!store.isPrepared()) return NOTHING
  const cut = (): boolean => {
    const before = store.readState()
    const state = cutSession(before, event.session)
    if (state !== before) store.perform([stateEffect(state)])
    return state !== before
  }
  if (tryTo('cut', () => store.whileLocked(HOOK_WAIT_MS, cut), null)?.value)
    world.startFinisher(store.places.project.root, { for: 'note' })
  // The host shows it on the screen. What this session did is injected again right after the compaction.
  if (sessionIn(store.readState(), event.session) === undefined) return NOTHING
  injected.guidance = GUIDANCE.length
  return { say: 'guidance', text: GUIDANCE }
}
