/** Finds secrets by their own format: the tokens of services, JSON web tokens. */

import { isWordy } from './redact-judge.ts'
import type { Span, Visit } from './redact-scan.ts'
import { SERVICES } from './redact-services.ts'

interface Token {
  kind: string
  prefix: string
  alphabet: string
  least: number
  /** The number of `!`: 1 requires a digit and a letter, 2 a digit and letters of both cases. */
  mix: number
  /** Alphabet and minimum length of the text that must precede the prefix. */
  left: string
  leastLeft: number
}

const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const HEX = '0123456789abcdefABCDEF'
const ALPHABETS: Readonly<Record<string, string>> = {
  d: '0123456789',
  c: `${HEX}:/`,
  h: HEX,
  g: `${HEX}-`,
  l: ALPHANUMERIC.replace(/[A-Z]/g, ''),
  u: ALPHANUMERIC.replace(/[a-z]/g, ''),
  v: `${ALPHANUMERIC.replace(/[a-z]/g, '')}-_`,
  a: ALPHANUMERIC,
  w: `${ALPHANUMERIC}_-`,
  x: `${ALPHANUMERIC}_-.~=`,
  y: `${ALPHANUMERIC}_-$`,
  b: `${ALPHANUMERIC}_-+/=`,
  z: `${ALPHANUMERIC}%`,
}
/** Limits of a token's length. If the alphabet contains the dot, a token may begin inside another. */
const MOST_CHARS = { whole: 8192, dotted: 1024, joined: 200 }

/** The alphabets of each character, one bit per alphabet. */
const MEMBERS = new Uint16Array(128)
const BITS = new Map(Object.keys(ALPHABETS).map((letter, index) => [letter, 1 << index]))
for (const [letter, characters] of Object.entries(ALPHABETS))
  for (const character of characters) {
    const code = character.charCodeAt(0)
    MEMBERS[code] = (MEMBERS[code] ?? 0) | (BITS.get(letter) ?? 0)
  }
const ALPHANUMERIC_BIT = BITS.get('a') ?? 0

/** The prefixes of tokens and the function to call at each. */
export function tokenWords(): (readonly [word: string, visit: Visit])[] {
  const tokens = SERVICES.filter((line) => line !== '').flatMap(readRow)
  return tokens.flatMap((token) => tokenStarts(token).map((word) => [word, visitToken(token)] as const))
}

