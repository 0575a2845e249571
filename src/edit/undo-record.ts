/** The journal of changes by hand (`journal/undo.jsonl`): one line each, the newest last, as many as anybody takes back. */

import { THING_KINDS } from '../outgoing/undo-things.ts'
import { isObject, parseObject } from '../platform/json.ts'
import type { TouchedFile } from './undo.ts'

export interface UndoRecord {
  version: 1
  at: string
  by: 'user' | 'agent'
  /** `reject d001`. */
  what: string
  /** Empty: it cannot be taken back, being too large to be kept, or of a kind that undo does not know. */
  touched: TouchedFile[]
  /** What to do instead, for a kind that undo does not know. */
  instead?: string
}

const MAX_RECORDS = 50
const MAX_CHARS = 1_000_000
const KINDS: ReadonlySet<unknown> = new Set([...THING_KINDS, 'note', 'file'])

/** What is no record is left out: a killed write, or what was forgotten. */
export function parseUndoRecords(text: string): UndoRecord[] {
  return text.split('\n').flatMap((line) => {
    const one: unknown = line === '' ? null : parseObject(line)
    return isRecord(one) ? [one] : []
  })
}

/** The newest ones, within what is kept. */
export function formatRecords(records: readonly UndoRecord[]): string {
  const lines: string[] = []
  let room = MAX_CHARS
  for (const record of records.slice(-MAX_RECORDS).toReversed()) {
    const line = `${JSON.stringify(record)}\n`
    const isOnly = lines.length === 0
    room -= line.length
    if (room < 0 && !isOnly) break
    lines.unshift(room < 0 ? `${JSON.stringify({ ...record, touched: [] })}\n` : line)
  }
  return lines.join('')
}

function isRecord(value: unknown): value is UndoRecord {
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.touched)) return false
  const { at, by, what, touched, instead } = value
  if (instead !== undefined && typeof instead !== 'string') return false
  return (
    typeof at === 'string' && (by === 'user' || by === 'agent') && typeof what === 'string' && touched.every(isTouched)
  )
}

function isTouched(value: unknown): value is TouchedFile {
  if (!isObject(value) || !KINDS.has(value.kind) || typeof value.id !== 'string') return false
  const isText = value.kind === 'note' || value.kind === 'file'
  return [value.from, value.to].every((one) => one === null || (isText ? typeof one === 'string' : isObject(one)))
}
