/** Moves sessions that nothing is left to do about out of the state: the state is read by every hook, and a project grows old. */
import path from 'node:path'
import { settledEffects } from '../../memory/disk/settled.ts'
import { type Store, stateEffect } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { isSettled } from '../../memory/settled.ts'
import { allSessions, type State, type StoredSession } from '../../memory/state.ts'
import { readStanding } from '../../outgoing/disk/standing.ts'
import { sizeOf, statOf } from '../../platform/disk/files.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { projectsDir } from '../../sessions/disk/transcripts.ts'
import { isOver } from '../pending.ts'

/**
 * The files of settled sessions first, then the state without them: killed in between, both know a session, and the state
 * counts. Returns how many were moved. Call it under the lock.
 */
export function settleSessions(store: Store, now: string, isAlive: (pid: number) => boolean): number {
  const state = store.readState()
  const { read } = readStanding(store)
  const sessions = allSessions({ sessions: state.sessions }).filter(([, session]) =>
    isSettled(session, {
      isOver: isOver(session, now, isAlive),
      hasTranscript: sizeOf(session.transcript) !== null,
      standingRead: read[id8OfFile(session.file) ?? ''] ?? 0,
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
  // Transcripts that were given by hand lie anywhere: only the host's own directories are looked into again.
  const isHosts = (dir: string): boolean => path.dirname(dir) === projectsDir(store.places.hostDir)
  const settledDirs = [...dirs].filter((dir) => isHosts(dir) && statOf(dir)?.kind === 'dir').sort()
  return { ...state, sessions: Object.fromEntries(rest), settledDirs }
}
