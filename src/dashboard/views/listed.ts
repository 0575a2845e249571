/** The sessions that are shown: one of which everything was forgotten is no session any more, though its numbers stay. */

import type { Store } from '../../memory/disk/store.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { sessionRowsOf } from '../../sessions/disk/session-rows.ts'
import { sessionFiles } from '../../sessions/disk/sessions.ts'
import { readForgotten } from '../../sessions/disk/tombstones.ts'

/** Oldest first. */
export function listedFiles(store: Store): string[] {
  const files = sessionFiles(store)
  const { raw: touched } = readForgotten(store)
  if (touched.size === 0) return files
  const emptied = new Set(
    [...sessionRowsOf(store, touched).values()].flatMap((row) => (row.startedAt === '' ? [row.id] : [])),
  )
  return files.filter((file) => !emptied.has(id8OfFile(file) ?? ''))
}
