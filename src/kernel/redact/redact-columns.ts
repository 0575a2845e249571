/** Finds secrets in tables: a column whose head announces a secret has its cells redacted in the rows below. */
import { isCertain, isCode, isPassword, isReference, isSecretToken, isStrong } from './redact-judge.ts'
import { onceBehind, type Search, type Span, type Visit } from './redact-scan.ts'
import { kindOfIdentifier } from './redact-trust.ts'
import { readArguments } from './redact-web.ts'
import { matchEnd, type NameKind } from './redact-words.ts'

const MOST_ROWS = 2000
const MOST_HEAD_CHARS = 400
const MOST_CELL_CHARS = 40
const MOST_ROW_CHARS = 4000
/** Two blanks or more part the columns of a table without signs. */
const BLANKS = '  '
const SEPARATORS = [',', '\t', ';', '|', BLANKS]
/** `|---|:---:|`, `----+----`, `┼──`: the line between the head and the rows. */
const RULE = /^[\s|+:=─━┼│-]*[-=─━]{2}[\s|+:=─━┼│-]*$/

interface Cell {
  text: string
  start: number
}

interface Head {
  separator: string
  cells: readonly Cell[]
  /** What each column announces. */
  kinds: readonly (NameKind | null)[]
}

const KINDS: ReadonlySet<NameKind | null> = new Set<NameKind>(['password', 'pass', 'secret', 'pin'])

/** Reads the table if a cell ends with the word that ends at `end`. */
export function findColumns(search: Search, start: number, end: number): void {
  if (endsCell(search.text, end)) onceBehind(search, 'columns', start, () => findTable(search.text, end, search.beside))
}

/** Blanks and closing marks, three of them or up to the sign that parts columns. */
function endsCell(text: string, end: number): boolean {
  const most = Math.min(text.length, end + 3)
  for (let at = end; at < most; at++) {
    const code = text.charCodeAt(at)
    if (ENDS.has(code)) return true
    if (!MARKS.has(code)) return false
  }
  return most === end + 3
}

const codesOf = (characters: string): ReadonlySet<number> => new Set([...characters].map((one) => one.charCodeAt(0)))
const ENDS = codesOf(',;\t|\r\n')
const MARKS = codesOf(` "'*\``)

/** Returns the end of the table. */
function findTable(text: string, at: number, spans: Span[]): number {
  const from = Math.max(0, at - MOST_HEAD_CHARS)
  const start = from + text.slice(from, at).lastIndexOf('\n') + 1
  const length = text.slice(at, at + MOST_HEAD_CHARS).indexOf('\n')
  if (length < 0) return at
  const line = text.slice(start, at + length)
  if (CODE.test(line)) return at + length
  const head = readHead(line, at - start)
  return head === null ? at : findRows(text, at + length + 1, head, spans)
}

