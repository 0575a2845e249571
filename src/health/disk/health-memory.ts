/** The checks of whose memory this is, and of which version. */

import { peopleIn, untrustedPeople } from '../../copies/disk/shared.ts'
import type { Store } from '../../memory/disk/store.ts'
import { waitingMemory } from '../../migrate/disk/migrate.ts'
import { isEarlier } from '../../migrate/disk/migrate-notice.ts'
import { statOf } from '../../platform/disk/files.ts'
import { OWNER_FILE } from '../../platform/layout.ts'
import { problemOfEmbedder } from '../../search/disk/embedder-check.ts'
import { type IndexLook, lookAtIndex } from '../../search/disk/index/look.ts'
import { bytes, count } from '../../text/figures.ts'
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

export function checkIndex(store: Store): Check {
  const name = 'search index'
  const look = lookAtIndex(store)
  const { is, dir } = look
  if (is === 'unreadable')
    return {
      name,
      verdict: 'warning',
      finding: `${dir} cannot be read, so each search makes its own in memory`,
      fix: 'make the directory readable and writable for you, or delete it',
    }
  if (is === 'damaged' || is === 'newer')
    return {
      name,
      verdict: 'warning',
      finding: is === 'damaged' ? `damaged: ${dir}` : `made by a newer version, so each search makes its own: ${dir}`,
      fix: 'memory-keeper reindex makes it anew',
      mend: 'index',
    }
  return { name, verdict: 'ok', finding: findingOf(look) }
}

function findingOf({ is, dir, documents, bytes: size }: IndexLook): string {
  if (is === 'nowhere') return 'made in memory for each search: there is no cache directory'
  if (is === 'missing') return `made with the first search, in ${dir}`
  if (is === 'older') return `made by an earlier version, made anew with the next search: ${dir}`
  return `readable: ${count(documents, 'document')}, ${bytes(size)} in ${dir}`
}

/** Nothing is sent anywhere: whether an endpoint answers is seen with the first search. */
export function checkEmbedder(store: Store): Check {
  const name = 'embedder'
  const place = store.config.embedder
  if (place === '') return { name, verdict: 'ok', finding: 'none: hits are ordered by their words' }
  const problem = problemOfEmbedder(place, store.config.embedderModel)
  if (problem === null) return { name, verdict: 'ok', finding: place }
  return {
    name,
    verdict: 'warning',
    finding: `${problem}; until then hits are ordered by their words`,
    fix: 'memory-keeper config set embedder with the right place, or "" for none',
  }
}
