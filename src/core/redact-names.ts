/** Secrets that are known by the name beside them: assignments, headers, cookies, flags of commands, sentences. */

import { matchEnd, readCookies, replaceCookies, type Value } from './redact-commands.ts'
import { isPassword, isPlainWord, isRandom, isReference, isWordy } from './redact-judge.ts'
import type { Tally } from './redact-rules.ts'

type Trust = 'password' | 'secret' | 'weak'

interface Name {
  /** The whole identifier, `--flag` dashes included. */
  full: string
  start: number
  word: string
  sep: string
  isNetrc: boolean
}

const WORD =
  /passw(?:or)?d|passphrase|passcode|pass|pwd|secret|token|key|credentials?|authorization|auth|bearer|cookie|dsn|private|sig(?:nature)?|connection[_-]?string|identified by|비밀번호|비번|암호|패스워드|토큰|시크릿|키/gi
/** What a telling word may be followed by and still tell: `DB_PASSWORD_PROD`, `client-key-data`; not `token_count`. */
const ENDINGS = new Set(
  'prod production dev test staging live base64 b64 value data old new string plain raw default main backup admin root'.split(
    ' ',
  ),
)
/** Quotes, brackets, `(prod)`, a TypeScript type: what may stand between a name and its separator. */
const CLOSING = '(?:\\\\*["\'`])?\\]?\\**[?!]?(?: \\([^)\\r\\n]{1,24}\\))?(?::[ \\t]?[A-Za-z&]{1,20}(?= =))?'
const SEPARATOR = [
  '[ \\t]*(?:=>|:=|=+|:\\**|%3D)[ \\t]*',
  ' (?:for|of|to|on) [^\\r\\n:=]{1,40}?(?: is:?| was:?|:| =) ',
  '[ \\t]+(?:(?:is|was)(?: now| set to)?:?[ \\t]+)?(?:value=)?',
  '[은는이가][ \\t]*[:=]?[ \\t]*',
  '\\((?=["\'])',
  '>',
  '\\s*value:[ \\t]*',
].join('|')

/** Beyond this a value is judged by its beginning. */
const LONG_CHARS = 512

let afterWord: RegExp | undefined

export function redactNamed(text: string, tally: Tally): string {
  // Sticky and apart from WORD, which ignores case: a negated class that ignores case takes milliseconds to compile, and
  // so do bounded optional parts in a row. The unbounded ones here repeat one blank and are tried once for each word.
  afterWord ??= new RegExp(`([_-]?[A-Za-z0-9]{0,10})(?![A-Za-z0-9_])${CLOSING}(${SEPARATOR})`, 'y')
  let kept = ''
  let from = 0
  WORD.lastIndex = 0
  for (let word = WORD.exec(text); word !== null; word = WORD.exec(text)) {
    afterWord.lastIndex = WORD.lastIndex
    const after = afterWord.exec(text)
    if (after === null || !isEnding(after[1] ?? '')) continue
    const at = afterWord.lastIndex
    if (isProse(text, word, after, at)) continue
    const name = readName(text, word, after)
    const value = name.word === 'cookie' ? readCookies(text, at) : readValue(text, at, name)
    if (value === null || value.start < from) continue
    const replaced = replaceValue(text.slice(value.start, value.end), value, name, tally)
    if (replaced === null) {
      // What was read whole is not read again from each name inside it, or `key=key=key=…` would take forever.
      if (name.word === 'cookie' || (!value.isQuoted && value.end - value.start > LONG_CHARS))
        WORD.lastIndex = value.end
      continue
    }
    kept += text.slice(from, value.start) + replaced
    from = value.end
    WORD.lastIndex = value.end
  }
  return from === 0 ? text : kept + text.slice(from)
}

/** Most hits are prose, `the token of`, and are done with before any further pattern is compiled. */
function isProse(text: string, word: RegExpExecArray, after: RegExpExecArray, at: number): boolean {
  if ((after[2] ?? '').trim() !== '' || text.charAt(word.index - 1) === '-') return false
  for (let index = at; index < at + 64 && text.charCodeAt(index) > 32; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) return false
  }
  return !isNetrcPassword(text, word, after)
}

/** `login me password secret`: parted by blanks only, but sure. */
function isNetrcPassword(text: string, word: RegExpExecArray, after: RegExpExecArray): boolean {
  const isBlank = (after[2] ?? '').trim() === ''
  return isBlank && word[0] === 'password' && NETRC.test(text.slice(Math.max(0, word.index - 120), word.index))
}

