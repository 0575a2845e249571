/** The hook program. A failing memory must not fail the session: on any error, log it and stay silent. */
import os from 'node:os'
import path from 'node:path'
import { HOME_DIR } from '../core/layout.ts'
import { finish } from '../hooks/finish.ts'
import { runHook, type World } from '../hooks/run.ts'
import { readStdin, writeStdout } from '../store/files.ts'
import { findSurroundings, locate } from '../store/locate.ts'
import { logFailure } from '../store/log.ts'

const { env } = process
const known = findSurroundings(env.CLAUDE_CONFIG_DIR)
const around = known ?? { home: '', configDir: undefined }
const keeperDir = path.join(around.configDir || path.join(around.home, '.claude'), HOME_DIR)

const world: World = {
  now: () => new Date().toISOString(),
  elapsedMs: () => process.uptime() * 1000,
  isAttended:
    env.CLAUDE_CODE_SESSION_ATTENDED === undefined
      ? env.CLAUDE_CODE_ENTRYPOINT === 'cli' || env.CLAUDE_CODE_ENTRYPOINT === 'claude-vscode'
      : env.CLAUDE_CODE_SESSION_ATTENDED === '1',
  isOurChild: env.MEMORY_KEEPER_CHILD === '1',
  locate: (startDir) => locate(startDir, around),
  projectDir: env.CLAUDE_PROJECT_DIR,
  startFinisher: (root) => {
    // Loaded only here: it costs every other hook some milliseconds.
    const { spawn } = process.getBuiltinModule('node:child_process')
    spawn(process.execPath, [__filename, 'finish', root], {
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
}

try {
  const [job, root] = process.argv.slice(2)
  if (known === null) process.exit()
  if (job === 'finish' && root !== undefined) finish(root, world)
  else writeStdout(runHook(readStdin(), world))
} catch (error) {
  logFailure(keeperDir, world.now(), 'hook', error)
}
