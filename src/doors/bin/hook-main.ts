/** The hook program. A failing memory must not fail the session: on any error, log it and stay silent. */
import path from 'node:path'
import { useExtras } from '../../core/extra.ts'
import type { Programs } from '../../kernel/platform/disk/compiled.ts'
import { codeOf } from '../../kernel/platform/disk/files.ts'
import { findSurroundings, locate } from '../../kernel/platform/disk/locate.ts'
import { isAlive } from '../../kernel/platform/disk/lock.ts'
import { logFailure } from '../../kernel/platform/disk/log.ts'
import { isSocket, writeStdout } from '../../kernel/platform/disk/stdio.ts'
import { HOME_DIR } from '../../kernel/platform/layout.ts'
import { rulesAlone, runHook } from '../hooks/run.ts'
import type { Keeper, Recaller, Starter, World } from '../hooks/world.ts'
import { AGENTS } from './agents.ts'
import { startFinisher } from './finisher.ts'
import { hostPidIn, isAttendedIn } from './host-env.ts'

useExtras(AGENTS)

const { env } = process
const known = findSurroundings(env, process.platform)
const around = known ?? { home: '', configDir: undefined }
const homeDir = path.join(around.configDir || path.join(around.home, '.claude'), HOME_DIR)
const here = path.dirname(__filename)

/** The terminal's width is unknown. The host indents the text by two columns. */
const SKILL_COLUMNS = 78
/** Below the host's time limit. */
const SKILL_MS = 8_000

const now = (): string => new Date().toISOString()
const hostPid = hostPidIn(env)

/** The exports of this file, for the starter. */
export interface HookMain {
  main(programs: Programs, input: () => string, waitedMs: number): void
}

export function main(programs: Programs, input: () => string, waitedMs: number): void {
  try {
    const stdin = input()
    // No safe place for a memory: nothing is stored, but the rules are injected.
    writeStdout(
      known === null
        ? rulesAlone(stdin, env.MEMORY_KEEPER_CHILD === '1')
        : (runHook(stdin, worldWith(programs, waitedMs)) ?? ''),
    )
  } catch (error) {
    // The host was killed: nobody reads the answer, and nothing failed here.
    if (codeOf(error) !== 'EPIPE') logFailure(homeDir, now(), 'hook', error)
  }
}

/** Parts that only some events need are loaded on demand. */
const worldWith = ({ load, doing }: Programs, waitedMs: number): World => ({
  now,
  elapsedMs: () => process.uptime() * 1000,
  waitedMs: Math.round(waitedMs),
  isAttended: isAttendedIn(env),
  isOurChild: env.MEMORY_KEEPER_CHILD === '1',
  hostPid,
  isStartedByHost,
  isAlive,
  locate: (startDir) => locate(startDir, around),
  projectDir: env.CLAUDE_PROJECT_DIR,
  startFinisher: (root, job) => startFinisher(root, job, around),
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
  soon: (work) => work(),
  later: (work) => work(),
  loadStarter: () => (load('start.cjs') as { starter: Starter }).starter,
  loadRecaller: () => (load('recall.cjs') as { recaller: Recaller }).recaller,
  loadKeeper: () => (load('keeper-main.cjs') as { keeper: Keeper }).keeper,
})

/**
 * Claude can run this program as well, with words that nobody typed. This check is not a proof, but the host starts us directly,
 * through sockets, and calls us its harness; a program that Claude runs has a shell, a file or a pipe in between, and is an agent's.
 */
function isStartedByHost(): boolean {
  const isDirect = process.ppid === hostPid && !/agent$/.test(env.AI_AGENT ?? '') && !env.CLAUDE_CODE_EXECPATH
  return isDirect && (process.platform !== 'linux' || (isSocket(0) && isSocket(1)))
}

/** As in the user's own terminal: removes the variables that mark a command as Claude's. */
function outside(): NodeJS.ProcessEnv {
  const isHosts = (name: string): boolean => name === 'CLAUDECODE' || name === 'AI_AGENT' || /^CLAUDE_CODE_/.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isHosts(name)))
}
