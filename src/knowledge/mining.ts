/** Facts owed: which piece of a session a model is asked for facts about, and how far that has come. All of it follows from the state. */

import type { Mining, SessionState } from '../memory/session-state.ts'
import { type State, sessionIn, withSessions } from '../memory/state.ts'
import { id8OfFile } from '../platform/layout.ts'
import { deltaId, parseDeltaId } from '../sessions/delta.ts'

/** Checked so often, it is over: what holds by then is kept. */
export const MAX_ROUNDS = 3

type Named = [id: string, session: SessionState]

/** Together with a delta that is handed out: its facts are owed too. What Claude was asked for stays as it is. */
export function openMining(session: SessionState, range: { from: number; to: number }, by: Mining['by']): SessionState {
  if (by === 'agent' && session.mining?.by === by) return session
  if (session.mining?.by === by && session.mined >= range.from && session.mining.to === range.to) return session
  const { mining: _, ...rest } = session
  const mined = Math.max(session.mined, range.from)
  return range.to <= mined ? { ...rest, mined } : { ...rest, mined, mining: { to: range.to, by, rounds: 0, asked: 0 } }
}

/** Saved, or given up: up to there nobody is asked again. What Claude got or told meanwhile comes next. */
export function closeMining(session: SessionState, to: number): SessionState {
  const { mining, ...rest } = session
  const mined = Math.max(session.mined, to)
  if (mining !== undefined && mining.to > mined) return { ...session, mined }
  const next = mining?.by === 'agent' ? reachOf(session) : 0
  return next > mined ? { ...rest, mined, mining: { to: next, by: 'agent', rounds: 0, asked: 0 } } : { ...rest, mined }
}

/** How far its notes go, or the delta that Claude has in hands. */
function reachOf({ watermark, handout }: SessionState): number {
  return Math.max(watermark, handout?.by === 'agent' ? handout.to : 0)
}

/** Nothing in this delta is worth a fact. A piece before it that is still asked for stays. */
export function skipMining(session: SessionState, range: { from: number; to: number }): SessionState {
  const isAsked = session.mining !== undefined && openPieceId(session) !== null && session.mining.to <= range.from
  return isAsked ? session : closeMining(session, range.to)
}

/** The open piece ends earlier: all of it would be too long for its reader. */
export function shortenMining(session: SessionState, to: number): SessionState {
  const { mining } = session
  return mining === undefined || to >= mining.to || to <= session.mined
    ? session
    : { ...session, mining: { ...mining, to } }
}

/** Nobody is left to answer for a session that is over: its note is told, and what the user said was kept with it. */
export function giveUpOver(state: State, isOver: (session: SessionState) => boolean): State {
  const given = minedSessions(state).filter(
    ([, session]) => session.mining?.by === 'agent' && session.mining.to <= session.watermark && isOver(session),
  )
  if (given.length === 0) return state
  return withSessions(
    state,
    given.map(([id, session]) => [id, closeMining(session, reachOf(session))] as const),
  )
}

/** The piece whose facts are asked for, named like its delta; null: none is. */
export function openPieceId(session: SessionState): string | null {
  const id8 = id8OfFile(session.file)
  if (session.mining === undefined || id8 === null || session.mining.to <= session.mined) return null
  return deltaId(id8, session.mined, session.mining.to)
}

/** Asked at every prompt: a thousand sessions are looked at, hardly one is read. */
function minedSessions(state: State): Named[] {
  const found: Named[] = []
  for (const id in state.sessions) {
    if (state.sessions[id]?.mining === undefined) continue
    const session = sessionIn(state, id)
    if (session !== undefined && openPieceId(session) !== null) found.push([id, session])
  }
  return found.sort(([, a], [, b]) => (a.file < b.file ? -1 : 1))
}

/** Pieces that Claude is asked for, oldest first. */
export function piecesOfClaude(state: State): string[] {
  return minedSessions(state).flatMap(([, session]) => {
    const id = session.mining?.by === 'agent' ? openPieceId(session) : null
    return id === null ? [] : [id]
  })
}

/** The session whose open piece this is. */
export function withPiece(state: State, piece: string): Named | undefined {
  const wanted = parseDeltaId(piece)
  if (wanted === null) return undefined
  const id = deltaId(wanted.session, wanted.from, wanted.to)
  return minedSessions(state).find(([, session]) => openPieceId(session) === id)
}

export function withMining(state: State, [id, session]: Named, change: Partial<Mining>): State {
  const { mining } = session
  return mining === undefined ? state : withSessions(state, [[id, { ...session, mining: { ...mining, ...change } }]])
}
