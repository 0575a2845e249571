/** What the line at a start says of this memory. */

import path from 'node:path'
import type { Standing } from '../../core/briefing/standing.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import { sessionIn } from '../../kernel/memory/state.ts'
import { list } from '../../kernel/platform/disk/files.ts'
import { ARCHIVE_DIR, id8OfFile, SESSIONS_DIR } from '../../kernel/platform/layout.ts'
import { proposals } from './notices.ts'
import type { StartLine } from './start-line.ts'

/** Null: nothing is remembered besides the session that starts. Nothing in it depends on the time. */
export function startLineOf(store: Store, session: string, standing: () => Standing): StartLine | null {
  const own = sessionIn(store.readState(), session)?.file
  const names = [SESSIONS_DIR, path.join(SESSIONS_DIR, ARCHIVE_DIR)].flatMap((dir) => list(path.join(store.dir, dir)))
  const files = names.filter((name) => id8OfFile(name) !== null && name !== own)
  return files.length === 0 ? null : { sessions: files.length, ...standing(), toAccept: proposals(store).length }
}
