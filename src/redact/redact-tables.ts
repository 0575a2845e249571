/** Secrets in lines with columns: CSV, tables of Markdown, the password file of PostgreSQL. */

import { isPassword, isReference } from './redact-judge.ts'
import type { Search, Visit } from './redact-scan.ts'
import type { Span } from './redact-spans.ts'
import { lineStart } from './redact-values.ts'

const COLUMN =
  /^["'*` ]{0,4}(?:[\w. -]{0,30}[ _.-])?(?:pass(?:word|wd|phrase|code)?|pwd|secret(?:[ _]?(?:access)?[ _]?key)?|token|api[ _-]?key|pin|otp|passwort|kennwort|mot de passe|contraseña|senha|пароль|密码|密碼|パスワード|비밀번호|암호)["'*` ]{0,4}$/i
const MOST_ROWS = 2000

/** A line with a column that is called password, and the same column of the lines below it. Returns the end of the table. */
export function findColumns(text: string, at: number, spans: Span[]): number {
  const start = lineStart(text, at)
  const lineEnd = text.indexOf('\n', at)
  if (lineEnd < 0) return text.length
  const head = readHead(text.slice(start, lineEnd))
  return head === null ? lineEnd : findRows(text, lineEnd + 1, head, spans)
}

interface Head {
  separator: string
  columns: number[]
  count: number
}

function readHead(line: string): Head | null {
  if (line.length > 400) return null
  for (const separator of [',', '\t', ';', '|']) {
    if (!line.includes(separator)) continue
    const cells = line.replace(/\r$/, '').split(separator)
    if (cells.some((cell) => cell.length > 40 || /[(){}=:<>]/.test(cell))) continue
    const columns = cells.flatMap((cell, index) => (COLUMN.test(cell.trim()) ? [index] : []))
    if (columns.length > 0 && cells.filter((cell) => cell.trim() !== '').length > 1 && !isList(cells, separator))
      return { separator, columns, count: cells.length }
  }
  return null
}

/** A list of a program, not of values: `'a', 'b',` */
function isList(cells: readonly string[], separator: string): boolean {
  return separator !== '|' && (cells.at(-1)?.trim() === '' || cells.some((cell) => /^ +["']/.test(cell)))
}

function findRows(text: string, first: number, head: Head, spans: Span[]): number {
  let at = first
  for (let row = 0; row < MOST_ROWS && at < text.length; row++) {
    const newline = text.indexOf('\n', at)
    const line = text.slice(at, newline < 0 ? text.length : newline)
    const cells = line.length > 4000 ? [] : line.split(head.separator)
    if (cells.length !== head.count) return at
    let from = at
    for (const [column, cell] of cells.entries()) {
      const value = cell.replace(/^["'*` ]+/, '').replace(/["'*` \r]+$/, '')
      const begin = from + cell.indexOf(value)
      if (head.columns.includes(column) && isCell(value))
        spans.push({ start: begin, end: begin + value.length, kind: 'password' })
      from += cell.length + 1
    }
    at += line.length + 1
  }
  return at
}

function isCell(value: string): boolean {
  return value.length >= 4 && !/^[-: ]+$/.test(value) && !isReference(value) && isPassword(value, true)
}

/** `host:port:database:user:password` */
const PGPASS =
  /(?:^|["'])(?:[\w.*-]{1,200}:(?:\d{2,5}|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:)((?:[^\s:"'\\]|\\.){3,128})(?=\s|["']|\\n|$)/
export function fileWords(): (readonly [word: string, visit: Visit])[] {
  return [':54', ':55', ':64', ':65', ':*:'].map((word) => [word, visitPort])
}

function visitPort({ text, spans }: Search, start: number): void {
  const from = lineStart(text, start)
  const found = PGPASS.exec(text.slice(from, start + 300).split(/[\r\n]/)[0] ?? '')
  const value = found?.[1] ?? ''
  if (found === null || found.index + from > start || !isPassword(value, true)) return
  const end = from + found.index + found[0].length
  spans.push({ start: end - value.length, end, kind: 'password' })
}
