/** Secrets in calls that log in, and in the header of basic authentication. */

import { isPassword, isReference } from './redact-judge.ts'
import type { Span } from './redact-spans.ts'

const OPENING = /[ \t]{0,4}(?:[=:][ \t]{0,4}(?:new )?[\w.]{0,30})?[([]/y
const ARGUMENT =
  /\s{0,20}(?:[bru]?(\\{0,4}["'`])([^"'`\\\r\n]{0,256})\\{0,4}["'`]|[\w.[\]$>"'-]{1,80}|\$\{?\w{1,40}\}?)(?:\.[\w.]{1,40}\(\))?\s{0,20}([,)\]])/y

/** `auth=('user', 'value')`, `login("user", "value")`, `connect('host', 'user', 'value')`: the second argument, or the third. */
export function findInCall(text: string, start: number, wordEnd: number, spans: Span[]): void {
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
export function findBasic(text: string, wordEnd: number, spans: Span[]): void {
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
