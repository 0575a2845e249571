/** Fills the vault: what changed is copied, what is broken or less than before is not, what was replaced leaves it. */
import path from 'node:path'
import { mayReplaceCopy } from '../../knowledge/disk/knowledge.ts'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { copyGuarded, isCopied, isGuarded } from '../../memory/disk/vault-copy.ts'
import { allSessions } from '../../memory/state.ts'
import { copyFile, disk, statOf } from '../../platform/disk/files.ts'
import { isSetAside } from '../../platform/layout.ts'
import { isSound } from '../../sessions/disk/cursor.ts'
import { packedPath } from '../../sessions/disk/session-archive.ts'
import { otherForm, replacedTest, sizeIn, vaultFiles } from './vault.ts'

/**
 * Copies what changed; the state last, so that it never promises more than the copied sessions hold. A file that cannot be copied does not
 * keep the others from it: the first failure is thrown at the end. Call it under the lock.
 */
export function fillVault(store: Store): number {
  if (store.dir !== store.places.inProject) return 0
  // A session file that lost its end must not replace the copy that may still have it.
  const damaged = new Set(
    allSessions(store.readState()).flatMap(([, session]) =>
      isSound(store, session) ? [] : [sessionPath(session.file), packedPath(session.file)],
    ),
  )
  let copied = 0
  let failure: unknown = null
  for (const name of vaultFiles(store.dir)) {
    if (damaged.has(name)) continue
    try {
      if (copyInto(store, name)) copied++
    } catch (error) {
      failure ??= error
    }
  }
  removeReplaced(store)
  if (failure !== null) throw failure
  return copied
}

function copyInto(store: Store, name: string): boolean {
  const pair = { dir: store.dir, vault: store.places.vault }
  if (isCopied(pair, name)) return false
  if (isGuarded(name)) return mayReplaceCopy(store, name) && copyGuarded(pair, name)
  return copyFile(path.join(store.dir, name), path.join(pair.vault, name))
}

/** What went into a week or month, or was compressed, leaves the vault once that is there; what was set aside, when the user deleted it. */
function removeReplaced(store: Store): void {
  const { vault } = store.places
  const isReplaced = replacedTest(store, vault)
  for (const name of vaultFiles(vault)) {
    if (statOf(path.join(store.dir, name)) !== null || !(isReplaced(name) || isSetAside(name))) continue
    const other = otherForm(name)
    const isCopied = other === null || sizeIn(vault, other) === sizeIn(store.dir, other)
    if (isCopied) disk.remove(path.join(vault, name))
  }
}
