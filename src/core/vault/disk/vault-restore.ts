/** Fills the vault, restores lost content from it while keeping newer content, or accepts a loss if the user agrees. */
import path from 'node:path'
import { isOwnState } from '../../../kernel/memory/disk/rebuild.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { copyGuarded, isCopied, isGuarded, isLost, keptCopy } from '../../../kernel/memory/disk/vault-copy.ts'
import { holdsLines } from '../../../kernel/memory/loss.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { copyFile, disk, list, readOwnText, setAside, statOf } from '../../../kernel/platform/disk/files.ts'
import { isArchiveFile, isSetAside, KEPT_DIR, MEMORY_FILE, STATE_FILE } from '../../../kernel/platform/layout.ts'
import { isSound } from '../../../kernel/sessions/disk/cursor.ts'
import { sessionForms } from '../../../kernel/sessions/disk/session-archive.ts'
import { fileKindOf, joinVersions } from '../../files.ts'
import { mayReplaceCopy } from '../../knowledge/disk/knowledge.ts'
import { withoutArchived } from '../../notes/rotation.ts'
import { adoptFiles, type Loss, lossesAmong, memoryFiles, missingFrom, otherForm, replacedTest } from './vault.ts'

/** The losses of all files of the memory. */
export function lossesIn(store: Store): Loss[] {
  const { vault } = store.places
  const isReplaced = replacedTest(store, vault)
  const losses = lossesAmong(store, [...memoryFiles(vault), ...memoryFiles(path.join(vault, KEPT_DIR))])
  // What is made from sessions is made again, with other lines.
  const isMissed = ({ name, found }: Loss): boolean =>
    !isReplaced(name) || (found.is !== 'gone' && otherForm(name) !== null)
  const missed = losses.filter(isMissed)
  return store.dir === store.places.inProject ? [...missed, ...sessionLosses(store)] : []
}

/** Session files that lack bytes which the state counts, while their copies have them. */
function sessionLosses(store: Store): Loss[] {
  const inVault = { ...store, dir: store.places.vault }
  return allSessions(store.readState()).flatMap(([, session]): Loss[] => {
    if (isSound(store, session) || !isSound(inVault, session)) return []
    const forms = sessionForms(session.file)
    const name = forms.find((one) => statOf(path.join(inVault.dir, one)) !== null)
    const isThere = forms.some((one) => statOf(path.join(store.dir, one)) !== null)
    return name !== undefined && isThere ? [{ name, found: { is: 'garbled' } }] : []
  })
}

/** The names of the files that `restoreAll` restores. */
export function lostFiles(store: Store): string[] {
  return [...new Set([...missingFrom(store, store.places.vault), ...lossesIn(store).map(({ name }) => name)])]
}

/** Call it under the lock. */
export function restoreAll(store: Store): void {
  bringBack(store, lossesIn(store))
  adoptFiles(store, store.places.vault)
  fillVault(store)
}

/** Restores these files and keeps newer content; text that would be lost by that is set aside. Call it under the lock. */
export function bringBack(store: Store, losses: readonly Loss[]): void {
  for (const loss of losses) {
    if (isByteForByte(store, loss)) {
      // For a session also the other form: while both exist, the plain one counts.
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
  const text = now === null ? good : joinVersions(slashed(name), good, now)
  if (now !== null && !holdsLines(text, now)) setAside(file)
  store.perform([{ do: 'write', path: name, text }])
}

/** Everything the vault has of it, without notes that are in an archive. */
function goodText({ dir, places: { vault } }: Store, name: string): string {
  const copy = readOwnText(path.join(vault, name))
  const kept = readOwnText(keptCopy(vault, name)) ?? ''
  const text =
    copy === null ? kept : isLost(dir, name, keptCopy(vault, name)) ? joinVersions(slashed(name), kept, copy) : copy
  if (name !== MEMORY_FILE) return text
  const archives = list(dir).filter(isArchiveFile)
  return archives.reduce((left, file) => withoutArchived(left, readOwnText(path.join(dir, file)) ?? ''), text)
}

/** From now on the vault has these files as they are now, and no longer the deleted ones. Call it under the lock. */
export function acceptLosses({ dir, places: { vault } }: Store, losses: readonly Loss[]): void {
  for (const { name, found } of losses) {
    if (found.is === 'gone') disk.remove(path.join(vault, name))
    else if (!copyFile(path.join(dir, name), path.join(vault, name))) continue
    disk.remove(keptCopy(vault, name))
  }
}

/**
 * Copies changed files. If a file cannot be copied, the others still are: the first error is thrown at the
 * end. Call it under the lock.
 */
export function fillVault(store: Store): number {
  if (store.dir !== store.places.inProject) return 0
  // A session file that lost its end must not replace a complete copy.
  const damaged = new Set(
    allSessions(store.readState()).flatMap(([, session]) =>
      isSound(store, session) ? [] : sessionForms(session.file),
    ),
  )
  let copied = 0
  let failure: unknown = null
  // The state last: it must never name more than the copied sessions contain.
  const isState = (name: string): number => Number(name === STATE_FILE)
  const kept = memoryFiles(store.dir).filter((name) => fileKindOf(slashed(name))?.isKept !== false)
  for (const name of kept.toSorted((a, b) => isState(a) - isState(b))) {
    if (damaged.has(name)) continue
    try {
      if (copyInto(store, name)) copied++
    } catch (error) {
      failure ??= error
    }
  }
  removeReplaced(store, replacedTest(store, store.places.vault))
  if (failure !== null) throw failure
  return copied
}

/** As rows of file kinds name it. */
function slashed(name: string): string {
  return name.split(path.sep).join('/')
}

function copyInto(store: Store, name: string): boolean {
  const pair = { dir: store.dir, vault: store.places.vault }
  if (isCopied(pair, name)) return false
  if (isGuarded(name)) return mayReplaceCopy(store, name) && copyGuarded(pair, name)
  // From this copy the state is rebuilt when another program has rewritten it.
  if (name === STATE_FILE && !isOwnState(readOwnText(path.join(store.dir, name)) ?? '')) return false
  return copyFile(path.join(store.dir, name), path.join(pair.vault, name))
}

/** Files that became part of a week or month, or were compressed, leave the vault once their replacement is there; files set aside leave it when the user deleted them. */
function removeReplaced({ dir, places: { vault } }: Store, isReplaced: (name: string) => boolean): void {
  const sizeIn = (place: string, name: string): number | null => statOf(path.join(place, name))?.size ?? null
  for (const name of memoryFiles(vault)) {
    if (statOf(path.join(dir, name)) !== null || !(isReplaced(name) || isSetAside(name))) continue
    const other = otherForm(name)
    if (other === null || sizeIn(vault, other) === sizeIn(dir, other)) disk.remove(path.join(vault, name))
  }
}
