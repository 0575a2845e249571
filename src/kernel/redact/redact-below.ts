/** Finds values on the lines below a line that announces them. */
import {
  isAnnounced,
  isCertain,
  isCode,
  isMixed,
  isReference,
  isSecretToken,
  isStrong,
  isTokenSaid,
} from './redact-judge.ts'
import type { Span } from './redact-scan.ts'
import { findPair } from './redact-sentence.ts'
import { isCopula, lineStart } from './redact-words.ts'

/** What a line announces. A login: a name and a password. */
export type Announced = 'password' | 'login' | 'secret' | 'code'

export interface Announcer {
  kind: Announced
  start: number
  end: number
  /** "codes", "tokens": several values follow. */
  isMany: boolean
}

/** How far from the word its line may end, and how long the lines below are. */
const MOST_CHARS = 140
const MOST_LINE = 300
const MOST_LINES = 12

/**
 * The line ends with the word itself; with the word and a colon, or it is a heading; with a colon; it only has the word,
 * but the value is a paragraph; it only has the word.
 */
type Proof = 'end' | 'direct' | 'colon' | 'apart' | 'loose'
/** How many other lines may stand between: for whom the value is, who answers. */
const MOST_OTHERS: Readonly<Record<Proof, number>> = { end: 1, direct: 3, colon: 3, apart: 1, loose: 3 }

export function findBelow(text: string, announcer: Announcer, spans: Span[]): void {
  const lineEnd = lineEndBehind(text, announcer.end)
  if (lineEnd < 0) return
  if (announcer.kind === 'code' && announcer.isMany) return findCodes(text, lineEnd + 1, spans)
  const proof = proofOf(text, announcer.start, announcer.end, lineEnd)
  if (proof !== null) findValues(text, announcer, proof, lineEnd + 1, spans)
}

/** -1 if the line is long, the last one, or ends like a line of code: most lines end here, before any pattern runs. */
export function lineEndBehind(text: string, end: number): number {
  const most = Math.min(text.length, end + MOST_CHARS)
  let last = 0
  for (let at = end; at < most; at++) {
    const code = text.charCodeAt(at)
    if (code === NEWLINE) return CODE_ENDS.includes(last) ? -1 : at
    if (code > BLANK) last = code
  }
  return -1
}

const NEWLINE = 10
const BLANK = 32
const CODE_ENDS = [...',;{}\\|&+'].map((character) => character.charCodeAt(0))

