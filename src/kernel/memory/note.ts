/** A note: the dated paragraph about one delta, as written in memory.md. */

import { formatBothTimes } from '../platform/time.ts'
import { fingerprintOfWords } from '../text/fingerprint.ts'
import { escapedComments } from '../text/shorten.ts'
import { type EarlierSection, earlierSectionsIn } from './earlier-sections.ts'

/** `unknown`: lines that stood in a file of ours, of which nothing says who wrote them. */
export type NoteAuthor = 'agent' | 'headless' | 'extractive' | 'user' | 'unknown'

/** Shown beside everything that Claude saved on its own, so that it is not taken for the user's words. */
export const BY_CLAUDE = 'by Claude'

/** The prefix of the id of a note that Claude wrote about no session. Imported notes have other ids. */
export const CLAUDES_ID = 'n-claude-'

/** Used as the id of text that a person wrote into memory.md. */
const BY_HAND = 'by hand'

/** The same for what Claude wrote there with v3 or v4. */
const BY_EARLIER = 'earlier version'

export function isClaudesOwn({ author, id }: Pick<Note, 'author' | 'id'>): boolean {
  return author === 'agent' && id.startsWith(CLAUDES_ID)
}

export interface Note {
  /** `n-<delta id>` for a note about a delta, `n-<stamp>-<mark>` for a person's own, `n-claude-<stamp>-<mark>` for Claude's own. */
  id: string
  /** The time of writing, in UTC. */
  at: string
  /** The session's id8; null: about no session. */
  session: string | null
  /** The range of entries that the note covers; `to` is exclusive. */
  from: number
  to: number
  author: NoteAuthor
  /** The fingerprint of the text that code wrote. Missing: not written by code, or by a version before 0.6. */
  fingerprint?: string
  /** A model wrote it and no audit has confirmed it yet: search finds it, but it is not injected. Its heading is marked. */
  unaudited?: true
  text: string
}

/** Whether a note may be injected into a session. */
export function isToldNote({ unaudited }: Pick<Note, 'unaudited'>): boolean {
  return unaudited !== true
}

/** One piece of memory.md: a note of ours, or text that a person wrote between notes. */
export interface NoteBlock {
  raw: string
  /** Null: written by hand or by an earlier version. */
  note: Note | null
}

/** The data in the comment of a note. */
export type NoteRecord = Omit<Note, 'text' | 'unaudited'>

/** The comment records that this range is noted: the state is repaired from it. */
const COMMENT =
  /^<!-- note (\S+)(?: session=(\S+) entries=(\d+)-(\d+)(?: fingerprint=([0-9a-f]{8}))?)? author=(\w+) at=(\S+) -->$/m
const EVERY_COMMENT = new RegExp(COMMENT, 'gm')
const AUTHORS: ReadonlySet<string> = new Set(['agent', 'headless', 'extractive', 'user', 'unknown'])
/** In the heading, not in the comment: no version parses the heading of a note, and a person sees it. */
const UNAUDITED = ' unaudited'

/** Two line breaks follow: they separate notes, and the file always ends with a complete note. */
export function formatNote(note: Note, timezone: string): string {
  const heading = `## ${formatBothTimes(note.at, timezone)}${note.unaudited === true ? UNAUDITED : ''}`
  return [heading, formatRecord(note), harmless(note.text), '', ''].join('\n')
}

function formatRecord({ id, at, session, from, to, author, fingerprint }: NoteRecord): string {
  const print = author === 'extractive' && fingerprint !== undefined ? ` fingerprint=${fingerprint}` : ''
  const range = session === null ? '' : ` session=${session} entries=${from}-${to}${print}`
  return `<!-- note ${id}${range} author=${author} at=${at} -->`
}

/** Changes the records in a text and inserts `behind` after each. Everything else stays byte for byte. */
export function changeRecords(text: string, change: (record: NoteRecord) => NoteRecord, behind = ''): string {
  return text.replace(EVERY_COMMENT, (comment, ...groups: (string | undefined)[]) => {
    const record = recordOf([comment, ...groups])
    return record === null ? comment : formatRecord(change(record)) + behind
  })
}

/** The note, marked as written by code. */
export function madeByCode({ unaudited: _, ...note }: Note): Note {
  return { ...note, author: 'extractive', fingerprint: fingerprintOfNote(note.text) }
}

/** Ignores white space: an editor may wrap lines. */
export function fingerprintOfNote(text: string): string {
  return fingerprintOfWords(harmless(text)).slice(-8)
}

/** Splits memory.md into pieces; joined again they are the same text, byte for byte. */
export function parseMemory(text: string): NoteBlock[] {
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

/** `raw`: a text that is no note of ours, with its heading. `section`: which one of v3 and v4 it is. */
export type WrittenNote = Note & { section?: EarlierSection; raw?: string }

/**
 * The notes, and the text that a person wrote between them, which counts as a note of the user; the sections of v3 and v4 are Claude's.
 * `since`: the time of the note before.
 */
export function writtenIn(text: string, since = ''): WrittenNote[] {
  let before = since
  const blocks = parseMemory(text)
  const sections = earlierSectionsIn(blocks)
  return blocks.flatMap((block): WrittenNote[] => {
    const { raw, note } = block
    before = note?.at ?? before
    if (note !== null) return [note]
    const section = sections.get(block)
    const at = /^## .*?(\d{4}-\d\d-\d\d)/.exec(raw)?.[1] ?? before
    const words = raw
      .replace(/<!--[\s\S]*?-->/g, '')
      .replace(/^(?:\ufeff?# .*|## )/, '')
      .trim()
    if (words === '') return []
    const about = { session: null, from: 0, to: 0, text: words, raw }
    // When the sections were written stands in them, if anywhere.
    if (section !== undefined) return [{ id: BY_EARLIER, at: '', ...about, author: 'agent', section }]
    return [{ id: BY_HAND, at, ...about, author: 'user' }]
  })
}

function parseNote(raw: string): Note | null {
  const match = COMMENT.exec(raw)
  const record = match === null ? null : recordOf(match)
  if (match === null || record === null) return null
  const mark = raw.slice(0, raw.indexOf('\n')).trimEnd().endsWith(UNAUDITED) ? { unaudited: true as const } : {}
  return { ...record, ...mark, text: raw.slice(match.index + match[0].length).trim() }
}

/** Null: unknown author. */
function recordOf(match: readonly (string | undefined)[]): NoteRecord | null {
  const [, id = '', session = null, from = '0', to = '0', fingerprint, author = '', at = ''] = match
  if (!AUTHORS.has(author)) return null
  const print = fingerprint === undefined ? {} : { fingerprint }
  return { id, at, session, from: Number(from), to: Number(to), author: author as NoteAuthor, ...print }
}

/** Escapes headings and comments, so that a note's text cannot begin another note or contain a record. */
function harmless(text: string): string {
  const plain = text.trim().replace(/^(#{1,6}) /gm, (_, marks: string) => `${marks.replace(/#/g, '\\#')} `)
  return escapedComments(plain)
}
