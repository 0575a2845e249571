/** One row of the team: what is sent of a memory, under which key, and the tokens by which the server finds it. */

import { otherUnits } from '../../core/others/documents.ts'
import { formatOthers, type OtherRow, parseOther } from '../../core/others/others.ts'
import { instantOr } from '../../core/others/share.ts'
import type { NewUnit } from '../../kernel/memory/document.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { stemOf } from '../../kernel/text/token.ts'
import { tokenise } from '../../kernel/text/words.ts'
import { MORE, TWICE } from './schema-1.ts'

/** As the server stores it. `body: null`: it was deleted. */
export interface SentRow {
  key: string
  body: string | null
  digest: string
  /** In the text form of a tsvector. */
  tokens: string
  length: number
}

/** Marks a key in the outbox that was deleted on the server. */
const DELETED = '-'
/** Never rules, pages or concepts; sessions are no rows at all. */
const SENT: ReadonlySet<string> = new Set(['decision', 'pattern', 'issue', 'note', 'stands'])
const COUNTED: ReadonlySet<string> = new Set(['decision', 'pattern', 'issue'])
const KEY_CHARS = 6
const PREFIX_CHARS = 2
/** PostgreSQL keeps no more positions of one lexeme. */
const MOST_TIMES = 255

export function isSent({ type }: Pick<OtherRow, 'type'>): boolean {
  return SENT.has(type)
}

/**
 * Facts are numbered in each memory for itself: two machines of one person may both have a d001. Where and when it was said makes the key
 * unique, and leaves it the same when the text is corrected or the memory is copied to another machine. Notes are named by their session.
 */
function keyOf({ id, type, about = '', at }: OtherRow): string {
  return COUNTED.has(type) ? `${id}-${fingerprint(`${about} ${at}`).slice(-KEY_CHARS)}` : id
}

export function sentRow(project: string, row: OtherRow): SentRow {
  return withTokens(project, row, bodyOf(row))
}

function bodyOf(row: OtherRow): string {
  const { who: _, ...rest } = row
  return JSON.stringify({ ...rest, id: keyOf(row) })
}

function withTokens(project: string, row: OtherRow, body: string): SentRow {
  return { key: keyOf(row), body, digest: fingerprint(body), ...lexemesOf(project, unitOfRow(row).text) }
}

/** Null: the server sent something that is no row. `arrived`: a time later than that has not come, and would lead, and outlive a `forget`, for ever. */
export function receivedRow(who: string, body: string, arrived: string): OtherRow | null {
  const row = parseOther({ ...parseObject(body), who })
  if (row === null || !isSent(row)) return null
  const latest = instantOr(arrived)
  return row.at > latest ? { ...row, at: latest } : row
}

/** Of two times: the server's clock is not believed either. */
export function earlier(a: string, b: string): string {
  return a < b ? a : b
}

/** A line of the mirror: the row, or that it is gone. */
export function mirrorLine(who: string, key: string, row: OtherRow | null): string {
  return row === null ? `${JSON.stringify({ who, id: key, gone: true })}\n` : formatOthers([row])
}

/** As the search index sees the row. */
export function unitOfRow(row: OtherRow): NewUnit {
  return otherUnits(formatOthers([row]))[0] ?? { id: `${row.who}:${row.id}`, kind: 'note', text: row.text }
}

/** Of the same project the same letters, so that the server's index holds a list of rows for each token and project. */
function prefixOf(project: string): string {
  const number = Number.parseInt(fingerprint(project).slice(-8), 16)
  return number.toString(36).padStart(PREFIX_CHARS, '0').slice(-PREFIX_CHARS)
}

export function lexemeOf(project: string, stem: number): string {
  return `${prefixOf(project)}${(stem >>> 6).toString(36)}`
}

function lexemesOf(project: string, text: string): { tokens: string; length: number } {
  const times = new Map<number, number>()
  const tokens = tokenise(text)
  for (const token of tokens) times.set(stemOf(token), (times.get(stemOf(token)) ?? 0) + 1)
  const prefix = prefixOf(project)
  const lexemes = [...times].map(([stem, count]) => {
    const lexeme = `${prefix}${(stem >>> 6).toString(36)}`
    // A lexeme without a place counts once.
    if (count === 1) return lexeme
    const places = Array.from({ length: Math.min(count, MOST_TIMES) }, (_, i) => i + 1).join()
    return `${lexeme}:${places} ${lexeme}${TWICE}${count === 2 ? '' : ` ${lexeme}${MORE}`}`
  })
  return { tokens: lexemes.join(' '), length: tokens.length }
}

/** What is to be sent: rows that are new or changed since they were sent, and keys that are gone. `sent`: by key, what the server has. */
export function waitingRows(
  project: string,
  wanted: readonly OtherRow[],
  sent: ReadonlyMap<string, string>,
): SentRow[] {
  // One statement must not name a key twice: of two rows the later one counts.
  const rows = new Map(wanted.map((row) => [keyOf(row), { row, body: bodyOf(row) }]))
  const gone = [...sent].filter(([key, digest]) => digest !== DELETED && !rows.has(key))
  const fresh = [...rows].filter(([key, { body }]) => sent.get(key) !== fingerprint(body))
  return [
    ...fresh.map(([, { row, body }]) => withTokens(project, row, body)),
    ...gone.map(([key]) => ({ key, body: null, digest: DELETED, tokens: '', length: 0 })),
  ]
}
