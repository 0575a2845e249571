/** Which program is Claude Code: the one that started us, or else the one on PATH. */
import path from 'node:path'
import { isProgram, readSystem, readText, realPath, statOf } from '../../platform/disk/files.ts'
import { isInProject, type ProgramLooks, type ProgramSearch, programDirs } from '../../trust/disk/find-program.ts'

export interface ClaudeProgram {
  command: string
  /** What comes before all other arguments. */
  args: string[]
}

/** What is asked of the disk. */
export interface ClaudeLooks extends ProgramLooks {
  readText(file: string): string | null
  readSystem(file: string): string | null
  isFile(file: string): boolean
}

const DISK: ClaudeLooks = { isProgram, isFile: (file) => statOf(file)?.kind === 'file', readSystem, readText, realPath }
const MOST_SHIM_BYTES = 65_536

/** `hostPid`: the Claude Code that started us. Linux tells its program while it lives. */
export function findClaude(
  search: ProgramSearch,
  hostPid: number | null,
  disk: ClaudeLooks = DISK,
): ClaudeProgram | null {
  const isWindows = search.platform === 'win32'
  const host = search.platform === 'linux' && hostPid !== null ? ofProcess(hostPid, disk) : null
  const onPath = programDirs(search, disk).map((dir) => (isWindows ? inWindowsDir(dir, disk) : inDir(dir, disk)))
  const isAllowed = ({ command, args }: ClaudeProgram): boolean =>
    [command, ...args].every((file) => !isInProject(file, search, disk))
  return [host, ...onPath].find((found) => found !== null && isAllowed(found)) ?? null
}

function inDir(dir: string, disk: ClaudeLooks): ClaudeProgram | null {
  const file = path.posix.join(dir, 'claude')
  return disk.isProgram(file) ? { command: file, args: [] } : null
}

/** A batch file could only be started through a shell, which reads our arguments as its language: what it starts is started instead. */
function inWindowsDir(dir: string, disk: ClaudeLooks): ClaudeProgram | null {
  const exe = path.win32.join(dir, 'claude.exe')
  if (disk.isProgram(exe)) return { command: exe, args: [] }
  for (const name of ['claude.cmd', 'claude.ps1']) {
    const shim = path.win32.join(dir, name)
    const target = disk.isProgram(shim) ? shimTarget(disk.readText(shim) ?? '', dir, disk) : null
    if (target === null) continue
    return /\.exe$/i.test(target) ? { command: target, args: [] } : { command: process.execPath, args: [target] }
  }
  return null
}

/** In a shim of npm, pnpm or yarn: a quoted path below the shim's own directory (`%~dp0`, `%dp0%`, `$basedir`), before the arguments. */
const SHIM_TARGET = /"(?:%~dp0|%dp0%|\$basedir)[\\/]*([^"%$\r\n]+?\.(?:exe|[cm]?js))"\s*(?:%\*|\$args)/gi

function shimTarget(shim: string, dir: string, disk: ClaudeLooks): string | null {
  for (const match of shim.slice(0, MOST_SHIM_BYTES).matchAll(SHIM_TARGET)) {
    const target = path.win32.join(dir, match[1] ?? '')
    if (!/[\\/]node\.exe$/i.test(target) && disk.isProgram(target)) return target
  }
  return null
}

/** The number may belong to another program by now: only one whose path speaks of Claude is taken. */
function ofProcess(pid: number, disk: ClaudeLooks): ClaudeProgram | null {
  const link = `/proc/${pid}/exe`
  if (!Number.isInteger(pid) || pid <= 0 || !disk.isProgram(link)) return null
  const program = disk.realPath(link)
  if (program === link) return null
  if (!/^(?:node|bun|deno)/.test(path.posix.basename(program))) {
    return program.includes('claude') ? { command: program, args: [] } : null
  }
  const script = (disk.readSystem(`/proc/${pid}/cmdline`) ?? '').split('\0')[1] ?? ''
  const file = script.startsWith('/') ? disk.realPath(script) : ''
  // A script need not be one that can be started by itself: node reads it.
  return /claude/.test(file) && disk.isFile(file) ? { command: program, args: [file] } : null
}
