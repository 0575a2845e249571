/** Single flight on the machine: one model call at a time over all projects; neither a dead owner nor a stalled one keeps it. */
import path from 'node:path'
import timers from 'node:timers/promises'
import { HEADLESS_CHILD_FILE, HEADLESS_LOCK } from '../core/layout.ts'
import { disk, factsOf, makeDir, readText } from './files.ts'
import { isAlive, withLock } from './lock.ts'

/** No call takes nearly this long: its owner is stalled, or another process has its number. */
const STALE_AFTER_MS = 10 * 60_000
const POLL_MS = 250
/** For a look and a write. */
const GUARD_WAIT_MS = 5_000

/** Runs `work` while nobody else on this machine does; null when that was not possible within the time. */
export async function withMachineLock<T>(
  keeperDir: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<{ value: T } | null> {
  makeDir(keeperDir)
  const file = path.join(keeperDir, HEADLESS_LOCK)
  const deadline = Date.now() + waitMs
  const mine = JSON.stringify({ pid: process.pid, at: Date.now(), n: taken++ })
  while (!takeIfFree(keeperDir, file, mine)) {
    const left = deadline - Date.now()
    if (left <= 0) return null
    await timers.setTimeout(Math.min(POLL_MS, left))
  }
  try {
    return { value: await work() }
  } finally {
    guarded(file, () => {
      if (readText(file) === mine) disk.remove(file)
    })
  }
}

/** A child may outlive its owner, killed hard: while it lives, nobody starts another. */
export function noteChild(keeperDir: string, pid: number, at: string): void {
  disk.replace(path.join(keeperDir, HEADLESS_CHILD_FILE), JSON.stringify({ pid, at }))
}

export function forgetChild(keeperDir: string, pid: number): void {
  const file = path.join(keeperDir, HEADLESS_CHILD_FILE)
  if (pidIn(readText(file) ?? '') === pid) disk.remove(file)
}

/** Tells apart what one process takes twice within a millisecond. */
let taken = 0

function takeIfFree(keeperDir: string, file: string, mine: string): boolean {
  const done = guarded(file, () => {
    if (isHeld(file) || isHeld(path.join(keeperDir, HEADLESS_CHILD_FILE))) return false
    disk.replace(file, mine)
    return true
  })
  return done?.value ?? false
}

/** Looking and writing are one step: two that find a dead owner do not both follow him. */
function guarded<T>(file: string, work: () => T): { value: T } | null {
  return withLock(`${file}.guard`, GUARD_WAIT_MS, work)
}

function isHeld(file: string): boolean {
  const facts = factsOf(file)
  if (facts === null || Date.now() - facts.mtimeMs > STALE_AFTER_MS) return false
  const pid = pidIn(readText(file) ?? '')
  return pid !== null && isAlive(pid)
}

/** Null: written by nobody we know, since ours are whole or absent. */
function pidIn(text: string): number | null {
  try {
    const value = JSON.parse(text) as { pid?: unknown } | null
    return typeof value?.pid === 'number' && Number.isInteger(value.pid) && value.pid > 0 ? value.pid : null
  } catch {
    return null
  }
}
