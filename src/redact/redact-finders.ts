/** All rules over one text: the words that one pass looks for, and the few rules that look by themselves. */

import { commandWords } from './redact-commands.ts'
import { jarWords } from './redact-cookies.ts'
import { isPassword, isRandom, isReference } from './redact-judge.ts'
import { keyWords } from './redact-keys.ts'
import { findNamed } from './redact-names.ts'
import { findPair } from './redact-prose.ts'
import { indexWords, onceBehind, type Search, scanWords, type Visit, type WordIndex } from './redact-scan.ts'
import type { Span } from './redact-spans.ts'
import { fileWords, findColumns } from './redact-tables.ts'
import { findDiscordTokens, tokenWords } from './redact-tokens.ts'
import { findUrlPasswords, urlWords } from './redact-urls.ts'
import { matchEnd } from './redact-values.ts'
import { type NameWord, nameWords } from './redact-words.ts'

let index: WordIndex | undefined

export function findSecrets(text: string): Span[] {
  index ??= indexWords([
    ...tokenWords(),
    ...keyWords(),
    ...jarWords(),
    ...fileWords(),
    ...hashWords(),
    ...urlWords(),
    ...commandWords(),
    ...nameWords().map(([word, name]) => [word, visitName(name)] as const),
  ])
  const search: Search = { text, spans: [], beside: [], tokenEnd: 0, nameEnd: 0 }
  scanWords(search, index)
  if (text.includes('@') || search.ends?.has('link') === true) findUrlPasswords(text, search.beside)
  findHashFiles(text, search.beside)
  findDiscordTokens(text, search.spans)
  return search.beside.length === 0 ? search.spans : [...search.spans, ...search.beside]
}

function visitName(name: NameWord): Visit {
  if (name.kind === 'login')
    return ({ text, beside }, start) => {
      findInCall(text, start, start + name.length, beside)
      if (/^s?:/.test(text.slice(start + name.length, start + name.length + 2)))
        findPair(text, matchEnd(/s?:[ \t]{0,4}/y, text, start + name.length), beside)
    }
  if (name.kind === 'basic') return ({ text, beside }, start) => findBasic(text, start + name.length, beside)
  return (search, start) => {
    if (start < search.nameEnd) return
    const { text, beside } = search
    const end = start + name.length
    if (isCell(text, end)) onceBehind(search, 'columns', start, () => findColumns(text, end, beside))
    search.nameEnd = Math.max(search.nameEnd, findNamed(text, name, start, end, beside))
  }
}

/** The word ends a cell of a table. */
function isCell(text: string, end: number): boolean {
  let at = end
  while (at < end + 4 && /[ "'*`]/.test(text.charAt(at))) at++
  return /[,;\t|\r\n]/.test(text.charAt(at))
}

const OPENING = /[ \t]{0,4}(?:[=:][ \t]{0,4}(?:new )?[\w.]{0,30})?[([]/y
const ARGUMENT =
  /\s{0,20}(?:[bru]?(\\{0,4}["'`])([^"'`\\\r\n]{0,256})\\{0,4}["'`]|[\w.[\]$>"'-]{1,80}|\$\{?\w{1,40}\}?)(?:\.[\w.]{1,40}\(\))?\s{0,20}([,)\]])/y

/** `auth=('user', 'value')`, `login("user", "value")`, `connect('host', 'user', 'value')`: the second argument, or the third. */
function findInCall(text: string, start: number, wordEnd: number, spans: Span[]): void {
  OPENING.lastIndex = wordEnd
  if (!OPENING.test(text)) return
  const isAuth = /^auth/i.test(text.slice(start, wordEnd))
  const wanted = /^(?:connect|mysqli|getconnection|sequelize)/i.test(text.slice(start, wordEnd)) ? 3 : 2
  let at = OPENING.lastIndex
  for (let count = 1; count <= wanted; count++) {
    ARGUMENT.lastIndex = at
    const argument = ARGUMENT.exec(text)
    if (argument === null) return
    const [all, quote, value = '', closing] = argument
    if (count === wanted && quote !== undefined && isSecretArgument(value, isAuth)) {
      const from = at + all.indexOf(quote) + quote.length
      spans.push({ start: from, end: from + value.length, kind: 'password' })
    }
    if (closing !== ',') return
    at = ARGUMENT.lastIndex
  }
}

function isSecretArgument(value: string, isAuth: boolean): boolean {
  if (value.length < 4 || isReference(value)) return false
  return isPassword(value, true) && (isAuth || /[\d!@#$%^&*]/.test(value))
}

const BASE64 = /[A-Za-z0-9+/]{8,512}={0,2}/y

/** `Basic dXNlcjpwYXNz`: only what decodes to a name, a colon and a password. */
function findBasic(text: string, wordEnd: number, spans: Span[]): void {
  BASE64.lastIndex = wordEnd + 1
  if (!BASE64.test(text)) return
  const end = BASE64.lastIndex
  const decoded = decode(text.slice(wordEnd + 1, end))
  if (/^[\x21-\x7e]{1,100}:[\x20-\x7e]{1,200}$/.test(decoded))
    spans.push({ start: wordEnd + 1, end, kind: 'authorization' })
}

function decode(base64: string): string {
  return base64.length % 4 === 0 ? Buffer.from(base64, 'base64').toString('latin1') : ''
}

const HASH_STARTS =
  `$1$ $2$ $2a $2b $2x $2y $5$ $6$ $7$ $y$ $gy $apr1 $md5$ $argon2 $scrypt $pbkdf2 $p$ $h$ {sha {ssha {md5 {smd5 {crypt {pbkdf2 pbkdf2 bcrypt scrypt argon2 scram-sha`.split(
    ' ',
  )
/** `user:realm:hash` of a file for digest authentication. */
const HTDIGEST = /(?:^|[\r\n])([\w.@-]{1,64}:[^:\r\n]{1,64}:)([0-9a-f]{32})(?=\s|$)/g
/** `user:1001:LM hash:NT hash:::` */
const NTLM = /\b([\w.$-]{1,64}:\d{3,6}:)([0-9a-fA-F]{32}:[0-9a-fA-F]{32})(?=:)/g
/** Hashes of passwords in the forms of crypt, LDAP, Django, Werkzeug, PostgreSQL. */
const HASH =
  /\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|md5|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,12}|P|H)\$[\w./+=,$*-]{12,400}|\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT|PBKDF2[\w-]{0,12})\}[A-Za-z0-9+/=$.]{12,200}|(?:pbkdf2|bcrypt|scrypt|argon2)[\w:]{0,24}\$[\w./+=:,-]{1,80}\$[\w./+=,$-]{12,200}|SCRAM-SHA-(?:1|256)\$\d{1,7}:[A-Za-z0-9+/=]{8,100}\$[A-Za-z0-9+/=:]{20,200}/y
/** What a client sends to a server that asks for a digest. */
const DIGEST = /(?:response|cnonce|nonce)=\\{0,4}["']?([\w+/=-]{16,256})/iy

function hashWords(): (readonly [word: string, visit: Visit])[] {
  return [
    ...HASH_STARTS.map((word) => [word, visitHash] as const),
    ...['response=', 'nonce=', 'cnonce='].map((word) => [word, visitDigest] as const),
  ]
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
function findHashFiles(text: string, spans: Span[]): void {
  if (!/:[0-9a-fA-F]{32}(?![\w-])/.test(text)) return
  for (const pattern of [HTDIGEST, NTLM])
    for (const found of text.matchAll(pattern)) {
      const end = found.index + found[0].length
      spans.push({ start: end - (found[2] ?? '').length, end, kind: 'password-hash' })
    }
}
