/** Temporary files that killed writers left, wherever we write. */
import path from 'node:path'
import { isWritable, list, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { clockIn } from '../../platform/disk/lock.ts'
import {
  ARCHIVE_DIR,
  BRIEFINGS_DIR,
  FINISHERS_DIR,
  JOURNAL_DIR,
  LOGS_DIR,
  SESSIONS_DIR,
  SETTLED_DIR,
  TOLD_RULES_DIR,
  TRUST_DIR,
} from '../../platform/layout.ts'
import { once } from '../../text/once.ts'

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
export function strays(dirs: readonly string[], nowMs: number): string[] {
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
