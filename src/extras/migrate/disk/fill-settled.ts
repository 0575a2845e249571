/** Adds the goal and the line about their end to sessions that 0.5 settled without them. */
import { standsOf } from '../../../core/notes/structure.ts'
import { readSettled, settledEffects, settledNames } from '../../../kernel/memory/disk/settled.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { parseSessionState } from '../../../kernel/memory/session-state.ts'
import type { StoredSession } from '../../../kernel/memory/state.ts'
import { toTell } from '../../../kernel/sessions/delta.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import { keptGoal } from '../../../kernel/sessions/session-row.ts'

/** The maximum number of sessions read in one run of the finisher. */
const MOST_FILLED = 100

/** By structure, once, newest first. An empty line means that there is nothing to write. */
export function fillSettled(store: Store, isLate: () => boolean, most = MOST_FILLED): void {
  const { sessions } = store.readState()
  const unknown = settledNames(store.dir)
    .toReversed()
    .flatMap((name) => [...readSettled(store.dir, name).sessions].toReversed())
    .filter(([id, { file, goal, stands }]) => file && goal === undefined && stands === undefined && !sessions[id])
  const filled = new Map<string, StoredSession>()
  for (const [id, stored] of unknown.slice(0, most)) {
    if (isLate()) break
    const session = parseSessionState(stored)
    const entries = toTell(entriesOf(store, session, 0, session.entries))
    const goal = keptGoal(entries)
    filled.set(id, { ...stored, ...(goal === '' ? {} : { goal }), stands: standsOf(entries, session.entries) })
  }
  if (filled.size > 0) store.whileLocked(COMMAND_WAIT_MS, () => store.perform(settledEffects(store.dir, filled)))
}
