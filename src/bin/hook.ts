/** The hook program. A failing memory must not fail the session: on any error, log it and stay silent. */
import { spawn } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { HOME_DIR } from '../core/layout.ts'
import { finish } from '../hooks/finish.ts'
import { runHook, type World } from '../hooks/run.ts'
import { readStdin } from '../store/files.ts'
import { locate } from '../store/locate.ts'
import { logFailure } from '../store/log.ts'

const { env } = process
const around = { home: os.homedir(), configDir: env.CLAUDE_CONFIG_DIR }

const world: World = {
  now: () => new Date().toISOString(),
  elapsedMs: () => performance.now(),
  isAttended:
    env.CLAUDE_CODE_SESSION_ATTENDED === undefined
      ? env.CLAUDE_CODE_ENTRYPOINT === 'cli' || env.CLAUDE_CODE_ENTRYPOINT === 'claude-vscode'
      : env.CLAUDE_CODE_SESSION_ATTENDED === '1',
  isOurChild: env.MEMORY_KEEPER_CHILD === '1',
  locate: (startDir) => locate(startDir, around),
  projectDir: env.CLAUDE_PROJECT_DIR,
  startFinisher: (root) => {
    spawn(process.execPath, [__filename, 'finish', root], {
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
      cwd: os.tmpdir(),
    }).unref()
  },
}

try {
  const [job, root] = process.argv.slice(2)
  if (job === 'finish' && root !== undefined) finish(root, world)
  else process.stdout.write(runHook(readStdin(), world))
} catch (error) {
  logFailure(path.join(around.configDir || path.join(around.home, '.claude'), HOME_DIR), world.now(), 'hook', error)
}
