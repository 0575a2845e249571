/** A memory that is gone comes back from the vault, at whatever event it is missed first. */
import path from 'node:path'
import { adoptFiles, hasFiles } from '../copies/disk/vault.ts'
import { HOOK_WAIT_MS, type Store } from '../memory/disk/store.ts'
import { statOf } from '../platform/disk/files.ts'
import { STATE_FILE } from '../platform/layout.ts'

/**
 * After `git clean -fdx` or in a fresh checkout: the memory comes back from the vault, and what was kept at home joins it.
 * At whatever event it is missed first, before a new one is begun. The state is written last: killed, it is all done again.
 */
export function restoreIfLost(store: Store): string | null {
  if (store.ownership === 'foreign' || store.config.storage === 'home') return null
  if (statOf(path.join(store.dir, STATE_FILE)) !== null) return null
  const sources = [store.places.vault, store.places.atHome].filter(hasFiles)
  if (sources.length === 0) return null
  const files = store.whileLocked(HOOK_WAIT_MS, () => sources.reduce((sum, from) => sum + adoptFiles(store, from), 0))
  // What was only kept at home, by `import --all` for one, was not gone.
  if (files === null || files.value === 0 || !sources.includes(store.places.vault)) return null
  return `Memory Keeper: this project's memory was gone; ${files.value} files are restored from the vault.`
}
