/** Undo records (`journal/undo.jsonl`): what each change by a person did to each file, and how to undo it. */
import { isObject, parseObject } from '../../kernel/platform/json.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'

/**
 * One file. Whole lines that both texts begin and end with are left out: items of facts.json outside the change are not stored in
 * the journal, and those inside are stored completely, so that `forget` finds them.
 */
export interface TouchedFile {
  path: string
  /** Fingerprints of the whole file before and after the change; null: the file did not exist. */
  before: string | null
  after: string | null
  /** The position at which the texts differ, the same in both. */
  at: number
  was: string
  is: string
}

export interface UndoRecord {
  version: 2
  at: string
  by: 'user' | 'agent'
  /** For example `reject d001`. */
  what: string
  /** Empty: the change was too large for the journal and cannot be undone. */
  files: TouchedFile[]
}

/** Versions before 0.6 stored objects instead of texts: their records are listed and cannot be undone. */
export type EarlierRecord = Pick<UndoRecord, 'at' | 'by' | 'what'> & { version: 1 }

export type Texts = Readonly<Record<string, string | null>>

const MAX_RECORDS = 50
const MAX_CHARS = 1_000_000

export function touchedFiles(before: Texts, after: Texts): TouchedFile[] {
  return Object.keys(after).flatMap((path) => {
    const [was, is] = [before[path] ?? null, after[path] ?? null]
    return was === is ? [] : [{ path, before: markOf(was), after: markOf(is), ...differenceOf(was ?? '', is ?? '') }]
  })
}

/**
 * The files as they were before the change. A file that is already so is left out: a killed undo is completed. `changed`: the files
 * that are neither so nor as the change left them; then nothing is written.
 */
export function planUndo({ files }: UndoRecord, now: Texts): { files: Texts } | { changed: string[] } {
  const changed: string[] = []
  const texts: Record<string, string | null> = {}
  for (const { path, before, after, at, was, is } of files) {
    const there = now[path] ?? null
    const mark = markOf(there)
    if (mark === before) continue
    const text = (there ?? '').slice(0, at) + was + (there ?? '').slice(at + is.length)
    if (mark !== after || (before !== null && markOf(text) !== before)) changed.push(path)
    else texts[path] = before === null ? null : text
  }
  return changed.length > 0 ? { changed } : { files: texts }
}

/** Lines that are not records are skipped: a killed write, or a record that `forget` removed. */
export function parseUndoRecords(text: string): (UndoRecord | EarlierRecord)[] {
  return text.split('\n').flatMap((line): (UndoRecord | EarlierRecord)[] => {
    const one = line === '' ? null : parseObject(line)
    if (one === null || !isNamed(one)) return []
    const { at, by, what } = one
    if (one.version === 1) return [{ version: 1, at, by, what }]
    if (one.version !== 2 || !Array.isArray(one.files) || !one.files.every(isTouched)) return []
    return [{ version: 2, at, by, what, files: one.files }]
  })
}

/** The newest records that fit into the journal. */
export function formatUndoRecords(records: readonly (UndoRecord | EarlierRecord)[]): string {
  const lines: string[] = []
  let room = MAX_CHARS
  for (const record of records.slice(-MAX_RECORDS).toReversed()) {
    const line = `${JSON.stringify(record)}\n`
    const isOnly = lines.length === 0
    room -= line.length
    if (room < 0 && !isOnly) break
    lines.unshift(room < 0 ? `${JSON.stringify({ ...record, files: [] })}\n` : line)
  }
  return lines.join('')
}

function markOf(text: string | null): string | null {
  return text === null ? null : fingerprint(text)
}

function differenceOf(before: string, after: string): Pick<TouchedFile, 'at' | 'was' | 'is'> {
  const [was, is] = [linesOf(before), linesOf(after)]
  const least = Math.min(was.length, is.length)
  let head = 0
  while (head < least && was[head] === is[head]) head++
  let tail = 0
  while (tail < least - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++
  const inside = (lines: readonly string[]): string => lines.slice(head, lines.length - tail).join('')
  return { at: was.slice(0, head).join('').length, was: inside(was), is: inside(is) }
}

/** Line breaks are separate parts, with the comma before them, which depends on the next item. */
function linesOf(text: string): string[] {
  return text.split(/(?=,?\n)|(?<=\n)/)
}

function isNamed(value: Record<string, unknown>): value is Record<string, unknown> & Omit<EarlierRecord, 'version'> {
  const { at, by, what } = value
  return typeof at === 'string' && (by === 'user' || by === 'agent') && typeof what === 'string'
}

function isTouched(value: unknown): value is TouchedFile {
  if (!isObject(value)) return false
  const { path, before, after, at, was, is } = value
  const areMarks = [before, after].every((one) => one === null || typeof one === 'string')
  return areMarks && typeof at === 'number' && [path, was, is].every((one) => typeof one === 'string')
}
