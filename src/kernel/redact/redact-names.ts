/** Finds secrets by the name beside them: assignments, headers, calls, flags of commands. */
import { findBelow, lineEndBehind } from './redact-below.ts'
import { isCertain, isRandom, isReference, isStrong, isTokenSaid, isWordy } from './redact-judge.ts'
import type { Span } from './redact-scan.ts'
import { findAnnounced, findMnemonic, findPair } from './redact-sentence.ts'
import { isEnding, isEnvironment, isSecret, type Name, trustOf } from './redact-trust.ts'
import { findCookies } from './redact-web.ts'
import {
  lineStart,
  type NameKind,
  type NameWord,
  readBlock,
  readNextLine,
  readValue,
  type SecretValue,
} from './redact-words.ts'

/** Text that may occur between a name and its separator: quotes, brackets, `(prod)`, a TypeScript type. */
const CLOSING = '(\\\\*["\'`])?[\\]}]?\\**[?!]?(?: \\([^)\\r\\n]{1,24}\\))?(?::[ \\t]?[\\w&[\\]; <>]{1,30}(?= =))?'
const SEPARATOR = [
  '[ \\t]*(?:=>|:=|:-|(?:\\?|\\|\\|)?=+|:\\**(?![?+])|%3[DA]|[：＝→]|->)[ \\t]*(?:[›❯»>][ \\t])?',
  '(?:\\s|\\\\n)*,?(?:\\s|\\\\n){0,20}(?:\\\\*["\'])?[Vv]alue(?:\\\\*["\'])?[ \\t]*[:=][ \\t]*',
  '[ \\t]*\\{\\s*(?:(?:type|description|sensitive)[^\\n]{0,80}\\n\\s*){0,3}default[ \\t]*=[ \\t]*',
  '[ \\t]*,[ \\t]*(?:\\r?\\n[ \\t]*)?(?=[bru]?\\\\*["\'`])',
  '[ \\t]*\\|[ \\t]*',
  '\\((?=["\'])',
  '\\)+\\.\\w{1,20}\\((?=["\'])',
  '(?:</key>\\s*<\\w+)?>',
  '[ \\t]+(?:[05789] )?',
].join('|')

/** A longer value is judged by this many characters. */
const LONG_CHARS = 512

let afterWord: RegExp | undefined

function separatorAt(text: string, wordEnd: number): RegExpExecArray | null {
  // Sticky: a negated class that ignores case takes milliseconds to compile, and so do several bounded optional parts in a row.
  // The unbounded parts here repeat one blank and are tried once per word.
  afterWord ??= new RegExp(`([_-]?[A-Za-z0-9]{0,12})(?![A-Za-z0-9_])${CLOSING}(${SEPARATOR})`, 'y')
  afterWord.lastIndex = wordEnd
  return afterWord.exec(text)
}

/** Returns the position up to which no further name needs to be checked. */
export function findNamed(text: string, word: NameWord, start: number, wordEnd: number, spans: Span[]): number {
  if (word.isOwn && isLetterBefore(text, start)) return start
  if (text.startsWith('redacted:', start - 9)) return start
  if (word.kind === 'phrase') findMnemonic(text, wordEnd, spans)
  if (isInsideWord(text, wordEnd)) {
    if (isPlural(text, wordEnd)) findMany(text, word, start, wordEnd, spans)
    return wordEnd
  }
  const after = separatorAt(text, wordEnd)
  if (after === null || !isEnding(after[1] ?? '')) {
    if (!/[A-Za-z0-9_]/.test(text.charAt(wordEnd)) && word.kind !== 'code' && word.kind !== 'key')
      findAnnounced(text, word.kind, start, wordEnd, spans)
    if (lineEndBehind(text, wordEnd) >= 0)
      announceBelow(text, readName(text, word, start, wordEnd, null), wordEnd, spans)
    return wordEnd
  }
  const name = readName(text, word, start, wordEnd, after)
  const at = wordEnd + after[0].length
  announceBelow(text, name, wordEnd, spans)
  if (name.sep.trim() === '|' && !isTableRow(text, name.start)) return wordEnd
  if (name.sep.startsWith(').') && !name.isCall) return wordEnd
  if (word.kind === 'cookie') return name.sep.trim() === '' ? wordEnd : findCookies(text, at, spans)
  const isApart = /^[ \t]+\d? ?$/.test(name.sep)
  if (isApart && !isLiteralApart(text, name, at)) {
    if ((after[1] ?? '') === '') findAnnounced(text, announcedKind(text, name), start, wordEnd, spans)
    return wordEnd
  }
  return findValue(text, name, at, spans)
}

