/** The sessions that are shown: one of which everything was forgotten is no session any more, though its numbers stay. */
import { id8OfFile } from '../core/layout.ts'
import { sessionRowsOf } from '../store/session-rows.ts'
import { sessionFiles } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { readForgotten } from '../store/tombstones.ts'

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
