/** Asks git how many commits of the project's branch no remote has, and records it in the state. */
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { State, Unpushed } from '../../../kernel/memory/state.ts'
import { isSameStanding, standingOf } from '../../../kernel/sessions/disk/unpushed.ts'
import { branchOf, repositoryAt } from '../../../kernel/trust/disk/git-head.ts'
import { askGit, type GitWorld } from './git-history.ts'

/** Call it without the lock: git may take a moment. Nothing is written if the answer is the known one. */
export function noteUnpushed(store: Store, world: GitWorld & { now: () => string; waitMs: number }): void {
  // A project without a memory gets no directory for this.
  if (!store.isPrepared() || store.whyReadOnly() !== null) return
  const found = countUnpushed(store, world)
  if (isKnown(found, store.readState())) return
  store.whileLocked(world.waitMs, () => {
    const { unpushed: _, ...state } = store.readState()
    store.perform([stateEffect(found === null ? state : { ...state, unpushed: found })])
  })
}

function isKnown(found: Unpushed | null, { unpushed }: State): boolean {
  if (found === null || unpushed === undefined) return found === null && unpushed === undefined
  return isSameStanding(found, unpushed) && found.count === unpushed.count
}

/** Null: none, or git does not say. Without any remote-tracking ref nothing was meant to be pushed. */
function countUnpushed(store: Store, world: GitWorld & { now: () => string }): Unpushed | null {
  const standing = standingOf(store)
  const repository = repositoryAt(store.places.project.root)
  const branch = repository && branchOf(repository)
  if (standing === null || repository === null || branch === null) return null
  const remote = askGit(repository, ['for-each-ref', '--count=1', '--format=%(refname)', 'refs/remotes'], world)
  if (!remote?.trim()) return null
  // The branch was pushed once and deleted on the server, mostly since it was merged as one commit.
  const track = ['for-each-ref', '--format=%(upstream:track,nobracket)', `refs/heads/${branch}`]
  if (askGit(repository, track, world)?.trim() === 'gone') return null
  // The commit itself, not HEAD, which may have moved since.
  const said = askGit(repository, ['rev-list', '--count', standing.head, '--not', '--remotes', '--'], world)
  const count = /^\d{1,9}$/.test(said?.trim() ?? '') ? Number(said) : 0
  return count === 0 ? null : { ...standing, count, at: world.now() }
}
