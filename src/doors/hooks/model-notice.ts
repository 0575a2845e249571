/** What a user is told of models once, in the first attended session: what is called in the background, and what Claude itself is asked for. */

import { agentCost } from '../../core/model/agent-cost.ts'
import { type Noticed, noteNoticed, noticedAt } from '../../core/model/disk/model-call.ts'
import { renderModelNotice } from '../../core/notes/pending.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import type { Moment } from './world.ts'

/** Once per user: no model is called before. */
export function modelNotices({ store, world, tryTo }: Moment): string[] {
  const { homeDir } = store.places
  if (!world.isAttended) return []
  // If it cannot be recorded it is not shown: it would be shown at every start, and no call would follow.
  const isTaken = (what: Noticed): boolean => {
    tryTo('notices', () => noteNoticed(homeDir, what, world.now()), undefined)
    return noticedAt(homeDir, what) !== null
  }
  const cost = agentCost(store.config)
  const { saveInterval, modelCallsPerDay } = store.config
  const [isModel, isAgent] = [waits(store, 'model') && isTaken('model'), waits(store, 'agent') && isTaken('agent')]
  return [
    ...(isModel ? [renderModelNotice(saveInterval, modelCallsPerDay, cost !== null)] : []),
    ...(isAgent && cost !== null ? [cost] : []),
  ]
}

/** Whether a start has something of this to tell. */
export function hasModelNotices(store: Store): boolean {
  return waits(store, 'model') || waits(store, 'agent')
}

/** Background calls also audit what Claude itself writes. */
function waits({ config, places }: Store, what: Noticed): boolean {
  const isUsed = what === 'model' ? config.summarizer !== 'extractive' : agentCost(config) !== null
  return isUsed && noticedAt(places.homeDir, what) === null
}
