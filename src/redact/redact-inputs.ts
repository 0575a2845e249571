/** Secrets that a command reads from its input: piped, in a here string, written into a file, sent to a prompt. */

import { isLiteral, isPassword, isRandom } from './redact-judge.ts'
import type { Span } from './redact-spans.ts'
import { lineStart } from './redact-values.ts'

/** What reads a secret from its input, and what a file with a secret is called. */
const TAKES_SECRET =
  /stdin|\bsudo\b.{0,40} -S|chpasswd|\bpasswd\b|\bsecrets?\b|\blogin\b|with-token|-pass(?:in|out|phrase)?\b|passphrase|htpasswd|cryptsetup|\bkinit\b|smbpasswd|\bsu\b|\bvault\b|securestring/i
const HOLDS_SECRET = /^\S*(?:pass|secret|token|credential|netrc|pwd|\bpw\b)/i
const PIPED =
  /^(?:-\w{1,3} |(?:["']%s(?:\\n)?["']|%s) )*(["']?)([^\r\n|>"']{3,256}?|[^\s"'|>]{3,256})\1[ \t]{0,4}(\||>{1,2})[ \t]{0,4}([^\r\n|]{2,300}(?:\|[^\r\n]{0,200})?)/

export function findPiped(_text: string, rest: string, offset: number, spans: Span[]): void {
  const found = PIPED.exec(rest.trimStart())
  if (found === null) return
  const [, quote = '', value = '', sign = '', taker = ''] = found
  const isEncoded = sign === '|' && /^base64\b/.test(taker)
  if (!(sign === '|' ? TAKES_SECRET : HOLDS_SECRET).test(taker) && !isEncoded) return
  const from = offset + rest.indexOf(quote + value, rest.length - rest.trimStart().length) + quote.length
  pushInput(value, from, isEncoded || sign !== '|' ? 'base64' : taker, spans)
}

export function findHere(text: string, rest: string, from: number, spans: Span[]): void {
  const lineBefore = text.slice(lineStart(text, from), from - 3)
  const found = /^[ \t]{0,4}(["']?)([^\s"']{3,256}|[^"'\r\n]{3,256}(?=["']))/.exec(rest)
  if (found === null || !TAKES_SECRET.test(lineBefore)) return
  const value = found[2] ?? ''
  pushInput(value, from + found[0].length - value.length, lineBefore, spans)
}

/** What `expect` sends after it was asked for a password. */
export function findSent(text: string, rest: string, from: number, spans: Span[]): void {
  const value = /^([^"\\\r\n]{4,128})\\{1,2}[rn]/.exec(rest)?.[1] ?? ''
  if (!isLiteral(value) || !/ass(?:word|phrase)/.test(text.slice(Math.max(0, from - 200), from))) return
  spans.push({ start: from, end: from + value.length, kind: 'password' })
}

/** `user:password` is piped into what changes passwords. What is only encoded or written must look like a secret. */
function pushInput(value: string, from: number, taker: string, spans: Span[]): void {
  const colon = /^[\w.@-]{1,64}:/.exec(value)?.[0].length ?? 0
  const isPair = colon > 0 && /chpasswd|base64|secret/.test(taker)
  const secret = (isPair ? value.slice(colon) : value).replace(/\\[nr]$/, '').trimEnd()
  const start = from + (isPair ? colon : 0)
  if (!isLiteral(secret) || secret.length < 4) return
  if (taker === 'base64' && !isPair && !isLikely(secret)) return
  spans.push({ start, end: start + secret.length, kind: 'password' })
}

function isLikely(secret: string): boolean {
  return isRandom(secret) || (/\d/.test(secret) && !/\s/.test(secret) && isPassword(secret, false))
}
