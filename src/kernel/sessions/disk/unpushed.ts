/** Commits that were never pushed, as git last said: told at a start without asking git again, and only while nothing has changed. */
import type { Store } from '../../memory/disk/store.ts'
import type { Unpushed } from '../../memory/state.ts'
import { redactorFor } from '../../redact/redact.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { branchOf, headOf, isOnRemote, pushedRefs, repositoryAt } from '../../trust/disk/git-head.ts'

/** Where the project's repository stands. A commit, a push or another branch changes it. */
export type BranchStanding = Pick<Unpushed, 'branch' | 'head' | 'remoteRef'>

/** Null: no branch is checked out, or its files cannot be read. A project with worktrees stands where its main directory does. */
export function standingOf(store: Store): BranchStanding | null {
  const repository = repositoryAt(store.places.project.root)
  const branch = repository && branchOf(repository)
  const head = repository && headOf(repository)
  if (repository === null || branch === null || head === null) return null
  const refs = pushedRefs(repository, branch)
  const remoteRef = refs === '' ? '' : fingerprint(refs)
  return { branch: redactorFor(store.config)(branch).text, head, remoteRef }
}

/** Null: everything was pushed, or it is not known since the repository changed. */
export function unpushedNow(store: Store): { branch: string; count: number } | null {
  const { unpushed } = store.readState()
  const standing = unpushed === undefined ? null : standingOf(store)
  if (unpushed === undefined || standing === null || !isSameStanding(standing, unpushed)) return null
  const repository = repositoryAt(store.places.project.root)
  if (repository === null || isOnRemote(repository, standing.head)) return null
  return { branch: unpushed.branch, count: unpushed.count }
}

export function isSameStanding(one: BranchStanding, other: BranchStanding): boolean {
  return one.branch === other.branch && one.head === other.head && one.remoteRef === other.remoteRef
}
