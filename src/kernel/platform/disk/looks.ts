/**
 * Every look at the disk that some work takes, noted while it is done: whoever keeps what was made of it can tell later whether it
 * would be the same again. Nobody has to list what it depends on.
 */
import path from 'node:path'
import { fingerprint } from '../../text/fingerprint.ts'
import { type FileStat, list, looks, realPath, statOf } from './files.ts'

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

/** From when on every look would tell another write: what is kept before that moment is not trusted later. A file's stamp may lag by a tick. */
export function settlesAt(seen: Looks): number {
  return TICK_MS + seen.reduce((latest, [file]) => Math.max(latest, lookAt(file).settledMs), 0)
}

/**
 * Whether nothing has changed since then. `atMs`: when all of it had been looked at. What was written in the same moment may have been
 * written once more without looking different, and counts as changed.
 */
export function isAllAsSeen(seen: Looks, atMs: number): boolean {
  return seen.every(([file, before]) => {
    if (file.endsWith(path.sep)) return areNamesAsSeen(file, before, atMs)
    const { look, settledMs } = lookAt(file)
    return look === before && settledMs < atMs
  })
}

/** Of a link also what it leads to. */
function lookAt(file: string): Look {
  if (file.endsWith(path.sep)) return lookAtNames(file)
  const own = statOf(file)
  if (own?.kind !== 'link') return lookOf(own)
  const target = realPath(file)
  const there = lookOf(statOf(target))
  return { look: `${own.ino} ${own.mtimeMs} ${there.look}`, settledMs: there.settledMs }
}

/** Its names, and its time: while that is the same, a thousand names need not be listed again. */
function lookAtNames(dir: string): Look {
  const mtimeMs = statOf(dir)?.mtimeMs ?? 0
  const names = list(dir).filter((name) => !PASSING.test(name))
  return { look: `${mtimeMs} ${fingerprint(names.join('\n'))}`, settledMs: 0 }
}

function areNamesAsSeen(dir: string, before: string, atMs: number): boolean {
  const [ms, names] = before.split(' ')
  const mtimeMs = statOf(dir)?.mtimeMs ?? 0
  const isTelling = process.platform !== 'win32' && atMs < Number.POSITIVE_INFINITY && mtimeMs + tickOf(mtimeMs) < atMs
  return (isTelling && String(mtimeMs) === ms) || lookAtNames(dir).look.split(' ')[1] === names
}

/** Of a directory only that it is there: its time changes with every lock that is taken in it. */
function lookOf(facts: FileStat | null): Look {
  if (facts === null) return { look: '-', settledMs: 0 }
  const { kind, ino, size, mtimeMs } = facts
  if (kind === 'dir') return { look: `dir ${ino}`, settledMs: 0 }
  return { look: `${ino} ${size} ${mtimeMs}`, settledMs: mtimeMs + tickOf(mtimeMs) }
}

function tickOf(mtimeMs: number): number {
  return mtimeMs % 1000 === 0 ? COARSE_MS : TICK_MS
}
