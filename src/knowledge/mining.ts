/** Which piece of a session a model is asked for facts about: opened with a delta, closed once. */

import type { Mining, SessionState } from '../memory/session-state.ts'
import { type State, sessionIn, withSessions } from '../memory/state.ts'
import { openPieceId, workOf } from '../sessions/work.ts'

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
  const given = workOf(state, 'facts').flatMap(({ session: id, by, to }) => {
    const session = by === 'agent' ? sessionIn(state, id) : undefined
    const isGiven = session !== undefined && to <= session.watermark && isOver(session)
    return isGiven ? [[id, closeMining(session, reachOf(session))] as const] : []
  })
  return given.length === 0 ? state : withSessions(state, given)
}
