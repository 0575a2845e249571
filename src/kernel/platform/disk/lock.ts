/** One writer at a time: a lock file that is created exclusively. The lock of a dead owner is taken over. */
import path from 'node:path'
import { once } from '../../text/once.ts'
import { busy, create, isBusy, pause, readOwnText, removeUnlessBusy, statOf, writeBytes } from './files.ts'
import { judgeOwner, type Owner, type OwnerVerdict, ownerOf, parseOwner } from './owner.ts'

export { isAlive } from './owner.ts'

/** No section under the lock takes nearly this long. Used only for owners that cannot be judged by pid, start time and boot. */
const DEAD_AFTER_MS = 60_000
/** A lock file without an owner: its process was killed between creating and writing it. */
const NAMELESS_AFTER_MS = 2_000
const LONGEST_PAUSE_MS = 12
/** A lock that has just become free is retried at once, this often even after the deadline. */
const TRIES_AT_ONCE = 3
/** In one section, retried renames may wait this long in total: a hook waits 250 ms for the lock. */
const BUSY_MS = 120
/** The content of a lock that its owner released but could not delete. */
const RELEASED = '{"isReleased":true}'
const AGAIN_MS = 500

/** Runs `work` while holding the lock; null if the lock was not free within the time. */
export function withLock<T>(file: string, waitMs: number, work: () => T): { value: T } | null {
  const release = acquire(file, waitMs)
  if (release === null) return null
  const { patienceMs } = busy
  try {
    busy.patienceMs = patienceMs ?? BUSY_MS
    return { value: work() }
  } finally {
    busy.patienceMs = patienceMs
    release()
  }
}

interface Holder {
  owner: Owner | null
  verdict: OwnerVerdict
  sinceMs: number
  /** It is unknown whether the owner is alive, and it has held the lock for long: only the owner or a person may remove it. */
  isStuck: boolean
}

/** Null: the lock is free. */
export function holderOf(file: string): Holder | null {
  const lock = readLock(file)
  if (lock === null) return null
  const owner = parseOwner(lock.text)
  const verdict = owner === null ? 'unknown' : judgeOwner(owner)
  const isLong = (): boolean => clockIn(path.dirname(file)) - lock.mtimeMs > DEAD_AFTER_MS
  return { owner, verdict, sinceMs: lock.mtimeMs, isStuck: verdict === 'unknown' && isWhole(owner) && isLong() }
}

/** A description for the log and doctor. */
export function lockName({ owner, sinceMs }: Holder): string {
  const who = owner === null ? 'a process without a name' : `process ${owner.pid} on ${owner.host}`
  const where = owner?.space === undefined ? '' : `, pid namespace ${owner.space}`
  return `${who}${where}, since ${new Date(sinceMs).toISOString()}`
}

function acquire(file: string, waitMs: number): (() => void) | null {
  // The random number distinguishes two locks of one process.
  const mine = JSON.stringify({ ...ownerOf(process.pid), n: Math.random() })
  const clock = clockOf(path.dirname(file))
  const deadline = performance.now() + waitMs
  for (let tries = 0; ; tries++) {
    const left = unreleased.get(file)
    if (left !== undefined) release(file, left, 1)
    const taken = create(file, mine) ? 'ours' : takeFromDead(file, mine, clock)
    if (taken === 'ours') return () => release(file, mine)
    if (taken === 'free' && tries < TRIES_AT_ONCE) continue
    if (performance.now() >= deadline) return null
    pause(1 + ((process.pid * 7 + tries * 5) % LONGEST_PAUSE_MS))
  }
}

/** Locks that could not be released because another program had them open, with the content we wrote. */
const unreleased = new Map<string, string>()

/**
 * Deletes the lock only if it still is ours: a person may have deleted it, and another process may hold it now. If it can be
 * neither deleted nor written, a server tries again later. If the process ends instead, others recognise it as dead.
 */
