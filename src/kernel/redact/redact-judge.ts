/** Judges whether a value is a secret, or code, a placeholder, or a word. */

/** Types, states and algorithms that occur in the place of a secret. */
const PLAIN_WORDS = new Set(
  'string number boolean object any unknown null undefined true false str int none nil void optional required missing invalid valid disabled enabled hidden present empty expired wrong incorrect correct stored hashed encrypted plain plaintext text input email basic bearer digest default auto manual password passwd passphrase pass pwd secret token key username user admin root value field label placeholder test testing bcrypt scrypt argon2 argon2id sha1 sha256 sha512 md5 base64 utf8 utf-8 oauth2 oauth aes-256 aes256 aes-256-gcm hs256 rs256 jwt x509 pbkdf2 inherit private public github gitlab 1password'.split(
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
export function isAnnounced(value: string, isQuoted: boolean, next: string): boolean {
  if (value.length < 4 || value.length > 128 || isPlainWord(value) || isReference(value)) return false
  if (/^\d+$/.test(value)) return value.length <= 16 && !UNIT.test(next)
  if (MEASURE.test(value) || /[(){}<>[\]\\]/.test(value)) return false
  if (isJoinedWords(value)) return true
  const hasSign = /[\dA-Za-z][!@#$%^&*+=~].*[\dA-Za-z!@#$%^&*]/.test(value)
  if (!isQuoted && !/\d/.test(value) && !(hasSign && value.length >= 6)) return false
  return isPassword(value, isQuoted)
}

/**
 * For a value beside an announcement that leaves no doubt: words joined by signs count if a digit or a capital is in the
 * middle of them, `marble-Kite-08`, `lunaLlena_en_Cadiz`. A file, a version, a header and a program's name do not.
 */
export function isCertain(value: string): boolean {
  if (value.length < 8 || value.length > 64 || !/[\d._-]/.test(value)) return false
  if (!/^[\p{L}\d][\p{L}\d._!#$%&*+@?~-]+$/u.test(value)) return false
  if (isReference(value) || MEASURE.test(value) || /\.[a-z]{2,5}$|passw|secret|token|auth|user|^v\d/i.test(value))
    return false
  const parts = value.split(/[-_.]/)
  const words = parts.filter((part) => /\p{L}{3}/u.test(part))
  if (words.length === 0 || parts.some(isPlainWord)) return false
  const hasCapital = /\p{Lu}/u.test(value) && /\p{Ll}/u.test(value)
  if (hasCapital && /\d/.test(value)) return true
  // A year ends the name of a file or a page.
  if (/\d/.test(value)) return words.length > 1 && parts.length < 5 && !/\b(?:19|20)\d\d$/.test(value)
  return hasCapital && parts.length > 1 && !/^\p{Lu}/u.test(value)
}

/** The same with a digit and a capital: rarely the name of a form or a page. */
export function isMixed(value: string): boolean {
  return /\d/.test(value) && /\p{Lu}/u.test(value) && isCertain(value)
}

/** For a value that no word announces: it has three of capitals, small letters, digits and symbols, and is not a word. */
export function isStrong(value: string): boolean {
  if (value.length < 6 || value.length > 64 || /[(){}<>[\]\\/|,;"'`]/.test(value) || isReference(value)) return false
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[!@#$%^&*+=?~]/].filter((one) => one.test(value)).length
  return classes >= 3 && !isWordy(value.replace(/[!?]+$/, '')) && !MEASURE.test(value) && !isPlainWord(value)
}

function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
export function isTokenSaid(value: string): boolean {
  return /^[\w.~+/=-]{10,}$/.test(value) && /\d/.test(value) && isRandom(value) && !isReference(value)
}

export function isCode(value: string): boolean {
  return /^\d{4,10}$|^\d{3,4}[ -]\d{3,4}$|^(?=[A-Z-]{0,40}\d)[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){1,7}$|^(?=[a-z-]{0,40}\d)[a-z\d]{4,8}(?:-[a-z\d]{4,8}){1,7}$/.test(
    value,
  )
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

/** `Uint32Array` */
const IDENTIFIER = /^(?:[A-Z]?[a-z]{2,}|\d{1,4}(?![a-z]))+$/

export function isIdentifier(value: string): boolean {
  return IDENTIFIER.test(value)
}

/** Neither a member expression nor a type of a program. */
export function isBareSecret(value: string): boolean {
  return !MEMBER.test(value) && !isIdentifier(value) && !/[<>(){}|,;]/.test(value)
}
