/** Pieces that code noted in place of a model, because they were small or no model answered: a model reads them later. */

import type { State } from '../memory/state.ts'
import { type Delta, deltaId, parseDeltaId, toTell } from '../sessions/delta.ts'
import { tellingWords } from '../text/words.ts'
import { isHostLine, type Numbered } from '../transcript/session.ts'

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
  const name = deltaId(session, from, to)
  return { ...state, unread: [...state.unread.filter((one) => one !== name), name].slice(-MOST_UNREAD) }
}

/** Without the pieces inside this range. */
export function withoutUnread(state: State, { session, from, to }: Range): State {
  const unread = state.unread.filter((name) => {
    const range = parseDeltaId(name)
    return range === null || range.session !== session || range.from < from || range.to > to
  })
  return unread.length === state.unread.length ? state : { ...state, unread }
}

/** Where a piece begins for a model: with the unread pieces of its session that end where it begins, as long as `isTaken`. */
export function beginOf(
  { unread }: Pick<State, 'unread'>,
  { session, from }: Range,
  isTaken: (range: Range) => boolean,
): number {
  const ranges = unread.flatMap((name) => parseDeltaId(name) ?? [])
  const before = ranges.find((range) => range.session === session && range.to === from)
  return before === undefined || !isTaken(before) ? from : beginOf({ unread }, before, isTaken)
}
