/** The finisher: a detached process that does what a hook had no time for, and ends. */
import { catchUp } from '../store/catch-up.ts'
import { trimJournal } from '../store/journal.ts'
import { COMMAND_WAIT_MS, openStore, sweepStrays } from '../store/store.ts'
import { fillVault } from '../store/vault.ts'
import { restoreIfLost } from './notices.ts'
import type { World } from './run.ts'

/** No finisher works longer; the next one goes on where it stopped. */
const LONGEST_MS = 10 * 60_000

export function finish(projectRoot: string, world: World): void {
  const store = openStore(world.locate(projectRoot), { now: world.now })
  restoreIfLost(store)
  catchUp(store, { waitMs: COMMAND_WAIT_MS, now: world.now, look: 'all', isLate: () => world.elapsedMs() > LONGEST_MS })
  store.whileLocked(COMMAND_WAIT_MS, () => {
    sweepStrays(store.dir, Date.parse(world.now()))
    trimJournal(store.dir)
    fillVault(store)
  })
}