const CODE = /[{}=:<>]|[^\s|,;]\(/
/** A remark in brackets at the end of a head. */
const REMARK = / \([^()]*\)$/
/** A sentence, or the call of a function. */
const NO_NAME = /[()]|(?:\S+ ){4}/

/** `at`: where the word ends that announces. */
function readHead(line: string, at: number): Head | null {
  for (const separator of SEPARATORS) {
    if (!line.includes(separator) || isProse(line, separator)) continue
    const cells = separator === BLANKS ? spacedCells(line) : partedCells(line, separator)
    if (cells.filter(({ text }) => text !== '').length < 2 || isList(line, separator)) continue
    const own = cells.find(({ text, start }) => start < at && at <= start + text.length)
    if (own === undefined || kindOfHead(own.text) === null) continue
    const heads = cells.map(({ text }) => text.replace(REMARK, ''))
    if (heads.some((name) => name.length > MOST_CELL_CHARS || NO_NAME.test(name))) continue
    return { separator, cells, kinds: heads.map(kindOfHead) }
  }
  return null
}

/** Between the commas of a sentence there is more than a head; only a drawn table has blanks up to the next one. */
function isProse(line: string, separator: string): boolean {
  return (
    separator !== '|' && separator !== BLANKS && line.split(separator).some(({ length }) => length > MOST_CELL_CHARS)
  )
}

function kindOfHead(cell: string): NameKind | null {
  const kind = kindOfIdentifier(cell.replace(REMARK, ''))
  return KINDS.has(kind) ? kind : null
}

/** A list in program code, not a table row: `'a', 'b',` */
function isList(line: string, separator: string): boolean {
  return separator !== '|' && (/[,;\t(]\s*$/.test(line) || /(?:[,;\t]|^) +["'].*["']/.test(line))
}

function partedCells(line: string, separator: string): Cell[] {
  let at = 0
  return line.split(separator).map((cell) => {
    const text = cell.replace(/^["'*`\s]+/, '').replace(/["'*`\s]+$/, '')
    const start = at + cell.indexOf(text)
    at += cell.length + separator.length
    return { text, start }
  })
}

function spacedCells(line: string): Cell[] {
  return [...line.matchAll(/\S+(?: \S+)*/g)].map((found) => ({ text: found[0], start: found.index }))
}

function findRows(text: string, first: number, head: Head, spans: Span[]): number {
  let at = first
  let isRuled = false
  for (let row = 0; row < MOST_ROWS && at < text.length; row++) {
    const newline = text.indexOf('\n', at)
    const line = text.slice(at, Math.min(newline < 0 ? text.length : newline, at + MOST_ROW_CHARS + 1))
    if (row < 2 && RULE.test(line)) isRuled = true
    else {
      const cells = line.length > MOST_ROW_CHARS ? null : cellsOf(line, head)
      if (cells === null) return at
      for (const [column, { text: value, start }] of cells.entries())
        if (isSecretCell(value, head.kinds[column] ?? null, head.separator, isRuled))
          spans.push({ start: at + start, end: at + start + value.length, kind: 'password' })
    }
    at += line.length + 1
  }
  return at
}

/** The cells of a row in the order of the head's; null: the table has ended. */
function cellsOf(line: string, head: Head): readonly Cell[] | null {
  if (head.separator === BLANKS) {
    const cells = spacedCells(line)
    if (cells.length === 0) return null
    return cells.length === head.cells.length ? cells : head.cells.map((_, column) => cellBelow(line, head, column))
  }
  const cells = partedCells(line, head.separator)
  return cells.length === head.cells.length ? cells : null
}

/** What begins where the column's head begins. */
function cellBelow(line: string, { cells }: Head, column: number): Cell {
  const start = cells[column]?.start ?? 0
  const isApart = start === 0 || line.charAt(start - 1) === ' '
  const text = line.slice(start, cells[column + 1]?.start ?? line.length).split(BLANKS, 1)[0] ?? ''
  return { text: isApart ? text.trimEnd() : '', start }
}

/** A list of values by commas has a head only if it has rows; a ruled one is a table for certain. */
function isSecretCell(value: string, kind: NameKind | null, separator: string, isRuled: boolean): boolean {
  if (kind === null || value.length < 4 || isReference(value)) return false
  if (kind === 'pin') return isCode(value)
  if (kind === 'secret') return isSecretToken(value) || isStrong(value)
  if (isStrong(value) || isCertain(value)) return true
  const isDrawn = separator === '|' || separator === BLANKS
  return isPassword(value, true) && (!isDrawn || (isRuled && /[\d!@#$%^&*+=~]/.test(value)))
}

const MOST_COLUMNS = 40
const INSERT = /insert into [\w."`[\]]{1,80}\s{0,4}\(([^()]{1,400})\)\s{0,20}values\s{0,20}\(/iy
const NEXT_ROW = /\s{0,20},\s{0,20}\(/y

/** `INSERT INTO users (name, password) VALUES ('me', '…'), (…)` */
export function rowWords(): (readonly [word: string, visit: Visit])[] {
  return [['insert into', (search, start) => onceBehind(search, 'rows', start, () => findTuples(search, start))]]
}

function findTuples({ text, beside }: Search, start: number): number {
  INSERT.lastIndex = start
  const names = INSERT.exec(text)?.[1]?.split(',').slice(0, MOST_COLUMNS) ?? []
  const kinds = names.map(kindOfHead)
  let at = INSERT.lastIndex
  for (let row = 0; row < MOST_ROWS && kinds.some((kind) => kind !== null); row++) {
    const { values, end } = readArguments(text, at, names.length)
    for (const [column, value] of values.entries())
      if (value !== null && isSecretCell(text.slice(value.start, value.end), kinds[column] ?? null, ',', true))
        beside.push({ ...value, kind: 'password' })
    at = matchEnd(NEXT_ROW, text, end)
    if (at === end) break
  }
  return Math.max(at, start)
}
