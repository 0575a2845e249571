/** The finisher's last steps: cares for knowledge and old sessions, and moves settled sessions out of the state. */

import path from 'node:path'
import { isSettled, readSettled, settledEffects, settledNames } from '../../../kernel/memory/disk/settled.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { parseSessionState, type SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, type State, type StoredSession } from '../../../kernel/memory/state.ts'
import { sizeOf, statOf } from '../../../kernel/platform/disk/files.ts'
import { attempt } from '../../../kernel/platform/disk/log.ts'
import { toTell } from '../../../kernel/sessions/delta.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import { projectsDir } from '../../../kernel/sessions/disk/transcripts.ts'
import { keptGoal } from '../../../kernel/sessions/session-row.ts'
import { markStale, updateConceptsQuietly } from '../../knowledge/disk/fact-care.ts'
import type { GitWorld } from '../../knowledge/disk/git-history.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { reflectAll, refreshOwed } from '../../knowledge/disk/reflection.ts'
import { isOver } from '../pending.ts'
import { standsOf } from '../structure.ts'
import { ageTiers } from './tiers.ts'

export interface CareOptions extends GitWorld {
  now: () => string
  elapsedMs: () => number
  isLate: () => boolean
}

/** If one step fails, the others still run. */
export function careForKnowledge(store: Store, options: CareOptions): void {
  const { now, isLate } = options
  const step = (name: string, work: () => void): void => {
    if (!isLate()) attempt(store.places.keeperDir, now(), name, work, undefined)
  }
  step('staleness', () => markStale(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  step('concepts', () => updateConceptsQuietly(store, COMMAND_WAIT_MS, now()))
  step('reflection', () => reflectAll(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  step('tiers', () => ageTiers(store, { now: now(), isLate }))
  step('ends', () => fillSettled(store, isLate))
  step('owed', () => {
    // Read before taking the lock: under it, the same file is not parsed again.
    readFacts(store)
    store.whileLocked(COMMAND_WAIT_MS, () => refreshOwed(store))
  })
}

/** The maximum number of sessions read in one run of the finisher. */
const MOST_FILLED = 100

/**
 * Sessions that 0.5.x settled have no goal and no line about their end: adds both by structure, once, newest first. An
 * empty line means that there is nothing to write.
 */
export function fillSettled(store: Store, isLate: () => boolean, most = MOST_FILLED): void {
  const { sessions } = store.readState()
  const unknown = settledNames(store.dir)
    .toReversed()
    .flatMap((name) => [...readSettled(store.dir, name).sessions].toReversed())
    .filter(([id, { file, goal, stands }]) => file && goal === undefined && stands === undefined && !sessions[id])
  const filled = new Map<string, StoredSession>()
  for (const [id, stored] of unknown.slice(0, most)) {
    if (isLate()) break
    const session = parseSessionState(stored)
    const entries = toTell(entriesOf(store, session, 0, session.entries))
    const goal = keptGoal(entries)
    filled.set(id, { ...stored, ...(goal === '' ? {} : { goal }), stands: standsOf(entries, session.entries) })
  }
  if (filled.size > 0) store.whileLocked(COMMAND_WAIT_MS, () => store.perform(settledEffects(store.dir, filled)))
}

/**
 * Writes the files of settled sessions first, then the state without them: after a kill in between, both contain a session, and the
 * state's record counts. Returns how many were moved. Call it under the lock.
 */
export function settleSessions(store: Store, now: string, isAlive: (pid: number) => boolean): number {
  const state = store.readState()
  const sessions = allSessions({ sessions: state.sessions }).filter(([, session]) =>
    isSettled(session, {
      isOver: isOver(session, now, isAlive),
      hasTranscript: sizeOf(session.transcript) !== null,
    }),
  )
  if (sessions.length === 0) return 0
  const moved = new Map<string, StoredSession>(sessions.map(([id]) => [id, state.sessions[id] ?? {}]))
  for (const effect of settledEffects(store.dir, moved)) store.perform([effect])
  store.perform([stateEffect(without(store, state, sessions))])
  return moved.size
}

function without(store: Store, state: State, settled: readonly [id: string, session: SessionState][]): State {
  const ids = new Set(settled.map(([id]) => id))
  const rest = Object.entries(state.sessions).filter(([id]) => !ids.has(id))
  const dirs = new Set([...state.settledDirs, ...settled.map(([, { transcript }]) => path.dirname(transcript))])
  // Transcripts imported by path may be anywhere: only the host's own directories are checked again.
  const isHosts = (dir: string): boolean => path.dirname(dir) === projectsDir(store.places.hostDir)
  const settledDirs = [...dirs].filter((dir) => isHosts(dir) && statOf(dir)?.kind === 'dir').sort()
  return { ...state, sessions: Object.fromEntries(rest), settledDirs }
}
