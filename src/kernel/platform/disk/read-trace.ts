/**
 * Records which files a piece of work reads while it runs. Whoever keeps the result can check later whether one of these files has
 * changed, without a list of what the result depends on. The file layer (`files.ts`) reports every read to `readTrace.note`.
 */
import path from 'node:path'
import { fingerprint } from '../../text/fingerprint.ts'
import { type FileStat, list, readTrace, realPath, statOf } from './files.ts'

/** For each path that was read, in order, its state just before the read: inode, size, time and link target as text. */
export type ReadTrace = readonly (readonly [file: string, look: string])[]

/** How exact times on disk are: a tick of the system's clock, or two seconds where a file system stores whole seconds. */
const TICK_MS = 20
const COARSE_MS = 2_000
/** Locks and temporary files come and go with every write, so that lists of names leave them out. */
const PASSING = /^\.lock|\.tmp$/

interface Look {
  look: string
  /** The earliest instant at which another write would get another time on disk. */
  settledMs: number
}

/** Does the work, and returns the state of every file and directory that it read or looked for, also of missing ones. */
export function traceReads<T>(work: () => T): { value: T; seen: ReadTrace } {
  const seen = new Map<string, string>()
  const note = (file: string): void => {
    if (seen.has(file)) return
    // Our own read must not be recorded.
    readTrace.note = null
    seen.set(file, lookAt(file).look)
    readTrace.note = note
  }
  readTrace.note = note
  try {
    return { value: work(), seen: [...seen] }
  } finally {
    readTrace.note = null
  }
}

/**
 * The earliest instant at which another write to any of these files would be noticed. A result that was kept before is not trusted: a file's
 * time may lag by a tick.
 */
export function steadyAt(seen: ReadTrace): number {
  return TICK_MS + seen.reduce((latest, [file]) => Math.max(latest, lookAt(file).settledMs), 0)
}

/**
 * Whether none of these files has changed. `atMs`: when all of them had been read. A file that was written at that very moment counts as
 * changed, because a second write would not change its time.
 */
export function isAllAsSeen(seen: ReadTrace, atMs: number): boolean {
  return seen.every(([file, before]) => {
    if (file.endsWith(path.sep)) return areNamesAsSeen(file, before, atMs)
    const { look, settledMs } = lookAt(file)
    return look === before && settledMs < atMs
  })
}

/** The state of a link contains the state of its target. */
function lookAt(file: string): Look {
  if (file.endsWith(path.sep)) return lookAtNames(file)
  const own = statOf(file)
  if (own?.kind !== 'link') return lookOf(own)
  const target = realPath(file)
  const there = lookOf(statOf(target))
  return { look: `${own.ino} ${own.mtimeMs} ${there.look}`, settledMs: there.settledMs }
}

/** A directory's names and time: while the time is the same, a thousand names need not be listed again. */
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

/** Of a directory only its inode counts: its time changes with every lock that is taken in it. */
function lookOf(facts: FileStat | null): Look {
  if (facts === null) return { look: '-', settledMs: 0 }
  const { kind, ino, size, mtimeMs } = facts
  if (kind === 'dir') return { look: `dir ${ino}`, settledMs: 0 }
  return { look: `${ino} ${size} ${mtimeMs}`, settledMs: mtimeMs + tickOf(mtimeMs) }
}

function tickOf(mtimeMs: number): number {
  return mtimeMs % 1000 === 0 ? COARSE_MS : TICK_MS
}
