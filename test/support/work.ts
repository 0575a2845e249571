/** What waits in a state, as tests name it. */
import { allSessions, type State, sessionIn } from '../../src/kernel/memory/state.ts'
import { handedOut, owedTo, withOwed, workOf } from '../../src/kernel/memory/work.ts'
import { type WorkItem, type WorkKind, workName } from '../../src/kernel/memory/work-item.ts'

export function namesOf(state: State, kind: WorkKind): string[] {
  return workOf(state, kind).map(workName)
}

/** Where the entries end that wait for a note; 0: none do. */
export function dueOf(state: State, id: string): number {
  const session = sessionIn(state, id)
  const to = session === undefined ? 0 : owedTo(state, session)
  return to === session?.watermark ? 0 : to
}

/** The piece of the session that somebody writes about. */
export function pieceIn(state: State, id: string): WorkItem | undefined {
  const session = sessionIn(state, id)
  return session && handedOut(state, session)
}

/** A note is owed about all entries that none covers. */
export function allDue(state: State): State {
  return allSessions(state).reduce((next, [, session]) => withOwed(next, session, session.entries), state)
}
