/** What is owed besides notes and facts, as the files say it: kept in the state, so that no hook has to read them. */

import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { type OwedKnowledge, sessionIn } from '../../memory/state.ts'
import { unsortedSessions } from '../../outgoing/disk/sorting.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { readFacts } from './knowledge.ts'
import { openCandidates } from './reflection.ts'

/** Call it under the lock, after facts or verdicts have changed. */
export function refreshOwed(store: Store): void {
  const state = store.readState()
  const live = new Set(
    Object.keys(state.sessions).flatMap((id) => {
      // Of sessions that are over code takes care.
      if (state.sessions[id]?.isLive !== true || state.sessions[id]?.isEnded === true) return []
      return id8OfFile(sessionIn(state, id)?.file ?? '') ?? []
    }),
  )
  const keys = openCandidates(store).map(({ key }) => key)
  const knowledge: OwedKnowledge = {
    ...state.knowledge,
    unsorted: unsortedSessions(readFacts(store)).filter((id8) => live.has(id8)),
    candidates: keys.length === 0 ? '' : fingerprint(keys.sort().join(' ')).slice(0, 8),
  }
  if (JSON.stringify(knowledge) !== JSON.stringify(state.knowledge))
    store.perform([stateEffect({ ...state, knowledge })])
}
