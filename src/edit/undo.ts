/** Undo records (`journal/undo.jsonl`): what each change by a person did to each file, and how to take it back. */
import { isObject, parseObject } from '../platform/json.ts'
import { fingerprint } from '../text/fingerprint.ts'

/** One piece of a file. `at`: its offset in the text after the change; pieces are in ascending order. */
interface Hunk {
  at: number
  before: string
  after: string
}

/** `before`, `after`: fingerprints of the whole file; null: the file was not there. */
export interface TouchedFile {
  path: string
  before: string | null
  after: string | null
  hunks: Hunk[]
}

export interface UndoRecord {
  version: 2
  at: string
  by: 'user' | 'agent'
  /** `reject d001`. */
  what: string
  /** Empty: the change was too large for the journal and cannot be undone. */
  files: TouchedFile[]
  isUndone?: true
}

/** Versions before 0.6 stored objects instead of texts: their records are listed and cannot be undone. */
export type EarlierRecord = Pick<UndoRecord, 'at' | 'by' | 'what'> & { version: 1 }

export type Texts = Readonly<Record<string, string | null>>

const MAX_RECORDS = 50
const MAX_CHARS = 1_000_000

export function touchedFiles(before: Texts, after: Texts): TouchedFile[] {
  return Object.keys(after).flatMap((path) => {
    const [was, is] = [before[path] ?? null, after[path] ?? null]
    return was === is ? [] : [{ path, before: markOf(was), after: markOf(is), hunks: hunksOf(was ?? '', is ?? '') }]
  })
}

/** `changed`: the files that are neither as the change left them nor as they would become; then nothing is written. */
export type Step = { is: 'files'; files: Texts } | { is: 'changed'; changed: string[] }

/** The files as they were before the change, or after it. A file that is already so is left out: a killed undo is completed. */
export function planStep({ files }: UndoRecord, now: Texts, to: 'before' | 'after'): Step {
  const from = to === 'before' ? 'after' : 'before'
  const changed: string[] = []
  const texts: Record<string, string | null> = {}
  for (const file of files) {
    const there = now[file.path] ?? null
    const mark = markOf(there)
    if (mark === file[to]) continue
    const text = mark === file[from] ? applied(there ?? '', file.hunks, to) : null
    if (text === null || (file[to] !== null && markOf(text) !== file[to])) changed.push(file.path)
    else texts[file.path] = file[to] === null ? null : text
  }
  return changed.length > 0 ? { is: 'changed', changed } : { is: 'files', files: texts }
}

/** Lines that are no record are left out: a killed write, or a record that `forget` removed. */
export function parseUndoRecords(text: string): (UndoRecord | EarlierRecord)[] {
  return text.split('\n').flatMap((line): (UndoRecord | EarlierRecord)[] => {
    const one = line === '' ? null : parseObject(line)
    if (one === null || !isNamed(one)) return []
    const { at, by, what } = one
    if (one.version === 1) return [{ version: 1, at, by, what }]
    if (one.version !== 2 || !Array.isArray(one.files) || !one.files.every(isTouched)) return []
    return [{ version: 2, at, by, what, files: one.files, ...(one.isUndone === true ? { isUndone: true } : {}) }]
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

/** From the last piece to the first, or from the first to the last: each offset then counts in a text that is right up to it. */
function applied(text: string, hunks: readonly Hunk[], to: 'before' | 'after'): string {
  return (to === 'before' ? hunks.toReversed() : hunks).reduce((done, { at, before, after }) => {
    const [put, out] = to === 'before' ? [before, after] : [after, before]
    return done.slice(0, at) + put + done.slice(at + out.length)
  }, text)
}

/**
 * Whole lines. facts.json and concepts.json have one line for each item: an item that the
 * change did not touch does not get into the journal, and one that it touched is there as a whole, so that `forget` finds it.
 */
function hunksOf(before: string, after: string): Hunk[] {
  const [was, is] = [linesOf(before), linesOf(after)]
  const places = placesOf(is)
  const hunks: Hunk[] = []
  let [i, j, at] = [0, 0, 0]
  while (i < was.length || j < is.length) {
    const isSame = was[i] === is[j]
    const [nextI, nextJ] = isSame ? [i + 1, j + 1] : (nextCommon(was, places, i, j) ?? [was.length, is.length])
    const hunk = { at, before: was.slice(i, nextI).join(''), after: is.slice(j, nextJ).join('') }
    if (!isSame) hunks.push(hunk)
    at += hunk.after.length
    i = nextI
    j = nextJ
  }
  return hunks
}

/** Line breaks are apart, with the comma before them: it comes and goes with the next item. */
function linesOf(text: string): string[] {
  return text.split(/(?=,?\n)|(?<=\n)/)
}

/** Where each line with a letter or digit stands: only these show where two texts agree again. */
function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [n, line] of lines.entries()) {
    const known = places.get(line)
    if (known !== undefined) known.push(n)
    else if (/[\p{L}\p{N}]/u.test(line)) places.set(line, [n])
  }
  return places
}

/** The next line that both texts have. */
function nextCommon(
  was: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  fromI: number,
  fromJ: number,
): [number, number] | null {
  for (let i = fromI; i < was.length; i++) {
    const j = places.get(was[i] ?? '')?.find((place) => place >= fromJ)
    if (j !== undefined) return [i, j]
  }
  return null
}

function isNamed(value: Record<string, unknown>): value is Record<string, unknown> & Omit<EarlierRecord, 'version'> {
  const { at, by, what } = value
  return typeof at === 'string' && (by === 'user' || by === 'agent') && typeof what === 'string'
}

function isTouched(value: unknown): value is TouchedFile {
  if (!isObject(value) || typeof value.path !== 'string' || !Array.isArray(value.hunks)) return false
  const isMark = (one: unknown): boolean => one === null || typeof one === 'string'
  return isMark(value.before) && isMark(value.after) && value.hunks.every(isHunk)
}

function isHunk(value: unknown): value is Hunk {
  if (!isObject(value)) return false
  return typeof value.at === 'number' && typeof value.before === 'string' && typeof value.after === 'string'
}
