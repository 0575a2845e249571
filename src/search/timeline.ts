/** What happened when, one line each: sessions, prompts, notes, decisions, issues, commits. */

import type { Facts } from '../knowledge/fact.ts'
import { isClaudes } from '../knowledge/fact-list.ts'
import { BY_CLAUDE, isClaudesOwn, type Note } from '../memory/note.ts'
import { compareText, shortenTo, textOnOneLine } from '../text/memory-words.ts'
import { type Entry, entryId, type Tombstone } from '../transcript/session.ts'
import { commitsIn } from '../transcript/shell.ts'

/** The first ones are kept when not all fit. */
const RANKS = ['session', 'decision', 'commit', 'issue', 'note', 'prompt'] as const

export interface RowOfTimeline {
  id: string
  at: string
  kind: (typeof RANKS)[number]
  /** One line, harmless. */
  text: string
}

export interface Window {
  /** From, up to and not including; milliseconds since 1970. */
  from: number
  to: number
  /** Rows nearest to this instant are kept when not all fit; null: the most telling ones, then the latest. */
  centre: number | null
  limit: number
}

const MAX_TEXT_CHARS = 160
/** A long prompt or note is not looked at beyond this. */
const LOOKED_AT = 2_000

/** The session by its first request, its other prompts, and the commits it made. */
export function rowsOfSession(id8: string, entries: readonly (Entry | Tombstone)[]): RowOfTimeline[] {
  const rows = entries.flatMap((entry, n) => rowsOfEntry(entryId(id8, n), entry))
  const asked = rows.findIndex(({ kind }) => kind === 'prompt')
  const goal = rows[asked]
  const first = entries.find((entry): entry is Entry => entry.role !== 'tombstone')
  if (goal === undefined) return first === undefined ? rows : [{ ...sessionRow(id8, first.ts, '') }, ...rows]
  return [sessionRow(id8, goal.at, goal.text), ...rows.filter((_, i) => i !== asked)]
}

function sessionRow(id8: string, at: string, text: string): RowOfTimeline {
  return { id: id8, at, kind: 'session', text }
}

function rowsOfEntry(id: string, entry: Entry | Tombstone): RowOfTimeline[] {
  if (entry.role === 'user' && !/^\/(?:memory-keeper:|clear\b|compact\b|exit\b)/.test(entry.text))
    return [row(id, entry.ts, 'prompt', entry.text)]
  if (entry.role === 'tool' && entry.name === 'Bash' && entry.ok === true)
    return commitsIn(entry.cmd).map((message) => row(id, entry.ts, 'commit', message))
  return []
}

export function rowsOfNotes(notes: readonly Note[]): RowOfTimeline[] {
  return notes.map((note) => row(note.id, note.at, 'note', named(isClaudesOwn(note), note.text)))
}

/** Patterns have no moment of their own. */
export function rowsOfFacts({ decisions, issues }: Facts): RowOfTimeline[] {
  return [...decisions, ...issues].flatMap((fact) => {
    const { id, at, type, text, status, state } = fact
    if (type === 'pattern' || state === 'rejected') return []
    const words = status === 'resolved' ? `${text} (resolved)` : text
    return [row(id, at, type, named(isClaudes(fact), words))]
  })
}

/** In front: what is long is cut at its end. */
function named(isByClaude: boolean, text: string): string {
  return isByClaude ? `(${BY_CLAUDE}) ${text}` : text
}

function row(id: string, at: string, kind: RowOfTimeline['kind'], text: string): RowOfTimeline {
  const line = textOnOneLine(text.slice(0, LOOKED_AT))
  // A script without spaces and a word without end are cut where they are.
  const short =
    shortenTo(line, MAX_TEXT_CHARS) ??
    `${Array.from(line)
      .slice(0, MAX_TEXT_CHARS / 2)
      .join('')}…`
  return { id, at, kind, text: short }
}

/** In the order of time, oldest first; `left`: how many of the window are not among them. */
export function chooseRows(
  all: readonly RowOfTimeline[],
  { from, to, centre, limit }: Window,
): { rows: RowOfTimeline[]; left: number } {
  const inside = all
    .map((one, place) => ({ one, place, time: Date.parse(one.at) }))
    .filter(({ time }) => time >= from && time < to)
  const kept = inside
    .toSorted((a, b) =>
      centre === null
        ? RANKS.indexOf(a.one.kind) - RANKS.indexOf(b.one.kind) || b.time - a.time
        : Math.abs(a.time - centre) - Math.abs(b.time - centre),
    )
    .slice(0, limit)
    .toSorted((a, b) => a.time - b.time || compareText(a.one.at, b.one.at) || a.place - b.place)
  return { rows: kept.map(({ one }) => one), left: inside.length - kept.length }
}
