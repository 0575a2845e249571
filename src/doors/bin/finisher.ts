/** Starts the finisher beside the session. */
import os from 'node:os'
import path from 'node:path'
import type { Surroundings } from '../../kernel/platform/disk/locate.ts'
import { locate } from '../../kernel/platform/disk/locate.ts'
import { logFailure } from '../../kernel/platform/disk/log.ts'
import { type Job, requestFinisher } from '../../kernel/sessions/disk/finisher-queue.ts'

/** False: it could not be started. A finisher that runs already does the job, too. */
export function startFinisher(root: string, job: Job, around: Surroundings, env = process.env): boolean {
  const places = locate(root, around)
  let isStarted = true
  requestFinisher(places, job, () => {
    const pid = spawnFinisher(root, job, around, { homeDir: places.homeDir, env })
    isStarted = pid !== undefined
    return pid
  })
  return isStarted
}

interface Spawning {
  homeDir: string
  env: NodeJS.ProcessEnv
}

function spawnFinisher(
  root: string,
  job: Job,
  { configDir }: Surroundings,
  { homeDir, env }: Spawning,
): number | undefined {
  // Loaded only here: it costs every other hook some milliseconds.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(process.execPath, [path.join(path.dirname(__filename), 'keeper.cjs'), ...argsOf(root, job)], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    cwd: os.tmpdir(),
    // In another directory a relative path would have another meaning.
    env: configDir ? { ...env, CLAUDE_CONFIG_DIR: configDir } : env,
  })
  child.on('error', (error) => logFailure(homeDir, new Date().toISOString(), 'finisher', error)).unref()
  return child.pid
}

function argsOf(root: string, job: Job): string[] {
  return job.for === 'end' ? [job.for, root, job.session] : [job.for, root]
}
