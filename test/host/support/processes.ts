/** The processes of one world, found by a mark in their environment that every child inherits. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

export interface WorldProcess {
  pid: number
  /** Process id of who started it; of nobody any more: 1. */
  parent: number
  command: string
}

export const WORLD_MARK = 'MEMORY_KEEPER_WORLD'

export function findProcesses(worldId: string): WorldProcess[] {
  const mark = `${WORLD_MARK}=${worldId}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, 'environ').split('\0').includes(mark))
    .map((pid) => ({
      pid: Number(pid),
      parent: parentOf(pid),
      command: readProc(pid, 'cmdline').split('\0').join(' ').trim(),
    }))
}

/** In bytes, to whatever. */
export function writtenBy(pid: number): number {
  return Number(/^wchar: (\d+)/m.exec(readProc(String(pid), 'io'))?.[1] ?? 0)
}

/** Behind the name of its program, in which anything may stand: its state, then the parent. */
function parentOf(pid: string): number {
  return Number(/.*\) \S (\d+)/s.exec(readProc(pid, 'stat'))?.[1] ?? 0)
}

export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** A zombie, which has no command line any more, does not count. */
export function isRunning(pid: number): boolean {
  return readProc(String(pid), 'cmdline') !== ''
}

/** Empty for a process that ended while we looked, or that belongs to somebody else. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (isGone(error)) return ''
    throw error
  }
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)
}
