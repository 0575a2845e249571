/** The doctor's checks of whose memory this is, and of which version. */
import { factsOf } from '../store/files.ts'
import { waitingMemory } from '../store/migrate.ts'
import { isEarlier } from '../store/migrate-notice.ts'
import type { Store } from '../store/store.ts'
import type { Check } from './doctor-notes.ts'

export function checkStanding(store: Store): Check {
  const { inProject } = store.places
  if (store.standing !== 'foreign')
    return {
      name: 'memory',
      verdict: 'ok',
      finding: `${store.dir} (${factsOf(store.dir) === null ? 'not begun yet' : 'yours'})`,
    }
  const isOld = factsOf(inProject)?.kind === 'dir' && isEarlier(inProject)
  return {
    name: 'memory',
    verdict: 'warning',
    finding: `${inProject} is not trusted and not read${isOld ? ' (an earlier version of Memory Keeper made it)' : ''}; sessions go to ${store.dir}`,
    fix: isOld
      ? 'memory-keeper trust shows it; if it is yours: memory-keeper trust --yes, then memory-keeper migrate'
      : 'memory-keeper trust, if you know where it comes from',
  }
}

export function checkMigration(store: Store, now: string): Check {
  const waiting = waitingMemory(store, now)
  if (waiting === null) return { name: 'earlier version', verdict: 'ok', finding: 'nothing waits to be taken over' }
  return {
    name: 'earlier version',
    verdict: 'warning',
    finding: `its memory in ${waiting} is not taken over yet`,
    fix: 'memory-keeper migrate --dry-run shows what would be, memory-keeper migrate does it (a backup first)',
  }
}
