/** Pieces that code noted in place of a model, because they were small or no model answered: a model reads them later. */

import { allSessions, type State } from '../../kernel/memory/state.ts'
import { id8OfFile } from '../../kernel/platform/layout.ts'
import { type Delta, deltaId, parseDeltaId, toTell } from '../../kernel/sessions/delta.ts'
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
  const name = deltaId(session, from, to)
  return withRanges(state, withinLimit(state, [...state.unread.filter((one) => one !== name), name]))
}

/** Of too many, those of imported sessions go first, then the oldest. */
function withinLimit({ sessions }: State, unread: string[]): string[] {
  const surplus = unread.length - MOST_UNREAD
  if (surplus <= 0) return unread
  // Without the settled ones: a hook has no time to read them.
  const live = new Map(allSessions({ sessions }).map(([, { file, isLive }]) => [id8OfFile(file), isLive === true]))
  const isImported = (name: string): boolean => live.get(parseDeltaId(name)?.session ?? '') === false
  const first = [...unread.filter(isImported), ...unread.filter((name) => !isImported(name))]
  const gone = new Set(first.slice(0, surplus))
  return unread.filter((name) => !gone.has(name))
}

function withRanges(state: State, unread: string[]): State {
  const unreadFailed = state.unreadFailed.filter((name) => unread.includes(name))
  return { ...state, unread, unreadFailed }
}

/**
 * After a failed call the others come first. `isItsOwn`: the failure was about the piece, not about the way to the model. After two of
 * them its note stays by code.
 */
export function withFailedRead(state: State, name: string, isItsOwn: boolean): State {
  if (!state.unread.includes(name)) return state
  const others = state.unread.filter((one) => one !== name)
  if (isItsOwn && state.unreadFailed.includes(name)) return withRanges(state, others)
  const after = withRanges(state, [...others, name])
  return isItsOwn ? { ...after, unreadFailed: [...after.unreadFailed, name] } : after
}

/** Without the pieces inside this range. */
export function withoutUnread(state: State, { session, from, to }: Range): State {
  const unread = state.unread.filter((name) => {
    const range = parseDeltaId(name)
    return range === null || range.session !== session || range.from < from || range.to > to
  })
  return unread.length === state.unread.length ? state : withRanges(state, unread)
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
