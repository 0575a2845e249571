/** Work items: pending work for a model or for code, and who does it. The list is derived from the state. */

import type { SessionState } from '../memory/session-state.ts'
import { type State, sessionIn, withSessions } from '../memory/state.ts'
import { id8OfFile } from '../platform/layout.ts'
import { deltaId, parseDeltaId } from './delta.ts'

export type WorkKind = 'facts' | 'rules' | 'note' | 'summary'

export interface WorkItem {
  kind: WorkKind
  /**
   * The name used by tools and skills: the range of entries (`1a2b3c4d-12-57`), the archive, or the mark of the candidates.
   * Empty: a note about entries that were not handed out yet.
   */
  name: string
  /** The session's id in the state; empty: the work is about no session, or only rewrites a note. */
  session: string
  /** The pending range of entries; `to` is exclusive. A handed-out note may cover only the first of them. */
  from: number
  to: number
  /** Who does it; null: nobody yet. */
  by: 'headless' | 'agent' | null
  /** How often an answer was refused or checked. */
  tries: number
  /** Claude was asked for it at this cut; 0: not yet. */
  asked: number
}

/** All pending work in the order in which it should be done; of each kind the oldest first. */
export function workItems(state: State): WorkItem[] {
  const sessions = busySessions(state)
  return [
    ...sessions.flatMap(([id, session]) => factsItem(id, session)),
    ...rulesItem(state),
    ...sessions.flatMap(([id, session]) => noteItem(id, session)),
    ...rewriteItems(state),
    ...summaryItems(state),
  ]
}

export function workOf(state: State, kind: WorkKind): WorkItem[] {
  return workItems(state).filter((item) => item.kind === kind)
}

/** The item with this name; undefined: it is not pending. */
export function findWork(state: State, kind: WorkKind, name: string): WorkItem | undefined {
  return name === '' ? undefined : workOf(state, kind).find((item) => item.name === nameOf(kind, name))
}

/** The session of the item with this name; null: it is not pending, or about no session. */
export function sessionOfWork(state: State, kind: WorkKind, name: string): [id: string, session: SessionState] | null {
  const id = findWork(state, kind, name)?.session ?? ''
  const session = sessionIn(state, id)
  return session === undefined ? null : [id, session]
}

/** A piece may be named like its note, `n-1a2b3c4d-12-57`. */
function nameOf(kind: WorkKind, name: string): string {
  const range = kind === 'facts' ? parseDeltaId(name) : null
  return range === null ? name : deltaId(range.session, range.from, range.to)
}

/** Equal for the same item. Keys are stored, and rules were called reflection when they were introduced. */
export function workKey({ kind, name }: WorkItem): string {
  return `${kind === 'rules' ? 'reflection' : kind} ${name}`
}

/** The state with changed counts of an item. */
export function withCounts(state: State, item: WorkItem, counts: { tries?: number; asked?: number }): State {
  const { tries = item.tries, asked = item.asked } = counts
  if (item.kind === 'rules') return { ...state, knowledge: { ...state.knowledge, asked: { [workKey(item)]: asked } } }
  if (item.kind === 'summary') {
    const rotatedFiles = state.rotatedFiles.map((each) => (each.file === item.name ? { ...each, ...counts } : each))
    return { ...state, rotatedFiles }
  }
  const session = sessionIn(state, item.session)
  if (item.kind === 'note' && session?.handout !== undefined)
    return withSessions(state, [
      [item.session, { ...session, handout: { ...session.handout, refusals: tries, asked } }],
    ])
  if (item.kind === 'facts' && session?.mining !== undefined)
    return withSessions(state, [[item.session, { ...session, mining: { ...session.mining, rounds: tries, asked } }]])
  return state
}

/** The range that is handed out for a note; null: none. */
export function openDeltaId(session: SessionState): string | null {
  const id8 = id8OfFile(session.file)
  return session.handout === undefined || id8 === null ? null : deltaId(id8, session.watermark, session.handout.to)
}

/** The range for which facts are requested; null: none. */
export function openPieceId(session: SessionState): string | null {
  const id8 = id8OfFile(session.file)
  if (session.mining === undefined || id8 === null || session.mining.to <= session.mined) return null
  return deltaId(id8, session.mined, session.mining.to)
}

/** Runs at every event: compares the stored fields of a thousand sessions, and parses only those with work. */
function busySessions(state: State): [id: string, session: SessionState][] {
  const found: [string, SessionState][] = []
  for (const id in state.sessions) {
    const { watermark = 0, due = 0, mining } = state.sessions[id] as Partial<SessionState>
    if (due <= watermark && mining === undefined) continue
    const session = sessionIn(state, id)
    if (session !== undefined) found.push([id, session])
  }
  return found.sort(([, a], [, b]) => (a.file < b.file ? -1 : 1))
}

function noteItem(id: string, session: SessionState): WorkItem[] {
  const { watermark: from, due: to, handout } = session
  if (to <= from) return []
  const { by = null, refusals: tries = 0, asked = 0 } = handout ?? {}
  return [{ kind: 'note', name: openDeltaId(session) ?? '', session: id, from, to, by, tries, asked }]
}

function factsItem(id: string, session: SessionState): WorkItem[] {
  const name = openPieceId(session)
  if (name === null || session.mining === undefined) return []
  const { to, by, rounds: tries, asked } = session.mining
  return [{ kind: 'facts', name, session: id, from: session.mined, to, by, tries, asked }]
}

const OF_NO_SESSION = { session: '', from: 0, to: 0, by: null } as const

function rulesItem({ knowledge }: State): WorkItem[] {
  if (knowledge.candidates === '') return []
  const item: WorkItem = { kind: 'rules', name: knowledge.candidates, ...OF_NO_SESSION, tries: 0, asked: 0 }
  return [{ ...item, asked: knowledge.asked[workKey(item)] ?? 0 }]
}

/** Notes by structure that `forget` wrote in place of a model's. Only a background call rewrites them. */
function rewriteItems({ notesOwed }: State): WorkItem[] {
  return notesOwed.flatMap((name): WorkItem[] => {
    const range = parseDeltaId(name)
    if (range === null) return []
    return [
      { kind: 'note', name, ...OF_NO_SESSION, from: range.from, to: range.to, by: 'headless', tries: 0, asked: 0 },
    ]
  })
}

function summaryItems({ rotatedFiles }: State): WorkItem[] {
  return rotatedFiles
    .filter(({ summaryGenerated }) => !summaryGenerated)
    .map(({ file, tries = 0, asked = 0 }) => ({ kind: 'summary', name: file, ...OF_NO_SESSION, tries, asked }))
}
