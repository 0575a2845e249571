/** What a piece of work looked at on disk: while all of that looks the same, the same work gives the same. */

import { type FileStat, list, looks, realPath, statOf } from '../../platform/disk/files.ts'
import { fingerprint } from '../../text/fingerprint.ts'

/** What every path looked like just before it was looked at, in this order. */
export type Looks = readonly (readonly [file: string, look: string])[]

/** Stamps on disk are as fine as the system's clock ticks; where they are whole seconds, two of them may be one. */
const TICK_MS = 20
const COARSE_MS = 2_000
/** Names that come and go with every write. */
const PASSING = /^\.lock|\.tmp$/

interface Look {
  look: string
  /** From when on another write would look different. */
  settledMs: number
}

/** Does the work, and tells of every file and directory that was read or asked for, also where there was none. */
export function notingLooks<T>(work: () => T): { value: T; seen: Looks } {
  const seen = new Map<string, string>()
  const note = (file: string): void => {
    if (seen.has(file)) return
    // Looking at it is no look of the work.
    looks.note = null
    seen.set(file, lookAt(file).look)
    looks.note = note
  }
  looks.note = note
  try {
    return { value: work(), seen: [...seen] }
  } finally {
    looks.note = null
  }
}

/**
 * Whether nothing has changed since then. `atMs`: when all of it had been looked at. What was written in the same moment may have been
 * written once more without looking different, and counts as changed.
 */
export function isAllAsSeen(seen: Looks, atMs: number): boolean {
  return seen.every(([file, before]) => {
    const { look, settledMs } = lookAt(file)
    return look === before && settledMs < atMs
  })
}

/** Of a link also what it leads to. */
function lookAt(file: string): Look {
  const own = statOf(file)
  if (own?.kind !== 'link') return lookOf(file, own)
  const target = realPath(file)
  const there = lookOf(target, statOf(target))
  return { look: `${own.ino} ${own.mtimeMs} ${there.look}`, settledMs: there.settledMs }
}

/** Of a directory its names: its time changes with every lock that is taken in it. */
function lookOf(file: string, facts: FileStat | null): Look {
  if (facts === null) return { look: '-', settledMs: 0 }
  const { kind, ino, size, mtimeMs } = facts
  if (kind !== 'dir')
    return { look: `${ino} ${size} ${mtimeMs}`, settledMs: mtimeMs + (mtimeMs % 1000 === 0 ? COARSE_MS : TICK_MS) }
  const names = list(file).filter((name) => !PASSING.test(name))
  return { look: fingerprint(names.join('\n')), settledMs: 0 }
}
