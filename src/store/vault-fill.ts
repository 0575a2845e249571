/** Fills the vault: what changed is copied, what is broken or less than before is not, what was replaced leaves it. */
import path from 'node:path'
import { allSessions } from '../core/state.ts'
import { isSound } from './cursor.ts'
import { copyFile, disk, factsOf } from './files.ts'
import { mayReplaceCopy } from './knowledge.ts'
import { packedPath } from './session-archive.ts'
import { type Store, sessionPath } from './store.ts'
import { filesBelow, otherForm, replacedTest, sizeIn } from './vault.ts'

/** Copies what changed; the state last, so that it never promises more than the copied sessions hold. Call it under the lock. */
export function fillVault(store: Store): number {
  if (store.dir !== store.places.inProject) return 0
  // A session file that lost its end must not replace the copy that may still have it.
  const damaged = new Set(
    allSessions(store.readState()).flatMap(([, session]) =>
      isSound(store, session) ? [] : [sessionPath(session.file), packedPath(session.file)],
    ),
  )
  let copied = 0
  for (const name of filesBelow(store.dir)) {
    if (damaged.has(name)) continue
    const from = factsOf(path.join(store.dir, name))
    const to = factsOf(path.join(store.places.vault, name))
    if (from === null || (to !== null && to.size === from.size && to.mtimeMs >= from.mtimeMs)) continue
    // Nor must what is left of the facts replace them.
    if (!mayReplaceCopy(store, name)) continue
    if (copyFile(path.join(store.dir, name), path.join(store.places.vault, name))) copied++
  }
  removeReplaced(store)
  return copied
}

/** What went into a week or month, or was compressed, leaves the vault once that is there. */
function removeReplaced(store: Store): void {
  const { vault } = store.places
  const isReplaced = replacedTest(store, vault)
  for (const name of filesBelow(vault)) {
    if (factsOf(path.join(store.dir, name)) !== null || !isReplaced(name)) continue
    const other = otherForm(name)
    const isCopied = other === null || sizeIn(vault, other) === sizeIn(store.dir, other)
    if (isCopied) disk.remove(path.join(vault, name))
  }
}
