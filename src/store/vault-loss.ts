/** What files of the project have lost against the vault, bringing it back, and the user's word that it may go. */
import path from 'node:path'
import { count } from '../core/figures.ts'
import { GITIGNORE_FILE, isArchiveFile, KEPT_DIR, MEMORY_FILE, NOTICES_FILE } from '../core/layout.ts'
import { compareWithCopy, isLoss, unfitFor } from '../core/loss.ts'
import { rejoin } from '../core/rejoin.ts'
import { withoutArchived } from '../core/rotation.ts'
import { copyFile, disk, factsOf, list, readOwnText, setAside } from './files.ts'
import type { Store } from './store.ts'
import { filesBelow, replacedTest } from './vault.ts'
import { against, type Found, isCopied, isGuarded, keptCopy } from './vault-copy.ts'

export interface Loss {
  /** Below the memory directory. */
  name: string
  found: Found
}

/** The program makes them again. */
const REMADE: readonly string[] = [GITIGNORE_FILE, NOTICES_FILE]

/**
 * `top`: of the files that stand directly in the memory, for a start, which must not look at thousands. `all`: also of what was made of
 * sessions. Sessions themselves are compared with the state and with their transcripts.
 */
export function lossesIn(store: Store, look: 'top' | 'all'): Loss[] {
  const { vault, inProject } = store.places
  if (store.dir !== inProject || store.standing === 'foreign') return []
  const below = look === 'all' ? filesBelow : plainFilesIn
  const names = [...new Set([...below(vault), ...below(path.join(vault, KEPT_DIR))])]
  const isReplaced = replacedTest(store, vault)
  return names
    .filter((name) => isGuarded(name) && !REMADE.includes(name))
    .flatMap((name): Loss[] => {
      const found = lossOf(store, name)
      return found === null || (found.is === 'gone' && isReplaced(name)) ? [] : [{ name, found }]
    })
}

function plainFilesIn(dir: string): string[] {
  return list(dir).filter((name) => factsOf(path.join(dir, name))?.kind === 'file')
}

function lossOf({ dir, places: { vault } }: Store, name: string): Found | null {
  const copies = [...(isCopied({ dir, vault }, name) ? [] : [path.join(vault, name)]), keptCopy(vault, name)]
  for (const copy of copies) {
    const found = against(dir, name, copy)
    if (found !== null && (found.is !== 'text' || isLoss(found))) return found
  }
  return null
}

/** For people: `memory.md lost 3 notes`. */
export function renderLoss({ name, found }: Loss): string {
  switch (found.is) {
    case 'gone':
      return `${name} is gone`
    case 'unread':
      return `${name} cannot be read`
    case 'empty':
      return `${name} is empty`
    case 'garbled':
      return `${name} is garbled`
    case 'text':
      return `${name} lost ${found.notes > 0 ? count(found.notes, 'note') : `${found.lost} of ${count(found.of, 'line')}`}`
  }
}

/** Writes these files as they were, with what came since; what would be lost by that is set aside. Call it under the lock. */
export function bringBack(store: Store, losses: readonly Loss[]): void {
  for (const { name, found } of losses) {
    const file = path.join(store.dir, name)
    const { vault } = store.places
    // Byte for byte, whatever it is.
    const isWhole = found.is === 'gone' && factsOf(keptCopy(vault, name)) === null
    if (isWhole && copyFile(path.join(vault, name), file)) continue
    const now = readOwnText(file)
    const good = goodText(store, name)
    const text = now === null || unfitFor(name, now, good) !== null ? good : rejoin(name, good, now)
    if (now !== null && compareWithCopy(now, [text]).lost > 0) setAside(file)
    store.perform([{ do: 'write', path: name, text }])
  }
}

/** All that the vault has of it, without notes that stand in an archive. */
function goodText({ dir, places: { vault } }: Store, name: string): string {
  const copy = readOwnText(path.join(vault, name))
  const kept = readOwnText(keptCopy(vault, name))
  const waits = against(dir, name, keptCopy(vault, name))
  const isWaiting = kept !== null && waits !== null && (waits.is !== 'text' || isLoss(waits))
  const text = copy === null ? (kept ?? '') : isWaiting ? rejoin(name, kept, copy) : copy
  if (name !== MEMORY_FILE) return text
  const archives = list(dir).filter(isArchiveFile)
  return archives.reduce((left, file) => withoutArchived(left, readOwnText(path.join(dir, file)) ?? ''), text)
}

/** From now on the vault has these files as they are, and those that are gone no longer. Call it under the lock. */
export function acceptLosses({ dir, places: { vault } }: Store, losses: readonly Loss[]): void {
  for (const { name, found } of losses) {
    if (found.is === 'gone') disk.remove(path.join(vault, name))
    else if (!copyFile(path.join(dir, name), path.join(vault, name))) continue
    disk.remove(keptCopy(vault, name))
  }
}
