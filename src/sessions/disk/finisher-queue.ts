/**
 * Who finishes what: the jobs that wait for a finisher, and the finishers that run. One for a project and two on the machine
 * at most; whoever comes while one is at work leaves a job for it.
 */
import path from 'node:path'
import {
  codeOf,
  create,
  list,
  makeDir,
  readOwnText,
  rename,
  replaceQuickly,
  statOf,
} from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { clockIn, readLock, removeBusy, withLock } from '../../platform/disk/lock.ts'
import { judgeOwner, ownerOf, parseOwner } from '../../platform/disk/owner.ts'
import { parseObject } from '../../platform/json.ts'
import { FINISHERS_DIR } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'

/** Why the finisher is started: a session ended, a note is due, or a transcript is not read to its end. */
export type Job = { for: 'end'; session: string } | { for: 'note' } | { for: 'catch-up' }

/** Each takes a processor, and memory like any other Node program. */
const MOST_FINISHERS = 2
/** No finisher works so long: this one is stalled, or another process has its number. */
const STALE_MS = 15 * 60_000
const HOOK_WAIT_MS = 200
const FINISHER_WAIT_MS = 10_000

/** A job that waits, and one that a finisher has begun: it stays until it is done, and the same job can be asked for again. */
const WAITING = '.job'
const TAKEN = '.taken'

/** Leaves the job, and starts a finisher unless one is at work or as many as may be. `start` returns its process id. */
export function requestFinisher(places: Places, job: Job, start: () => number | undefined): void {
  const isLeft = unlessRefused(() => addJob(places, job), false)
  if (!isLeft) {
    start()
    return
  }
  unlessRefused(() => {
    const looked = guarded(places, HOOK_WAIT_MS, () => {
      const pid = mayWork(places) ? start() : undefined
      if (pid !== undefined) replaceQuickly(ownerFile(places), JSON.stringify(ownerOf(pid)))
    })
    // Other hooks held the lock for longer than this one may wait. A finisher that is not needed finds no job and ends.
    if (looked === null && isFinisherMissing(places)) start()
  }, undefined)
}

/** Jobs of this project wait, and nobody is at them. */
export function isFinisherMissing(places: Places): boolean {
  return jobNames(places).length > 0 && !isHeld(ownerFile(places))
}

/**
 * Makes this process the finisher of the project and takes its jobs, its own among them. Null: another finisher is at work and
 * sees them, or there are as many as may be: then they wait.
 */
export function takeJobs(places: Places, own: Job | null): Job[] | null {
  // Without a place for jobs there is only this one.
  const alone = own === null ? null : [own]
  return unlessRefused(() => {
    if (own !== null) addJob(places, own)
    return takeAll(places)
  }, alone)
}

/** The root of another project whose jobs nobody is at: its session ended while as many finishers were at work as may be. */
export function waitingProject(places: Places): string | null {
  return unlessRefused(() => {
    const dir = dirOf(places)
    const others = list(dir).filter((key) => /-[0-9a-f]{10}$/.test(key) && key !== places.project.key)
    for (const key of others.filter((key) => !isHeld(path.join(dir, key + OWNER)))) {
      const job = list(path.join(dir, key)).find(isJob)
      const root = job === undefined ? null : parseObject(readOwnText(path.join(dir, key, job)) ?? '')?.root
      if (typeof root === 'string' && statOf(root)?.kind === 'dir') return root
    }
    return null
  }, null)
}

/** Removes the jobs that are done and takes those that came meanwhile. Null: there are none, and this process is no finisher any more. */
export function nextJobs(places: Places): Job[] | null {
  return unlessRefused(() => {
    for (const name of jobNames(places).filter((one) => one.endsWith(TAKEN))) removeBusy(jobPath(places, name))
    if (jobNames(places).length > 0) return takeAll(places)
    removeBusy(ownerFile(places))
    // Left after the look above, by a hook that still saw this process at work.
    return jobNames(places).length > 0 ? takeAll(places) : null
  }, null)
}

function takeAll(places: Places): Job[] | null {
  const taken = guarded(places, FINISHER_WAIT_MS, () => {
    if (!isOurs(places) && !mayWork(places)) return null
    replaceQuickly(ownerFile(places), JSON.stringify(ownerOf(process.pid)))
    const names = jobNames(places)
    const jobs = names.flatMap((name) => parseJob(readOwnText(jobPath(places, name)) ?? '') ?? [])
    // A killed finisher may have left the same one as taken.
    for (const name of names.filter((one) => one.endsWith(WAITING)))
      rename(jobPath(places, name), jobPath(places, name.slice(0, -WAITING.length) + TAKEN))
    return jobs.filter((job, i) => jobs.findIndex((one) => textOf(one) === textOf(job)) === i)
  })
  return taken?.value ?? null
}

/** Looking who works and saying that one works are one step, for all projects together. */
function guarded<T>(places: Places, waitMs: number, work: () => T): { value: T } | null {
  return withLock(path.join(dirOf(places), '.lock'), waitMs, work)
}

/** For a place that is read-only, full, or no directory. */
function unlessRefused<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (!/^E[A-Z]+$/.test(codeOf(error))) throw error
    return otherwise
  }
}

function mayWork(places: Places): boolean {
  const dir = dirOf(places)
  const files = list(dir).filter((name) => name.endsWith(OWNER))
  const held = files.map((name) => path.join(dir, name)).filter(isHeld)
  return held.length < MOST_FINISHERS && !held.includes(ownerFile(places))
}

function isHeld(file: string): boolean {
  const lock = readLock(file)
  const owner = parseOwner(lock?.text ?? '')
  if (lock === null || owner === null || judgeOwner(owner) === 'dead') return false
  return clockIn(path.dirname(file)) - lock.mtimeMs <= STALE_MS
}

/** Taken before, or the hook that started this process wrote its name there. */
function isOurs(places: Places): boolean {
  return readLock(ownerFile(places))?.text === JSON.stringify(ownerOf(process.pid))
}

/** True: it waits. */
function addJob(places: Places, job: Job): boolean {
  const dir = jobsDir(places)
  makeDir(dir)
  const text = JSON.stringify({ ...parseObject(textOf(job)), root: places.project.root })
  create(path.join(dir, `${fingerprint(textOf(job))}${WAITING}`), text)
  return true
}

function jobNames(places: Places): string[] {
  return list(jobsDir(places)).filter(isJob)
}

function isJob(name: string): boolean {
  return name.endsWith(WAITING) || name.endsWith(TAKEN)
}

function parseJob(text: string): Job | null {
  const raw = parseObject(text)
  if (raw?.for === 'end') return typeof raw.session === 'string' ? { for: 'end', session: raw.session } : null
  return raw?.for === 'note' || raw?.for === 'catch-up' ? { for: raw.for } : null
}

/** The same job gives the same text. */
function textOf(job: Job): string {
  return job.for === 'end' ? JSON.stringify({ for: job.for, session: job.session }) : JSON.stringify({ for: job.for })
}

const OWNER = '.json'

function dirOf({ keeperDir }: Places): string {
  return path.join(keeperDir, FINISHERS_DIR)
}

function ownerFile(places: Places): string {
  return path.join(dirOf(places), places.project.key + OWNER)
}

function jobsDir(places: Places): string {
  return path.join(dirOf(places), places.project.key)
}

function jobPath(places: Places, name: string): string {
  return path.join(jobsDir(places), name)
}
