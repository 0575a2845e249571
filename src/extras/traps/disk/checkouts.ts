/** The checkouts of a project: its root and its worktrees; in which of them sessions were, and where in them a file is that a session names. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { realPath, statOf } from '../../../kernel/platform/disk/files.ts'
import { worktreesOf } from '../../../kernel/platform/disk/locate.ts'
import { pathsBelow } from '../../../kernel/platform/local-path.ts'
import { launchDirOf } from '../../../kernel/sessions/disk/transcripts.ts'

/** A checkout where nobody was for so long gets no rules. */
const IN_USE_MS = 14 * 24 * 60 * 60_000

export function checkoutsOf({ places }: Pick<Store, 'places'>): string[] {
  const { root } = places.project
  return [root, ...worktreesOf(root)]
}

/** Those with a session in the last days. */
export function checkoutsInUse(store: Store, now: string): string[] {
  const all = checkoutsOf(store)
  const since = new Date(Date.parse(now) - IN_USE_MS).toISOString()
  const recent = allSessions(store.readState()).filter(([, { refine }]) => refine.ts > since)
  const dirs = recent.flatMap(([, session]) => [launchDir(session), session.refine.tree].filter((dir) => dir !== ''))
  const used = new Set(dirs.flatMap((dir) => longestAround(all, dir) ?? []))
  return all.filter((checkout) => used.has(checkout))
}

/** A worktree may be inside the project. */
function longestAround(checkouts: readonly string[], dir: string): string | null {
  const around = checkouts.filter((checkout) => pathsBelow([checkout], process.platform)(dir) !== null)
  return around.toSorted((a, b) => b.length - a.length)[0] ?? null
}

/** Where the sessions' names of files lead, with slashes; null: into no checkout. */
export function placesIn(store: Store): (session: SessionState) => (named: string) => string | null {
  const { root } = store.places.project
  const below = pathsBelow(checkoutsOf(store), process.platform)
  const ifThere = (named: string): string | null =>
    statOf(path.join(root, named))?.kind === 'file' ? named.replaceAll('\\', '/') : null
  return (session) => {
    const base = launchDir(session)
    const isKnown = base !== '' && below(base) !== null
    return (named) => {
      if (isAbsolute(named)) return within(below(path.normalize(named)))
      // Of a removed worktree, or of a transcript that is gone: the same file of the project.
      return within(isKnown ? below(path.join(base, named)) : ifThere(path.normalize(named)))
    }
  }
}

function within(place: string | null): string | null {
  return place === null || place === '' || place.startsWith('../') ? null : place
}

function isAbsolute(named: string): boolean {
  return path.isAbsolute(named) || path.win32.isAbsolute(named) || named.startsWith('~')
}

/** As the transcript names it. Ended sessions do not keep it. */
function launchDir({ refine, transcript }: SessionState): string {
  const dir = refine.base || (transcript === '' ? null : launchDirOf(transcript)) || ''
  return dir === '' ? '' : realPath(dir)
}
