/** Runs our programs as the host does: real processes, real stdin, an environment of their own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { runCli as runCliHere } from '../../src/doors/cli/run.ts'
import type { CliWorld } from '../../src/kernel/memory/commands/context.ts'
import type { TestProject } from './project.ts'

export const ROOT = path.join(import.meta.dirname, '..', '..')
export const HOOK = path.join(ROOT, 'plugin', 'dist', 'hook.cjs')
export const KEEPER = path.join(ROOT, 'plugin', 'dist', 'keeper.cjs')
export const CLI = path.join(ROOT, 'plugin', 'dist', 'cli.cjs')
export const MCP = path.join(ROOT, 'plugin', 'dist', 'mcp.cjs')

export interface Ran {
  out: string
  err: string
  code: number | null
}

export type Env = Record<string, string | undefined>

/** Nothing of the developer's own environment reaches the program. */
export function envOf(project: TestProject, extra: Env = {}): Record<string, string> {
  const all: Env = {
    // None of the developer's programs, least of all a real claude.
    PATH: path.join(project.base, 'no-programs'),
    HOME: project.home,
    CLAUDE_PROJECT_DIR: project.root,
    CLAUDE_CODE_SESSION_ATTENDED: '1',
    ...extra,
  }
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

export function runNode(args: readonly string[], cwd: string, env: Record<string, string>, stdin = ''): Ran {
  const done = spawnSync(process.execPath, args, { cwd, env, input: stdin, encoding: 'utf8', timeout: 50_000 })
  return { out: done.stdout, err: done.stderr, code: done.status }
}

export interface HookPayload {
  hook_event_name: string
  session_id?: string
  transcript_path?: string
  [field: string]: unknown
}

/** The hook program with a payload as the host sends it. */
export function runHook(project: TestProject, payload: HookPayload | string, env: Env = {}): Ran {
  const stdin = typeof payload === 'string' ? payload : JSON.stringify(payloadOf(project, payload))
  return runNode([HOOK], project.root, envOf(project, env), stdin)
}

export function payloadOf(project: TestProject, payload: HookPayload): HookPayload {
  const transcript =
    payload.session_id === undefined ? {} : { transcript_path: project.transcriptOf(payload.session_id) }
  return { cwd: project.root, permission_mode: 'default', ...transcript, ...payload }
}

/** What the finisher is started for: a session that ended, a note that is due, or what was left behind. */
export function runFinisher(project: TestProject, env: Env = {}, job: readonly string[] = ['catch-up']): Ran {
  const [what = '', session] = job
  const args = [KEEPER, what, project.root, ...(session === undefined ? [] : [session])]
  return runNode(args, project.base, envOf(project, env))
}

/** What a hook says, taken apart: for the model, for the user, and the line that every start shows. */
export interface Said {
  context: string
  notice: string
  sign: string
}

const SIGN = /^Memory Keeper(?: records this project|: [\d,]+ sessions?(?: ·|$))/

export function saidBy({ out, err, code }: Ran): Said {
  if (err !== '' || code !== 0) throw new Error(`the hook failed with ${code}: ${err}`)
  const json: Json = out === '' ? {} : JSON.parse(out)
  const lines = String(json.systemMessage ?? '').split('\n')
  return {
    context: json.hookSpecificOutput?.additionalContext ?? '',
    notice: lines.filter((line) => !SIGN.test(line)).join('\n'),
    sign: lines.find((line) => SIGN.test(line)) ?? '',
  }
}

export function runCli(project: TestProject, args: readonly string[], env: Env = {}, stdin = ''): Ran {
  const plain = { CLAUDE_PROJECT_DIR: undefined, NO_COLOR: '1', TZ: 'UTC', ...env }
  return runNode([CLI, ...args], project.root, envOf(project, plain), stdin)
}

// biome-ignore lint/suspicious/noExplicitAny: the shape of printed JSON is what the tests are about
export type Json = any

/** The same command in this process: what `bin/cli.ts` does, without the start of a program. */
/** What a command sees of the world, at 100 columns and no terminal; `more` changes it. */
function cliWorld(project: TestProject, streams: CliWorld['streams'], more: Partial<CliWorld> = {}): CliWorld {
  return {
    around: project.around,
    env: {},
    platform: process.platform,
    cwd: project.root,
    projectDir: undefined,
    now: () => new Date().toISOString(),
    streams,
    columns: 100,
    isStdinTerminal: false,
    readStdin: () => '',
    version: '0.0.0',
    nodeVersion: process.version,
    tempDir: project.base,
    embedderKey: '',
    fetch: () => Promise.reject(new Error('no network in tests')),
    isOurChild: false,
    ...more,
  }
}

export function runCommand(project: TestProject, args: readonly string[], env: Env = {}, stdin = ''): Ran {
  const ran = runHere(project, args, { env, readStdin: () => stdin, isOurChild: env.MEMORY_KEEPER_CHILD === '1' })
  const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, '')
  return { ...ran, out: plain(ran.out), err: plain(ran.err) }
}

/** A command that asks a server: it ends later. */
export async function runLater(project: TestProject, args: readonly string[], more: Partial<CliWorld>): Promise<Ran> {
  const said = { out: '', err: '' }
  const streams: CliWorld['streams'] = {
    out: (text) => {
      said.out += text
    },
    err: (text) => {
      said.err += text
    },
    isErrTerminal: false,
  }
  return { code: await runCliHere(args, cliWorld(project, streams, more)), ...said }
}

/** At a terminal of 80 columns, in colours unless the environment says otherwise. */
export function atTerminal(
  project: TestProject,
  args: readonly string[],
  env: Env = {},
  more: Partial<CliWorld> = {},
): Ran {
  return runHere(project, args, { env, columns: 80, isStdinTerminal: true, ...more }, { isOutTerminal: true })
}

function runHere(
  project: TestProject,
  args: readonly string[],
  more: Partial<CliWorld>,
  terminal: Partial<CliWorld['streams']> = {},
): Ran {
  const said = { out: '', err: '' }
  const to = (name: 'out' | 'err') => (text: string) => {
    said[name] += text
  }
  const streams = { out: to('out'), err: to('err'), isErrTerminal: false, ...terminal }
  const code = runCliHere(args, cliWorld(project, streams, more))
  if (typeof code !== 'number') throw new Error('a command that ends later: start it as a program')
  return { ...said, code }
}

export function runCommandJson(
  project: TestProject,
  args: readonly string[],
  env: Env = {},
): { json: Json; code: number | null } {
  const { out, err, code } = runCommand(project, [...args, '--json'], env)
  try {
    return { json: JSON.parse(out), code }
  } catch (cause) {
    throw new Error(`no JSON from ${args.join(' ')}: ${out}${err}`, { cause })
  }
}

export interface Started {
  child: ChildProcess
  ended: Promise<Ran & { signal: NodeJS.Signals | null }>
}

export function start(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
  stdin: string | null = '',
): Started {
  const child = spawn(process.execPath, args, { cwd, env, stdio: 'pipe' })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  child.stdin.on('error', () => undefined)
  if (stdin !== null) child.stdin.end(stdin)
  const ended = new Promise<Ran & { signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ out, err, code, signal }))
  })
  return { child, ended }
}

/** Waits until something is true; the test's own time limit ends it otherwise. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 15))
}

/** Processes whose command line holds this text, on Linux; null elsewhere. */
export function processesWith(text: string): number[] | null {
  if (!fs.existsSync('/proc/self/cmdline')) return null
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fs.readFileSync(path.join('/proc', pid, 'cmdline'), 'utf8').includes(text)
      } catch {
        return false
      }
    })
    .map(Number)
}
