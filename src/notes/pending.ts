/** What is owed: which entries wait for a note, who writes it, and what Claude is asked for. All of it follows from the state. */

import { piecesOfClaude, withMining, withPiece } from '../knowledge/mining.ts'
import type { SessionState } from '../memory/session-state.ts'
import { type State, sessionIn, withSessions } from '../memory/state.ts'
import type { Way } from '../model/way.ts'
import { id8OfFile } from '../platform/layout.ts'
import { deltaId } from '../sessions/delta.ts'

/** A session that said nothing for so long is over, whatever became of its host. */
const QUIET_MS = 30 * 60_000
/** One that no hook has told of: it may just have begun. */
const FOUND_QUIET_MS = 5 * 60_000

function isOwed(session: SessionState): boolean {
  return session.due > session.watermark
}

type Named = [id: string, session: SessionState]

/** Sessions that owe a note, oldest first. */
export function owedSessions(state: State): Named[] {
  return pick(state, ({ due, watermark }) => due > watermark).toSorted(([, a], [, b]) => (a.file < b.file ? -1 : 1))
}

/** Sessions with entries that no note tells. */
export function untoldSessions(state: State): Named[] {
  return pick(state, ({ entries, watermark }) => entries > watermark)
}

/** Asked at every event: a thousand sessions are looked at, and only those that matter are read. */
function pick(state: State, isWanted: (stored: Marks) => boolean): Named[] {
  const found: Named[] = []
  for (const id in state.sessions) {
    const { entries = 0, watermark = 0, due = 0 } = state.sessions[id] as Partial<Marks>
    if (!isWanted({ entries, watermark, due })) continue
    const session = sessionIn(state, id)
    if (session !== undefined) found.push([id, session])
  }
  return found
}

interface Marks {
  entries: number
  watermark: number
  due: number
}

/** `running`: tools whose result the host has not written yet. */
export function isDue(state: State, saveInterval: number, running = 0): boolean {
  return state.counter + running >= saveInterval
}

/** At the interval: everything that hooks saw and no note tells. A waiting delta grows. */
export function cutLive(state: State): State {
  const live = untoldSessions(state).filter(([, session]) => session.isLive)
  return { ...cut(state, live), counter: 0 }
}

/** A delta that waits and is in nobody's hands takes in what came since: at the end of a turn the transcript lags behind. */
export function growWaiting(state: State): State {
  const waiting = owedSessions(state).filter(([, session]) => session.handout === undefined)
  const grown = waiting.filter(([, session]) => session.entries > session.due)
  return grown.length === 0
    ? state
    : withSessions(
        state,
        grown.map(([id, session]) => [id, { ...session, due: session.entries }] as const),
      )
}

/** Before a compaction, and at a session's end. */
export function cutSession(state: State, id: string): State {
  const session = sessionIn(state, id)
  return session === undefined ? state : cut(state, [[id, session]])
}

/** When a session begins: all that are over. `isAlive` tells of a host process. */
export function cutOver(state: State, now: string, isAlive: (pid: number) => boolean): State {
  const sessions = untoldSessions(state).filter(
    ([, session]) =>
      // What of the history is noted is not settled before notes begin.
      (session.isLive || state.beganAt !== null) && isOver(session, now, isAlive),
  )
  return cut(state, sessions)
}

/** Its end was announced, its host is gone, or it has been quiet for long. */
export function isOver(session: SessionState, now: string, isAlive: (pid: number) => boolean): boolean {
  if (session.isEnded || (session.isLive && session.pid > 0 && !isAlive(session.pid))) return true
  const quietMs = Date.parse(now) - (Date.parse(session.refine.ts) || 0)
  return quietMs > (session.isLive ? QUIET_MS : FOUND_QUIET_MS)
}

function cut(state: State, sessions: readonly Named[]): State {
  const changed = sessions.filter(([, { entries, due, watermark }]) => entries > watermark && entries > due)
  if (changed.length === 0) return state
  return withSessions(
    { ...state, counter: 0, cuts: state.cuts + 1 },
    changed.map(([id, session]) => [id, { ...session, due: session.entries }] as const),
  )
}

/**
 * History found on the machine is searchable, but not noted: only its last entries are, when notes begin. Whatever was
 * found later and happened since is noted like anything else.
 */
export function settleHistory(state: State, now: string, firstRunMaxEntries: number): State {
  // What was said just now may belong to a session that no hook has told of yet: no history.
  const untold = untoldSessions(state).filter(([, session]) => !session.isLive && isOver(session, now, () => true))
  const since = state.beganAt
  // What owes a note keeps owing it, and so does what may have been going on when notes began.
  const isHistory = (session: SessionState): boolean =>
    since === null || (!isOwed(session) && (Date.parse(session.refine.ts) || 0) < Date.parse(since) - FOUND_QUIET_MS)
  const old = untold.filter(([, session]) => isHistory(session))
  if (old.length === 0 && since !== null) return state
  let room = since === null ? firstRunMaxEntries : 0
  const settled = old
    .toSorted(([, a], [, b]) => (a.file < b.file ? 1 : -1))
    .map(([id, session]) => {
      const taken = Math.min(room, session.entries - session.watermark)
      room -= taken
      return [id, { ...session, watermark: session.entries - taken }] as const
    })
  return withSessions({ ...state, beganAt: since ?? now }, settled)
}

