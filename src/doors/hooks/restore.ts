/** Restores a lost memory from the vault, at the first event that notices it. */
import path from 'node:path'
import { adoptFiles, hasFiles } from '../../core/vault/disk/vault.ts'
import { HOOK_WAIT_MS, type Store } from '../../kernel/memory/disk/store.ts'
import { statOf } from '../../kernel/platform/disk/files.ts'
import { STATE_FILE } from '../../kernel/platform/layout.ts'

/**
 * After `git clean -fdx` or in a fresh checkout: the memory is restored from the vault and merged with what was stored at home,
 * at the first event that notices it, before a new one is created. The state is written last: after a kill, all of it is repeated.
 */
export function restoreIfLost(store: Store): string | null {
  if (store.ownership === 'foreign' || store.config.storage === 'home') return null
  if (statOf(path.join(store.dir, STATE_FILE)) !== null) return null
  const sources = [store.places.vault, store.places.atHome].filter(hasFiles)
  if (sources.length === 0) return null
  const files = store.whileLocked(HOOK_WAIT_MS, () => sources.reduce((sum, from) => sum + adoptFiles(store, from), 0))
  // Sessions that were only stored at home, for example by `import --all`, were not lost.
  if (files === null || files.value === 0 || !sources.includes(store.places.vault)) return null
  return `Memory Keeper: this project's memory was gone; ${files.value} files are restored from the vault.`
}
