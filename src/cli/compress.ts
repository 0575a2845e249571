/** `compress`: what makes a memory smaller and can be done now, without a model. */
import path from 'node:path'
import { MEMORY_FILE, SESSIONS_DIR, sessionSummaryFile } from '../core/layout.ts'
import { isOver } from '../core/pending.ts'
import { planRotation, rotationLimits } from '../core/rotation.ts'
import { allSessions, type State } from '../core/state.ts'
import { factsOf } from '../store/files.ts'
import { isAlive } from '../store/lock.ts'
import { readMemory, repairMemory, rotateIfFull } from '../store/memory.ts'
import { COMMAND_WAIT_MS, type Store } from '../store/store.ts'
import { summariseSession, unsummarised } from '../store/summaries.ts'
import { type Context, underLock } from './context.ts'
import { count, dim } from './output.ts'

const LATER = 'Weekly and monthly tiers come with a later version.'

export function runCompress(context: Context): number {
  const { store, out, isDryRun, world } = context
  const isEmpty = factsOf(store.dir) === null
  const archive = isEmpty ? null : isDryRun ? plannedArchive(store) : rotate(store, world.now())
  const sessions = isEmpty ? [] : missingSummaries(store, world.now())
  if (!isDryRun) summarise(store, sessions)
  out.json({ archive, sessions: sessions.length, tiers: false, dryRun: isDryRun })
  out.say(
    archive === null
      ? `${MEMORY_FILE} has room: no rotation.`
      : isDryRun
        ? `${MEMORY_FILE} is full: its older notes would move to ${archive}.`
        : `${MEMORY_FILE} was full: its older notes are now in ${archive}.`,
    sessions.length === 0
      ? 'Every session that is over has its summary.'
      : `${count(sessions.length, 'session summary', 'session summaries')} ${isDryRun ? 'would be ' : ''}written.`,
    dim(LATER),
  )
  return 0
}

/** One session at a time, so that a hook never waits for all of them. */
export function summarise(store: Store, sessions: readonly string[]): void {
  for (const id of sessions) underLock(store, COMMAND_WAIT_MS, () => summariseSession(store, id))
}

/** Sessions that are over and have no summary, an old one, or one that somebody deleted. */
export function missingSummaries(store: Store, now: string): string[] {
  const state = store.readState()
  const owed = unsummarised(state, now, isAlive)
  const deleted = allSessions(state)
    .filter(([, session]) => session.file !== '' && session.summed > 0)
    .filter(([, session]) => isOver(session, now, isAlive))
    .filter(([, { file }]) => factsOf(path.join(store.dir, SESSIONS_DIR, sessionSummaryFile(file))) === null)
    .map(([id]) => id)
  return [...new Set([...owed, ...deleted])]
}

function rotate(store: Store, now: string): string | null {
  return underLock(store, COMMAND_WAIT_MS, () => {
    const before = repairMemory(store, now)
    const after: State = rotateIfFull(store, before, now)
    return after === before ? null : (after.rotatedFiles.at(-1)?.file ?? null)
  })
}

function plannedArchive(store: Store): string | null {
  return planRotation(readMemory(store), rotationLimits(store.config)) === null ? null : 'a new archive'
}
