/** The process that a lock names, and whether it is still running. */
import os from 'node:os'
import { once } from '../../text/once.ts'
import { linkTarget, list, readSystem, unlessFails } from './files.ts'

/**
 * A pid alone identifies a process only until it is reused, and only within one pid namespace (every container and many
 * sandboxes have their own). On Linux the other fields make it unique. On macOS and Windows they are missing: there is one
 * namespace for the whole machine, but Node cannot read another process's start time or a boot id without starting a
 * program. There an unused pid means a dead process; a used pid may be the owner or another process.
 * Locks of version 0.5.1 name pid and host only, `headless.lock` of that version only the pid.
 */
export interface Owner extends Partial<Origin> {
  pid: number
  host: string
}

interface Origin {
  /** When the process started, in clock ticks since the boot. */
  start: string
  /** The kernel's id of this boot. */
  boot: string
  /** The pid namespace that the pid belongs to. */
  space: string
}

/** `unknown`: it cannot be determined on this machine. */
export type OwnerVerdict = 'alive' | 'dead' | 'unknown'

/** The kernel gives this number to the first pid namespace at every boot. All other namespaces are visible from it. */
const FIRST_SPACE = 'pid:[4026531836]'

/** This process, or a child of it. */
export function ownerOf(pid: number): Owner {
  const here = whereWeAre()
  const start = pid === process.pid ? here?.start : statOf(pid)?.start
  const host = os.hostname()
  return here === null || start === undefined ? { pid, host } : { pid, host, ...here.origin, start }
}

export function parseOwner(text: string): Owner | null {
  try {
    const { pid, host, start, boot, space } = (JSON.parse(text) ?? {}) as Record<string, unknown>
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return null
    const named = { pid, host: typeof host === 'string' ? host : os.hostname() }
    const isWhole = typeof start === 'string' && typeof boot === 'string' && typeof space === 'string'
    return isWhole ? { ...named, start, boot, space } : named
  } catch {
    return null
  }
}

export function judgeOwner(owner: Owner): OwnerVerdict {
  const isOurHost = owner.host === os.hostname()
  if (owner.start === undefined) return isOurHost && !isAlive(owner.pid) ? 'dead' : 'unknown'
  const here = whereWeAre()
  if (here === null) return 'unknown'
  // The same host name and another boot: this machine has been restarted since.
  if (owner.boot !== here.origin.boot) return isOurHost ? 'dead' : 'unknown'
  if (owner.space !== here.origin.space) return judgeFromFirst(owner)
  const stat = statOf(owner.pid)
  if (stat !== null) return stat.start === owner.start && !isEnded(stat) ? 'alive' : 'dead'
  return isAlive(owner.pid) ? 'unknown' : 'dead'
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = statOf(pid)
    return stat === null || !isEnded(stat)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A process in another pid namespace of this machine: it has another pid here, but the same start. */
function judgeFromFirst({ pid, start }: Owner): OwnerVerdict {
  const here = whereWeAre()
  // Where other users' processes are hidden (hidepid), process 1 is hidden too.
  if (here?.origin.space !== FIRST_SPACE || statOf(1) === null) return 'unknown'
  const isThere = list('/proc').some((name) => {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null
    if (stat === null || stat.start !== start || isEnded(stat)) return false
    const pids = /^NSpid:(.*)$/m.exec(readProc(`/proc/${name}/status`) ?? '')?.[1]
    return pids?.trim().split(/\s+/).at(-1) === String(pid)
  })
  return isThere ? 'alive' : 'dead'
}

/** Null: not Linux, or without /proc. */
const whereWeAre = once((): { start: string; origin: Omit<Origin, 'start'>; isProcOurs: boolean } | null => {
  if (process.platform !== 'linux') return null
  const own = parseStat(readProc('/proc/self/stat'))
  const boot = readProc('/proc/sys/kernel/random/boot_id')?.trim()
  const space = linkTarget('/proc/self/ns/pid')
  if (own === null || !boot || space === null) return null
  // If another namespace's /proc is mounted here, its pids are not ours.
  return { start: own.start, origin: { boot, space }, isProcOurs: own.pid === process.pid }
})

/** Null: there is no such process, or it is not visible here. */
function statOf(pid: number): Stat | null {
  return whereWeAre()?.isProcOurs ? parseStat(readProc(`/proc/${pid}/stat`)) : null
}

function readProc(file: string): string | null {
  // The process ended during the read (ESRCH), or it belongs to a user whose processes are hidden.
  return unlessFails(() => readSystem(file), null)
}

interface Stat {
  pid: number
  state: string
  start: string
}

/** Killed, but not yet reaped by its parent: in a container perhaps never. Known on Linux only. */
function isEnded({ state }: Stat): boolean {
  return state === 'Z' || state === 'X'
}

/** `pid (name) state …`: the name may contain brackets; the start time is the 22nd field. */
function parseStat(text: string | null): Stat | null {
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [fields?.[0], fields?.[19]]
  return text === null || !state || !start ? null : { pid: Number.parseInt(text, 10), state, start }
}