/** `": [`, ` = {` */
const BEFORE_BRACKET = /^["'`]?\s?[:=]\s?[[{]/

/** "passwords", "API keys": values in brackets or on the lines below. */
function findMany(text: string, word: NameWord, start: number, wordEnd: number, spans: Span[]): void {
  const end = wordEnd + 1
  const after = BEFORE_BRACKET.test(text.slice(end, end + 6)) ? separatorAt(text, end) : null
  if (after === null && lineEndBehind(text, end) < 0) return
  const name = readName(text, word, start, wordEnd, after)
  announceBelow(text, name, end, spans)
  if (after !== null) findContained(text, end + after[0].length, name, spans)
}

/** Words that announce a name and a password. */
const LOGINS = /^(?:cred|zugangs|identif)/

function announceBelow(text: string, name: Name, end: number, spans: Span[]): void {
  const kind = announcedKind(text, name)
  const announced = kind === 'pin' ? 'code' : kind
  if (announced !== 'password' && announced !== 'secret' && announced !== 'code') return
  const isLogin = announced === 'secret' && LOGINS.test(name.word)
  const isMany = /s$/i.test(text.charAt(end - 1))
  findBelow(text, { kind: isLogin ? 'login' : announced, start: name.start, end, isMany }, spans)
}

const CLOSINGS: Readonly<Record<string, string>> = { '[': ']', '{': '}' }
const MOST_CONTAINED = 600
/** A string in brackets that is not the name of another. */
const CONTAINED = /\\{0,4}["']([^"'\s\\]{4,256})\\{0,4}["'](?!\s{0,4}:)/g

/** `tokens: ["…", "…"]`, `secrets: { "db": "…" }` */
function findContained(text: string, at: number, name: Name, spans: Span[]): void {
  const closing = CLOSINGS[text.charAt(at)]
  const trust = closing === undefined ? null : trustOf(text, name)
  if (closing === undefined || trust === null) return
  const inside = text.slice(at, at + MOST_CONTAINED).split(closing, 1)[0] ?? ''
  for (const found of inside.matchAll(CONTAINED)) {
    const value = found[1] ?? ''
    const start = at + found.index + found[0].indexOf(value)
    const isFound = trust === 'password' ? isStrong(value) || isCertain(value) : isTokenSaid(value)
    if (isFound) spans.push({ start, end: start + value.length, kind: trust === 'password' ? trust : 'secret' })
  }
}

function findValue(text: string, name: Name, at: number, spans: Span[]): number {
  const isLine = isAtLineStart(text, name) && /[:=]/.test(name.sep)
  const from = name.kind === 'authorization' || name.kind === 'bearer' ? skipScheme(text, at) : at
  if (/[:=]/.test(name.sep) && text.charAt(at) in CLOSINGS) findContained(text, at, name, spans)
  const block = /:/.test(name.sep) ? readBlock(text, at, name.start) : null
  const value = block ?? (isLine ? readNextLine(text, from) : null) ?? readValue(text, from, isLine)
  if (value === null) return at
  if (!value.isQuoted && /[([{]/.test(text.charAt(value.end)) && !isEnvironment(name)) return at
  const content = text.slice(value.start, value.end)
  const kind = kindOfValue(
    block === null ? content : content.replace(/(?:\s|\\n)+/g, ''),
    { ...value, isQuoted: value.isQuoted || isMarkup(name) },
    name,
    text,
  )
  if (kind === null && name.sep.trim() === ':' && name.word.startsWith('cred')) findPair(text, at, spans)
  if (kind !== null) {
    spans.push({ start: value.start, end: kind === 'code' ? endOfCodes(text, value.end) : value.end, kind })
    return value.end
  }
  // A value that was read whole is not read again from each name inside it; otherwise `key=key=key=…` would take quadratic time.
  return !value.isQuoted && content.length > LONG_CHARS ? value.end : at
}

/** `name|value` alone on its line. */
const ROW_OF_TWO = /^[^|\n]{1,80}\|[^|\n]*(?:\n|$)/

function isTableRow(text: string, at: number): boolean {
  const from = lineStart(text, at)
  if (from > 0 && text.charAt(from - 1) !== '\n') return false
  return /^[ \t]*\|/.test(text.slice(from, at)) || (from === at && ROW_OF_TWO.test(text.slice(at, at + LONG_CHARS)))
}

const isMarkup = (name: Name): boolean => name.sep.endsWith('>')

/** Recovery codes come in lists. */
function endOfCodes(text: string, from: number): number {
  const more =
    /(?:["']?[\s,;]{1,4}["']?[A-Za-z\d]{4,8}(?:-[A-Za-z\d]{4,8}){0,7}(?=[\s,;"'\]]|$)(?<=\d[A-Za-z\d-]{0,20})){1,20}/y
  more.lastIndex = from
  return more.test(text) ? more.lastIndex : from
}

/** True if the name goes on and has no ending that a secret's name has: "tokens", "design". Most words end here, before any pattern runs. */
function isInsideWord(text: string, wordEnd: number): boolean {
  let end = wordEnd
  if (text.charCodeAt(end) === UNDERSCORE) end++
  while (end - wordEnd < MOST_ENDING && isAlphanumeric(text.charCodeAt(end))) end++
  if (end === wordEnd) return false
  const next = text.charCodeAt(end)
  return next === UNDERSCORE || isAlphanumeric(next) || !isEnding(text.slice(wordEnd, end))
}

const UNDERSCORE = 95
/** Longer than every ending with its underscore. */
const MOST_ENDING = 14

function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}

/** "tokens", and no letter behind it. */
function isPlural(text: string, wordEnd: number): boolean {
  const next = text.charCodeAt(wordEnd + 1)
  return (text.charCodeAt(wordEnd) | 32) === SMALL_S && next !== UNDERSCORE && !isAlphanumeric(next)
}

const SMALL_S = 115

function isLetterBefore(text: string, start: number): boolean {
  const before = text.charAt(start - 1)
  if (before === ' ' || before === '\n' || !/\p{L}/u.test(before)) return false
  // `userPin`: a capital after a small letter begins a new word.
  return !(/[a-z]/.test(before) && /[A-Z]/.test(text.charAt(start)))
}

function isNameCode(code: number): boolean {
  return isAlphanumeric(code) || code === UNDERSCORE || code === 45 || code === 46 || code === 36
}

const SPOKEN_KEY = /\b(?:api|API|access|secret|private|licen[cs]e|signing|account|recovery|encryption|master)[ -]$/

function readName(text: string, word: NameWord, found: number, wordEnd: number, after: RegExpExecArray | null): Name {
  let start = found
  while (start > 0 && found - start < 64 && isNameCode(text.charCodeAt(start - 1))) start--
  // After a JSON `\n` or `\t`, the letter is not part of the name.
  if (text.charAt(start - 1) === '\\' && /[nrt]/.test(text.charAt(start)) && start < found) start++
  // In a sentence the qualifier may be a separate word: "the api key is".
  if (word.kind === 'key' && start === found && text.charAt(start - 1) === ' ')
    start -= SPOKEN_KEY.exec(text.slice(Math.max(0, start - 12), start))?.[0].length ?? 0
  const sep = after?.[3] ?? ''
  return {
    kind: word.kind,
    word: text.slice(found, wordEnd).toLowerCase(),
    full: text.slice(start, wordEnd) + (after?.[1] ?? ''),
    start,
    sep,
    isCall: /^\s*[,)]/.test(sep) && (after?.[2] ?? '') !== '',
  }
}