/** Remarks in brackets, closing marks. */
const DECORATION = /\([^()]*\)|（[^（）]*）|[\s"'`*_)\]}»”’]/g
const COLON = /(?:[:：=→>›]|->)[\s*_]*$/

function proofOf(text: string, start: number, end: number, lineEnd: number): Proof | null {
  const rest = text.slice(end, lineEnd)
  if (/[;{}]|=\s*[^\s>]/.test(rest)) return null
  const plain = rest.replace(DECORATION, '')
  const words = plain.replace(/[:：=→>›-]+$/, '')
  const isHead = words.length < MOST_HEADING && isHeading(text, start, lineEnd)
  if (words === '' || (words.length < MOST_COPULA && isCopula(words)))
    return words === plain && !isHead ? 'end' : 'direct'
  if (isHead) return 'direct'
  return COLON.test(rest) ? 'colon' : /[=()[\]<>]/.test(rest) ? null : 'loose'
}

const MOST_COPULA = 8

const MOST_HEADING = 40

/** A heading or a comment. */
function isHeading(text: string, at: number, lineEnd: number): boolean {
  const isRuled = /[-=]/.test(text.charAt(lineEnd + 1)) && /^[-=]{3,}\s*$/.test(lineAt(text, lineEnd + 1))
  return isRuled || /^\s*(?:#{1,6}|\/\/|--) /.test(text.slice(lineStart(text, at), at))
}

/** Quote marks, list marks and opening quotes. */
const MARKS = /^[\s>│|]*(?:(?:[-*•+$›❯#]|\/\/|\d{1,2}[.):])[ \t]+)?(?:\*\*|["'`“„«‹])?/
/** Fences and rules, too. */
const EMPTY = /^[\s>│|]*(?:`{3}\w{0,12}|[-=_*~+|]{3,})?\s*$/
const ALONE = /^([^\s<]{4,256}?)(?<!:)(?:\*\*|["'`”“»›])?(?:<\/[\w:.-]{1,40}>)?[.,]?\s*$/
/** `name: value` */
const FIELD = /^["']?[\p{L}\w.-]{1,40}["']?[ \t]{0,4}[:=][ \t]{1,4}(?:["'`]?(\S{4,256}?)["'`]?,?|.{0,80})\s*$/u

function findValues(text: string, announcer: Announcer, proof: Proof, from: number, spans: Span[]): void {
  const { kind, isMany } = announcer
  if (kind === 'login' && (proof === 'end' || proof === 'loose')) return
  let others = 0
  let at = from
  for (let count = 0; count < MOST_LINES && others < MOST_OTHERS[proof] && at < text.length; count++) {
    const line = lineAt(text, at)
    const next = at + line.length + 1
    if (line.includes('[redacted:')) return
    if (!EMPTY.test(line)) {
      const marks = MARKS.exec(line)?.[0].length ?? 0
      const body = line.slice(marks)
      const isApart = proof === 'loose' && others === 0 && count > 0 && EMPTY.test(lineAt(text, next))
      const found = spansIn(body, at + marks, announcer, isApart ? 'apart' : proof)
      spans.push(...found)
      if (found.length > 0 && !isMany) return
      if (found.length === 0 && proof !== 'loose' && !ALONE.test(body) && !FIELD.test(body)) return
      if (found.length === 0) others++
    }
    at = next
  }
}

function spansIn(body: string, at: number, announcer: Announcer, proof: Proof): Span[] {
  const { kind } = announcer
  const value = valueIn(body, announcer, proof)
  const pairs: Span[] = []
  if (value === null && kind === 'login' && !body.includes('//')) findPair(body, 0, pairs)
  if (value !== null) pairs.push({ start: body.indexOf(value), end: body.indexOf(value) + value.length, kind })
  return pairs.map(({ start, end }) => ({
    start: at + start,
    end: at + end,
    kind: kind === 'login' ? 'password' : kind,
  }))
}

function lineAt(text: string, at: number): string {
  const line = text.slice(at, at + MOST_LINE)
  const end = line.indexOf('\n')
  return end < 0 ? line : line.slice(0, end)
}

function valueIn(body: string, { kind, isMany }: Announcer, proof: Proof): string | null {
  const alone = ALONE.exec(body)?.[1]
  // `name=value` below the word has a name of its own.
  if (alone !== undefined) return !/^[\w.-]{1,80}[=:][^=]/.test(alone) && isBelow(alone, kind, proof) ? alone : null
  const field = proof === 'direct' && (isMany || kind === 'login') ? (FIELD.exec(body)?.[1] ?? '') : ''
  return isStrong(field) || isCertain(field) || (kind === 'secret' && isSecretToken(field)) ? field : null
}

function isBelow(value: string, kind: Announced, proof: Proof): boolean {
  // `pbkdf2Sync` is a function.
  if (proof === 'loose') return kind === 'password' && isStrong(value) && /[^A-Za-z\d]|\d\D+\d/.test(value)
  if (kind === 'code') return proof !== 'apart' && isCode(value)
  if (proof === 'apart')
    return kind === 'secret' ? isTokenSaid(value) && !HEX.test(value) : isStrong(value) || isMixed(value)
  if (kind === 'secret')
    return (
      (isTokenSaid(value) ||
        (isSecretToken(value) && /\d/.test(value) && !/[<>|;,\\]/.test(value) && !isReference(value))) &&
      (proof !== 'colon' || !HEX.test(value))
    )
  return isStrong(value) || isCertain(value) || (kind === 'password' && isAnnounced(value, false, ''))
}

/** A hash of a commit or file, more often than a token. */
const HEX = /^[\da-f]+$/

/** Two or more lines or columns of codes, numbered or not. */
function findCodes(text: string, from: number, spans: Span[]): void {
  const lines: Span[] = []
  let items = 0
  let at = from
  for (let count = 0; count < MOST_LINES; count++) {
    const line = lineAt(text, at)
    const marks = MARKS.exec(line)?.[0].length ?? 0
    const codes = line.slice(marks).trimEnd().split(BETWEEN_CODES)
    if (!EMPTY.test(line)) {
      if (!codes.every(isListed)) break
      items += codes.length
      lines.push({ start: at + marks, end: at + line.trimEnd().length, kind: 'code' })
    }
    at += line.length + 1
  }
  if (items > 1) spans.push(...lines)
}

/** Two blanks, a comma, or the number of the next code. */
const BETWEEN_CODES = /(?:\s{2,}|\s?[,;|]\s?)(?:\d{1,2}[.):]\s+)?/

function isListed(code: string): boolean {
  return isCode(code) || /^\d{3,5}[ -]\d{3,5}$|^(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{6,12}$/i.test(code)
}
