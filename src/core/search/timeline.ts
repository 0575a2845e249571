/** What happened when, one line each: sessions, prompts, notes, decisions, issues, commits. */

import type { NamedAuthor } from '../../kernel/memory/document.ts'
import { BY_CLAUDE, isClaudesOwn, type Note } from '../../kernel/memory/note.ts'
import { goalOf } from '../../kernel/sessions/session-row.ts'
import { compareText, shortenTo, visibleLine } from '../../kernel/text/memory-words.ts'
import { type Entry, entryId, isHostLine, type Tombstone, whyNotUsers } from '../../kernel/transcript/session.ts'
import { commitsIn } from '../../kernel/transcript/shell.ts'
import { withoutHostText } from '../../kernel/transcript/words.ts'
import { authorOfFact, isClaudes } from '../knowledge/item.ts'
import { allFacts, type Items } from '../knowledge/items.ts'
import { authorNamed } from '../receipts/authored-line.ts'

/** If not all fit, the first kinds are kept. */
const RANKS = ['session', 'decision', 'commit', 'issue', 'note', 'prompt'] as const

export interface RowOfTimeline {
  id: string
  at: string
  kind: (typeof RANKS)[number]
  /** Whose words it is. */
  by: NamedAuthor
  /** One harmless line. */
  text: string
}

export interface Window {
  /** Milliseconds since 1970; `to` is exclusive. */
  from: number
  to: number
  /** If not all fit, rows nearest to this instant are kept; null: the most important ones, then the latest. */
  centre: number | null
  limit: number
}

const MAX_TEXT_CHARS = 160
/** Only this much of a long prompt or note is read. */
const LOOKED_AT = 2_000

/** The session by what it was about, its other prompts, and its commits. */
export function rowsOfSession(id8: string, entries: readonly (Entry | Tombstone)[]): RowOfTimeline[] {
  const present = entries.filter((entry): entry is Entry => entry.role !== 'tombstone')
  const [first] = present
  if (first === undefined) return []
  const session = row(id8, first.ts, 'session', goalOf(present), 'code')
  const rows = entries.flatMap((entry, n) => rowsOfEntry(entryId(id8, n), entry))
  return [session, ...rows.filter(({ kind, text }) => kind !== 'prompt' || text !== session.text)]
}

function rowsOfEntry(id: string, entry: Entry | Tombstone): RowOfTimeline[] {
  if (isHostLine(entry)) return []
  if (entry.role === 'user' && !/^\/(?:memory-keeper:|clear\b|compact\b|exit\b)/.test(entry.text))
    return [
      row(
        id,
        entry.ts,
        'prompt',
        withoutHostText(entry.text),
        whyNotUsers(entry) === '' ? 'the user' : 'author unknown',
      ),
    ]
  if (entry.role === 'tool' && entry.name === 'Bash' && entry.ok === true)
    return commitsIn(entry.cmd).map((message) => row(id, entry.ts, 'commit', message, 'from git'))
  return []
}

export function rowsOfNotes(notes: readonly Note[]): RowOfTimeline[] {
  return notes.map((note) =>
    row(note.id, note.at, 'note', named(isClaudesOwn(note), note.text), authorNamed(note.author)),
  )
}

/** Patterns have no time of their own. */
export function rowsOfFacts(items: Items): RowOfTimeline[] {
  return allFacts(items).flatMap((fact) => {
    const { id, at, kind, text, status, state } = fact
    if (kind === 'pattern' || state === 'rejected') return []
    const words = status === 'resolved' ? `${text} (resolved)` : text
    return [row(id, at, kind, named(isClaudes(fact), words), authorOfFact(fact))]
  })
}

/** At the beginning, because long texts are cut at the end. */
function named(isByClaude: boolean, text: string): string {
  return isByClaude ? `(${BY_CLAUDE}) ${text}` : text
}

function row(id: string, at: string, kind: RowOfTimeline['kind'], text: string, by: NamedAuthor): RowOfTimeline {
  const line = visibleLine(text.slice(0, LOOKED_AT))
  // A script without spaces, or a very long word, is cut anywhere.
  const short =
    shortenTo(line, MAX_TEXT_CHARS) ??
    `${Array.from(line)
      .slice(0, MAX_TEXT_CHARS / 2)
      .join('')}…`
  return { id, at, kind, by, text: short }
}

/** Oldest first; `left`: how many rows of the window are left out. */
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
