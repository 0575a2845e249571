/** One writer at a time: a file created exclusively, which a dead owner cannot keep. */
import os from 'node:os'
import { create, disk, factsOf, pause, readOwnText, readSystem } from './files.ts'

interface Owner {
  pid: number
  host: string
}

/** No section under the lock takes nearly this long: whoever holds it longer is dead, or its pid was given to another. */
const DEAD_AFTER_MS = 60_000
/** A lock without owner: killed between creating and writing it. */
const NAMELESS_AFTER_MS = 2_000
const LONGEST_PAUSE_MS = 12

/** Runs `work` while holding the lock; null when it was not free within the time. */
export function withLock<T>(file: string, waitMs: number, work: () => T): { value: T } | null {
  const release = acquire(file, waitMs)
  if (release === null) return null
  try {
    return { value: work() }
  } finally {
    release()
  }
}

function acquire(file: string, waitMs: number): (() => void) | null {
  const mine = JSON.stringify({ pid: process.pid, host: os.hostname() } satisfies Owner)
  const deadline = Date.now() + waitMs
  for (let tries = 0; ; tries++) {
    if (create(file, mine)) return () => releaseOwn(file, mine)
    if (stealFromDead(file)) continue
    if (Date.now() >= deadline) return null
    pause(1 + ((process.pid * 7 + tries * 5) % LONGEST_PAUSE_MS))
  }
}

/** Only if it is still ours: a stalled owner may have lost it meanwhile. */
function releaseOwn(file: string, mine: string): void {
  if (readOwnText(file) === mine) disk.remove(file)
}

/** Two stealers at once must not both succeed: the second guard lets one in, which looks again before it removes. */
function stealFromDead(file: string): boolean {
  const before = factsOf(file)
  if (before === null) return true
  // Nobody of us makes anything but a plain file: a link, a pipe or a directory there has no owner.
  if (before.kind === 'file' && !isDead(readOwnText(file), Date.now() - before.mtimeMs)) return false

  const guard = `${file}.steal`
  if (!create(guard, '')) {
    const age = Date.now() - (factsOf(guard)?.mtimeMs ?? Date.now())
    if (age > NAMELESS_AFTER_MS * 2) disk.remove(guard)
    return false
  }
  try {
    const now = factsOf(file)
    if (now !== null && now.ino === before.ino && now.mtimeMs === before.mtimeMs) disk.remove(file)
    return true
  } finally {
    disk.remove(guard)
  }
}

function isDead(content: string | null, ageMs: number): boolean {
  if (content === null) return false
  if (ageMs > DEAD_AFTER_MS) return true
  const owner = parseOwner(content)
  if (owner === null) return ageMs > NAMELESS_AFTER_MS
  return owner.host === os.hostname() && !isAlive(owner.pid)
}

function parseOwner(text: string): Owner | null {
  try {
    const value = JSON.parse(text) as Partial<Owner>
    return typeof value.pid === 'number' && typeof value.host === 'string' ? { pid: value.pid, host: value.host } : null
  } catch {
    return null
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Killed, but nobody has asked for its end: in a container perhaps never. Known on Linux only. */
function isZombie(pid: number): boolean {
  const stat = process.platform === 'linux' ? readSystem(`/proc/${pid}/stat`) : null
  return stat !== null && /^\) [ZX]/.test(stat.slice(stat.lastIndexOf(')')))
}
