/** What a name stands for, and whether a value beside it is its secret. */
import {
  isBareSecret,
  isCertain,
  isCode,
  isPassword,
  isPlainWord,
  isRandom,
  isReference,
  isSalt,
  isSecretToken,
  isWordy,
  UUID,
  unescaped,
} from './redact-judge.ts'
import { WIDE } from './redact-scan.ts'
import { type NameKind, nameWords } from './redact-words.ts'

/** Suffixes after which a name still denotes a secret: `DB_PASSWORD_PROD`, `client-key-data`; not `token_count`. */
const ENDINGS = new Set(
  `prod production dev test staging live base64 b64 value data old new string plain raw default main backup admin root hash digest md5 sha1 sha256 salt base encrypted crypt confirm confirmation code number`.split(
    ' ',
  ),
)
export function isEnding(rest: string): boolean {
  return rest === '' || /^[_-]?\d{1,2}$/.test(rest) || ENDINGS.has(rest.replace(/^[_-]/, '').toLowerCase())
}

export type Trust = 'password' | 'secret' | 'salt' | 'code' | 'weak'

export interface Name {
  kind: NameKind
  /** The word itself, in lower case. */
  word: string
  /** The whole identifier, including the dashes of a `--flag`. */
  full: string
  start: number
  sep: string
  /** The name and the value are two arguments: `('NAME', 'value')`. */
  isCall: boolean
}

const KEYS_THAT_OPEN =
  /(?:api|access|secret|private|account|shared|preshared|encrypt(?:ion)?|signing|master|auth|admin|deploy|service|client|licen[cs]e|webhook|session|ssh|app|storage|recovery|secret|비밀|액세스)[_ -]?$/
let names: Map<string, NameKind> | undefined

/** What the last words of an identifier or a heading announce: `DB_PASSWORD_PROD`, `apiKey`, `Mot de passe`, `初期パスワード`. */
export function kindOfIdentifier(identifier: string): NameKind | null {
  // Of two kinds the first counts: `credential(` begins a call, too.
  names ??= new Map(
    nameWords()
      .map(([word, { kind, length }]) => [word.slice(0, length).toLowerCase(), kind] as const)
      .reverse(),
  )
  const words = identifier
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\d]+/u)
    .filter((word) => word !== '')
  while (words.length > 1 && isEnding(words.at(-1) ?? '')) words.pop()
  for (let count = Math.min(3, words.length); count > 0; count--) {
    const kind = kindOfWord(words.slice(-count).join('_'), names)
    if (kind === 'key') return KEYS_THAT_OPEN.test(words.slice(0, -1).join('_')) ? 'secret' : null
    if (kind !== null) return kind
  }
  return null
}

/** In Chinese, Japanese and Korean the word is the end of a longer one. */
function kindOfWord(word: string, of: ReadonlyMap<string, NameKind>): NameKind | null {
  const kind = of.get(word) ?? null
  return kind === null && word.charCodeAt(0) >= WIDE && word.length > 1 ? kindOfWord(word.slice(1), of) : kind
}

const KEYS_THAT_NAME =
  /(?:primary|foreign|public|publishable|cache|sort|partition|query|row|index|lookup|translation|i18n|object|map|group|dedup\w*|idempotency|unique|composite|hot|short|storage[_-]?|idx|route|anon)[_-]?$/
const NO_SECRET_BEFORE =
  /(?:next|page|continuation|cursor|max|min|num|input|output|total|cached?|per|sync|design|css)[_-]?$/
const NO_PASS_BEFORE =
  /(?:by|buy|com|tres|under|over|sur|en|encom|im|low|high|band|first|last|each|render|multi|single)[_-]?$/
const CODES_THAT_OPEN =
  /(?:verif\w*|security|auth\w*|log-?in|access|[2m]fa|otp|sms|one-?time|recovery|backup|confirmation|unlock|door|gate|alarm|pin|entry|safe|scratch)[ _-]?$/i

export function trustOf(text: string, name: Name): Trust | null {
  const before = name.full.slice(0, name.full.toLowerCase().lastIndexOf(name.word)).toLowerCase()
  const at = name.full.toLowerCase().lastIndexOf(name.word)
  const isOwnWord =
    /(?:^|[^a-z])$/.test(before) || (/[a-z]$/.test(name.full.slice(0, at)) && /[A-Z]/.test(name.full.charAt(at)))
  switch (name.kind) {
    case 'pass':
      return NO_PASS_BEFORE.test(before) ? null : 'password'
    case 'key':
      if (KEYS_THAT_NAME.test(before)) return null
      if (KEYS_THAT_OPEN.test(before)) return 'secret'
      return isOwnWord ? 'weak' : null
    case 'weak':
      return isOwnWord ? 'weak' : null
    case 'phrase':
      return 'weak'
    case 'signature':
      return name.sep.trim() === '=' || name.sep.startsWith('%3') ? 'weak' : null
    case 'secret':
      return NO_SECRET_BEFORE.test(before) ? null : 'secret'
    case 'salt':
      return 'salt'
    case 'pin':
      return 'code'
    case 'code':
      return CODES_THAT_OPEN.test(text.slice(Math.max(0, name.start - 20), name.start) + before) ? 'code' : null
    case 'password':
      return 'password'
    default:
      return null
  }
}

/** Places where a value is always literal: `NAME=value` in capitals, `--flag value`. */
export function isEnvironment(name: Name): boolean {
  if (/^--?\w/.test(name.full)) return /^(?:[ \t]+|=)$/.test(name.sep)
  const isCapital = /[A-Z]/.test(name.full) && name.full === name.full.toUpperCase()
  return isCapital && (name.sep === '=' || name.isCall)
}

export function isSecret(value: string, isQuoted: boolean, trust: Trust, name: Name): boolean {
  if (trust === 'code') return isCode(value) || (/^cv[vc]/.test(name.word) && /^\d{3,4}$/.test(value))
  if (value.length < 4 || isReference(value)) return false
  const isBare = isQuoted || isBareSecret(value)
  if (trust === 'weak')
    return isBare && value.length >= 16 && /\d/.test(value) && isRandom(unescaped(value)) && !UUID.test(value)
  if (trust === 'salt') return isSalt(value, isQuoted)
  if (isEnvironment(name) && isQuoted && /\d/.test(value) && value.length <= 60 && trust === 'password') return true
  if (trust === 'password' && (name.isCall || !name.sep.includes(',')) && isCertain(value)) return true
  if (isEnvironment(name) && !/\s/.test(value)) return isLiteralSecret(value, trust, name)
  if (trust === 'secret') return isBare && isSecretToken(value) && (!name.isCall || /\d/.test(value))
  if (name.isCall || name.sep.includes('|')) return /[\d!@#$%^&*+=~]/.test(value) && isPassword(value, isQuoted)
  // `pass` alone more often counts passed tests than names a password.
  return isPassword(value, isQuoted) && (name.kind !== 'pass' || (/\d/.test(value) && !/\s/.test(value)))
}

function isLiteralSecret(value: string, trust: Trust, name: Name): boolean {
  if (isPlainWord(value) || (isWordy(value) && /[/.]/.test(value))) return false
  // "the --password options" is a sentence.
  if (name.sep.trim() === '' && /^[A-Za-z]+$/.test(value)) return false
  if (isWordy(value) && value.split(/[-_]/).some(isPlainWord)) return false
  if (name.isCall && value === value.toUpperCase()) return isRandom(value)
  return trust === 'password' || (value.length >= 8 && !/^\d+$/.test(value))
}
