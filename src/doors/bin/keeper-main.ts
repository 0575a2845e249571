/**
 * What writes and searches, in one file for three users: the hook program loads it when notes are to be written, the MCP server
 * at the first call of a tool (the host waits for the greeting), and the finisher.
 */
import module from 'node:module'
import os from 'node:os'
import path from 'node:path'
import timers from 'node:timers/promises'
import v8 from 'node:v8'
import { compactedOf } from '../../core/briefing/disk/briefing.ts'
import { takeFirstSteps, useExtras } from '../../core/extra.ts'
import { handOut } from '../../core/notes/disk/handout.ts'
import { readHookTimes } from '../../core/receipts/disk/journal.ts'
import { openIndex } from '../../core/search/disk/memory-index.ts'
import { openStore } from '../../kernel/memory/disk/store.ts'
import { collector, growBy, leaveGarbage, optimise } from '../../kernel/platform/disk/compiled.ts'
import { locate, type Surroundings } from '../../kernel/platform/disk/locate.ts'
import { isAlive } from '../../kernel/platform/disk/lock.ts'
import { logFailure } from '../../kernel/platform/disk/log.ts'
import { HOME_DIR } from '../../kernel/platform/layout.ts'
import { PIECE_TOKENS } from '../../kernel/sessions/delta.ts'
import type { Job } from '../../kernel/sessions/disk/finisher-queue.ts'
import { keepUnpacked } from '../../kernel/sessions/disk/session-archive.ts'
import { beforeCompaction } from '../hooks/compact.ts'
import { noteEndedSessions } from '../hooks/ended-sessions.ts'
import { runFinisher } from '../hooks/finish.ts'
import { ownWorkMs } from '../hooks/own-work.ts'
import type { Keeper } from '../hooks/world.ts'
import { BACKGROUND_EXTRAS } from './extras-in-background.ts'

export { answerHook } from '../hooks/answer.ts'
export { openTools } from '../mcp/tools.ts'

useExtras(BACKGROUND_EXTRAS)

/** What the own work of a hook takes in this project; null: unknown. */
export function ownWorkIn(startDir: string, around: Surroundings): number | null {
  return ownWorkMs(readHookTimes(openStore(locate(startDir, around), { now }).dir))
}

export const keeper: Keeper = {
  settle: noteEndedSessions,
  takeFirstSteps,
  compact: beforeCompaction,
  handOut: (store, at) => void handOut(store, 'agent', PIECE_TOKENS.agent, at),
  compacted: compactedOf,
}

/** What this file exports, for the starter. */
export interface KeeperMain {
  finish: typeof finish
  updateIndex: typeof updateIndex
}

const now = (): string => new Date().toISOString()

/** A finisher that took more than this is not one of a single session: it has old ones to read, or an index to build. */
const SHORT_CPU_MS = 500
/** In percent of what is in use. */
const LONG_GARBAGE = 60
/** Of unpacked sessions, in bytes. */
const MOST_UNPACKED = 1024 * 1024
const MOST_NEW = 24 * 1024 * 1024
let left = 0
let collect: (() => void) | undefined

/** From then on optimised code pays. */
function goOn(): void {
  const { user, system } = process.cpuUsage()
  if (user + system <= SHORT_CPU_MS * 1000) return
  optimise('opt')
  // Building the index sets it back.
  growBy(1)
  leaveGarbage(LONG_GARBAGE)
  // What was read of files is no part of the heap: V8 lets 64 MB of it pile up before it looks.
  if (inUse() < left + MOST_NEW) return
  collect ??= collector()
  collect()
  left = inUse()
}

function inUse(): number {
  const { used_heap_size: objects, external_memory: buffers } = v8.getHeapStatistics()
  return objects + buffers
}

export async function finish(projectRoot: string, job: Job, around: Surroundings, keep: () => void): Promise<void> {
  const { env } = process
  keepUnpacked(MOST_UNPACKED)
  try {
    await runFinisher(projectRoot, job, {
      now,
      elapsedMs: () => process.uptime() * 1000,
      isAlive,
      locate: (startDir) => locate(startDir, around),
      isOurChild: env.MEMORY_KEEPER_CHILD === '1',
      env,
      platform: process.platform,
      tempDir: os.tmpdir(),
      home: around.home,
      loadProgram: (file) => module.createRequire(__filename)(`./${file}`),
      hostPid: Number(env.CLAUDE_PID) || null,
      wait: (ms) => timers.setTimeout(ms),
      programs: path.dirname(__filename),
      keep,
      goOn,
    })
  } catch (error) {
    logFailure(path.join(around.configDir || path.join(around.home, '.claude'), HOME_DIR), now(), 'finisher', error)
  }
}

/** Stops when the server has ended: the next search continues from there. */
export function updateIndex(dir: string, around: Surroundings): void {
  const server = process.ppid
  keepUnpacked(MOST_UNPACKED)
  const store = openStore(locate(dir, around), { now })
  const onProgress = (): void => {
    if (process.ppid !== server) process.exit(0)
  }
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now, onProgress })
  index.refresh()
  index.close()
}