/** A key counts as a secret if it grants access: "the API key is". */
function announcedKind(text: string, name: Name): NameKind {
  if (name.kind !== 'key' && name.kind !== 'code') return name.kind
  const trust = trustOf(text, name)
  return trust === 'secret' ? 'secret' : trust === 'code' ? 'code' : 'weak'
}

const NETRC = /\blogin(?:\s|\\n){1,8}\S{1,80}(?:\s|\\n){1,8}$/
/** Commands that set a name which is separated from its value by blanks: `ENV`, `setenv`, `config set`; SQL words before a quote. */
const SETS = /(?:\b(?:ENV|set|setenv|setx|SetEnv|config)[ \t]{1,4}(?:-{1,2}\w{1,10}[ \t]{1,4}){0,3}[^\s"']{0,80})$/
const SQL = /\b(?:WITH|SET|USER|ROLE|BY|ENCRYPTED|LOGIN)\b/i

/** Separated by blanks only, but certain: a flag, a netrc file, a directive alone on its line, a set command, an SQL word. */
function isLiteralApart(text: string, name: Name, at: number): boolean {
  if (/^--?\w/.test(name.full) || /\d/.test(name.sep)) return true
  const before = text.slice(Math.max(0, name.start - 120), name.start)
  if (/["']/.test(text.charAt(at)) && /(?:PASSWORD|.by)$/i.test(name.full))
    return SQL.test(`${before.slice(-60)}${name.full}`)
  // The keywords of Lisp.
  if (SETS.test(before) || (before.endsWith(':') && /["']/.test(text.charAt(at)))) return true
  if (name.kind !== 'password' && name.kind !== 'pass' && name.kind !== 'secret') return false
  if (NETRC.test(before)) return true
  const line = /^([^\s"'=:;]{4,80})[ \t]{0,4}(?:[\r\n]|$)/.exec(text.slice(at, at + 90))
  return line !== null && /\d/.test(line[1] ?? '') && isAtLineStart(text, name)
}

function isAtLineStart(text: string, name: Name): boolean {
  const from = lineStart(text, name.start)
  const before = text.slice(Math.max(from, name.start - 24), name.start)
  return name.start - from <= 24 && /^[ \t]{0,12}(?:[-*+] |> |export |set |ENV )?["']?$/.test(before)
}

const SCHEME = /\\{0,4}["'`]?(?:(?:Bearer|Basic|Token|Digest|ApiKey|Api-Key|Bot|GenieKey|SSWS|OAuth|AWS)[ \t]{1,4})/iy

function skipScheme(text: string, at: number): number {
  SCHEME.lastIndex = at
  return SCHEME.test(text) ? SCHEME.lastIndex : at
}

/** Null: the value is not redacted. */
function kindOfValue(value: string, at: SecretValue, name: Name, text: string): string | null {
  if (name.kind === 'authorization' || name.kind === 'bearer') {
    const isToken =
      /^[\w.~+/=:-]{8,}$/.test(value) && (name.kind === 'bearer' ? isRandom(value) : /[\dA-Z=]/.test(value))
    return isToken && !isReference(value) && !isWordy(value) ? 'authorization' : null
  }
  const trust = trustOf(text, name)
  if (trust === null || !isSecret(value.slice(0, LONG_CHARS), at.isQuoted, trust, name)) return null
  return trust === 'password' || trust === 'code' ? trust : 'secret'
}