/** Discord's tokens have no prefix but a format: three parts, the first of which is a number in base64. */
const DISCORD = /(?:\b|\\[nrt])([MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{20,40})/g

const LEAST_DISCORD = 52

export function findDiscordTokens(text: string, spans: Span[]): void {
  if (text.length < LEAST_DISCORD) return
  DISCORD.lastIndex = 0
  for (let found = DISCORD.exec(text); found !== null; found = DISCORD.exec(text)) {
    const start = DISCORD.lastIndex - (found[1] ?? '').length
    if (!isDocumented(found[1] ?? '')) spans.push({ start, end: DISCORD.lastIndex, kind: 'discord' })
  }
}

function visitToken(token: Token): Visit {
  return (search, start) => {
    const span = start < search.tokenEnd ? null : tokenAt(search.text, start, token)
    if (span === null) return
    search.tokenEnd = span.end
    search.spans.push(span)
  }
}

function readRow(line: string): Token[] {
  const [head = '', ...prefixes] = line.split(' ')
  const [, kind = '', alphabet = 'a', least, marks = '', left = '', leastLeft] =
    /^([\w-]+):([a-z])(\d+)(!*)(?:<([a-z])(\d+))?$/.exec(head) ?? []
  return prefixes.map((prefix) => ({
    kind,
    prefix,
    alphabet,
    least: Number(least),
    mix: marks.length,
    left,
    leastLeft: Number(leastLeft ?? 0),
  }))
}

/** The beginnings to search for, in lower case. A prefix of two characters is combined with every possible third one. */
function tokenStarts(token: Token): string[] {
  const prefix = token.prefix.toLowerCase()
  if (prefix.length > 2) return [prefix]
  return [...new Set((ALPHABETS[token.alphabet] ?? '').toLowerCase())].map((third) => prefix + third)
}

const JWT = /(?:hbGciO|0eXAiO|raWQiO|[\w-]{8,8192}\.eyJ)[\w-]{4,8192}(?:\.[\w-]{1,8192}){0,4}/y

/** Null if no token begins here. */
function tokenAt(text: string, at: number, token: Token): Span | null {
  if (!text.startsWith(token.prefix, at)) return null
  if (token.left !== '') return joinedTokenAt(text, at, token)
  // Otherwise, in a run of `-eyJ-eyJ-…`, each token would be read to the end of the run.
  if (token.kind === 'jwt' && text.charAt(at - 1) === '-') return null
  if (!isBeginning(text, at)) return null
  if (token.kind === 'jwt') {
    JWT.lastIndex = at + 3
    return JWT.test(text) ? { start: at, end: JWT.lastIndex, kind: 'jwt' } : null
  }
  const end = bodyEnd(text, at + token.prefix.length, token)
  return end < 0 ? null : { start: at, end, kind: token.kind }
}

/** The text before the prefix belongs to the token, except the number of a bot. */
function joinedTokenAt(text: string, at: number, token: Token): Span | null {
  const bit = BITS.get(token.left) ?? 0
  let start = at
  while (start > 0 && at - start < MOST_CHARS.joined && isMember(text, start - 1, bit)) start--
  if (at - start < token.leastLeft) return null
  const end = bodyEnd(text, at + token.prefix.length, token)
  if (end < 0) return null
  return { start: token.left === 'd' ? at + 1 : start, end, kind: token.kind }
}

/** A token may not follow a letter or a digit (or one with underscores). Escapes such as `\n` or `%3D` end in a letter or digit but do not count. */
function isBeginning(text: string, at: number): boolean {
  let before = at - 1
  while (before >= 0 && at - before < 4 && text.charAt(before) === '_') before--
  if (before < 0 || !isMember(text, before, ALPHANUMERIC_BIT)) return true
  if (before !== at - 1) return false
  if (/[nrt]/.test(text.charAt(before)) && text.charAt(before - 1) === '\\') return true
  return /%[0-9A-Fa-f]{2}$/.test(text.slice(Math.max(0, at - 3), at))
}

function bodyEnd(text: string, from: number, token: Token): number {
  const bit = BITS.get(token.alphabet) ?? 0
  const most = token.left !== '' ? MOST_CHARS.joined : token.alphabet === 'x' ? MOST_CHARS.dotted : MOST_CHARS.whole
  let end = from
  while (end - from < most && isMember(text, end, bit)) end++
  while (end > from && /[.~]/.test(text.charAt(end - 1))) end--
  if (end - from < token.least || isMember(text, end, ALPHANUMERIC_BIT)) return -1
  const body = text.slice(from, end)
  if (token.mix > 0 && !isMixed(body, token.mix)) return -1
  return isDocumented(token.prefix + body) ? -1 : end
}

function isMember(text: string, at: number, bit: number): boolean {
  const code = text.charCodeAt(at)
  return code < 128 && ((MEMBERS[code] ?? 0) & bit) !== 0
}

function isMixed(body: string, mix: number): boolean {
  if (!/\d/.test(body) || !/[A-Za-z]/.test(body)) return false
  if (mix > 1 && !(/[a-z]/.test(body) && /[A-Z]/.test(body))) return false
  return !isWordy(body)
}

const DOCUMENTED = /example|x{5}|\*{3}|\.{3}|your[-_]|placeholder|redacted/

/** A sample key from a manual, or a value with too few distinct characters to be random. */
export function isDocumented(value: string): boolean {
  return DOCUMENTED.test(value.toLowerCase()) || new Set(value.slice(-12)).size < 4
}
