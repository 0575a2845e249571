/** Every file of ours about one project: in the memory, at home, in the vault, in backups and logs. */
import path from 'node:path'
import { list, refused, statOf } from '../../platform/disk/files.ts'
import {
  CONFIG_FILE,
  GITIGNORE_FILE,
  KEPT_DIR,
  LOCK_FILE,
  LOGS_DIR,
  OWNER_FILE,
  SHARED_DIR,
} from '../../platform/layout.ts'
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
