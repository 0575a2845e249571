/** The larger part of the hook program: loaded by it when notes are to be written, and run by itself as the finisher. */
import os from 'node:os'
import path from 'node:path'
import timers from 'node:timers/promises'
import { compactedOf } from '../briefing/disk/compacted.ts'
import { beforeCompaction } from '../hooks/compact.ts'
import { runFinisher } from '../hooks/finish.ts'
import { settleNotes, settleRules } from '../hooks/settle.ts'
import type { Keeper } from '../hooks/world.ts'
import { findSurroundings, locate } from '../platform/disk/locate.ts'
import { isAlive } from '../platform/disk/lock.ts'
import { logFailure } from '../platform/disk/log.ts'
import { HOME_DIR } from '../platform/layout.ts'
import type { Job } from '../sessions/disk/finisher-queue.ts'

export const keeper: Keeper = {
  settle: settleNotes,
  takeOverRules: settleRules,
  compact: beforeCompaction,
  compacted: compactedOf,
}

const [job, root, session] = process.argv.slice(2)
if (path.basename(process.argv[1] ?? '') === path.basename(__filename) && root !== undefined) void work(root)

async function work(projectRoot: string): Promise<void> {
  const { env } = process
  const around = findSurroundings(env, process.platform)
  if (around === null) return
  const now = (): string => new Date().toISOString()
  try {
    await runFinisher(projectRoot, jobOf(), {
      now,
      elapsedMs: () => process.uptime() * 1000,
      isAlive,
      locate: (startDir) => locate(startDir, around),
      isOurChild: env.MEMORY_KEEPER_CHILD === '1',
      env,
      platform: process.platform,
      tempDir: os.tmpdir(),
      hostPid: Number(env.CLAUDE_PID) || null,
      wait: (ms) => timers.setTimeout(ms),
    })
  } catch (error) {
    logFailure(path.join(around.configDir || path.join(around.home, '.claude'), HOME_DIR), now(), 'finisher', error)
  }
}

function jobOf(): Job {
  if (job === 'end' && session !== undefined) return { for: 'end', session }
  return job === 'note' ? { for: 'note' } : { for: 'catch-up' }
}
