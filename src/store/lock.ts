/** One writer at a time: a file created exclusively, which a dead owner cannot keep. */
import path from 'node:path'
import { once } from '../core/once.ts'
import { busy, create, pause } from './files.ts'
import { clockIn, type LockFile, readLock, removeBusy } from './lock-file.ts'
import { judge, type Owner, ownerOf, parseOwner, type Verdict } from './owner.ts'

export { isAlive } from './owner.ts'

/** No section under the lock takes nearly this long. It decides only about owners that pid, start and boot do not decide about. */
const DEAD_AFTER_MS = 60_000
/** A lock without owner: killed between creating and writing it. */
const NAMELESS_AFTER_MS = 2_000
const LONGEST_PAUSE_MS = 12
/** A lock that has become free is tried again at once, so often even if the time is over. */
const TRIES_AT_ONCE = 3
/** Renames of busy files may wait so long in one section: a hook waits 250 ms for the lock. */
const BUSY_MS = 120

/** Runs `work` while holding the lock; null when it was not free within the time. */
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

export interface Holder {
  owner: Owner | null
  verdict: Verdict
  sinceMs: number
  /** Nobody here can tell whether the owner lives, and it has held the lock for long: only the owner or a person removes it. */
  isStuck: boolean
}

/** Null: the lock is free. */
export function holderOf(file: string): Holder | null {
  const lock = readLock(file)
  if (lock === null) return null
  const owner = parseOwner(lock.text)
  const verdict = owner === null ? 'unknown' : judge(owner)
  const isLong = (): boolean => clockIn(path.dirname(file)) - lock.mtimeMs > DEAD_AFTER_MS
  return { owner, verdict, sinceMs: lock.mtimeMs, isStuck: verdict === 'unknown' && isWhole(owner) && isLong() }
}

/** For the log and doctor. */
export function nameOf({ owner, sinceMs }: Holder): string {
  const who = owner === null ? 'a process without a name' : `process ${owner.pid} on ${owner.host}`
  const where = owner?.space === undefined ? '' : `, pid namespace ${owner.space}`
  return `${who}${where}, since ${new Date(sinceMs).toISOString()}`
}

function acquire(file: string, waitMs: number): (() => void) | null {
  const mine = JSON.stringify(ownerOf(process.pid))
  const clock = clockOf(path.dirname(file))
  const deadline = performance.now() + waitMs
  for (let tries = 0; ; tries++) {
    if (create(file, mine)) return () => releaseOwn(file, mine)
    if (stealFromDead(file, clock) && tries < TRIES_AT_ONCE) continue
    if (performance.now() >= deadline) return null
    pause(1 + ((process.pid * 7 + tries * 5) % LONGEST_PAUSE_MS))
  }
}

/** Only if it is still ours: somebody may have deleted it by hand meanwhile, and another process may hold it now. */
function releaseOwn(file: string, mine: string): void {
  if (readLock(file)?.text === mine) removeBusy(file)
}

/** True: it is free now. Of two processes that find a dead owner, the guard lets one in, which looks again before it deletes. */
function stealFromDead(file: string, clock: () => number): boolean {
  const before = readLock(file)
  if (before === null) return true
  if (!isDead(before, clock)) return false

  const guard = `${file}.steal`
  if (!create(guard, '')) {
    const since = readLock(guard)?.mtimeMs
    if (since !== undefined && clock() - since > NAMELESS_AFTER_MS * 2) removeBusy(guard)
    return false
  }
  try {
    const now = readLock(file)
    if (now !== null && now.ino === before.ino && now.mtimeMs === before.mtimeMs) removeBusy(file)
    return true
  } finally {
    removeBusy(guard)
  }
}

/** By what the owner says of itself; by age only where it says too little. */
function isDead({ text, mtimeMs }: LockFile, clock: () => number): boolean {
  const owner = parseOwner(text)
  const verdict = owner === null ? 'unknown' : judge(owner)
  if (verdict !== 'unknown' || isWhole(owner)) return verdict === 'dead'
  return clock() - mtimeMs > (owner === null ? NAMELESS_AFTER_MS : DEAD_AFTER_MS)
}

function isWhole(owner: Owner | null): boolean {
  return owner?.start !== undefined
}

/** The file system's clock, asked at the first call and carried on by our own. */
function clockOf(dir: string): () => number {
  const began = once(() => clockIn(dir) - performance.now())
  return () => began() + performance.now()
}
