/** Every file of ours about one project: in the memory, at home, in the vault, in backups and logs; and temporary files that killed writers left, wherever we write. */
import path from 'node:path'
import { disk, isWritable, list, refused, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { clockIn } from '../../platform/disk/lock.ts'
import {
  ARCHIVE_DIR,
  BRIEFINGS_DIR,
  CONFIG_FILE,
  FINISHERS_DIR,
  GITIGNORE_FILE,
  JOURNAL_DIR,
  KEPT_DIR,
  LOCK_FILE,
  LOGS_DIR,
  OWNER_FILE,
  SESSIONS_DIR,
  SETTLED_DIR,
  SHARED_DIR,
  TOLD_RULES_DIR,
  TRUST_DIR,
} from '../../platform/layout.ts'
import { once } from '../../text/once.ts'
import { BACKUPS_DIR } from './migrate-backup.ts'
import type { Store } from './store.ts'

/** They hold what the program needs as it is, and no word of anybody. */
const LEFT: readonly string[] = [OWNER_FILE, LOCK_FILE, CONFIG_FILE, GITIGNORE_FILE]

/** The memory, and wherever else it was or is kept. What a stranger put into the project is not ours to change. */
export function dirsOf({ dir, places, ownership }: Pick<Store, 'dir' | 'places' | 'ownership'>): string[] {
  const own = ownership === 'ours' ? [places.inProject] : []
  return [...new Set([dir, ...own, places.atHome, places.vault, path.join(places.vault, KEPT_DIR)])]
}

/** A directory that is laid out like a memory, or holds logs. */
export interface OurPlace {
  root: string
  is: 'memory' | 'backup' | 'logs'
}

export function placesOf(store: Pick<Store, 'dir' | 'places' | 'ownership'>): OurPlace[] {
  const { keeperDir, project } = store.places
  const backups = path.join(keeperDir, BACKUPS_DIR)
  const ofProject = list(backups).filter((name) => name.startsWith(`${project.key}-`))
  const all: OurPlace[] = [
    ...dirsOf(store).map((root): OurPlace => ({ root, is: 'memory' })),
    ...ofProject.map((name): OurPlace => ({ root: path.join(backups, name), is: 'backup' })),
    { root: path.join(keeperDir, LOGS_DIR), is: 'logs' },
  ]
  return all.filter(({ root }) => statOf(root)?.kind === 'dir')
}

export function ourFiles(store: Pick<Store, 'dir' | 'places' | 'ownership'>): string[] {
  return placesOf(store).flatMap(({ root }) => filesBelow(root))
}

/** Those that this process looked into and could not read. */
export function unreadFiles(store: Pick<Store, 'dir' | 'places' | 'ownership'>): string[] {
  return refused.files.size === 0 ? [] : ourFiles(store).filter((file) => refused.files.has(file))
}

/**
 * Links are not followed: what they lead to is not ours. Nor is what others share; what we share is written anew. What the vault keeps
 * from before is a place of its own.
 */
export function filesBelow(dir: string): string[] {
  const others = [SHARED_DIR, KEPT_DIR].map((name) => path.join(dir, name) + path.sep)
  return allBelow(dir).filter(
    (file) =>
      !LEFT.includes(path.basename(file)) && !file.endsWith('.tmp') && !others.some((other) => file.startsWith(other)),
  )
}

/** Also what a killed writer left. */
export function allBelow(dir: string): string[] {
  return list(dir).flatMap((name) => {
    const file = path.join(dir, name)
    const kind = statOf(file)?.kind
    return kind === 'dir' ? allBelow(file) : kind === 'file' ? [file] : []
  })
}

/** Nobody writes a temporary file for longer. */
const STRAY_AFTER_MS = 60_000

/** The directories of a memory, and of its copy. */
export const IN_MEMORY: readonly string[] = [
  '',
  JOURNAL_DIR,
  path.join(JOURNAL_DIR, BRIEFINGS_DIR),
  path.join(JOURNAL_DIR, TOLD_RULES_DIR),
  SESSIONS_DIR,
  path.join(SESSIONS_DIR, ARCHIVE_DIR),
  path.join(SESSIONS_DIR, SETTLED_DIR),
  LOGS_DIR,
]
const AT_HOME: readonly string[] = ['', TRUST_DIR, LOGS_DIR, FINISHERS_DIR]
/** The index has a directory for each memory. */
const INDEX_DIR = 'index'
const IN_CACHE: readonly string[] = ['', 'rows', 'briefings', 'compiled']

/** The directories that we write to for a project, and for all of them. */
export function writtenDirs({ dir, places }: { dir: string; places: Places }): string[] {
  const { keeperDir, cacheDir, vault, atHome } = places
  const index = path.join(cacheDir, INDEX_DIR)
  const cache = cacheDir === '' ? [] : [...below(cacheDir, IN_CACHE), ...below(index, list(index))]
  const memories = [dir, vault, atHome].flatMap((memory) => below(memory, IN_MEMORY))
  return [...new Set([...memories, ...below(keeperDir, AT_HOME), ...cache])]
}

function below(dir: string, names: readonly string[]): string[] {
  return names.map((name) => path.join(dir, name))
}

/** In these directories. Old by both clocks, the caller's and the file system's: one that is ahead must not cost a writer its file. */
function strays(dirs: readonly string[], nowMs: number): string[] {
  return dirs.flatMap((dir) => {
    const earlierNow = once(() => (isWritable(dir) ? Math.min(nowMs, clockIn(dir)) : nowMs))
    // Where a link stands in the place of a directory of ours, nothing is ours.
    const names = statOf(dir)?.kind === 'dir' ? list(dir) : []
    return names
      .filter((name) => /\.\d+\.tmp$/.test(name))
      .map((name) => path.join(dir, name))
      .filter((file) => {
        const facts = statOf(file)
        return facts?.kind === 'file' && earlierNow() - facts.mtimeMs > STRAY_AFTER_MS
      })
  })
}

/** Temporary files of the dead go. */
export function sweepStrays(dirs: readonly string[], nowMs: number): void {
  for (const file of strays(dirs, nowMs)) disk.remove(file)
}
