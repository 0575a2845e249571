/**
 * What writes and searches, in one file for three users: the hook program loads it when notes are to be written, the MCP server
 * at the first call of a tool (the host waits for the greeting), and run by itself it is the finisher (`end`, `note`, `catch-up`),
 * or updates the search index for the server (`index`): the memory that a long build takes is freed with the process.
 */
import os from 'node:os'
import path from 'node:path'
import timers from 'node:timers/promises'
import { compactedOf } from '../briefing/disk/compacted.ts'
import { beforeCompaction } from '../hooks/compact.ts'
import { runFinisher } from '../hooks/finish.ts'
import { settleNotes, settleRules } from '../hooks/settle.ts'
import type { Keeper } from '../hooks/world.ts'
import { openStore } from '../memory/disk/store.ts'
import { handOut } from '../notes/disk/handout.ts'
import { findSurroundings, locate, type Surroundings } from '../platform/disk/locate.ts'
import { isAlive } from '../platform/disk/lock.ts'
import { logFailure } from '../platform/disk/log.ts'
import { HOME_DIR } from '../platform/layout.ts'
import { openIndex } from '../search/disk/index/index.ts'
import { PIECE_TOKENS } from '../sessions/delta.ts'
import type { Job } from '../sessions/disk/finisher-queue.ts'

export { answerPrompt } from '../hooks/answer.ts'
export { openTools } from '../mcp/tools.ts'

export const keeper: Keeper = {
  settle: settleNotes,
  takeOverRules: settleRules,
  compact: beforeCompaction,
  handOut: (store, at) => void handOut(store, 'agent', PIECE_TOKENS.agent, at),
  compacted: compactedOf,
}

const [job, root, session] = process.argv.slice(2)
const now = (): string => new Date().toISOString()
if (path.basename(process.argv[1] ?? '') === path.basename(__filename) && root !== undefined) {
  const around = findSurroundings(process.env, process.platform)
  if (around !== null) {
    if (job === 'index') updateIndex(root, around)
    else void finish(root, around)
  }
}

async function finish(projectRoot: string, around: Surroundings): Promise<void> {
  const { env } = process
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

/** Stops when the server has ended: the next search continues from there. */
function updateIndex(dir: string, around: Surroundings): void {
  const server = process.ppid
  const store = openStore(locate(dir, around), { now })
  const onProgress = (): void => {
    if (process.ppid !== server) process.exit(0)
  }
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now, onProgress })
  index.refresh()
  index.close()
}
