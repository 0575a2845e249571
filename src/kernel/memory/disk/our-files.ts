/** Lists every file of ours about one project: in the memory, at home, in the vault, in backups and logs. Also finds temporary files that killed writers left behind. */
import path from 'node:path'
import { disk, isWritable, list, refused, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { clockIn } from '../../platform/disk/lock.ts'
import { FINISHERS_DIR, KEPT_DIR, LOGS_DIR, SHARED_DIR, TRUST_DIR } from '../../platform/layout.ts'
import { once } from '../../text/once.ts'
import { OUR_DIRS } from '../../trust/disk/trust.ts'
import { MEMORY_RECORDS } from '../files.ts'
import { BACKUPS_DIR } from './migrate-backup.ts'
import type { Store } from './store.ts'

/** The memory and all other places that contain or contained it. A foreign directory in the project is not ours to change. */
export function dirsOf({ dir, places, ownership }: Pick<Store, 'dir' | 'places' | 'ownership'>): string[] {
  const own = ownership === 'ours' ? [places.inProject] : []
  return [...new Set([dir, ...own, places.atHome, places.vault, path.join(places.vault, KEPT_DIR)])]
}

/** A directory with the layout of a memory, or with logs. */
export interface OurPlace {
  root: string
  is: 'memory' | 'backup' | 'logs' | 'others'
}

export function placesOf(store: Pick<Store, 'dir' | 'places' | 'ownership'>): OurPlace[] {
  const { homeDir, project, others } = store.places
  const backups = path.join(homeDir, BACKUPS_DIR)
  const ofProject = list(backups).filter((name) => name.startsWith(`${project.key}-`))
  const all: OurPlace[] = [
    ...dirsOf(store).map((root): OurPlace => ({ root, is: 'memory' })),
    ...ofProject.map((name): OurPlace => ({ root: path.join(backups, name), is: 'backup' })),
    { root: path.join(homeDir, LOGS_DIR), is: 'logs' },
    { root: others, is: 'others' },
  ]
  return all.filter(({ root }) => statOf(root)?.kind === 'dir')
}

export function ourFiles(store: Pick<Store, 'dir' | 'places' | 'ownership'>): string[] {
  return placesOf(store).flatMap(({ root }) => filesBelow(root))
}

/** Our files that this process tried to read and could not. */
export function unreadFiles(store: Pick<Store, 'dir' | 'places' | 'ownership'>): string[] {
  return refused.files.size === 0 ? [] : ourFiles(store).filter((file) => refused.files.has(file))
}

/** Our files of which this process read bytes that are no text. Words in them may not be found. */
export function undecodedFiles(store: Pick<Store, 'dir' | 'places' | 'ownership'>): string[] {
  return refused.undecoded.size === 0 ? [] : ourFiles(store).filter((file) => refused.undecoded.has(file))
}

/**
 * Links are not followed: their targets are not ours. Files that others share are excluded, and our shared files are rewritten from the
 * memory. The vault's kept copies are a separate place.
 */
export function filesBelow(dir: string): string[] {
  const others = [SHARED_DIR, KEPT_DIR].map((name) => path.join(dir, name) + path.sep)
  const isLeft = (file: string): boolean =>
    MEMORY_RECORDS.some((kind) => kind.forgets === 'never' && kind.match(path.basename(file)))
  return allBelow(dir).filter((file) => !isLeft(file) && !others.some((other) => file.startsWith(other)))
}

/** Includes temporary files of killed writers. */
export function allBelow(dir: string): string[] {
  return list(dir).flatMap((name) => {
    const file = path.join(dir, name)
    const kind = statOf(file)?.kind
    return kind === 'dir' ? allBelow(file) : kind === 'file' ? [file] : []
  })
}

/** No write takes longer than this. */
const STRAY_AFTER_MS = 60_000

/** The directories of a memory and of its copy. */
export const IN_MEMORY: readonly string[] = ['', ...OUR_DIRS]
const AT_HOME: readonly string[] = ['', TRUST_DIR, LOGS_DIR, FINISHERS_DIR]
/** Contains one directory per memory. */
const INDEX_DIR = 'index'
const IN_CACHE: readonly string[] = ['', 'rows', 'briefings', 'compiled']

/** All directories that we write for a project, and those shared by all projects. */
export function writtenDirs({ dir, places }: { dir: string; places: Places }): string[] {
  const { homeDir, cacheDir, vault, atHome } = places
  const index = path.join(cacheDir, INDEX_DIR)
  const cache = cacheDir === '' ? [] : [...below(cacheDir, IN_CACHE), ...below(index, list(index))]
  const memories = [dir, vault, atHome].flatMap((memory) => below(memory, IN_MEMORY))
  return [...new Set([...memories, ...below(homeDir, AT_HOME), ...cache])]
}

function below(dir: string, names: readonly string[]): string[] {
  return names.map((name) => path.join(dir, name))
}

/**
 * Deletes temporary files of dead processes: old by both the caller's clock and the file system's, since a wrong clock must not
 * delete the file of an active writer.
 */
export function sweepStrays(dirs: readonly string[], nowMs: number): void {
  for (const dir of dirs) {
    const earlierNow = once(() => (isWritable(dir) ? Math.min(nowMs, clockIn(dir)) : nowMs))
    // If a directory of ours was replaced by a link, nothing in it is ours.
    const names = statOf(dir)?.kind === 'dir' ? list(dir) : []
    for (const name of names.filter((one) => /\.\d+\.tmp$/.test(one))) {
      const file = path.join(dir, name)
      const stat = statOf(file)
      if (stat?.kind === 'file' && earlierNow() - stat.mtimeMs > STRAY_AFTER_MS) disk.remove(file)
    }
  }
}
