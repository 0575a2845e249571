/** Finds `claude` and runs the headless child: one `claude -p` without tools, settings and transcript, with a hard time limit. Failure is returned, not thrown. */

import type { ChildProcessByStdio } from 'node:child_process'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { codeOf, isProgram, readSystem, readText, realPath, statOf } from '../../../kernel/platform/disk/files.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import {
  isInProject,
  type ProgramLooks,
  type ProgramSearch,
  programDirs,
} from '../../../kernel/trust/disk/find-program.ts'
import { type ChildResult, childArgs, failure, type ModelRequest, parseChildOutput } from '../headless.ts'
import { forgetChild, noteChild } from './machine-lock.ts'

export interface HeadlessOptions extends ProgramSearch {
  homeDir: string
  /** `~/.claude`: only the key helper is read from its settings. */
  hostDir: string
  /** The child's working directory: it must not be a project, because the child describes it to the model. */
  tempDir: string
  now: () => string
  hostPid: number | null
  timeoutMs?: number
  /** The time between SIGTERM and SIGKILL. */
  graceMs?: number
}

const TIMEOUT_MS = 120_000
const GRACE_MS = 5_000
/** The child has ended, but a process it started keeps its output open. */
const CLOSE_WAIT_MS = 1_000
/** An answer has only a few kilobytes. */
const MAX_OUTPUT_BYTES = 1024 * 1024
const MAX_ERROR_BYTES = 8 * 1024

