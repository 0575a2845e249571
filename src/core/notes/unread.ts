/** Pieces that code noted in place of a model, because they were small or no model answered: a model reads them later. */

import { findSession, type State } from '../../kernel/memory/state.ts'
import { withCounts, withoutWork, withWork, workOf } from '../../kernel/memory/work.ts'
import { isWithin, newItem, type WorkItem } from '../../kernel/memory/work-item.ts'
import { type Delta, toTell } from '../../kernel/sessions/delta.ts'
import { tellingWords } from '../../kernel/text/words.ts'
import { isHostLine, type Numbered } from '../../kernel/transcript/session.ts'

/** The state is read by every hook. */
const MOST_UNREAD = 100

type Range = Pick<Delta, 'session' | 'from' | 'to'>

/** A person typed something in it, however short: "no, keep the old limit". Runs of programs are many, and nobody reads them. */
export function holdsWords(entries: readonly Numbered[]): boolean {
  return toTell(entries).some(({ entry }) => {
    if (entry.role !== 'user' || entry.sent === true || isHostLine(entry)) return false
    return (entry.by === 'user' || entry.via === 'queue') && tellingWords(entry.text).size > 0
  })
}

export function withUnread(state: State, { session, from, to }: Range): State {
  const item = newItem({ kind: 'read', about: session, from, to, by: 'headless' })
  return withinLimit(withWork(withCounts(state, item, null), [item]))
}

/** Of too many, those of imported sessions go first, then the oldest. */
function withinLimit(state: State): State {
  const unread = workOf(state, 'read')
  const surplus = unread.length - MOST_UNREAD
  if (surplus <= 0) return state
  // Without the settled ones: a hook has no time to read them.
  const isImported = ({ about }: WorkItem): boolean => {
    const [, session] = findSession({ sessions: state.sessions }, about) ?? []
    return session !== undefined && session.isLive !== true
  }
  const first = [...unread.filter(isImported), ...unread.filter((item) => !isImported(item))]
  const gone = new Set(first.slice(0, surplus))
  return withoutWork(state, (item) => gone.has(item))
}

/**
 * After a failed call the others come first. `isItsOwn`: the failure was about the piece, not about the way to the model. After two of
 * them its note stays by code.
 */
export function withFailedRead(state: State, item: WorkItem, isItsOwn: boolean): State {
  const without = withCounts(state, item, null)
  if (without.work.length === state.work.length || (isItsOwn && item.tries > 0)) return without
  return withWork(without, [{ ...item, tries: item.tries + Number(isItsOwn) }])
}

/** Without the pieces inside this range. */
export function withoutUnread(state: State, { session, from, to }: Range): State {
  return withoutWork(state, (item) => item.kind === 'read' && isWithin(item, { session, from, to }))
}

/** Where a piece begins for a model: with the unread pieces of its session that end where it begins, as long as `isTaken`. */
export function beginOf(state: State, { session, from }: Range, isTaken: (range: Range) => boolean): number {
  const item = workOf(state, 'read').find(({ about, to }) => about === session && to === from)
  const before = item && { session, from: item.from, to: item.to }
  return before === undefined || !isTaken(before) ? from : beginOf(state, before, isTaken)
}