/** After a note about [from, to) is safely in memory.md. */
export function tell(state: State, id: string, session: SessionState, to: number, now: string): State {
  const { handout: _, ...rest } = session
  const told = { ...rest, watermark: Math.max(session.watermark, to) }
  return withSessions({ ...state, lastMemoryUpdateTs: now }, [[id, { ...told, due: isOwed(told) ? told.due : 0 }]])
}

/** The piece that is in somebody's hands, if any. */
export function openDeltaId(session: SessionState): string | null {
  const id8 = id8OfFile(session.file)
  if (session.handout === undefined || id8 === null) return null
  return deltaId(id8, session.watermark, session.handout.to)
}

/** Asked at every prompt, and nearly always the answer is no. */
export function isAnythingOwed(state: State): boolean {
  return (
    state.rotatedFiles.some(({ summaryGenerated }) => !summaryGenerated) ||
    state.knowledge.candidates !== '' ||
    owedSessions(state).length > 0 ||
    piecesOfClaude(state).length > 0
  )
}

export type Step = 'facts' | 'concepts' | 'reflection' | 'note' | 'summary'

export interface Owed {
  /** What is owed, told apart from other work: the same work gives the same text. */
  key: string
  step: Step
  /** Names the piece, the session, the delta or the archive. */
  subject: string
}

/** What Claude itself owes, in the order it should be done. `isHeld`: it is held to all of it; code sorts facts as well. */
export function owedByClaude(state: State, way: Way, isHeld: boolean): Owed[] {
  if (way !== 'agent') return []
  const { unsorted, candidates } = state.knowledge
  const owe = (step: Step, subject: string): Owed => ({ key: `${step} ${subject}`, step, subject })
  const notes = owedSessions(state).flatMap(([, session]): Owed[] => {
    const id = session.handout?.by === 'agent' ? openDeltaId(session) : null
    return id === null ? [] : [owe('note', id)]
  })
  const summaries = state.rotatedFiles
    .filter(({ summaryGenerated }) => !summaryGenerated)
    .map(({ file }) => owe('summary', file))
  const pieces = piecesOfClaude(state).map((piece) => owe('facts', piece))
  // Facts that are still to come bring their concepts along.
  const sorting = isHeld && pieces.length === 0 ? unsorted.map((id8) => owe('concepts', `${id8}-concepts`)) : []
  // One of each at a time: a file holds one delta.
  return [
    ...pieces.slice(0, 1),
    ...sorting.slice(0, 1),
    ...(candidates === '' ? [] : [owe('reflection', candidates)]),
    ...notes.slice(0, 1),
    ...summaries.slice(-1),
  ]
}

/** Of that, what Claude was not asked for yet, or not since more came due. */
export function toAskFor(state: State, way: Way): Owed[] {
  return owedByClaude(state, way, false).filter((owed) => {
    const asked = askedFor(state, owed)
    return !asked || asked < state.cuts
  })
}

function askedFor(state: State, { key, step, subject }: Owed): number | undefined {
  switch (step) {
    case 'note':
      return withDelta(state, subject)?.[1].handout?.asked
    case 'facts':
      return withPiece(state, subject)?.[1].mining?.asked
    case 'summary':
      return state.rotatedFiles.find(({ file }) => file === subject)?.asked
    default:
      return state.knowledge.asked[key]
  }
}

export function markAsked(state: State, owed: readonly Owed[]): State {
  const asked = Math.max(1, state.cuts)
  const subjects = new Set(owed.map(({ subject }) => subject))
  const rotatedFiles = state.rotatedFiles.map((rotated) =>
    subjects.has(rotated.file) ? { ...rotated, asked } : rotated,
  )
  const others = owed.filter(({ step }) => step === 'concepts' || step === 'reflection').map(({ key }) => [key, asked])
  // Only what was asked last: what is judged or sorted is not asked for again.
  const knowledge = others.length === 0 ? state.knowledge : { ...state.knowledge, asked: Object.fromEntries(others) }
  return owed.reduce((next, each) => markSession(next, each, asked), { ...state, rotatedFiles, knowledge })
}

function markSession(state: State, { step, subject }: Owed, asked: number): State {
  const [id, session] = (step === 'note' ? withDelta(state, subject) : undefined) ?? []
  if (id !== undefined && session?.handout)
    return withSessions(state, [[id, { ...session, handout: { ...session.handout, asked } }]])
  const mined = step === 'facts' ? withPiece(state, subject) : undefined
  return mined === undefined ? state : withMining(state, mined, { asked })
}

/** The session whose open delta this is. */
export function withDelta(state: State, delta: string): Named | undefined {
  return owedSessions(state).find(([, session]) => openDeltaId(session) === delta)
}

/** In how many turns in a row Claude is held back for the same work before it is let go. */
const MAX_TURNS = 2

/** Whether this turn may be held back for what is owed, and the state that remembers it; null: let go. */
export function holdBack(state: State, owed: readonly Owed[]): State | null {
  if (owed.length === 0) return null
  const key = owed.map((each) => each.key).join(', ')
  const turns = state.enforced.owed === key ? state.enforced.turns : 0
  return turns >= MAX_TURNS ? null : { ...state, enforced: { owed: key, turns: turns + 1 } }
}
