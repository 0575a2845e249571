/** One row of the team: its text, its key, and the tokens by which the server finds it. */

import { FACT_KIND_NAMES, FACT_KINDS } from '../../core/knowledge/item.ts'
import { otherUnits } from '../../core/others/documents.ts'
import { formatOthers, type OtherRow, parseOther } from '../../core/others/others.ts'
import { instantOr } from '../../core/others/share.ts'
import type { NewUnit } from '../../kernel/memory/document.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { stemOf } from '../../kernel/text/token.ts'
import { tokenise } from '../../kernel/text/words.ts'
import { MORE, TWICE } from './schema-1.ts'

/** A row as the server stores it. `body: null`: the row was deleted. */
export interface SentRow {
  key: string
  body: string | null
  digest: string
  /** The tokens in the text form of a tsvector. */
  tokens: string
  length: number
}

/** In the outbox: this key was deleted on the server. */
const DELETED = '-'
/** The types that are sent: never rules, pages or concepts. */
const SENT: ReadonlySet<string> = new Set([...FACT_KIND_NAMES, 'note', 'stands'])
const KEY_CHARS = 6
const PREFIX_CHARS = 2
/** PostgreSQL keeps at most so many positions of one lexeme. */
const MOST_TIMES = 255

export function isSent({ type }: Pick<OtherRow, 'type'>): boolean {
  return SENT.has(type)
}

/**
 * Each memory numbers its own facts: two machines of one person may both have a d001. The place and time at which a fact was said make its
 * key unique; they stay the same when its text is corrected or the memory is copied to another machine. The id of a note contains its session.
 */
function keyOf({ id, type, about = '', at }: OtherRow): string {
  return type in FACT_KINDS ? `${id}-${fingerprint(`${about} ${at}`).slice(-KEY_CHARS)}` : id
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

/** Null: the server sent something else than a row. A time later than `arrived` is replaced by it: a row from the future would come first for ever and outlive a `forget`. */
export function receivedRow(who: string, body: string, arrived: string): OtherRow | null {
  const row = parseOther({ ...parseObject(body), who })
  if (row === null || !isSent(row)) return null
  const latest = instantOr(arrived)
  return row.at > latest ? { ...row, at: latest } : row
}

/** The earlier of two times: we do not trust the server's clock either. */
export function earlier(a: string, b: string): string {
  return a < b ? a : b
}

/** A line of the mirror: the row, or the mark that it was deleted. */
export function mirrorLine(who: string, key: string, row: OtherRow | null): string {
  return row === null ? `${JSON.stringify({ who, id: key, gone: true })}\n` : formatOthers([row])
}

/** The row as the search index reads it. */
export function unitOfRow(row: OtherRow): NewUnit {
  return otherUnits(formatOthers([row]))[0] ?? { id: `${row.who}:${row.id}`, kind: 'note', text: row.text }
}

/** The same letters for the same project: the server's index then has a list of rows for each token and project. */
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
    // A lexeme without a position counts once.
    if (count === 1) return lexeme
    const places = Array.from({ length: Math.min(count, MOST_TIMES) }, (_, i) => i + 1).join()
    return `${lexeme}:${places} ${lexeme}${TWICE}${count === 2 ? '' : ` ${lexeme}${MORE}`}`
  })
  return { tokens: lexemes.join(' '), length: tokens.length }
}

/** The rows to send: new ones, changed ones, and deletions. `sent`: the digests that the server has, by key. */
export function waitingRows(
  project: string,
  wanted: readonly OtherRow[],
  sent: ReadonlyMap<string, string>,
): SentRow[] {
  // One statement must not name a key twice: the later row counts.
  const rows = new Map(wanted.map((row) => [keyOf(row), { row, body: bodyOf(row) }]))
  const gone = [...sent].filter(([key, digest]) => digest !== DELETED && !rows.has(key))
  const fresh = [...rows].filter(([key, { body }]) => sent.get(key) !== fingerprint(body))
  return [
    ...fresh.map(([, { row, body }]) => withTokens(project, row, body)),
    ...gone.map(([key]) => ({ key, body: null, digest: DELETED, tokens: '', length: 0 })),
  ]
}
