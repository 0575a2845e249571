/** The checks of whose memory this is, and of which version. */

import { peopleIn, untrustedPeople } from '../../copies/disk/shared.ts'
import type { Store } from '../../memory/disk/store.ts'
import { waitingMemory } from '../../migrate/disk/migrate.ts'
import { isEarlier } from '../../migrate/disk/migrate-notice.ts'
import { statOf } from '../../platform/disk/files.ts'
import { OWNER_FILE } from '../../platform/layout.ts'
import { count } from '../../text/figures.ts'
import { broughtByGit } from '../../trust/disk/git-brought.ts'
import { isOnlyGits } from '../../trust/disk/trust.ts'
import type { Check } from './check.ts'

export function checkStanding(store: Store): Check {
  const { inProject } = store.places
  if (store.ownership !== 'foreign')
    return {
      name: 'memory',
      verdict: 'ok',
      finding: `${store.dir} (${statOf(store.dir) === null ? 'not begun yet' : 'yours'})`,
    }
  if (isOnlyGits(store.places)) {
    const { tracked, left, isUnknown } = broughtByGit(store.places)
    const files = [...tracked, ...left].length
    return {
      name: 'memory',
      verdict: 'warning',
      finding: `git brought ${count(files, 'file')} into ${inProject}${isUnknown ? " (git's index cannot be read just now)" : ''}, so it is not trusted and not read; sessions go to ${store.dir}`,
      fix: 'memory-keeper trust shows them; if you know them: memory-keeper trust --yes',
    }
  }
  const isOld = statOf(inProject)?.kind === 'dir' && isEarlier(inProject)
  return {
    name: 'memory',
    verdict: 'warning',
    finding: `${inProject} is not trusted and not read (${isOld ? 'an earlier version of Memory Keeper made it' : `its ${OWNER_FILE} and ${store.places.trustRecord} do not hold the same token`}); sessions go to ${store.dir}`,
    fix: isOld
      ? 'memory-keeper trust shows it; if it is yours: memory-keeper trust --yes, then memory-keeper migrate'
      : 'memory-keeper trust, if you know where it comes from',
  }
}

/** What teammates share is read only after a yes to these very contents. */
export function checkShared({ places }: Store): Check {
  const name = 'shared memory'
  const waiting = untrustedPeople(places)
  const [first] = waiting
  if (first === undefined) {
    const people = peopleIn(places).length
    return { name, verdict: 'ok', finding: people === 0 ? 'nobody shares anything' : `of ${count(people, 'teammate')}` }
  }
  const who = waiting.map((one) => `${one.who}${one.isChanged ? ' (changed)' : ''}`).join(', ')
  return {
    name,
    verdict: 'warning',
    finding: `what ${who} ${waiting.length === 1 ? 'shares' : 'share'} is not read yet`,
    fix: 'memory-keeper trust shows it, memory-keeper trust --yes reads it',
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
