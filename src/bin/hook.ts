/** The hook program. A failing memory must not fail the session: on any error, log it and stay silent. */
import os from 'node:os'
import path from 'node:path'
import { HOME_DIR } from '../core/layout.ts'
import { rulesAlone, runHook } from '../hooks/run.ts'
import type { Job, Keeper, Recaller, Starter, World } from '../hooks/world.ts'
import { readStdin, writeStdout } from '../store/files.ts'
import { findSurroundings, locate } from '../store/locate.ts'
import { isAlive } from '../store/lock.ts'
import { logFailure } from '../store/log.ts'

const { env } = process
const known = findSurroundings(env, process.platform)
const around = known ?? { home: '', configDir: undefined }
const keeperDir = path.join(around.configDir || path.join(around.home, '.claude'), HOME_DIR)
const here = path.dirname(__filename)

const world: World = {
  now: () => new Date().toISOString(),
  elapsedMs: () => process.uptime() * 1000,
  isAttended:
    env.CLAUDE_CODE_SESSION_ATTENDED === undefined
      ? env.CLAUDE_CODE_ENTRYPOINT === 'cli' || env.CLAUDE_CODE_ENTRYPOINT === 'claude-vscode'
      : env.CLAUDE_CODE_SESSION_ATTENDED === '1',
  isOurChild: env.MEMORY_KEEPER_CHILD === '1',
  // Without a shell in between, our parent is the host.
  hostPid: Number(env.CLAUDE_PID) || process.ppid,
  isAlive,
  locate: (startDir) => locate(startDir, around),
  projectDir: env.CLAUDE_PROJECT_DIR,
  startFinisher: (root, job) => {
    // Loaded only here: it costs every other hook some milliseconds.
    const { spawn } = process.getBuiltinModule('node:child_process')
    spawn(process.execPath, [path.join(here, 'keeper.cjs'), ...argsOf(root, job)], {
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
      cwd: os.tmpdir(),
      // In another directory a relative path would name another one.
      env: around.configDir ? { ...env, CLAUDE_CONFIG_DIR: around.configDir } : env,
    })
      .on('error', (error) => logFailure(keeperDir, world.now(), 'finisher', error))
      .unref()
  },
  loadStarter: () => (load('start.cjs') as { starter: Starter }).starter,
  loadRecaller: () => (load('recall.cjs') as { recaller: Recaller }).recaller,
  loadKeeper: () => (load('keeper.cjs') as { keeper: Keeper }).keeper,
}

try {
  const stdin = readStdin()
  // No safe place for a memory: nothing is kept, but the rules are told.
  writeStdout(known === null ? rulesAlone(stdin, world.isOurChild) : runHook(stdin, world))
} catch (error) {
  logFailure(keeperDir, world.now(), 'hook', error)
}

/** What only some events need: read when one comes. */
function load(file: string): unknown {
  return process.getBuiltinModule('node:module').createRequire(__filename)(path.join(here, file))
}

function argsOf(root: string, job: Job): string[] {
  return job.for === 'end' ? [job.for, root, job.session] : [job.for, root]
}
