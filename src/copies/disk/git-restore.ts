/** Putting the user's own files back where git had brought others. */
import path from 'node:path'
import { backUp } from '../../memory/disk/migrate-backup.ts'
import { copyFile, disk, readOwnText, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { KeeperError } from '../../platform/error.ts'
import { SHARED_DIR } from '../../platform/layout.ts'
import { type BroughtByGit, refuseBrought, type TrackedFile } from '../../trust/disk/git-brought.ts'

interface OwnBack {
  /** Of what was there; null: nothing was changed. */
  backup: string | null
  /** Copied from the vault. */
  restored: string[]
  /** The user never had such a file. */
  removed: string[]
}

/** Null: the vault holds none, or it is no plain file. */
export function ownCopy({ vault }: Places, name: string): string | null {
  return name === '' ? null : readOwnText(path.join(vault, ...name.split('/')))
}

/** As long as git tracks such a file it writes it again at the next checkout: that must end first. */
export function putOwnBack(
  places: Places,
  brought: BroughtByGit,
  { now, isDryRun }: { now: string; isDryRun: boolean },
): OwnBack {
  if (brought.tracked.length > 0)
    throw new KeeperError(
      'tracked',
      `git still tracks ${namesOf(brought.tracked)}. First: ${untrackCommand(places, brought.tracked)}, and commit that; then memory-keeper trust --restore`,
    )
  const names = brought.left.map(({ path: name }) => name)
  for (const name of names) refuseOdd(places.inProject, name)
  // The user may have changed such a file, or have one of the same name in another case.
  const backup = isDryRun ? null : backUp({ dir: places.inProject, places }, names, [], now)
  const done: OwnBack = { backup, restored: [], removed: [] }
  for (const name of names) {
    const file = path.join(places.inProject, ...name.split('/'))
    const isOwn = ownCopy(places, name) !== null
    done[isOwn ? 'restored' : 'removed'].push(name)
    if (isDryRun) continue
    if (isOwn) copyFile(path.join(places.vault, ...name.split('/')), file)
    else disk.remove(file)
  }
  if (!isDryRun) refuseBrought(places, brought)
  return done
}

/** Neither it nor what leads to it may lead elsewhere. */
function refuseOdd(dir: string, name: string): void {
  const parts = name.split('/')
  const file = path.join(dir, ...parts)
  const isFile = ['file', 'link'].includes(statOf(file)?.kind ?? '')
  const isReached = parts.slice(0, -1).every((_, n) => statOf(path.join(dir, ...parts.slice(0, n + 1)))?.kind === 'dir')
  if (!isFile || !isReached || parts.includes('..'))
    throw new KeeperError('in-the-way', `${file} is no file. Remove it by hand, then try again.`)
}

/** To be typed into a shell: names that somebody else chose stand in it only where they are plain. */
export function untrackCommand({ inProject, project }: Places, files: readonly TrackedFile[]): string {
  const dir = path.relative(project.root, inProject).split(path.sep).join('/')
  const isPlain = files.length <= MAX_NAMES && files.every(({ path: name }) => /^[\w][\w./-]*$/.test(name))
  const what = isPlain ? files.map(({ path: name }) => `${dir}/${name}`).join(' ') : `${dir} ':!${dir}/${SHARED_DIR}'`
  return `git rm -r --cached ${what}`
}

const MAX_NAMES = 4

function namesOf(files: readonly TrackedFile[]): string {
  return files.length === 1 ? 'a file of this memory' : `${files.length} files of this memory`
}
