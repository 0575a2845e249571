/** Kills processes of a world at random moments of their lives. Linux only, as the world's own list of processes is. */
import { readdirSync, readFileSync } from 'node:fs'
import { killProcess, WORLD_MARK } from '../../test/host/support/processes.ts'

export const KINDS = ['host', 'hook', 'server', 'finisher', 'child'] as const
export type Kind = (typeof KINDS)[number]
export type Kills = Record<Kind, number>

export interface Killer {
  /** How many processes were killed; those of hosts are counted by whoever kills them. */
  kills: Kills
  stop(): void
}

/** A hook lives for some 50 ms. */
const LOOK_EVERY_MS = 8
/** Between fork and exec a process has the command line of its parent. */
const SETTLED_AFTER_LOOKS = 30
type Found = Exclude<Kind, 'host'>
/** How long each kind usually lives: the moment of the kill is drawn from that. */
const LIFE_MS: Readonly<Record<Found, number>> = { hook: 150, server: 3_000, finisher: 2_500, child: 2_000 }
/** There are ten hooks for each of the others. */
const SHARE: Readonly<Record<Found, number>> = { hook: 1, server: 1.5, finisher: 2, child: 2 }

export function startKiller(worldId: string, rate: number, random: () => number): Killer {
  const kills: Kills = { host: 0, hook: 0, server: 0, finisher: 0, child: 0 }
  /** Processes that were looked at, and how often; at the last look nothing more is expected of them. */
  const looks = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()
  const meet = (pid: string, kind: Found): void => {
    const [chance, share] = [random(), random()]
    if (chance >= Math.min(rate * SHARE[kind], 0.8)) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (kindOf(pid, worldId) !== kind) return
      killProcess(Number(pid))
      kills[kind] += 1
    }, share * LIFE_MS[kind])
    timers.add(timer)
  }
  const look = (): void => {
    const pids = new Set(readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    for (const pid of looks.keys()) if (!pids.has(pid)) looks.delete(pid)
    for (const pid of pids) {
      const seen = looks.get(pid) ?? 0
      if (seen >= SETTLED_AFTER_LOOKS) continue
      const kind = kindOf(pid, worldId)
      looks.set(pid, kind === null ? seen + 1 : SETTLED_AFTER_LOOKS)
      if (kind !== null) meet(pid, kind)
    }
  }
  const interval = setInterval(look, LOOK_EVERY_MS)
  return {
    kills,
    stop: () => {
      clearInterval(interval)
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

function kindOf(pid: string, worldId: string): Found | null {
  const command = readProc(pid, 'cmdline').split('\0')
  const kind = kindOfCommand(command)
  return kind !== null && readProc(pid, 'environ').split('\0').includes(`${WORLD_MARK}=${worldId}`) ? kind : null
}

function kindOfCommand(command: readonly string[]): Found | null {
  const runs = (program: string): boolean => command.some((part) => part.endsWith(`/dist/${program}`))
  if (runs('hook.cjs')) return 'hook'
  if (runs('mcp.cjs')) return 'server'
  if (runs('keeper.cjs')) return command.includes('index') ? null : 'finisher'
  return command.includes('--no-session-persistence') ? 'child' : null
}

/** Empty for a process that is gone. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
