/**
 * What the next start of a session will say, kept in the user's cache directory and said while everything that it was made of looks
 * the same. Nobody lists what that is: every look at the disk is noted while it is made. It can be deleted at any time.
 */

import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import {
  codeOf,
  disk,
  makeDir,
  readPrivate,
  realPath,
  replaceQuickly,
  statOf,
} from '../../../kernel/platform/disk/files.ts'
import type { Places } from '../../../kernel/platform/disk/locate.ts'
import { isAllAsSeen, type ReadTrace } from '../../../kernel/platform/disk/read-trace.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import type { BriefingLine } from '../../receipts/receipt.ts'

const BRIEFINGS_DIR = 'briefings'
/** Changes with the file's format: older files are not read. */
const VERSION = 4

/** What a start says and writes when it has nothing else to do. */
export interface PreparedStart {
  /** The memory directory. */
  dir: string
  lines: BriefingLine[]
  /** What the line that a person sees says; null: there is none. */
  line: { sessions: number; open: number; stands: { at: string; text: string } | null; toAccept: number } | null
  /** In which its day is. */
  timezone: string
  /** Whether the start is entered in the ledger of recalls. */
  isEntered: boolean
  /** No line waits for a person that is told once. */
  isQuiet: boolean
}

interface Kept extends PreparedStart {
  version: number
  places: Places
  /** The directory of the programs: those of another version may say something else. */
  programs: string
  seen: ReadTrace
}

/** What was prepared; null: nothing, or something that it was made of has changed since. */
export function readPrepared(places: Places, programs: string): PreparedStart | null {
  for (const dir of [places.inProject, places.atHome]) {
    const file = keptFile({ dir, places })
    const atMs = file === null ? undefined : statOf(file)?.mtimeMs
    const kept = file === null || atMs === undefined ? null : readKept(file)
    if (kept === null || atMs === undefined || kept.dir !== dir || kept.programs !== programs) continue
    if (JSON.stringify(kept.places) === JSON.stringify(places) && isAllAsSeen(kept.seen, atMs)) return kept
  }
  return null
}

/**
 * Under the lock, and only if nothing has changed while it was made: what is forgotten meanwhile must not come to lie here.
 * A process that is at work on the memory makes it anew itself.
 */
export function keepPrepared(store: Store, prepared: PreparedStart, seen: ReadTrace, programs: string): void {
  const file = keptFile(store)
  if (file === null) return
  const kept: Kept = { version: VERSION, places: store.places, programs, seen, ...prepared }
  try {
    store.whileLocked(0, () => {
      if (!isAllAsSeen(seen, Number.POSITIVE_INFINITY)) return
      makeDir(path.dirname(file))
      replaceQuickly(file, `${JSON.stringify(kept)}\n`)
    })
  } catch (error) {
    // No place to keep it: every start renders its own.
    if (codeOf(error) === '') throw error
  }
}

/** The file contains remembered text: `forget` deletes it. */
export function removeKeptBriefing(store: Store): void {
  const file = keptFile(store)
  if (file !== null) disk.remove(file)
}

/** The cache file; null: there is no cache directory. */
export function keptFile({ dir, places }: Pick<Store, 'dir' | 'places'>): string | null {
  return places.cacheDir === '' ? null : path.join(places.cacheDir, BRIEFINGS_DIR, fingerprint(realPath(dir)))
}

function readKept(file: string): Kept | null {
  try {
    const kept = parseObject(readPrivate(file)?.toString() ?? '') as Kept | null
    return kept?.version === VERSION && isWhole(kept) ? kept : null
  } catch (error) {
    if (codeOf(error) === '') throw error
    return null
  }
}

/** The file may have been changed by somebody. */
function isWhole({ seen, lines, line, timezone, dir }: Kept): boolean {
  const areTexts = (all: readonly unknown[]): boolean => all.every((one) => typeof one === 'string')
  return (
    areTexts([timezone, dir]) &&
    isLine(line) &&
    Array.isArray(seen) &&
    seen.every((one) => Array.isArray(one) && one.length === 2 && areTexts(one)) &&
    Array.isArray(lines) &&
    lines.every((one) => areTexts([one?.section, one?.text, one?.reason]))
  )
}

function isLine(line: Kept['line'] | undefined): boolean {
  if (line === null) return true
  if (line === undefined) return false
  const { sessions, open, toAccept, stands } = line
  const areNumbers = [sessions, open, toAccept].every((one) => typeof one === 'number')
  return areNumbers && (stands === null || (typeof stands?.at === 'string' && typeof stands.text === 'string'))
}
