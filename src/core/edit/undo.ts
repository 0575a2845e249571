/** Undo records (`journal/undo.jsonl`): what each change by a person did to each file, and how to undo it. */
import { isObject, parseObject } from '../../kernel/platform/json.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { touchedItems, withoutInItems } from './undo-items.ts'

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
  /** Fingerprints of the nearest lines with words around the change; absent: there is none. */
  above?: string
  below?: string
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

/** How files of items are written from their JSON, by name. */
type Formats = Readonly<Record<string, (json: string) => string>>

const MAX_RECORDS = 50
const MAX_CHARS = 1_000_000

export function touchedFiles(before: Texts, after: Texts): TouchedFile[] {
  return Object.keys(after).flatMap((path) => {
    const [was, is] = [before[path] ?? null, after[path] ?? null]
    return was === is ? [] : [{ path, before: markOf(was), after: markOf(is), ...differenceOf(was ?? '', is ?? '') }]
  })
}

/**
 * The files without the change. A file that is already so is left out: a killed undo is completed. What was written since stays.
 * `isMerged`: a file had changed since. `changed`: the files in which the changed place itself was changed again; then nothing is written.
 */
export function planUndo(
  { files }: UndoRecord,
  now: Texts,
  formats: Formats = {},
): { files: Texts; isMerged: boolean } | { changed: string[] } {
  const changed: string[] = []
  const texts: Record<string, string | null> = {}
  let isMerged = false
  for (const file of files) {
    const there = now[file.path] ?? null
    const mark = markOf(there)
    if (mark === file.before) continue
    const text = mark === file.after ? textBefore(file, there ?? '') : textWithout(file, there, formats)
    isMerged ||= mark !== file.after
    if (text === undefined) changed.push(file.path)
    else if (text !== there) texts[file.path] = text
  }
  return changed.length > 0 ? { changed } : { files: texts, isMerged }
}

/** Undefined: the record does not give the text before. */
function textBefore({ before, at, was, is }: TouchedFile, there: string): string | null | undefined {
  if (before === null) return null
  const text = there.slice(0, at) + was + there.slice(at + is.length)
  return markOf(text) === before ? text : undefined
}

/** Of a file that changed since. Undefined: not without losing what was written since. */
function textWithout(file: TouchedFile, there: string | null, formats: Formats): string | undefined {
  if (there === null) return undefined
  const reformat = formats[file.path]
  if (reformat === undefined) return withoutInLines(file, there)
  const whole = parseObject(there)
  return whole !== null && withoutInItems(file, whole) ? reformat(JSON.stringify(whole)) : undefined
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

function differenceOf(before: string, after: string): Omit<TouchedFile, 'path' | 'before' | 'after'> {
  const [was, is] = [linesOf(before), linesOf(after)]
  const least = Math.min(was.length, is.length)
  let head = 0
  while (head < least && was[head] === is[head]) head++
  let tail = 0
  while (tail < least - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++
  const inside = (lines: readonly string[]): string => lines.slice(head, lines.length - tail).join('')
  const [above, below] = [was.slice(0, head).findLast(hasWords), was.slice(was.length - tail).find(hasWords)]
  return {
    at: was.slice(0, head).join('').length,
    was: inside(was),
    is: inside(is),
    ...(above === undefined ? {} : { above: lineMark(above) }),
    ...(below === undefined ? {} : { below: lineMark(below) }),
  }
}

function hasWords(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line)
}

/** A comma at the end of an item depends on the next one. */
function lineMark(line: string): string {
  return fingerprint(line.trim().replace(/,$/, ''))
}

/** Where these whole lines stand. */
function placesOf(lines: string, text: string): number[] {
  const places: number[] = []
  for (let at = lines === '' ? -1 : text.indexOf(lines); at >= 0; at = text.indexOf(lines, at + 1)) {
    const [before, behind] = [text[at - 1] ?? '\n', text[at + lines.length] ?? '\n']
    if ((before === '\n' || lines.startsWith('\n')) && (behind === '\n' || lines.endsWith('\n'))) places.push(at)
  }
  return places
}

function aboveIn(text: string): string | undefined {
  const line = linesOf(text).findLast(hasWords)
  return line === undefined ? undefined : lineMark(line)
}

/** The lines that the change wrote are found where they stand now. Lines that it only removed come back beside the line that stood there. */
function withoutInLines({ was, is, above, below }: TouchedFile, there: string): string | undefined {
  const places = placesOf(is, there)
  // As a killed undo left it, or as somebody wrote it again.
  if (places.length === 0 && placesOf(was, there).length > 0) return there
  if (is !== '') {
    const [at, ...others] =
      places.length < 2 ? places : places.filter((place) => aboveIn(there.slice(0, place)) === above)
    return at === undefined || others.length > 0 ? undefined : there.slice(0, at) + was + there.slice(at + is.length)
  }
  const lines = there.split(/(?<=\n)/)
  const placeOf = (mark: string | undefined): number => {
    const places = lines.flatMap((line, i) => (hasWords(line) && lineMark(line) === mark ? [i] : []))
    return places.length === 1 ? (places[0] ?? -1) : -1
  }
  // The beginning and the end of a file have no line above or below.
  const [next, last] = [below === undefined ? -1 : placeOf(below), above === undefined ? -1 : placeOf(above)]
  if (next < 0 && last < 0 && above !== undefined && below !== undefined) return undefined
  const place = next >= 0 ? next : last >= 0 || above === undefined ? last + 1 : lines.length
  const [head, tail] = [lines.slice(0, place).join(''), lines.slice(place).join('')]
  const isEnded = head === '' || head.endsWith('\n') || was.startsWith('\n')
  return `${head}${isEnded ? '' : '\n'}${was}${was.endsWith('\n') || tail === '' ? '' : '\n'}${tail}`
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

/** The ids of the items and notes that a change touched, in lower case; of a page `page:name`, of the rules `rules.md`. */
export function idsOf({ files }: UndoRecord): Set<string> {
  const ids = files.flatMap(({ path, was, is }) => {
    const notes = [...`${was}${is}`.matchAll(/<!-- note (\S+) /g)].map(([, id = '']) => id)
    const page = path.endsWith('.md') ? [path, `page:${path.slice(0, -'.md'.length)}`] : []
    return [...touchedItems(was, is).keys(), ...notes, ...page]
  })
  return new Set(ids.map((id) => id.toLowerCase()))
}
