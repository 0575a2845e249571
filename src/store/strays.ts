/** Temporary files that killed writers left in a memory. */
import path from 'node:path'
import { ARCHIVE_DIR, JOURNAL_DIR, SESSIONS_DIR } from '../core/layout.ts'
import { factsOf, list } from './files.ts'

/** Nobody writes a temporary file for longer. */
const STRAY_AFTER_MS = 60_000

/** Below this memory directory. */
export function strays(dir: string, nowMs: number): string[] {
  const folders = ['', JOURNAL_DIR, SESSIONS_DIR, path.join(SESSIONS_DIR, ARCHIVE_DIR)]
  return folders.flatMap((folder) =>
    list(path.join(dir, folder))
      .filter((name) => /\.\d+\.tmp$/.test(name))
      .map((name) => path.join(dir, folder, name))
      .filter((file) => {
        const facts = factsOf(file)
        return facts?.kind === 'file' && nowMs - facts.mtimeMs > STRAY_AFTER_MS
      }),
  )
}
