/** The finisher's last steps: cares for knowledge, and moves settled sessions out of the state. */

import path from 'node:path'
import { isSettled, settledEffects } from '../../../kernel/memory/disk/settled.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, type State, type StoredSession } from '../../../kernel/memory/state.ts'
import { sizeOf, statOf } from '../../../kernel/platform/disk/files.ts'
import { attempt } from '../../../kernel/platform/disk/log.ts'
import { id8OfFile } from '../../../kernel/platform/layout.ts'
import { projectsDir } from '../../../kernel/sessions/disk/transcripts.ts'
import { markStale, updateConceptsQuietly } from '../../knowledge/disk/fact-care.ts'
import { renderSessionFactFiles } from '../../knowledge/disk/facts.ts'
import type { GitWorld } from '../../knowledge/disk/git-history.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { reflectAll, refreshOwed } from '../../knowledge/disk/reflection.ts'
import { isOver } from '../pending.ts'
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
    if (!isLate()) attempt(store.places.homeDir, now(), name, work, undefined)
  }
  step('staleness', () => markStale(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  step('concepts', () => updateConceptsQuietly(store, COMMAND_WAIT_MS, now()))
  step('reflection', () => reflectAll(store, { ...options, waitMs: COMMAND_WAIT_MS }))
  step('session facts', () => store.whileLocked(COMMAND_WAIT_MS, () => renderSessionFactFiles(store)))
  step('tiers', () => ageTiers(store, { now: now(), isLate }))
  step('owed', () => {
    // Read before taking the lock: under it, the same file is not parsed again.
    readFacts(store)
    store.whileLocked(COMMAND_WAIT_MS, () => refreshOwed(store))
  })
}

/**
 * Writes the files of settled sessions first, then the state without them: after a kill in between, both contain a session, and the
 * state's record counts. Returns how many were moved. Call it under the lock.
 */
export function settleSessions(store: Store, now: string, isAlive: (pid: number) => boolean): number {
  const state = store.readState()
  const busy = new Set(state.work.flatMap(({ kind, about }) => (kind === 'note' || kind === 'facts' ? [about] : [])))
  const sessions = allSessions({ sessions: state.sessions }).filter(([, session]) =>
    isSettled(session, {
      isOver: isOver(session, now, isAlive),
      hasTranscript: sizeOf(session.transcript) !== null,
      hasWork: busy.has(id8OfFile(session.file) ?? ''),
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