function isNameCode(code: number): boolean {
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
  return isLetter || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46 || code === 36
}

function isEnding(rest: string): boolean {
  return rest === '' || /^[_-]?\d{1,2}$/.test(rest) || ENDINGS.has(rest.replace(/^[_-]/, '').toLowerCase())
}

const NETRC = /\blogin(?:\s|\\n){1,8}\S{1,80}(?:\s|\\n){1,8}$/
const SPOKEN_KEY = /\b(?:api|API|access|secret|private|license|signing|account) $/

function readName(text: string, found: RegExpExecArray, after: RegExpExecArray): Name {
  let start = found.index
  while (start > 0 && found.index - start < 64 && isNameCode(text.charCodeAt(start - 1))) start--
  // After a JSON `\n` or `\t` the letter is no part of the name.
  if (text.charAt(start - 1) === '\\' && /[nrt]/.test(text.charAt(start)) && start < found.index) start++
  const word = found[0].toLowerCase()
  // In a sentence the telling part may be a word of its own: "the api key is".
  if (word === 'key' && start === found.index && text.charAt(start - 1) === ' ')
    start -= SPOKEN_KEY.exec(text.slice(Math.max(0, start - 12), start))?.[0].length ?? 0
  const full = text.slice(start, found.index + found[0].length) + (after[1] ?? '')
  return { full, start, word, sep: after[2] ?? '', isNetrc: isNetrcPassword(text, found, after) }
}

