/** Copies the files that are about to change, and compares each copy byte for byte before anything is changed. */
import path from 'node:path'
import { copyFile, disk, MOST_FILE_BYTES, readPart, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { formatStamp } from '../../platform/time.ts'
import type { Store } from './store.ts'

/** Below home, one folder per project and time. */
export const BACKUPS_DIR = 'backups'
/** Written last: a backup without it is incomplete. */
const MANIFEST = 'manifest.json'

/** Returns the backup's directory; null: no existing file will change. `touched`: paths below the memory. */
export function backUp(
  store: Pick<Store, 'dir' | 'places'>,
  touched: readonly string[],
  made: readonly string[],
  now: string,
): string | null {
  const existing = touched.filter((file) => statOf(path.join(store.dir, file))?.kind === 'file')
  const { homeDir, project } = store.places
  const dir = freeDir(path.join(homeDir, BACKUPS_DIR, `${project.key}-${formatStamp(now)}`))
  for (const file of existing) {
    const [from, to] = [path.join(store.dir, file), path.join(dir, file)]
    if (!copyFile(from, to) || !isSame(from, to))
      throw new KeeperError(
        'backup',
        `The backup of ${from} in ${to} is not the same. Nothing was changed. Is the disk full?`,
      )
  }
  const manifest = {
    version: 1,
    at: now,
    memory: store.dir,
    files: existing,
    made: made.filter((one) => !existing.includes(one)),
  }
  disk.replace(path.join(dir, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  return dir
}

function freeDir(dir: string): string {
  for (let n = 1; ; n++) {
    const one = n === 1 ? dir : `${dir}-${n}`
    if (statOf(one) === null) return one
  }
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [readPart(a, 0, MOST_FILE_BYTES), readPart(b, 0, MOST_FILE_BYTES)]
  return one !== null && other !== null && one.equals(other)
}
