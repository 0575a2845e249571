/** The vault's copy of one file: decides whether the file may replace it, and updates the copy when this program changes the file. */
import path from 'node:path'
import { copyFile, disk, list, readOwnText, readPart, refused, sizeOf, statOf } from '../../platform/disk/files.ts'
import {
  id8OfFile,
  isArchiveFile,
  isSetAside,
  JOURNAL_DIR,
  KEPT_DIR,
  LOCAL_FILES,
  LOGS_DIR,
  MEMORY_FILE,
  SESSIONS_DIR,
  STATE_FILE,
} from '../../platform/layout.ts'
import { type Comparison, compareWithCopy, isLoss, unfitFor } from '../loss.ts'

const GZIP = Buffer.from([0x1f, 0x8b])

/** Two directories with the same layout. */
export interface Pair {
  dir: string
  vault: string
}

/** Excludes the state, which can be rebuilt from other files, and sessions, whose bytes the state counts. */
export function isGuarded(name: string): boolean {
  const base = path.basename(name)
  const [top = ''] = path.normalize(name).split(path.sep)
  if (top === JOURNAL_DIR || top === LOGS_DIR || LOCAL_FILES.includes(top)) return false
  return (
    name !== STATE_FILE && id8OfFile(base.replace(/\.gz$/, '')) === null && !base.endsWith('.tmp') && !isSetAside(base)
  )
}

/** Compares sizes and times only. */
export function isCopied({ dir, vault }: Pair, name: string): boolean {
  const file = statOf(path.join(dir, name))
  const copy = statOf(path.join(vault, name))
  const areFiles = file?.kind === 'file' && copy?.kind === 'file'
  return areFiles && copy.size === file.size && copy.mtimeMs >= file.mtimeMs
}

/** `gone`: there is no file. `unread`: it is not a plain file, or it may not be read. */
export type FoundCopy = { is: 'gone' | 'unread' | 'empty' | 'garbled' } | ({ is: 'text' } & Comparison)

/** Compares the current file with a copy; null: there is no such copy, or it cannot be read. */
export function against(dir: string, name: string, copy: string): FoundCopy | null {
  if (name.endsWith('.gz')) return packedAgainst(path.join(dir, name), copy)
  const before = readOwnText(copy)
  if (before === null) return null
  const file = path.join(dir, name)
  if (statOf(file) === null) return { is: 'gone' }
  const text = readOwnText(file)
  if (text === null) return { is: 'unread' }
  const unfit = unfitFor(name, text, before)
  return unfit === null ? { is: 'text', ...compareWithCopy(before, [text, ...elsewhere(dir, name)]) } : { is: unfit }
}

/** Whether to tell the user that the file has lost content of this copy. */
export function isLost(dir: string, name: string, copy: string): boolean {
  const found = against(dir, name, copy)
  return found !== null && (found.is !== 'text' || isLoss(name, found))
}

/** The compressed transcript of a session: it only grows. */
function packedAgainst(file: string, copy: string): FoundCopy | null {
  const size = sizeOf(copy)
  const head = readPart(copy, 0, GZIP.length)
  if (size === null || head?.equals(GZIP) !== true) return null
  const stat = statOf(file)
  if (stat === null) return { is: 'gone' }
  const begin = readPart(file, 0, GZIP.length)
  if (begin === null) return { is: 'unread' }
  if (begin.length === 0) return { is: 'empty' }
  return begin.equals(GZIP) && stat.size >= size
    ? { is: 'text', lost: 0, of: 0, notes: 0, isShorter: false }
    : { is: 'garbled' }
}

/** The earlier copy of a file that lost content for an unknown reason; at most one. */
export function keptCopy(vault: string, name: string): string {
  return path.join(vault, KEPT_DIR, name)
}

/**
 * Copies the file, unless it is empty, garbled or missing while its copy has content. If the copy has lines that the file lacks,
 * the copy is kept beside the new one. False: nothing was copied.
 */
export function copyGuarded({ dir, vault }: Pair, name: string): boolean {
  const copy = path.join(vault, name)
  const kept = keptCopy(vault, name)
  const found = against(dir, name, copy)
  if (found !== null && found.is !== 'text') return false
  if (found !== null && found.lost > 0 && !keep({ dir, vault }, name)) return false
  const isDone = copyNow({ dir, vault }, name)
  if (hasAll(dir, name, kept)) disk.remove(kept)
  return isDone
}

/** Copies archives before memory.md, so that a note which a rotation moved is always in the vault. */
function copyNow({ dir, vault }: Pair, name: string): boolean {
  const archives = name === MEMORY_FILE ? list(dir).filter(isArchiveFile) : []
  for (const archive of archives) if (!isCopied({ dir, vault }, archive)) copyGuarded({ dir, vault }, archive)
  return copyFile(path.join(dir, name), path.join(vault, name))
}

function hasAll(dir: string, name: string, copy: string): boolean {
  const found = against(dir, name, copy)
  return found?.is === 'text' && found.lost === 0
}

/**
 * Moves the copy to the kept place. While a kept copy waits for the user's decision it stays there, and the copy may be replaced only if
 * all its lines are in the file or in the kept copy.
 */
function keep({ dir, vault }: Pair, name: string): boolean {
  const copy = path.join(vault, name)
  const kept = keptCopy(vault, name)
  if (!isLost(dir, name, kept)) return copyFile(copy, kept)
  const texts = [path.join(dir, name), kept].map((file) => readOwnText(file) ?? '')
  return compareWithCopy(readOwnText(copy) ?? '', [...texts, ...elsewhere(dir, name)]).lost === 0
}

/** A rotation moves notes into an archive. */
function elsewhere(dir: string, name: string): string[] {
  if (name !== MEMORY_FILE) return []
  return list(dir)
    .filter(isArchiveFile)
    .flatMap((archive) => readOwnText(path.join(dir, archive)) ?? [])
}

/**
 * Call it before this program changes the file, and call its result afterwards: the copy changes too, so that the change is not reported
 * as a loss. Null: there is no copy, or it has content that the file lost, and must stay.
 */
export function following(pair: Pair, name: string): (() => void) | null {
  const copy = path.join(pair.vault, name)
  const file = path.join(pair.dir, name)
  if (!isGuarded(name) || statOf(copy)?.kind !== 'file') return null
  // The new content was not derived from the old file, because this process could not read it.
  if (refused.files.has(file)) return null
  if (!isCopied(pair, name) && !copyGuarded(pair, name)) return null
  const kept = keptCopy(pair.vault, name)
  const wasLost = isLost(pair.dir, name, kept)
  return () => {
    if (statOf(file) !== null) copyNow(pair, name)
    // Files derived from a session stay in the vault until their replacement is there.
    else if (!name.startsWith(SESSIONS_DIR + path.sep)) disk.remove(copy)
    // Content that this program deletes now is not a loss either, compared with a kept copy that the user need not hear of.
    const isLostNow = !wasLost && isLost(pair.dir, name, kept)
    if (isLostNow || hasAll(pair.dir, name, kept)) disk.remove(kept)
  }
}