const SCHEME = /(?:(?:Bearer|Basic|Token|Digest|ApiKey|Api-Key|Bot|GenieKey|SSWS)[ \t]{1,4})/iy
const QUOTE = /[bru]?(\\{0,4}["'`])/y
// A Korean particle follows a value without a blank.
const BARE = /[^가-힣\s"'`,;&|<>(){}[\]\\]{1,4096}/y
const WHOLE_LINE = /[^가-힣\s"'`\\]{1,4096}(?=,?[ \t]{0,8}\r?$)/my

function readValue(text: string, at: number, name: Name): Value | null {
  QUOTE.lastIndex = at
  const quote = QUOTE.exec(text)
  let start = quote === null ? at : QUOTE.lastIndex
  SCHEME.lastIndex = start
  const hasScheme = name.word === 'authorization' && SCHEME.test(text)
  if (hasScheme) start = SCHEME.lastIndex
  if (quote !== null) {
    const end = endOfQuoted(text, start, quote[1] ?? '"')
    return end > start ? { start, end, isQuoted: true } : null
  }
  const pattern = isAtLineStart(text, name) && /[:=]/.test(name.sep) ? WHOLE_LINE : BARE
  let end = matchEnd(pattern, text, start)
  // `Password=x;Host=y` holds more than one value.
  if (end === start || /[;&]\w{1,40}=/.test(text.slice(start, end))) end = matchEnd(BARE, text, start)
  if (/[([{]/.test(text.charAt(end)) && !isEnvironment(name)) return null
  while (end > start && /[.,:;)]/.test(text.charAt(end - 1))) end--
  return end > start ? { start, end, isQuoted: name.sep === '>' && text.charAt(name.start - 1) === '<' } : null
}

/** Up to the same quote with as many backslashes; without one, the text was cut: up to the next white space. */
function endOfQuoted(text: string, start: number, quote: string): number {
  const line = text.slice(start, start + 4096)
  const lineEnd = line.search(/[\r\n]/)
  for (let end = line.indexOf(quote); end >= 0; end = line.indexOf(quote, end + 1)) {
    if (lineEnd >= 0 && end > lineEnd) break
    if (line.charAt(end - 1) !== '\\') return start + end
  }
  return matchEnd(/[^\s"'`\\]{1,4096}/y, text, start)
}

function isAtLineStart(text: string, name: Name): boolean {
  const before = text.slice(Math.max(0, name.start - 24), name.start)
  return (
    /(?:^|[\r\n])[ \t]{0,12}(?:- |export |set |ENV )?["']?$/.test(before) && (name.start < 24 || /[\r\n]/.test(before))
  )
}

/** Null leaves the value as it is. */
function replaceValue(value: string, at: Value, name: Name, tally: Tally): string | null {
  if (value.includes('[redacted:') || value.includes('[private]')) return null
  if (name.word === 'cookie') return replaceCookies(value, tally)
  if (name.word === 'authorization' || name.word === 'bearer') {
    const isToken =
      /^[\w.~+/=:-]{8,}$/.test(value) && (name.word === 'bearer' ? isRandom(value) : /[\dA-Z=]/.test(value))
    if (!isToken || isReference(value) || isWordy(value)) return null
    tally.count++
    return '[redacted:authorization]'
  }
  const trust = trustOf(name)
  if (trust === null || !isSecret(value.slice(0, LONG_CHARS), at.isQuoted, trust, name)) return null
  tally.count++
  return trust === 'password' ? '[redacted:password]' : '[redacted:secret]'
}

const KEYS_THAT_OPEN =
  /(?:api|access|secret|private|account|shared|encrypt(?:ion)?|signing|master|auth|admin|deploy|service|client|license|webhook|session|ssh|app|storage)[_ -]?$/
const KEYS_THAT_NAME =
  /(?:primary|foreign|public|publishable|cache|sort|partition|query|row|index|lookup|translation|i18n|object|map|group|dedup\w*|idempotency|unique|composite|hot|short|storage[_-]?|idx|route|anon)[_-]?$/
const NO_SECRET_BEFORE =
  /(?:next|page|continuation|cursor|max|min|num|input|output|total|cached?|per|sync|design|css)[_-]?$/

function trustOf(name: Name): Trust | null {
  const at = name.full.toLowerCase().lastIndexOf(name.word)
  const before = name.full.slice(0, at)
  const isOwnWord = /(?:^|[^A-Za-z])$/.test(before) || (/[a-z]$/.test(before) && /[A-Z]/.test(name.full.charAt(at)))
  switch (name.word) {
    case 'pass':
      return isOwnWord ? 'password' : null
    case 'key':
    case '키':
      if (KEYS_THAT_NAME.test(before.toLowerCase())) return null
      if (KEYS_THAT_OPEN.test(before.toLowerCase())) return 'secret'
      return isOwnWord ? 'weak' : null
    case 'auth':
    case 'private':
    case 'dsn':
      return /(?:^|[_.-])$/.test(before) ? 'weak' : null
    case 'sig':
    case 'signature':
      return name.sep.trim() === '=' || name.sep === '%3D' ? 'weak' : null
    case 'secret':
    case 'token':
    case '토큰':
    case '시크릿':
    case 'credential':
    case 'credentials':
    case 'connectionstring':
      return NO_SECRET_BEFORE.test(before.toLowerCase()) ? null : 'secret'
    default:
      return /^connection/.test(name.word) ? 'secret' : 'password'
  }
}

/** Where a value is always literal: `NAME=value` in capitals, `--flag value`. */
function isEnvironment(name: Name): boolean {
  if (/^--?\w/.test(name.full)) return /^(?:[ \t]+|=)$/.test(name.sep)
  return name.sep === '=' && /[A-Z]/.test(name.full) && name.full === name.full.toUpperCase()
}

/** `SyntaxKind.EqualsToken` */
const MEMBER = /^[A-Za-z_$]{1,60}\d{0,2}[A-Za-z_$]{0,60}(?:\.[A-Za-z_$]{1,60}){1,5}$/

function isSecret(value: string, isQuoted: boolean, trust: Trust, name: Name): boolean {
  const isSeparatedBySpace = name.sep.trim() === ''
  if (
    value.length < 4 ||
    (isSeparatedBySpace && !isQuoted && !name.isNetrc && !/[\d!@#$%^&*+=?~]/.test(value) && !isEnvironment(name))
  )
    return false
  if ((trust === 'weak' && !/\d/.test(value)) || isReference(value)) return false
  const isSpaced = /\s/.test(value)
  if (trust === 'weak') return isRandom(value) && value.length >= 16 && !/^[\da-f]{8}-(?:[\da-f]{4}-){3}/i.test(value)
  if (isEnvironment(name) && !isSpaced) {
    if (isPlainWord(value) || (isWordy(value) && /[/.]/.test(value))) return false
    // "the --password options" is a sentence.
    if (name.sep.trim() === '' && /^[A-Za-z]+$/.test(value)) return false
    if (isWordy(value) && value.split(/[-_]/).some(isPlainWord)) return false
    return trust === 'password' || (value.length >= 8 && !/^\d+$/.test(value))
  }
  if (trust === 'secret') return isRandom(value) && (isQuoted || !MEMBER.test(value))
  if (isSeparatedBySpace && !isQuoted && !name.isNetrc && !name.isNetrc) return isRandom(value)
  // `pass` alone counts tests more often than it opens doors.
  return isPassword(value, isQuoted) && (name.word !== 'pass' || /\d/.test(value))
}
