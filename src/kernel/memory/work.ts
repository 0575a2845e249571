/** The list of work in the state: what waits, for whom, and what becomes of it. */
import { id8OfFile } from '../platform/layout.ts'
import type { SessionState } from './session-state.ts'
import { findSession, type State, withSessions } from './state.ts'
import { deltaId, newItem, parseDeltaId, type WorkItem, type WorkKind, workName } from './work-item.ts'

export type OwedSession = [id: string, session: SessionState]

/** In the order in which it should be done; of notes the oldest session first. */
export function workOf(state: State, kind: WorkKind): WorkItem[] {
  const items = state.work.filter((item) => item.kind === kind)
  if (kind !== 'note' || items.length < 2) return items
  const sessions = owedSessions(state).map(([, { file }]) => id8OfFile(file))
  return items.toSorted((a, b) => sessions.indexOf(a.about) - sessions.indexOf(b.about) || a.from - b.from)
}

/** The item with this name; undefined: it does not wait. */
export function findWork(state: State, kind: WorkKind, name: string): WorkItem | undefined {
  const range = parseDeltaId(name)
  const wanted = range === null ? name : deltaId(range.session, range.from, range.to)
  return wanted === '' ? undefined : state.work.find((item) => item.kind === kind && workName(item) === wanted)
}

/** The session of a piece that is handed out; null: its note does not wait. */
export function owedSession(state: State, delta: string): OwedSession | null {
  const item = findWork(state, 'note', delta)
  return (item && findSession({ sessions: state.sessions }, item.about)) ?? null
}

/** The state with other counts of this item; null: without it. */
export function withCounts(
  state: State,
  item: WorkItem,
  counts: Partial<Pick<WorkItem, 'tries' | 'asked'>> | null,
): State {
  const work = state.work.flatMap((one) =>
    !isSame(one, item) ? [one] : counts === null ? [] : [{ ...one, ...counts }],
  )
  return { ...state, work }
}

function isSame(one: WorkItem, other: WorkItem): boolean {
  return one.kind === other.kind && one.about === other.about && one.from === other.from && one.to === other.to
}

/** The state with these items; one that waits already is not added twice. */
export function withWork(state: State, items: readonly WorkItem[]): State {
  const added = items.filter((item) => !state.work.some((one) => isSame(one, item)))
  return added.length === 0 ? state : { ...state, work: [...state.work, ...added] }
}

/** The state without these items. */
export function withoutWork(state: State, isGone: (item: WorkItem) => boolean): State {
  const work = state.work.filter((item) => !isGone(item))
  return work.length === state.work.length ? state : { ...state, work }
}

/** Sessions with entries that wait for a note, oldest first. Settled sessions have none. */
export function owedSessions({ work, sessions }: State): OwedSession[] {
  const names = new Set(work.flatMap(({ kind, about }) => (kind === 'note' ? [about] : [])))
  return [...names]
    .flatMap((name): OwedSession[] => {
      const found = findSession({ sessions }, name)
      return found === undefined ? [] : [found]
    })
    .sort(([, a], [, b]) => (a.file < b.file ? -1 : 1))
}

/** The piece of the session that is handed out. */
export function handedOut(state: State, session: SessionState): WorkItem | undefined {
  return notesOf(state, session).find(({ by }) => by !== null)
}

/** Where the entries end that wait for a note; the watermark, if none wait. */
export function owedTo(state: State, session: SessionState): number {
  return Math.max(session.watermark, ...notesOf(state, session).map(({ to }) => to))
}

function notesOf({ work }: State, { file }: SessionState): WorkItem[] {
  const about = id8OfFile(file)
  return work.filter((item) => item.kind === 'note' && item.about === about)
}

type Piece = Pick<WorkItem, 'to' | 'by'> & Partial<WorkItem>

/** A note is owed about the entries from the watermark to `end`; the first of them may be a piece that is handed out. */
export function withOwed(state: State, session: SessionState, end: number, piece?: Piece): State {
  const { watermark, file } = session
  const about = id8OfFile(file)
  if (about === null) return state
  const middle = Math.max(watermark, piece?.to ?? 0)
  const items = [
    ...(piece !== undefined && middle > watermark ? [newItem({ ...piece, kind: 'note', about, from: watermark })] : []),
    ...(end > middle ? [newItem({ kind: 'note', about, from: middle, to: end })] : []),
  ]
  const others = state.work.filter((item) => item.kind !== 'note' || item.about !== about)
  return { ...state, work: [...others, ...items] }
}

/** Notes cover the entries before this one: the rest still waits, and nothing of it is handed out. */
export function withCovered(state: State, [id, session]: OwedSession, to: number): State {
  const covered = { ...session, watermark: Math.max(session.watermark, to) }
  return withOwed(withSessions(state, [[id, covered]]), covered, owedTo(state, session))
}

/** An archive's summary is by a model now, or by code again: then it waits for a model. */
export function withSummary(state: State, archive: string, isByModel: boolean): State {
  const rotatedFiles = state.rotatedFiles.map((one) =>
    one.file === archive ? { ...one, summaryGenerated: isByModel } : one,
  )
  const item = newItem({ kind: 'summary', about: archive })
  const next = withCounts({ ...state, rotatedFiles }, item, null)
  return isByModel ? next : withWork(next, [item])
}
