/** The vault's copy of one file: whether the file may replace it, and the copy that follows where this program changes the file itself. */
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

/** Two directories that are laid out alike. */
export interface Pair {
  dir: string
  vault: string
}

/** Not the state, which other files prove, nor sessions, whose bytes the state counts. */
export function isGuarded(name: string): boolean {
  const base = path.basename(name)
  const [top = ''] = path.normalize(name).split(path.sep)
  if (top === JOURNAL_DIR || top === LOGS_DIR || LOCAL_FILES.includes(top)) return false
  return (
    name !== STATE_FILE && id8OfFile(base.replace(/\.gz$/, '')) === null && !base.endsWith('.tmp') && !isSetAside(base)
  )
}

/** By sizes and times, as far as they tell. */
export function isCopied({ dir, vault }: Pair, name: string): boolean {
  const file = statOf(path.join(dir, name))
  const copy = statOf(path.join(vault, name))
  const areFiles = file?.kind === 'file' && copy?.kind === 'file'
  return areFiles && copy.size === file.size && copy.mtimeMs >= file.mtimeMs
}

/** `gone`: there is none. `unread`: something else stands in its place, or nobody may read it. */
export type FoundCopy = { is: 'gone' | 'unread' | 'empty' | 'garbled' } | ({ is: 'text' } & Comparison)

/** The file as it is now against a copy of it; null: there is no such copy, or it cannot be read. */
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

/** Whether the user should know what this copy has and the file has not. */
export function isLost(dir: string, name: string, copy: string): boolean {
  const found = against(dir, name, copy)
  return found !== null && (found.is !== 'text' || isLoss(name, found))
}

/** The whole transcript of a session, compressed: it only grows. */
function packedAgainst(file: string, copy: string): FoundCopy | null {
  const size = sizeOf(copy)
  const head = readPart(copy, 0, GZIP.length)
  if (size === null || head?.equals(GZIP) !== true) return null
  const facts = statOf(file)
  if (facts === null) return { is: 'gone' }
  const begin = readPart(file, 0, GZIP.length)
  if (begin === null) return { is: 'unread' }
  if (begin.length === 0) return { is: 'empty' }
  return begin.equals(GZIP) && facts.size >= size
    ? { is: 'text', lost: 0, of: 0, notes: 0, isShorter: false }
    : { is: 'garbled' }
}

/** Of a file that lost something without a known reason: the copy from before, at most one. */
export function keptCopy(vault: string, name: string): string {
  return path.join(vault, KEPT_DIR, name)
}

/**
 * Copies the file, unless it is empty, garbled or not there while its copy says something. Where the copy has lines that the file has not,
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

/** Archives before memory.md: a note that a rotation moved is in the vault all the time. */
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
 * The copy becomes the kept one. While a kept one waits for the user's word it stays, and the copy may only be replaced where it has no
 * line that neither the file nor the kept one has.
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
 * Call it before this program changes the file, and what it returns afterwards: the copy changes with it, so that the change is no loss.
 * Null: there is no copy, or it has what the file has lost, and must stay.
 */
export function following(pair: Pair, name: string): (() => void) | null {
  const copy = path.join(pair.vault, name)
  const file = path.join(pair.dir, name)
  if (!isGuarded(name) || statOf(copy)?.kind !== 'file') return null
  // What is written now was not made from what this process could not read.
  if (refused.files.has(file)) return null
  if (!isCopied(pair, name) && !copyGuarded(pair, name)) return null
  const kept = keptCopy(pair.vault, name)
  const wasLost = isLost(pair.dir, name, kept)
  return () => {
    if (statOf(file) !== null) copyNow(pair, name)
    // What was made of a session leaves the vault when what replaces it is there.
    else if (!name.startsWith(SESSIONS_DIR + path.sep)) disk.remove(copy)
    // Nor is what this program takes out now a loss against a copy that nobody has to be told of.
    const isLostNow = !wasLost && isLost(pair.dir, name, kept)
    if (isLostNow || hasAll(pair.dir, name, kept)) disk.remove(kept)
  }
}
