/** One model call at a time on this machine, over all projects. A dead or stalled owner does not keep the lock. */
import path from 'node:path'
import timers from 'node:timers/promises'
import { disk, isBusy, makeDir } from '../../../kernel/platform/disk/files.ts'
import { clockIn, readLock, removeBusy, withLock } from '../../../kernel/platform/disk/lock.ts'
import { judgeOwner, ownerOf, parseOwner } from '../../../kernel/platform/disk/owner.ts'
import { HEADLESS_CHILD_FILE, HEADLESS_LOCK } from '../../../kernel/platform/layout.ts'

/** No call takes nearly this long: its owner is stalled or cannot be judged. A second call at the same time does less harm than waiting. */
const STALE_AFTER_MS = 10 * 60_000
const POLL_MS = 250
/** Enough for one check and one write. */
const GUARD_WAIT_MS = 5_000

/** Runs `work` while no other process on this machine does; null if that was not possible within the time. */
export async function withMachineLock<T>(
  homeDir: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<{ value: T } | null> {
  makeDir(homeDir)
  const file = path.join(homeDir, HEADLESS_LOCK)
  const deadline = Date.now() + waitMs
  const mine = JSON.stringify({ ...ownerOf(process.pid), at: Date.now(), n: taken++ })
  while (!takeIfFree(homeDir, file, mine)) {
    const left = deadline - Date.now()
    if (left <= 0) return null
    await timers.setTimeout(Math.min(POLL_MS, left))
  }
  try {
    return { value: await work() }
  } finally {
    guarded(file, () => {
      if (readLock(file)?.text === mine) removeBusy(file)
    })
  }
}

/** A child may outlive its killed owner: no other call starts while it runs. */
export function noteChild(homeDir: string, pid: number, at: string): void {
  disk.replace(path.join(homeDir, HEADLESS_CHILD_FILE), JSON.stringify({ ...ownerOf(pid), at }))
}

export function forgetChild(homeDir: string, pid: number): void {
  const file = path.join(homeDir, HEADLESS_CHILD_FILE)
  if (parseOwner(readLock(file)?.text ?? '')?.pid === pid) removeBusy(file)
}

/** Distinguishes two locks of one process within a millisecond. */
let taken = 0

function takeIfFree(homeDir: string, file: string, mine: string): boolean {
  try {
    const done = guarded(file, () => {
      if (isHeld(file) || isHeld(path.join(homeDir, HEADLESS_CHILD_FILE))) return false
      disk.replace(file, mine)
      return true
    })
    return done?.value ?? false
  } catch (error) {
    // Another program has the file open: the lock is not free yet.
    if (isBusy(error)) return false
    throw error
  }
}

/** The check and the write are one step, so that two processes which find a dead owner do not both take the lock. */
function guarded<T>(file: string, work: () => T): { value: T } | null {
  return withLock(`${file}.guard`, GUARD_WAIT_MS, work)
}

/** A file without a valid owner does not count: we write whole files. */
function isHeld(file: string): boolean {
  const lock = readLock(file)
  const owner = parseOwner(lock?.text ?? '')
  if (lock === null || owner === null || judgeOwner(owner) === 'dead') return false
  return clockIn(path.dirname(file)) - lock.mtimeMs <= STALE_AFTER_MS
}