export async function runHeadless(request: ModelRequest, options: HeadlessOptions): Promise<ChildResult> {
  // Every program exits at once inside a child of ours; this is the last guard.
  if (options.env.MEMORY_KEEPER_CHILD) return failure('failed', 'a child does not start another')
  try {
    const program = findClaude(options, options.hostPid)
    if (program === null) return failure('not-found', 'no claude on PATH')
    return resultOf(await runNoted(start(program, request, options), request.stdin, options), options)
  } catch (error) {
    return failure('failed', `could not run claude: ${codeOf(error) || 'unknown error'}`)
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

function start(program: ClaudeProgram, request: ModelRequest, options: HeadlessOptions): Child {
  // Loaded here: most processes that load this file start no child.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const args = [...program.args, ...childArgs(request, readKeyHelper(options.hostDir))]
  return spawn(program.command, args, {
    cwd: options.tempDir,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    // A process group of its own, so that everything it started ends with it.
    detached: options.platform !== 'win32',
    // The default number of retries keeps a child with a wrong key alive for minutes.
    env: { ...options.env, MEMORY_KEEPER_CHILD: '1', CLAUDE_CODE_MAX_RETRIES: '1' },
  })
}

/** `--setting-sources ""` drops the key helper, and a user who logs in by it could not be served. */
function readKeyHelper(hostDir: string): string | null {
  const text = readText(path.join(hostDir, 'settings.json')) ?? ''
  const helper = parseObject(text.replace(/^\ufeff/, ''))?.apiKeyHelper
  return typeof helper === 'string' && helper.trim() !== '' ? helper : null
}

interface Ended {
  exitCode: number | null
  stdout: string
  stderr: string
  /** Why the child did not end by itself. */
  cause: 'timeout' | 'too-much' | { spawnError: unknown } | null
}

function resultOf({ exitCode, stdout, stderr, cause }: Ended, options: HeadlessOptions): ChildResult {
  if (cause === null) return parseChildOutput(stdout, exitCode, stderr)
  if (cause === 'timeout') return failure('timeout', `no answer within ${options.timeoutMs ?? TIMEOUT_MS} ms`)
  if (cause === 'too-much') return failure('unreadable', `more than ${MAX_OUTPUT_BYTES} bytes of output`)
  const code = codeOf(cause.spawnError)
  if (statOf(realPath(options.tempDir))?.kind !== 'dir') return failure('failed', 'the temporary directory is missing')
  const isMissing = code === 'ENOENT' || code === 'EACCES' || code === 'ENOEXEC'
  return failure(isMissing ? 'not-found' : 'failed', `claude could not be started: ${code}`)
}

/** The child is recorded while it runs, so that other processes on this machine know of it. */
async function runNoted(child: Child, stdin: string, options: HeadlessOptions): Promise<Ended> {
  const ended = runChild(child, stdin, options)
  if (child.pid === undefined) return ended
  try {
    noteChild(options.homeDir, child.pid, options.now())
    return await ended
  } catch (error) {
    endGroup(child, 'SIGKILL', options)
    throw error
  } finally {
    forgetChild(options.homeDir, child.pid)
  }
}

function runChild(child: Child, stdin: string, options: HeadlessOptions): Promise<Ended> {
  const stdout = gather(child.stdout, MAX_OUTPUT_BYTES, () => stop('too-much'))
  const stderr = gather(child.stderr, MAX_ERROR_BYTES, () => undefined)
  const timers: NodeJS.Timeout[] = []
  let cause: Ended['cause'] = null
  const stop = (why: 'timeout' | 'too-much'): void => {
    if (cause !== null) return
    cause = why
    endGroup(child, 'SIGTERM', options)
    timers.push(setTimeout(() => endGroup(child, 'SIGKILL', options), options.graceMs ?? GRACE_MS))
  }
  timers.push(setTimeout(() => stop('timeout'), options.timeoutMs ?? TIMEOUT_MS))
  // A child that ends before it has read all input breaks the pipe; its result explains why.
  child.stdin.on('error', () => child.stdin.destroy())
  child.stdin.end(stdin)

  return new Promise((resolve) => {
    const done = (exitCode: number | null): void => {
      for (const timer of timers) clearTimeout(timer)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      if (cause !== null) endGroup(child, 'SIGKILL', options)
      resolve({ exitCode, stdout: stdout(), stderr: stderr(), cause })
    }
    child.once('error', (spawnError) => {
      cause ??= { spawnError }
      if (child.pid === undefined) done(null)
    })
    child.once('close', done)
    child.once('exit', (exitCode) => {
      const leave = (): void => {
        endGroup(child, 'SIGKILL', options)
        done(exitCode)
      }
      timers.push(setTimeout(leave, CLOSE_WAIT_MS))
    })
  })
}

/** Signals the whole process group; on Windows only the child. */
function endGroup(child: Child, signal: 'SIGTERM' | 'SIGKILL', { platform }: HeadlessOptions): void {
  if (platform === 'win32' || child.pid === undefined) {
    child.kill(signal)
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group has already ended.
    return
  }
}

/** The output so far, up to the limit. */
function gather(stream: Readable, maxBytes: number, onTooMuch: () => void): () => string {
  const parts: Buffer[] = []
  let bytes = 0
  stream.on('data', (part: Buffer) => {
    if (bytes <= maxBytes) parts.push(part)
    bytes += part.length
    if (bytes > maxBytes) onTooMuch()
  })
  stream.on('error', () => stream.destroy())
  return () => Buffer.concat(parts).toString('utf8')
}

export interface ClaudeProgram {
  command: string
  /** Arguments before all others. */
  args: string[]
}

/** The disk access that the search needs. */
export interface ClaudeLooks extends ProgramLooks {
  readText(file: string): string | null
  readSystem(file: string): string | null
  isFile(file: string): boolean
}

const DISK: ClaudeLooks = { isProgram, isFile: (file) => statOf(file)?.kind === 'file', readSystem, readText, realPath }
const MOST_SHIM_BYTES = 65_536

/** `hostPid`: the Claude Code process that started us. On Linux its program can be read while it runs. */
export function findClaude(
  search: ProgramSearch,
  hostPid: number | null,
  disk: ClaudeLooks = DISK,
): ClaudeProgram | null {
  const isWindows = search.platform === 'win32'
  const host = search.platform === 'linux' && hostPid !== null ? ofProcess(hostPid, disk) : null
  const onPath = programDirs(search, disk).map((dir) => {
    if (isWindows) return inWindowsDir(dir, disk)
    const command = path.posix.join(dir, 'claude')
    return disk.isProgram(command) ? { command, args: [] } : null
  })
  const isAllowed = ({ command, args }: ClaudeProgram): boolean =>
    [command, ...args].every((file) => !isInProject(file, search, disk))
  return [host, ...onPath].find((found) => found !== null && isAllowed(found)) ?? null
}

/** A batch file could only be started through a shell, which would interpret our arguments: its target is started instead. */
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

/** The pid may belong to another program by now: accepted only if the program's path contains "claude". */
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
  // The script need not be executable: node reads it.
  return /claude/.test(file) && disk.isFile(file) ? { command: program, args: [file] } : null
}
