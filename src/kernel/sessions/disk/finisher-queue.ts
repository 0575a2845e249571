/**
 * The jobs that wait for a finisher, and the running finishers: at most one per project and two per machine. A hook that finds a
 * running finisher leaves a job for it.
 */
import path from 'node:path'
import {
  create,
  list,
  makeDir,
  readOwnText,
  rename,
  replaceQuickly,
  statOf,
  unlessFails,
} from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { clockIn, readLock, removeBusy, withLock } from '../../platform/disk/lock.ts'
import { judgeOwner, ownerOf, parseOwner } from '../../platform/disk/owner.ts'
import { parseObject } from '../../platform/json.ts'
import { FINISHERS_DIR, SYNC_DIR, SYNC_RECORD, TEAM_DIR, TEAM_STATUS } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'

/** Why the finisher is started: a session ended, a note is due, or a transcript is not completely read. */
export type Job = { for: 'end'; session: string; seen?: Ended } | { for: 'note' } | { for: 'catch-up' }

/** What the hook knows about a session that ended, if it leaves its last lines to the finisher. */
interface Ended {
  transcript: string
  /** The process id of the host. */
  host: number
}

/** Each uses a CPU, and memory like any other Node program. */
const MOST_FINISHERS = 2
/** No finisher runs this long: it is stalled, or another process has its pid. */
const STALE_MS = 15 * 60_000
const HOOK_WAIT_MS = 200
const FINISHER_WAIT_MS = 10_000

/** A pending job, and one that a finisher has begun: it stays until it is done, and the same job can be requested again. */
const WAITING = '.job'
const TAKEN = '.taken'

/** Adds the job, and starts a finisher unless one is running or the limit is reached. `start` returns its process id. */
export function requestFinisher(places: Places, job: Job, start: () => number | undefined): void {
  const isLeft = unlessFails(() => addJob(places, job), false)
  if (!isLeft) {
    start()
    return
  }
  unlessFails(() => {
    const looked = guarded(places, HOOK_WAIT_MS, () => {
      const pid = mayWork(places) ? start() : undefined
      if (pid !== undefined) replaceQuickly(ownerFile(places), JSON.stringify(ownerOf(pid)))
    })
    // Other hooks held the lock for too long. An unneeded finisher finds no job and ends.
    if (looked === null && isFinisherMissing(places)) start()
  }, undefined)
}

/** Jobs of this project wait, or a finisher is at them. */
export function hasJobs(places: Places): boolean {
  return jobNames(places).length > 0
}

/** Jobs of this project wait, and no finisher is running. */
export function isFinisherMissing(places: Places): boolean {
  return hasJobs(places) && !isHeld(ownerFile(places))
}

/** A start this soon after an exchange with other machines or the team needs none. */
const EXCHANGE_AGAIN_MS = 10 * 60_000

/** A session begins: the finisher fetches what other machines and teammates did since the last exchange while the user types. */
export function isExchangeDue({ homeDir, project }: Places, now: string): boolean {
  const records = [path.join(SYNC_DIR, SYNC_RECORD), path.join(TEAM_DIR, project.key + TEAM_STATUS)]
  return records.some((name) => {
    const record = statOf(path.join(homeDir, name))
    return record !== null && Date.parse(now) - record.mtimeMs > EXCHANGE_AGAIN_MS
  })
}

/**
 * Makes this process the finisher of the project and takes its jobs, including its own. Null: another finisher is running and
 * sees them, or the limit is reached: then they wait.
 */
export function takeJobs(places: Places, own: Job | null): Job[] | null {
  // If jobs cannot be stored there is only this one.
  const alone = own === null ? null : [own]
  return unlessFails(() => {
    if (own !== null) addJob(places, own)
    return takeAll(places)
  }, alone)
}

/** The root of another project whose jobs have no finisher: its session ended while the limit was reached. */
export function waitingProject(places: Places): string | null {
  return unlessFails(() => {
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

/** Deletes the jobs that are done and takes new ones. Null: there are none, and this process is no longer a finisher. */
export function nextJobs(places: Places): Job[] | null {
  return unlessFails(() => {
    for (const name of jobNames(places).filter((one) => one.endsWith(TAKEN))) removeBusy(jobPath(places, name))
    if (jobNames(places).length > 0) return takeAll(places)
    removeBusy(ownerFile(places))
    // Added after the check above, by a hook that still saw this process running.
    return jobNames(places).length > 0 ? takeAll(places) : null
  }, null)
}

function takeAll(places: Places): Job[] | null {
  const taken = guarded(places, FINISHER_WAIT_MS, () => {
    const own = JSON.stringify(ownerOf(process.pid))
    // Registered before, or by the hook that started this process.
    const isOurs = readLock(ownerFile(places))?.text === own
    if (!isOurs && !mayWork(places)) return null
    replaceQuickly(ownerFile(places), own)
    const names = jobNames(places)
    const jobs = names.flatMap((name) => parseJob(readOwnText(jobPath(places, name)) ?? '') ?? [])
    // A killed finisher may have left the same job as taken.
    for (const name of names.filter((one) => one.endsWith(WAITING)))
      rename(jobPath(places, name), jobPath(places, name.slice(0, -WAITING.length) + TAKEN))
    return jobs.filter((job, i) => jobs.findIndex((one) => textOf(one) === textOf(job)) === i)
  })
  return taken?.value ?? null
}

/** The check for running finishers and the registration are one step, for all projects together. */
function guarded<T>(places: Places, waitMs: number, work: () => T): { value: T } | null {
  return withLock(path.join(dirOf(places), '.lock'), waitMs, work)
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

/** True: the job is stored. */
function addJob(places: Places, job: Job): boolean {
  const dir = jobsDir(places)
  makeDir(dir)
  const text = JSON.stringify({ ...job, root: places.project.root })
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
  if (raw?.for === 'end' && typeof raw.session === 'string')
    return { for: 'end', session: raw.session, ...endedIn(raw.seen) }
  return raw?.for === 'note' || raw?.for === 'catch-up' ? { for: raw.for } : null
}

function endedIn(raw: unknown): { seen?: Ended } {
  const { transcript, host } = (raw ?? {}) as Partial<Ended>
  return typeof transcript === 'string' && typeof host === 'number' ? { seen: { transcript, host } } : {}
}

/** The same job gives the same text. */
function textOf(job: Job): string {
  return job.for === 'end' ? JSON.stringify({ for: job.for, session: job.session }) : JSON.stringify({ for: job.for })
}

const OWNER = '.json'

function dirOf({ homeDir }: Places): string {
  return path.join(homeDir, FINISHERS_DIR)
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
