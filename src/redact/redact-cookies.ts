/** Cookies that open a session: in headers, in commands, in the jar of a browser. */

import { isRandom, isReference, isWordy } from './redact-judge.ts'
import type { Search, Visit } from './redact-scan.ts'
import type { Span } from './redact-spans.ts'
import { matchEnd } from './redact-values.ts'

const PAIRS = /(?:[\w.%-]{1,80}(?:=[^;\s"'`\\]{0,4096})?;? ?){1,60}/y
const PAIR = /([\w.%-]{1,80}=)([^;\s,]{6,4096})/g
const SESSION = /sess|sid|pass|token|auth|csrf|xsrf|jwt|login|remember|secret|key/i

/** Returns the end of the cookies that begin at a place. */
export function findCookies(text: string, at: number, spans: Span[]): number {
  const start = matchEnd(/\\{0,4}["'`]/y, text, at)
  const end = matchEnd(PAIRS, text, start)
  findPairs(text.slice(start, end), start, spans)
  return end
}

export function findPairs(cookies: string, start: number, spans: Span[]): void {
  for (const pair of cookies.matchAll(PAIR)) {
    const [, name = '', content = ''] = pair
    const from = start + pair.index + name.length
    if (isSessionCookie(name, content)) spans.push({ start: from, end: from + content.length, kind: 'cookie' })
  }
}

function isSessionCookie(name: string, content: string): boolean {
  if (isReference(content) || isWordy(content)) return false
  return (SESSION.test(name) && /\d|%/.test(content)) || isRandom(content)
}

/** A line of a cookie jar in Netscape's format: domain, flag, path, flag, time, name, value. */
const JAR_LINE =
  /(?:TRUE|FALSE)(?:\t|\\t| {1,8})\/[^\s\\]{0,200}(?:\t|\\t| {1,8})(?:TRUE|FALSE)(?:\t|\\t| {1,8})\d{1,20}(?:\t|\\t| {1,8})([^\s\\]{1,200})(?:\t|\\t| {1,8})([^\s\\"']{4,4096})/y

export function jarWords(): (readonly [word: string, visit: Visit])[] {
  return ['true', 'false'].map((word) => [word, visitFlag])
}

function visitFlag({ text, spans }: Search, start: number): void {
  if (text.charCodeAt(start) > 90) return
  JAR_LINE.lastIndex = start
  const line = JAR_LINE.exec(text)
  if (line === null) return
  const [all, name = '', content = ''] = line
  const end = start + all.length
  if (isSessionCookie(name, content) || SESSION.test(name))
    spans.push({ start: end - content.length, end, kind: 'cookie' })
}
