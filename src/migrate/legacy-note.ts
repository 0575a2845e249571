/** Notes of earlier versions (v13 and before) → notes of ours: the same words, times in UTC, a record below the date. */

import { type NoteBlock, parseMemory } from '../memory/note.ts'
import { formatBothTimes, formatStamp } from '../platform/time.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Dated, datedAt, type LegacyWhen } from './legacy-time.ts'

/** `times`: only the headings, as `migrate-timezone` did. */
export type NoteWork = 'all' | 'times'

/**
 * A memory or archive with its notes as ours. What carries a record of ours, and what nobody dated, stays byte for byte;
 * a second time changes nothing.
 */
export function convertNotes(text: string, timezone: string, work: NoteWork = 'all'): string {
  return parseMemory(withLineBreaks(text))
    .map((block) => convertBlock(block, timezone, work))
    .join('')
}

/** How many dated notes a text has that are not ours yet. */
export function countLegacyNotes(text: string, timezone: string): number {
  return parseMemory(withLineBreaks(text)).filter(({ raw, note }) => note === null && headOf(raw, timezone) !== null)
    .length
}

/** A note with its record; not a byte of its body changes. */
export function renderLegacyNote(when: LegacyWhen, body: string, timezone: string): string {
  const id = `n-${formatStamp(when.at)}-${fingerprint(body.trim()).slice(0, 6)}`
  const comment = `<!-- note ${id} author=agent at=${when.at} -->`
  return `## ${headingOf(when, timezone)}\n${comment}\n${body}${body.endsWith('\n') ? '' : '\n\n'}`
}

/**
 * Blocks of more than so many tokens in several, each below a heading of its own: rotation moves whole blocks only. The
 * words stay as they are, in their order.
 */
export function cutLongBlocks(text: string, maxTokens: number): string {
  return parseMemory(text)
    .map(({ raw, note }) => (estimateTokens(raw) <= maxTokens ? raw : cutBlock(raw, note, maxTokens)))
    .join('')
}

/** Shells that took the escapes of another one left them in the text, together with echo's own option. */
function withLineBreaks(text: string): string {
  return text.replace(/(^|\n|\\n)(?:-e )?\\n(## \d{4}-\d\d-\d\d[^\\\n]*)\\n/g, '$1\n$2\n')
}

function convertBlock({ raw, note }: NoteBlock, timezone: string, work: NoteWork): string {
  const head = note === null ? headOf(raw, timezone) : null
  if (head === null) return raw
  const { when, rest, body } = head
  if (work === 'all') return renderLegacyNote(when, rest === '' ? body : `${rest}\n\n${body}`, timezone)
  if (when.isZoned || when.is === 'day') return raw
  return `## ${headingOf(when, timezone)}${rest === '' ? '' : ` ${rest}`}\n${body}`
}

/** Null: its heading begins with no time. */
function headOf(raw: string, timezone: string): (Dated & { body: string }) | null {
  if (!raw.startsWith('## ')) return null
  const end = raw.indexOf('\n')
  const line = end < 0 ? raw.slice(3) : raw.slice(3, end)
  const dated = datedAt(line.trim(), timezone)
  return dated === null ? null : { ...dated, body: end < 0 ? '' : raw.slice(end + 1) }
}

/** Of a day nobody knows the hour of, only the day is told. */
function headingOf({ at, is }: LegacyWhen, timezone: string): string {
  const both = formatBothTimes(at, timezone)
  return is === 'time' ? both : (/\((\d{4}-\d\d-\d\d)/.exec(both)?.[1] ?? at.slice(0, 10))
}

function cutBlock(raw: string, note: NoteBlock['note'], maxTokens: number): string {
  const end = raw.startsWith('## ') ? raw.indexOf('\n') + 1 : 0
  const commentEnd = note === null ? end : raw.indexOf('-->', end) + '-->\n'.length
  const heading = end === 0 ? '## Memory\n' : raw.slice(0, end)
  const pieces = piecesOf(raw.slice(commentEnd), maxTokens * 0.9)
  return pieces
    .map((piece, i) => (i === 0 ? raw.slice(0, commentEnd) : partHead(heading, note, i + 1)) + piece)
    .join('')
}

function partHead(heading: string, note: NoteBlock['note'], part: number): string {
  const title = `${heading.trimEnd()} part ${part}\n`
  return note === null
    ? title
    : `${heading.trimEnd()}\n<!-- note ${note.id}-${part} author=${note.author} at=${note.at} -->\n`
}

/** At paragraphs, else at lines, else anywhere: joined again they are the same text, but for line breaks at the cuts. */
function piecesOf(text: string, maxTokens: number): string[] {
  for (const border of [/(?<=\n\s*\n)/, /(?<=\n)/, /(?<=[.!?。]\s)/, /(?<=\s)/]) {
    const parts = text.split(border)
    if (parts.every((part) => estimateTokens(part) <= maxTokens)) return joinUpTo(parts, maxTokens)
  }
  return joinUpTo(text.match(/[\s\S]{1,2000}/gu) ?? [], maxTokens)
}

function joinUpTo(parts: readonly string[], maxTokens: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let tokens = 0
  for (const part of parts) {
    const more = estimateTokens(part)
    if (piece !== '' && tokens + more > maxTokens) {
      pieces.push(piece.endsWith('\n') ? piece : `${piece}\n`)
      piece = ''
      tokens = 0
    }
    piece += part
    tokens += more
  }
  return piece === '' ? pieces : [...pieces, piece]
}
