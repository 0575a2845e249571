/** The hook program. A failing memory must not fail the session: on any error, log it and stay silent. */
import os from 'node:os'
import path from 'node:path'
import { rulesAlone, runHook } from '../hooks/run.ts'
import type { Keeper, Recaller, Starter, World } from '../hooks/world.ts'
import type { Programs } from '../platform/disk/compiled.ts'
import { isSocket, writeStdout } from '../platform/disk/files.ts'
import { findSurroundings, locate } from '../platform/disk/locate.ts'
import { isAlive } from '../platform/disk/lock.ts'
import { logFailure } from '../platform/disk/log.ts'
import { HOME_DIR } from '../platform/layout.ts'
import { type Job, requestFinisher } from '../sessions/disk/finisher-queue.ts'
import { hostPidIn, isAttendedIn } from './host-env.ts'

const { env } = process
const known = findSurroundings(env, process.platform)
const around = known ?? { home: '', configDir: undefined }
const keeperDir = path.join(around.configDir || path.join(around.home, '.claude'), HOME_DIR)
const here = path.dirname(__filename)

/** Nobody tells how wide the terminal is. The host puts two columns before it. */
const SKILL_COLUMNS = 78
/** Below what the host gives us. */
const SKILL_MS = 8_000

const now = (): string => new Date().toISOString()
const hostPid = hostPidIn(env)

/** What this file exports, for the starter. */
export interface HookMain {
  main(programs: Programs, input: () => string): void
  startFinisher(root: string, job: Job): void
}

export function main(programs: Programs, input: () => string): void {
  try {
    const stdin = input()
    // No safe place for a memory: nothing is kept, but the rules are told.
    writeStdout(
      known === null ? rulesAlone(stdin, env.MEMORY_KEEPER_CHILD === '1') : runHook(stdin, worldWith(programs)),
    )
  } catch (error) {
    logFailure(keeperDir, now(), 'hook', error)
  }
}

/** What only some events need is read when one comes. */
const worldWith = ({ load, doing }: Programs): World => ({
  now,
  elapsedMs: () => process.uptime() * 1000,
  isAttended: isAttendedIn(env),
  isOurChild: env.MEMORY_KEEPER_CHILD === '1',
  hostPid,
  isStartedByHost,
  isAlive,
  locate: (startDir) => locate(startDir, around),
  projectDir: env.CLAUDE_PROJECT_DIR,
  startFinisher,
  runSkill: (root, skill, words, isUsers) => {
    const { spawnSync } = process.getBuiltinModule('node:child_process')
    const cli = [path.join(here, 'cli.cjs'), 'skill', skill, '--project', root]
    const plain = { NO_COLOR: '1', COLUMNS: String(SKILL_COLUMNS) }
    const { error, stdout, stderr } = spawnSync(process.execPath, cli, {
      input: words,
      encoding: 'utf8',
      timeout: SKILL_MS,
      windowsHide: true,
      env: { ...(isUsers ? outside() : env), ...plain },
    })
    return error === undefined ? `${stdout}${stderr}` : null
  },
  doing,
  later: (work) => work(),
  loadStarter: () => (load('start.cjs') as { starter: Starter }).starter,
  loadRecaller: () => (load('recall.cjs') as { recaller: Recaller }).recaller,
  loadKeeper: () => (load('keeper.cjs') as { keeper: Keeper }).keeper,
})

export function startFinisher(root: string, job: Job): void {
  requestFinisher(locate(root, around), job, () => spawnFinisher(root, job))
}

function spawnFinisher(root: string, job: Job): number | undefined {
  // Loaded only here: it costs every other hook some milliseconds.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(process.execPath, [path.join(here, 'keeper.cjs'), ...argsOf(root, job)], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    cwd: os.tmpdir(),
    // In another directory a relative path would name another one.
    env: around.configDir ? { ...env, CLAUDE_CONFIG_DIR: around.configDir } : env,
  })
  child.on('error', (error) => logFailure(keeperDir, now(), 'finisher', error)).unref()
  return child.pid
}

/**
 * Claude can run this program, too, and tell it of words that nobody typed. It is no proof, but the host starts us itself,
 * through sockets, and calls us its harness; what Claude runs has a shell in between, or a file or pipe, and is an agent's.
 */
function isStartedByHost(): boolean {
  const isDirect = process.ppid === hostPid && !/agent$/.test(env.AI_AGENT ?? '') && !env.CLAUDE_CODE_EXECPATH
  return isDirect && (process.platform !== 'linux' || (isSocket(0) && isSocket(1)))
}

/** As in a terminal of the user's own: what marks a command as Claude's is left out. */
function outside(): NodeJS.ProcessEnv {
  const isHosts = (name: string): boolean => name === 'CLAUDECODE' || name === 'AI_AGENT' || /^CLAUDE_CODE_/.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isHosts(name)))
}

function argsOf(root: string, job: Job): string[] {
  return job.for === 'end' ? [job.for, root, job.session] : [job.for, root]
}
