/** Temporary files that killed writers left in a memory. */
import path from 'node:path'
import { ARCHIVE_DIR, JOURNAL_DIR, SESSIONS_DIR } from '../core/layout.ts'
import { once } from '../core/once.ts'
import { factsOf, isWritable, list } from './files.ts'
import { clockIn } from './lock-file.ts'

/** Nobody writes a temporary file for longer. */
const STRAY_AFTER_MS = 60_000

/** Below this memory directory. Old by both clocks, the caller's and the file system's: one that is ahead must not cost a writer its file. */
export function strays(dir: string, nowMs: number): string[] {
  const earlierNow = once(() => (isWritable(dir) ? Math.min(nowMs, clockIn(dir)) : nowMs))
  const folders = ['', JOURNAL_DIR, SESSIONS_DIR, path.join(SESSIONS_DIR, ARCHIVE_DIR)]
  return folders.flatMap((folder) =>
    list(path.join(dir, folder))
      .filter((name) => /\.\d+\.tmp$/.test(name))
      .map((name) => path.join(dir, folder, name))
      .filter((file) => {
        const facts = factsOf(file)
        return facts?.kind === 'file' && earlierNow() - facts.mtimeMs > STRAY_AFTER_MS
      }),
  )
}
