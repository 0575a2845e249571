/** Judges whether a value is a secret, or code, a placeholder, or a word. Also finds secrets that a sentence announces: "the password for staging is …". */
import type { Span } from './redact-scan.ts'
import { isCopula, lineStart, type NameKind } from './redact-words.ts'

/** Types, states and algorithms that occur in the place of a secret. */
const PLAIN_WORDS = new Set(
  'string number boolean object any unknown null undefined true false str int none nil void optional required missing invalid valid disabled enabled hidden present empty expired wrong incorrect correct stored hashed encrypted plain plaintext text input email basic bearer digest default auto manual password passwd passphrase pass pwd secret token key username user admin root value field label placeholder test testing bcrypt scrypt argon2 argon2id sha1 sha256 sha512 md5 base64 utf8 utf-8 oauth2 oauth aes-256 aes256 aes-256-gcm hs256 rs256 jwt x509 pbkdf2 inherit private public github gitlab'.split(
    ' ',
  ),
)

export function isPlainWord(value: string): boolean {
  return PLAIN_WORDS.has(value.toLowerCase())
}

const PLACEHOLDER =
  /^(?:x{3,}|[*.•#_=-]+|tbd|todo|n\/a|foo(?:bar)?|bar|baz|abc|dummy|fake|sample|demo|test)\d{0,3}$|^(?:your|some|the|insert|enter|replace|put|add|dummy|fake|sample|example|test|demo|any)[-_ ]|^my[-_ ]?(?:secret|token|password|api|app|super|key|auth)|change.?(?:me|this|it)\b|changeme|example|placeholder|x{4,}|\*{3,}|\.{3}|…|redacted|your[-_ ]|_here$|-here$/
/** Variables, templates, calls and types from which a program reads a secret. */
const CODE =
  /^(?:\$[A-Za-z_]\w*$|\$[({]|%[A-Za-z_]\w*%?$|%[({]|[{<[(@!]|#\{|&[A-Za-z]|\{\{)|\$\{|\{\{|\$\(|^(?:process\.env|os\.environ|os\.getenv|import\.meta|secrets\.|env\.|config\.|self\.|this\.|await |new |ENV\[)|^[A-Za-z_$][\w$.>-]{0,80}[([]|^(?:~|\.{1,2})?\/[\w.@-]{1,80}\/|^[A-Za-z]:[\\/]|^[a-z][a-z0-9+.-]{1,20}:\/\/|^sha(?:1|256|384|512)[-:=]|=>|^data:/

/** True if the value is not a literal secret: a placeholder from a manual, a variable, a path, an address. */
export function isReference(value: string): boolean {
  return (
    PLACEHOLDER.test(value.toLowerCase()) ||
    (CODE.test(value) && !isLongBase64(value)) ||
    (value.length > 5 && new Set(value).size < 4)
  )
}

/** Base64 may begin with a slash and look like a path. */
function isLongBase64(value: string): boolean {
  return /^[A-Za-z0-9+/]{32,}={0,2}$/.test(value) && !isWordy(value)
}

/** For an argument that a command expects as its secret. */
export function isLiteral(value: string): boolean {
  return value.length > 2 && !isReference(value) && !isPlainWord(value)
}

const PART = /^(?:[A-Za-z]{0,40}\d{0,4}|\d{1,14}|v\d{1,4}|[Tt]?\d{1,6}[A-Za-z]{1,2})$/
const NO_VOWELS = /[bcdfghjklmnpqrstvwxz]{6}/i

/** Words, numbers and versions joined by punctuation: `user-profile-2`, `config.apiKey`, `2024-01-01`. */
export function isWordy(value: string): boolean {
  for (const part of value.split(/[-_./:\\@?$=#,+ ]+/)) if (!PART.test(part) || NO_VOWELS.test(part)) return false
  return true
}

/** Letters and digits mixed, about 3 bits of entropy per character, no words. */
export function isRandom(value: string): boolean {
  if (value.length < 10 || /\s/.test(value) || isWordy(value)) return false
  const hasMix = /\d/.test(value) && /[A-Za-z]/.test(value)
  if (!hasMix && !/[a-z].{0,40}[A-Z]|[A-Z].{0,40}[a-z]/.test(value)) return false
  return entropy(value.slice(0, 256)) >= 2.8
}

/** For a value beside a name such as password: it contains a digit or a symbol, and is not a member expression of a program. */
export function isPassword(value: string, isQuoted: boolean): boolean {
  if (isPlainWord(value) || /^0x[\da-f]{1,8}$|[\u2e80-\uffef]{3}/i.test(value)) return false
  if (/\s/.test(value)) return isQuoted && isSpacedPassword(value)
  if (/^[A-Za-z]+$/.test(value))
    return isQuoted && value.length >= 6 && /^[a-z]/.test(value) && !/[a-z][A-Z]/.test(value)
  if (!/[\d!@#$%^&*+=?~]/.test(value)) return isQuoted && isJoinedWords(value)
  return !(isWordy(value) && /[-_./:]/.test(value))
}

/** Words with a digit or symbol among them, four or more words that do not form a sentence, or the salts of a WordPress config. */
function isSpacedPassword(value: string): boolean {
  if (/^[a-z]{3,}(?: [a-z]{3,}){3,}$/.test(value))
    return !/\b(?:the|for|and|your|with|not|must|use|this|that|from|are|was)\b/.test(value)
  if (value.length >= 32 && !/[a-z]{3} [a-z]{3}/i.test(value)) return /\d/.test(value) && /[^\w\s.,;:'"-]/.test(value)
  return /[\d!@#$%^&*+=~]/.test(value) && !/\p{L}{2} \p{L}{2,}|[.,:?] |\($|[^\x20-\x7e]{3}/u.test(value)
}

/** `correct-horse-battery-staple` */
function isJoinedWords(value: string): boolean {
  return /^[a-z]{3,}(?:[-_. ][a-z]{3,}){3,}$/i.test(value) && !value.split(/[-_.]/).some(isPlainWord)
}

const UNIT = /^(?:char|byte|bit|digit|letter|symbol|sec|min|hour|day|time|attempt|year|month|week|ms$|s$|px$|%)/i
const MEASURE =
  /^[~<>]?v?\d+(?:[.,]\d+)*(?:[a-z]{1,3})?$|^\d+-[a-z]+$|^\d{1,2}:\d\d|^\d{4}-\d\d-\d\d|^[\w.-]+@[\w-]+\.[a-z.]+$|^#\d+$/i

/** For a value that a sentence announces. `next` is the word behind it. */
function isAnnounced(value: string, isQuoted: boolean, next: string): boolean {
  if (value.length < 4 || value.length > 128 || isPlainWord(value) || isReference(value)) return false
  if (/^\d+$/.test(value)) return value.length <= 16 && !UNIT.test(next)
  if (MEASURE.test(value) || /[(){}<>[\]\\]/.test(value)) return false
  if (isJoinedWords(value)) return true
  const hasSign = /[\dA-Za-z][!@#$%^&*+=~].*[\dA-Za-z!@#$%^&*]/.test(value)
  if (!isQuoted && !/\d/.test(value) && !(hasSign && value.length >= 6)) return false
  return isPassword(value, isQuoted)
}

/** For a value that no word announces: it has three of capitals, small letters, digits and symbols, and is not a word. */
function isStrong(value: string): boolean {
  if (value.length < 6 || value.length > 64 || /[(){}<>[\]\\/|,;"'`]/.test(value) || isReference(value)) return false
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[!@#$%^&*+=?~]/].filter((one) => one.test(value)).length
  return classes >= 3 && !isWordy(value.replace(/[!?]+$/, '')) && !MEASURE.test(value) && !isPlainWord(value)
}

/** For a value that stands alone on its line, below the word that announces it. */
export function isStanding(value: string, kind: 'password' | 'secret' | 'pin'): boolean {
  if (kind === 'pin') return isCode(value)
  if (kind === 'secret') return isTokenSaid(value) || (isSecretToken(value) && !isReference(value))
  return isStrong(value) || isAnnounced(value, false, '')
}

function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

const SENTENCE_CHARS = 110
const MOST_WORDS = 9
const OPENING = /^["'`“”„«「『‘’(*_[<]+/
const CLOSING = /["'`“”»」』’)\]}\\*_.,;:?…>]+$/
const ASCII_RUN = /[!-~]{3,}/g
/** Letters from this code on are not Latin: an ASCII value stands out among them. */
const NOT_LATIN = 0x370

/** Searches behind the word first, then before it. */
export function findAnnounced(text: string, kind: NameKind, start: number, end: number, spans: Span[]): void {
  const found =
    text.charCodeAt(end - 1) >= NOT_LATIN
      ? inOtherScript(text, kind, end)
      : (behind(text, kind, end) ?? before(text, kind, start))
  if (found !== null) spans.push({ ...found, kind: kindOf(kind) })
}

function kindOf(kind: NameKind): string {
  return kind === 'password' || kind === 'pass' ? 'password' : kind === 'pin' || kind === 'code' ? 'code' : 'secret'
}

interface Word {
  text: string
  start: number
  isQuoted: boolean
}

/** What every value has that a sentence may announce. */
const SIGN = /[\d!@#$%^&*+=~]|["'`“„«‘][a-z]|-\w+-\w+-/

function behind(text: string, kind: NameKind, end: number): Omit<Span, 'kind'> | null {
  // "All tests pass. It is committed as 4be1c07": the sentence of a verb ends with it.
  if (kind === 'pass' && /^[.?!;,]\s/.test(text.slice(end, end + 2))) return null
  // In most texts there is no sign near the word at all.
  if (!SIGN.test(text.slice(end, end + SENTENCE_CHARS))) return null
  const line = lineOf(text, end)
  if (!SIGN.test(line)) return null
  const words = proseWords(line, end)
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word
    const value = trimmed(word)
    const last = index === 0 ? '' : (words[index - 1] as Word).text
    if (isSaid(value, word, kind, last, words[index + 1]?.text ?? '')) return spanOf(word, value)
    if (index > 0 && /[a-z]{2}[.?!]$/.test(last)) return null
  }
  return null
}

function isSaid(value: string, word: Word, kind: NameKind, last: string, next: string): boolean {
  const isAfterCopula = isCopula(last)
  switch (kind) {
    case 'password':
      if (isAfterCopula) return isAnnounced(value, word.isQuoted, next)
      return isStrong(value) || (last === '' && word.isQuoted && /\d/.test(value) && isAnnounced(value, true, next))
    case 'pass':
      return isAfterCopula && last !== 'to' && /\d/.test(value) && isAnnounced(value, word.isQuoted, next)
    case 'pin':
    case 'code':
      return (isAfterCopula || last === '') && isCode(value) && !/^(?:char|byte|digit|ms|s|px)/.test(next)
    case 'secret':
      return (isAfterCopula || (last === '' && ALONE.test(value))) && isTokenSaid(value)
    default:
      return false
  }
}

/** The next word, without a verb before it. A shorter one may name the beginning of a token; `token-…` goes on. */
const ALONE = /^[A-Za-z\d]\S{19}/

function isTokenSaid(value: string): boolean {
  return /^[\w.~+/=-]{10,}$/.test(value) && /\d/.test(value) && isRandom(value) && !isReference(value)
}

export function isCode(value: string): boolean {
  return /^\d{4,10}$|^\d{3}[ -]\d{3}$|^(?=[A-Z-]{0,40}\d)[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){1,7}$|^(?=[a-z-]{0,40}\d)[a-z\d]{4,8}(?:-[a-z\d]{4,8}){1,7}$/.test(
    value,
  )
}

/** "… is the password": a strong or quoted value, then a copula, then the word. */
function before(text: string, kind: NameKind, start: number): Omit<Span, 'kind'> | null {
  if (kind !== 'password') return null
  const from = Math.max(lineStart(text, start), start - 70)
  const words = proseWords(text.slice(from, start), from)
  for (let index = words.length - 2; index >= Math.max(0, words.length - 5); index--) {
    const word = words[index] as Word
    const value = trimmed(word)
    if (!isCopula((words[index + 1] as Word).text) || /[:=]$/.test((words[index + 1] as Word).text)) continue
    if (isStrong(value) || (word.isQuoted && isAnnounced(value, true, ''))) return spanOf(word, value)
  }
  return null
}

/** For scripts that do not separate words by spaces, and where an ASCII value stands out without an announcing word. */
function inOtherScript(text: string, kind: NameKind, end: number): Omit<Span, 'kind'> | null {
  const line = lineOf(text, end).replace(/[。！？].*$/s, '')
  for (const run of line.matchAll(ASCII_RUN)) {
    const word = { text: run[0], start: end + run.index, isQuoted: /["'`]/.test(run[0].charAt(0)) }
    const value = trimmed(word)
    const isSecret =
      kind === 'password' ? isAnnounced(value, word.isQuoted, '') : kind === 'pin' ? isCode(value) : isTokenSaid(value)
    if (isSecret) return spanOf(word, value)
  }
  return null
}

function lineOf(text: string, from: number): string {
  const line = text.slice(from, from + SENTENCE_CHARS)
  const end = line.search(/[\r\n]|\\n/)
  return end < 0 ? line : line.slice(0, end)
}

function proseWords(line: string, offset: number): Word[] {
  const words: Word[] = []
  for (const found of line.matchAll(/\S+/g)) {
    if (words.length >= MOST_WORDS && offset > 0) break
    words.push({ text: found[0], start: offset + found.index, isQuoted: /^["'“„«‘]/.test(found[0]) })
  }
  return words
}

function trimmed(word: Word): string {
  return word.text.replace(OPENING, '').replace(CLOSING, '')
}

function spanOf(word: Word, value: string): Omit<Span, 'kind'> {
  const start = word.start + word.text.indexOf(value)
  return { start, end: start + value.length }
}

/** Twelve or more words of three to eight small letters, with no shorter word between them: the recovery phrase of a wallet. */
const MNEMONIC =
  /(?:^|[^a-z])((?:\d{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}(?:(?:[ \t,"']|\r?\n|\\n|\d{1,2}[.):]?){1,6}[a-z]{3,8}){11,23})(?![a-z])/

export function findMnemonic(text: string, end: number, spans: Span[]): void {
  const found = MNEMONIC.exec(text.slice(end, end + 420))
  if (found === null || found.index > 40) return
  const start = end + found.index + found[0].length - (found[1] ?? '').length
  spans.push({ start, end: end + found.index + found[0].length, kind: 'secret' })
}

const PAIR = /["'“(]?[\w.@+-]{2,60}[ \t]{0,3}(?:[/:|,]|->|and)[ \t]{0,3}["'“]?([^\s"'“”=]{4,80})/y

/** `admin / secret` behind a word such as credentials. */
export function findPair(text: string, at: number, spans: Span[]): void {
  PAIR.lastIndex = at
  const found = PAIR.exec(text)?.[1] ?? ''
  const value = found.replace(CLOSING, '')
  const start = PAIR.lastIndex - found.length
  if (isAnnounced(value, false, '')) spans.push({ start, end: start + value.length, kind: 'password' })
}

/** `SyntaxKind.EqualsToken` */
const MEMBER = /^[A-Za-z_$]{1,60}\d{0,5}[A-Za-z_$]{0,60}(?:\.[A-Za-z_$]{1,60}\d{0,5}[A-Za-z_$]{0,60}){1,5}$/

export const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}/i

export function unescaped(value: string): string {
  return value.replace(/%[\dA-Fa-f]{2}/g, '-')
}

export function isSalt(value: string, isQuoted: boolean): boolean {
  if (value.length < 8 || /\s/.test(value)) return isPassword(value, isQuoted) && value.length >= 8
  return !isWordy(value) && /\d/.test(value) && !/^\\x|[(){}]/.test(value)
}

/** Random characters (fewer are enough if they are of three kinds), or the digit groups of a disk's recovery key. */
export function isSecretToken(value: string): boolean {
  if (/[(){}]/.test(value)) return false
  const plain = unescaped(value)
  if (isRandom(plain) || /^(?:\d{4,6}-){4,}\d{4,6}$|^[A-Z2-7]{16,}=*$/.test(value)) return true
  return value.length >= 8 && /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && !isWordy(plain)
}

/** Neither a member expression nor a type of a program. */
export function isBareSecret(value: string): boolean {
  return !MEMBER.test(value) && !/[<>(){}|,;]/.test(value)
}
