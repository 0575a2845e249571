/** Whether the memory of an earlier version waits to be taken over: asked at every start, so it looks at two places and reads no session. */
import path from 'node:path'
import { factsOf } from './files.ts'
import { homeOrigin } from './migrate-files.ts'
import { takenOver } from './migrate-record.ts'
import type { Store } from './store.ts'

/** The line that a user is told once; null: nothing waits. */
export function waitsForMigration(store: Store): string | null {
  if (store.standing === 'foreign') return null
  const atHome = homeOrigin(store)
  const isOpen = atHome !== null && takenOver(store, atHome) === null
  const isOld = factsOf(path.join(store.dir, 'counter.txt'))?.kind === 'file'
  if (!isOpen && !isOld) return null
  return `Memory Keeper: an earlier version kept a memory of this project (${isOpen ? atHome : store.dir}). To see what would be taken over: memory-keeper migrate --dry-run`
}
