/** Secrets in lines with columns: CSV, tables of Markdown, password files, the hashes of passwords. */

import { isPassword, isRandom, isReference } from './redact-judge.ts'
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
    if (columns.length > 0 && cells.length > 1) return { separator, columns, count: cells.length }
  }
  return null
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
/** `user:realm:hash` of a file for digest authentication. */
const HTDIGEST = /(?:^|[\r\n])([\w.@-]{1,64}:[^:\r\n]{1,64}:)([0-9a-f]{32})(?=\s|$)/g
/** `user:1001:LM hash:NT hash:::` */
const NTLM = /\b([\w.$-]{1,64}:\d{3,6}:)([0-9a-fA-F]{32}:[0-9a-fA-F]{32})(?=:)/g
/** Hashes of passwords in the forms of crypt, LDAP, Django, Werkzeug, PostgreSQL. */
const HASH =
  /\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|md5|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,12}|P|H)\$[\w./+=,$*-]{12,400}|\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT|PBKDF2[\w-]{0,12})\}[A-Za-z0-9+/=$.]{12,200}|(?:pbkdf2|bcrypt|scrypt|argon2)[\w:]{0,24}\$[\w./+=:,-]{1,80}\$[\w./+=,$-]{12,200}|SCRAM-SHA-(?:1|256)\$\d{1,7}:[A-Za-z0-9+/=]{8,100}\$[A-Za-z0-9+/=:]{20,200}/y
const HASH_STARTS =
  `$1$ $2$ $2a $2b $2x $2y $5$ $6$ $7$ $y$ $gy $apr1 $md5$ $argon2 $scrypt $pbkdf2 $p$ $h$ {sha {ssha {md5 {smd5 {crypt {pbkdf2 pbkdf2 bcrypt scrypt argon2 scram-sha`.split(
    ' ',
  )
/** What a client sends to a server that asks for a digest. */
const DIGEST = /(?:response|cnonce|nonce)=\\{0,4}["']?([\w+/=-]{16,256})/iy

export function fileWords(): (readonly [word: string, visit: Visit])[] {
  return [
    ...[':54', ':55', ':64', ':65', ':*:'].map((word) => [word, visitPort] as const),
    ...HASH_STARTS.map((word) => [word, visitHash] as const),
    ...['response=', 'nonce=', 'cnonce='].map((word) => [word, visitDigest] as const),
  ]
}

function visitPort({ text, spans }: Search, start: number): void {
  const from = lineStart(text, start)
  const found = PGPASS.exec(text.slice(from, start + 300).split(/[\r\n]/)[0] ?? '')
  const value = found?.[1] ?? ''
  if (found === null || found.index + from > start || !isPassword(value, true)) return
  const end = from + found.index + found[0].length
  spans.push({ start: end - value.length, end, kind: 'password' })
}

function visitHash({ text, spans }: Search, start: number): void {
  HASH.lastIndex = start
  if (HASH.test(text) && isRandom(text.slice(HASH.lastIndex - 22, HASH.lastIndex)))
    spans.push({ start, end: HASH.lastIndex, kind: 'password-hash' })
}

function visitDigest({ text, spans }: Search, start: number): void {
  DIGEST.lastIndex = start
  const value = DIGEST.exec(text)?.[1] ?? ''
  const isDigest = value !== '' && /digest/i.test(text.slice(Math.max(0, start - 1000), start))
  if (isDigest) spans.push({ start: DIGEST.lastIndex - value.length, end: DIGEST.lastIndex, kind: 'authorization' })
}

/** The files that hold a hash beside each user. */
export function findHashFiles(text: string, spans: Span[]): void {
  if (!/:[0-9a-fA-F]{32}(?![\w-])/.test(text)) return
  for (const pattern of [HTDIGEST, NTLM])
    for (const found of text.matchAll(pattern)) {
      const end = found.index + found[0].length
      spans.push({ start: end - (found[2] ?? '').length, end, kind: 'password-hash' })
    }
}
