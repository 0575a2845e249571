/** A note: the dated paragraph about one delta, as it stands in memory.md. */

import { formatBothTimes } from '../platform/time.ts'
import { fingerprintOfWords } from '../text/fingerprint.ts'

export type NoteAuthor = 'agent' | 'headless' | 'extractive' | 'user'

/** Stands beside what Claude saved by itself wherever it is told: it is nobody else's word. */
export const BY_CLAUDE = 'by Claude'

/** How the id of a note begins that Claude wrote about no session, as people write their own. Notes that were imported have other ids. */
export const CLAUDES_ID = 'n-claude-'

/** Stands for the id of what somebody wrote into memory.md by hand. */
const BY_HAND = 'by hand'

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
  author: NoteAuthor
  /** Of the text as code wrote it. Missing: somebody else wrote it, or a version before 0.6. */
  fingerprint?: string
  /** A model wrote it and no audit has confirmed it yet: search finds it, nothing injects it. Its heading says so. */
  unaudited?: true
  text: string
}

/** Whether a note may be injected into a session. */
export function isToldNote({ unaudited }: Pick<Note, 'unaudited'>): boolean {
  return unaudited !== true
}

/** One piece of memory.md as it stands there: a note of ours, or whatever somebody wrote between. */
export interface NoteBlock {
  raw: string
  /** Null: written by hand or by an earlier version. */
  note: Note | null
}

/** What the comment of a note says. */
export type NoteRecord = Omit<Note, 'text' | 'unaudited'>

/** The comment is the record that this range is told: state is repaired from it. */
const COMMENT =
  /^<!-- note (\S+)(?: session=(\S+) entries=(\d+)-(\d+)(?: fingerprint=([0-9a-f]{8}))?)? author=(\w+) at=(\S+) -->$/m
const EVERY_COMMENT = new RegExp(COMMENT, 'gm')
const AUTHORS: ReadonlySet<string> = new Set(['agent', 'headless', 'extractive', 'user'])
/** In the heading, not in the comment: no version parses the heading of a note, and a person sees it. */
const UNAUDITED = ' unaudited'

/** Two line breaks behind it: notes stand apart, and the file always ends with a whole note. */
export function formatNote(note: Note, timezone: string): string {
  const heading = `## ${formatBothTimes(note.at, timezone)}${note.unaudited === true ? UNAUDITED : ''}`
  return [heading, formatRecord(note), harmless(note.text), '', ''].join('\n')
}

function formatRecord({ id, at, session, from, to, author, fingerprint }: NoteRecord): string {
  const print = author === 'extractive' && fingerprint !== undefined ? ` fingerprint=${fingerprint}` : ''
  const range = session === null ? '' : ` session=${session} entries=${from}-${to}${print}`
  return `<!-- note ${id}${range} author=${author} at=${at} -->`
}

/** A text with other records; `behind` each of them comes a line. Everything else stays byte for byte. */
export function changeRecords(text: string, change: (record: NoteRecord) => NoteRecord, behind = ''): string {
  return text.replace(EVERY_COMMENT, (comment, ...groups: (string | undefined)[]) => {
    const record = recordOf([comment, ...groups])
    return record === null ? comment : formatRecord(change(record)) + behind
  })
}

/** A note that code made of these words. */
export function madeByCode({ unaudited: _, ...note }: Note): Note {
  return { ...note, author: 'extractive', fingerprint: fingerprintOfNote(note.text) }
}

/** Of the words, not of the spaces between them: an editor may wrap lines. */
export function fingerprintOfNote(text: string): string {
  return fingerprintOfWords(harmless(text)).slice(-8)
}

/** The pieces of memory.md, one after the other: joined again they are the same text, byte for byte. */
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

/** The same, and what somebody wrote between the notes by hand: told like a note of the user's. */
export function writtenIn(text: string): Note[] {
  let before = ''
  return parseMemory(text).flatMap(({ raw, note }) => {
    before = note?.at ?? before
    if (note !== null) return [note]
    const at = /^## .*?(\d{4}-\d\d-\d\d)/.exec(raw)?.[1] ?? before
    const words = raw
      .replace(/<!--[\s\S]*?-->/g, '')
      .replace(/^(?:\ufeff?# .*|## )/, '')
      .trim()
    return words === '' ? [] : [{ id: BY_HAND, at, session: null, from: 0, to: 0, author: 'user', text: words }]
  })
}

function parseNote(raw: string): Note | null {
  const match = COMMENT.exec(raw)
  const record = match === null ? null : recordOf(match)
  if (match === null || record === null) return null
  const mark = raw.slice(0, raw.indexOf('\n')).trimEnd().endsWith(UNAUDITED) ? { unaudited: true as const } : {}
  return { ...record, ...mark, text: raw.slice(match.index + match[0].length).trim() }
}

/** Null: no author that writes notes. */
function recordOf(match: readonly (string | undefined)[]): NoteRecord | null {
  const [, id = '', session = null, from = '0', to = '0', fingerprint, author = '', at = ''] = match
  if (!AUTHORS.has(author)) return null
  const print = fingerprint === undefined ? {} : { fingerprint }
  return { id, at, session, from: Number(from), to: Number(to), author: author as NoteAuthor, ...print }
}

/** A note cannot begin another one, nor carry a record of its own. */
function harmless(text: string): string {
  return text
    .trim()
    .replace(/^(#{1,6}) /gm, (_, marks: string) => `${marks.replace(/#/g, '\\#')} `)
    .replace(/<!--|-->/g, (mark) => (mark === '<!--' ? '<! --' : '-- >'))
}