function release(file: string, mine: string, mostTries?: number): void {
  unreleased.delete(file)
  const lock = lookAtLock(file)
  if (lock === 'gone' || (lock !== 'busy' && lock.text !== mine)) return
  if (lock !== 'busy' && removeBusy(file, RELEASED, mostTries)) return
  unreleased.set(file, mine)
  setTimeout(() => {
    if (unreleased.get(file) === mine) release(file, mine, 1)
  }, AGAIN_MS).unref()
}

/**
 * `free`: the lock is gone. If two processes find a dead owner, the guard file admits one, which checks again before it deletes
 * the lock. If Windows refuses to delete it, the process writes its own name into the lock instead.
 */
function takeFromDead(file: string, mine: string, clock: () => number): 'ours' | 'free' | 'held' {
  const before = readLock(file)
  if (before === null) return 'free'
  if (!isDead(before, clock)) return 'held'

  const guard = `${file}.steal`
  if (!create(guard, '')) {
    const since = readLock(guard)?.mtimeMs
    if (since !== undefined && clock() - since > NAMELESS_AFTER_MS * 2) removeBusy(guard)
    return 'held'
  }
  try {
    const now = readLock(file)
    const isSame = now?.ino === before.ino && now.mtimeMs === before.mtimeMs && now.text === before.text
    if (!isSame || removeUnlessBusy(file)) return 'free'
    return rewriteLock(file, mine) ? 'ours' : 'held'
  } finally {
    removeBusy(guard)
  }
}

/** Judged by the owner's own entries; by age only if these are incomplete. */
function isDead({ text, mtimeMs }: LockFile, clock: () => number): boolean {
  if (text === RELEASED) return true
  const owner = parseOwner(text)
  const verdict = owner === null ? 'unknown' : judgeOwner(owner)
  if (verdict !== 'unknown' || isWhole(owner)) return verdict === 'dead'
  return clock() - mtimeMs > (owner === null ? NAMELESS_AFTER_MS : DEAD_AFTER_MS)
}

function isWhole(owner: Owner | null): boolean {
  return owner?.start !== undefined
}

/** The file system's clock, read at the first call and advanced by our own. */
function clockOf(dir: string): () => number {
  const began = once(() => clockIn(dir) - performance.now())
  return () => began() + performance.now()
}

interface LockFile {
  text: string
  mtimeMs: number
  ino: number
}

const REMOVE_TRIES = 7

/** Null: the lock is gone, or cannot be read now. */
export function readLock(file: string): LockFile | null {
  const lock = lookAtLock(file)
  return lock === 'gone' || lock === 'busy' ? null : lock
}

/** `busy`: Windows is deleting it, or another program has opened it exclusively. */
function lookAtLock(file: string): LockFile | 'gone' | 'busy' {
  try {
    const stat = statOf(file)
    // We only create plain files: a link, a pipe or a directory counts as a very old lock without an owner.
    if (stat !== null && stat.kind !== 'file') return { text: '', mtimeMs: 0, ino: stat.ino }
    const text = stat === null ? null : readOwnText(file)
    return stat === null || text === null ? 'gone' : { text, mtimeMs: stat.mtimeMs, ino: stat.ino }
  } catch (error) {
    if (isBusy(error)) return 'busy'
    throw error
  }
}

/** Deletes the file. If Windows refuses because another program has it open, writes `instead` into it. False: both are refused. */
export function removeBusy(file: string, instead = '', mostTries = REMOVE_TRIES): boolean {
  for (let tries = 0; tries < mostTries; tries++) {
    if (removeUnlessBusy(file)) return true
    pause(2 ** tries)
  }
  return rewriteLock(file, instead)
}

/** False: another program has the file open. */
function rewriteLock(file: string, text: string): boolean {
  try {
    return writeBytes(file, 0, Buffer.from(text))
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/** The file system's current time: the clocks of machines that share a directory may differ. */
export function clockIn(dir: string): number {
  const file = path.join(dir, `clock.${process.pid}${Math.random().toFixed(9).slice(2)}.tmp`)
  create(file, '.')
  const { mtimeMs } = statOf(file) ?? { mtimeMs: Number.NaN }
  removeBusy(file)
  return mtimeMs
}
