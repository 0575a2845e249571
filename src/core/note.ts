/** A note: the dated paragraph about one delta, as it stands in memory.md. */
import { formatBothTimes } from './time.ts'

export type Author = 'agent' | 'headless' | 'extractive' | 'user'

/** Stands beside what Claude saved by itself wherever it is told: it is nobody else's word. */
export const BY_CLAUDE = 'by Claude'

/** How the id of a note begins that Claude wrote about no session, as people write their own. Notes that were imported have other ids. */
export const CLAUDES_ID = 'n-claude-'

export function isClaudesOwn({ author, id }: Pick<Note, 'author' | 'id'>): boolean {
  return author === 'agent' && id.startsWith(CLAUDES_ID)
}

export interface Note {
  /** `n-<delta id>` for a note about a delta, `n-<stamp>-<mark>` for a person's own, `n-claude-<stamp>-<mark>` for Claude's own. */
  id: string
  /** When it was written; UTC. */
  at: string
  /** The session's id8; null: about no session. */
  session: string | null
  /** Entries told: from, up to and not including. */
  from: number
  to: number
  author: Author
  text: string
}

/** One piece of memory.md as it stands there: a note of ours, or whatever somebody wrote between. */
export interface Block {
  raw: string
  /** Null: written by hand or by an earlier version. */
  note: Note | null
}

/** The comment is the record that this range is told: state is repaired from it. */
const COMMENT = /^<!-- note (\S+)(?: session=(\S+) entries=(\d+)-(\d+))? author=(\w+) at=(\S+) -->$/m
const AUTHORS: ReadonlySet<string> = new Set(['agent', 'headless', 'extractive', 'user'])

/** Two line breaks behind it: notes stand apart, and the file always ends with a whole note. */
export function formatNote(note: Note, timezone: string): string {
  const range = note.session === null ? '' : ` session=${note.session} entries=${note.from}-${note.to}`
  return [
    `## ${formatBothTimes(note.at, timezone)}`,
    `<!-- note ${note.id}${range} author=${note.author} at=${note.at} -->`,
    harmless(note.text),
    '',
    '',
  ].join('\n')
}

/** The pieces of memory.md, one after the other: joined again they are the same text, byte for byte. */
export function parseMemory(text: string): Block[] {
  const starts = [...text.matchAll(/^## /gm)].map((match) => match.index)
  const cuts = starts[0] === 0 ? starts : [0, ...starts]
  return cuts
    .map((from, i) => text.slice(from, cuts[i + 1] ?? text.length))
    .filter((raw) => raw !== '')
    .map((raw) => ({ raw, note: parseNote(raw) }))
}

/** The notes of memory.md, oldest first. */
export function notesIn(text: string): Note[] {
  return parseMemory(text).flatMap(({ note }) => (note === null ? [] : [note]))
}

function parseNote(raw: string): Note | null {
  const match = COMMENT.exec(raw)
  if (match === null) return null
  const [comment, id = '', session = null, from = '0', to = '0', author = '', at = ''] = match
  if (!AUTHORS.has(author)) return null
  return {
    id,
    at,
    session,
    from: Number(from),
    to: Number(to),
    author: author as Author,
    text: raw.slice(match.index + comment.length).trim(),
  }
}

/** A note cannot begin another one, nor carry a record of its own. */
function harmless(text: string): string {
  return text
    .trim()
    .replace(/^(#{1,6}) /gm, (_, marks: string) => `${marks.replace(/#/g, '\\#')} `)
    .replace(/<!--|-->/g, (mark) => (mark === '<!--' ? '<! --' : '-- >'))
}
