/** Which program is Claude Code: looked up on PATH as a shell would, without one, and never in the current directory. */
import path from 'node:path'
import { isProgram, readText, realPath } from './files.ts'

export interface Program {
  command: string
  /** What comes before all other arguments. */
  args: string[]
}

/** What is asked of the disk. */
export interface Looks {
  isProgram(file: string): boolean
  readText(file: string): string | null
  realPath(file: string): string
}

const DISK: Looks = { isProgram, readText, realPath }

/** `hostPid`: the Claude Code that started us, whose program Linux tells while it lives. */
export function findClaude(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  hostPid: number | null,
  disk: Looks = DISK,
): Program | null {
  const isWindows = platform === 'win32'
  for (const dir of pathDirs(env, isWindows)) {
    const found = isWindows ? inWindowsDir(dir, disk) : inDir(dir, disk)
    if (found !== null) return found
  }
  return platform === 'linux' && hostPid !== null ? ofProcess(hostPid, disk) : null
}

/** Whole paths only: a relative one leads into whatever repository we stand in. */
function pathDirs(env: Readonly<Record<string, string | undefined>>, isWindows: boolean): string[] {
  // Windows spells it `Path`, and a copy of its environment no longer ignores case.
  const name = isWindows ? Object.keys(env).find((key) => key.toUpperCase() === 'PATH') : 'PATH'
  const dirs = (env[name ?? 'PATH'] ?? '').split(isWindows ? ';' : ':')
  if (!isWindows) return dirs.filter((dir) => dir.startsWith('/'))
  return dirs.map((dir) => dir.trim().replace(/^"(.*)"$/, '$1')).filter((dir) => /^[a-z]:[\\/]|^\\\\[^\\]/i.test(dir))
}

function inDir(dir: string, disk: Looks): Program | null {
  const file = path.posix.join(dir, 'claude')
  return disk.isProgram(file) ? { command: file, args: [] } : null
}

/** A batch file could only be started through a shell, which reads our arguments as its language: what it starts is started instead. */
function inWindowsDir(dir: string, disk: Looks): Program | null {
  const exe = path.win32.join(dir, 'claude.exe')
  if (disk.isProgram(exe)) return { command: exe, args: [] }
  for (const name of ['claude.cmd', 'claude.ps1']) {
    const shim = path.win32.join(dir, name)
    const target = disk.isProgram(shim) ? shimTarget(disk.readText(shim) ?? '', dir, disk) : null
    if (target === null) continue
    if (/\.exe$/i.test(target)) return { command: target, args: [] }
    const node = path.win32.join(dir, 'node.exe')
    return { command: disk.isProgram(node) ? node : process.execPath, args: [target] }
  }
  return null
}

/** In a shim of npm, pnpm or yarn: a quoted path below the shim's own directory (`%~dp0`, `%dp0%`, `$basedir`), before the arguments. */
const SHIM_TARGET = /"(?:%~dp0|%dp0%|\$basedir)[\\/]*([^"%$\r\n]+?\.(?:exe|[cm]?js))"\s*(?:%\*|\$args)/gi

function shimTarget(shim: string, dir: string, disk: Looks): string | null {
  for (const match of shim.matchAll(SHIM_TARGET)) {
    const target = path.win32.join(dir, match[1] ?? '')
    if (!/[\\/]node\.exe$/i.test(target) && disk.isProgram(target)) return target
  }
  return null
}

/** The number may belong to another program by now: only one whose path speaks of Claude is taken. */
function ofProcess(pid: number, disk: Looks): Program | null {
  const link = `/proc/${pid}/exe`
  if (!Number.isInteger(pid) || pid <= 0 || !disk.isProgram(link)) return null
  const program = disk.realPath(link)
  if (program === link) return null
  if (!/^(?:node|bun|deno)/.test(path.posix.basename(program))) {
    return program.includes('claude') ? { command: program, args: [] } : null
  }
  const script = (disk.readText(`/proc/${pid}/cmdline`) ?? '').split('\0')[1] ?? ''
  const isClaude = script.startsWith('/') && /claude/.test(disk.realPath(script)) && disk.readText(script) !== null
  return isClaude ? { command: program, args: [disk.realPath(script)] } : null
}
