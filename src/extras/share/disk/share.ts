/** The copy for the team: plans and writes the user's own folder below `shared/` in the project. */
import path from 'node:path'
import { askGit, type GitWorld } from '../../../core/knowledge/disk/git-history.ts'
import { cleaner, readShareable } from '../../../core/others/disk/shareable.ts'
import { keepSharing, peopleIn, readSharing } from '../../../core/others/disk/shared.ts'
import { formatShared } from '../../../core/others/share.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { disk, list, makeDir, readOwnText, removeTree, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { GITATTRIBUTES_FILE, GITIGNORE_FILE, SHARED_DIR } from '../../../kernel/platform/layout.ts'
import { repositoryAt } from '../../../kernel/trust/disk/git-head.ts'
import {
  IGNORE_ALL,
  IGNORE_BUT_SHARED,
  isOurIgnore,
  SHARED_ATTRIBUTES,
  whoOf,
} from '../../../kernel/trust/share-files.ts'

interface SharePlan {
  who: string
  /** `shared/<who>`, relative to the project's memory directory. */
  dir: string
  /** The texts to write, by path relative to that directory; only changed files. */
  writes: Readonly<Record<string, string>>
  /** Paths to delete. */
  removes: readonly string[]
  /** There is no note, no fact and no concept to share. */
  isEmpty: boolean
  /** The user changed the memory's .gitignore: it stays unchanged. */
  isIgnoreOwn: boolean
}

/** `as`: the name that the user gave. Writes nothing. */
export function planShare(store: Store, as: string | undefined, world: GitWorld): SharePlan {
  const { places } = store
  if (store.ownership === 'foreign')
    throw new KeeperError('foreign', `${places.inProject} is not trusted. Look at it first: memory-keeper trust`)
  const before = readSharing(places).as
  const who = nameFor(places, as, before, world)
  refuseLinks(places, who)
  if (who !== before) refuseTaken(places, who)
  const folder = path.join(SHARED_DIR, who)
  const files = Object.entries(formatShared(readShareable(store), cleaner(store)))
  const there = (name: string): string | null => readOwnText(path.join(places.inProject, name))
  const ignore = there(GITIGNORE_FILE)
  const isIgnoreOwn = ignore !== null && !isOurIgnore(ignore)
  const wanted = [
    ...files.map(([name, text]) => [path.join(folder, name), text] as const),
    [path.join(SHARED_DIR, GITATTRIBUTES_FILE), SHARED_ATTRIBUTES] as const,
    ...(isIgnoreOwn ? [] : [[GITIGNORE_FILE, IGNORE_BUT_SHARED] as const]),
  ]
  return {
    who,
    dir: folder,
    writes: Object.fromEntries(wanted.filter(([name, text]) => text !== '' && there(name) !== text)),
    removes: [
      ...wanted.flatMap(([name, text]) => (text === '' && there(name) !== null ? [name] : [])),
      ...(before === null || before === who ? [] : filesOf(places, before)),
    ],
    isEmpty: files.every(([, text]) => text === ''),
    isIgnoreOwn,
  }
}

export function performShare(store: Store, plan: SharePlan): void {
  // A memory in the project is claimed first: otherwise the new directory would look foreign.
  store.prepare()
  const { inProject } = store.places
  keepSharing(store.places, { as: plan.who })
  makeDir(path.join(inProject, plan.dir))
  for (const [name, text] of Object.entries(plan.writes)) disk.replace(path.join(inProject, name), text)
  for (const name of plan.removes) disk.remove(path.join(inProject, name))
}

/** Updates the shared files after something was forgotten or redacted; does nothing if nothing is shared. */
export function refreshShare(store: Store): void {
  const { as } = readSharing(store.places)
  if (as === null || store.ownership === 'foreign') return
  performShare(store, planShare(store, as, { env: {}, platform: '' }))
}

/** Deletes the user's folder; the rest stays while others share. Null: nothing was shared. */
export function endShare({ places }: Store, isDryRun: boolean): { who: string; files: string[] } | null {
  const { as: who } = readSharing(places)
  if (who === null) return null
  refuseLinks(places, who)
  const files = filesOf(places, who)
  if (isDryRun) return { who, files }
  const shared = path.join(places.inProject, SHARED_DIR)
  removeTree(path.join(shared, who))
  keepSharing(places, { as: null })
  if (peopleIn(places).length > 0) return { who, files }
  disk.remove(path.join(shared, GITATTRIBUTES_FILE))
  if (list(shared).length === 0) removeTree(shared)
  const ignore = path.join(places.inProject, GITIGNORE_FILE)
  if (readOwnText(ignore) === IGNORE_BUT_SHARED) disk.replace(ignore, IGNORE_ALL)
  return { who, files }
}

/** The name chosen before, the given name, or git's user.name. */
function nameFor(places: Places, as: string | undefined, before: string | null, world: GitWorld): string {
  if (as === undefined && before !== null) return before
  const repository = as === undefined ? repositoryAt(places.project.root) : null
  const asked = repository === null ? null : askGit(repository, ['config', '--get', 'user.name'], world)
  const who = whoOf(as ?? asked ?? '')
  if (who !== null) return who
  throw new KeeperError(
    'no-name',
    `${as === undefined ? 'Git knows no user.name here' : `"${as}" cannot be the name of a folder`}. Give one of letters, digits, dots and hyphens: memory-keeper share --as alice`,
  )
}

function refuseTaken({ inProject }: Places, who: string): void {
  if (statOf(path.join(inProject, SHARED_DIR, who)) === null) return
  throw new KeeperError(
    'taken',
    `${path.join(SHARED_DIR, who)} already exists and was not written here: another person of that name, or you on another machine. Choose another name: memory-keeper share --as ${who}-2`,
  )
}

/** Git can place a link anywhere, which would redirect the writes. */
function refuseLinks({ inProject }: Places, who: string): void {
  const shared = path.join(inProject, SHARED_DIR)
  for (const dir of [inProject, shared, path.join(shared, who)]) {
    const kind = statOf(dir)?.kind
    if (kind !== undefined && kind !== 'dir')
      throw new KeeperError('link', `${dir} is not a directory and is never used. Remove it first.`)
  }
}

function filesOf({ inProject }: Places, who: string): string[] {
  const folder = path.join(SHARED_DIR, who)
  return list(path.join(inProject, folder)).map((name) => path.join(folder, name))
}
