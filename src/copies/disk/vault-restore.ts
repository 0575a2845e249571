/** Brings back from the vault what files of the project have lost, or drops it there when the user agrees. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { isGuarded, isLost, keptCopy } from '../../memory/disk/vault-copy.ts'
import { allSessions } from '../../memory/state.ts'
import { withoutArchived } from '../../notes/rotation.ts'
import { copyFile, disk, list, readOwnText, setAside, statOf } from '../../platform/disk/files.ts'
import { isArchiveFile, KEPT_DIR, MEMORY_FILE } from '../../platform/layout.ts'
import { isSound } from '../../sessions/disk/cursor.ts'
import { packedPath } from '../../sessions/disk/session-archive.ts'
import { holds, rejoin } from '../rejoin.ts'
import { adoptFiles, missingFrom, otherForm, replacedTest, vaultFiles } from './vault.ts'
import { fillVault } from './vault-fill.ts'
import { type Loss, lossesAmong } from './vault-loss.ts'

/** Of all files of the memory. */
export function lossesIn(store: Store): Loss[] {
  const { vault } = store.places
  const isReplaced = replacedTest(store, vault)
  const losses = lossesAmong(store, [...vaultFiles(vault), ...vaultFiles(path.join(vault, KEPT_DIR))])
  const missed = losses.filter(({ name, found }) => found.is !== 'gone' || !isReplaced(name))
  return store.dir === store.places.inProject ? [...missed, ...sessionLosses(store)] : []
}

/** Session files that do not have the bytes that the state counts, while their copies do. */
function sessionLosses(store: Store): Loss[] {
  const inVault = { ...store, dir: store.places.vault }
  return allSessions(store.readState()).flatMap(([, session]): Loss[] => {
    if (isSound(store, session) || !isSound(inVault, session)) return []
    const forms = [sessionPath(session.file), packedPath(session.file)]
    const name = forms.find((one) => statOf(path.join(inVault.dir, one)) !== null)
    const isThere = forms.some((one) => statOf(path.join(store.dir, one)) !== null)
    return name !== undefined && isThere ? [{ name, found: { is: 'garbled' } }] : []
  })
}

/** Names of the files that `restoreAll` brings back. */
export function lostFiles(store: Store): string[] {
  return [...new Set([...missingFrom(store, store.places.vault), ...lossesIn(store).map(({ name }) => name)])]
}

/** Call it under the lock. */
export function restoreAll(store: Store): void {
  bringBack(store, lossesIn(store))
  adoptFiles(store, store.places.vault)
  fillVault(store)
}

/** Writes these files as they were, with what came since; what would be lost by that is set aside. Call it under the lock. */
export function bringBack(store: Store, losses: readonly Loss[]): void {
  for (const loss of losses) {
    if (isByteForByte(store, loss)) {
      // Of a session also the other form: while both are there, the plain one counts.
      for (const name of [loss.name, otherForm(loss.name) ?? loss.name]) setAside(path.join(store.dir, name))
      copyFile(path.join(store.places.vault, loss.name), path.join(store.dir, loss.name))
    } else bringBackText(store, loss.name)
  }
}

function isByteForByte({ places: { vault } }: Store, { name, found }: Loss): boolean {
  if (!isGuarded(name) || name.endsWith('.gz')) return true
  return found.is === 'gone' && statOf(keptCopy(vault, name)) === null
}

function bringBackText(store: Store, name: string): void {
  const file = path.join(store.dir, name)
  const now = readOwnText(file)
  const good = goodText(store, name)
  const text = now === null ? good : rejoin(name, good, now)
  if (now !== null && !holds(text, now)) setAside(file)
  store.perform([{ do: 'write', path: name, text }])
}

/** All that the vault has of it, without notes that stand in an archive. */
function goodText({ dir, places: { vault } }: Store, name: string): string {
  const copy = readOwnText(path.join(vault, name))
  const kept = readOwnText(keptCopy(vault, name)) ?? ''
  const text = copy === null ? kept : isLost(dir, name, keptCopy(vault, name)) ? rejoin(name, kept, copy) : copy
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
