/** Finds secrets in URLs, in cookies and in calls that log in. */
import { isCertain, isPassword, isRandom, isReference, isWordy } from './redact-judge.ts'
import { onceBehind, type Search, type Span, type Visit } from './redact-scan.ts'
import { isDocumented } from './redact-tokens.ts'
import { matchEnd } from './redact-words.ts'

/** `scheme://user:password` before the last `@` of its word. Neither part may contain a slash, so that two URLs are not read as one. */
const URL_PASSWORD = /:\/\/[^\s/?#:@"'`<>()[\]{}\\]{0,128}:([^\s/?#"'`<>\\]{1,256})$/
/** `https://token@host` */
const URL_USER = /:\/\/((?=[A-Za-z_-]{0,60}\d)[\w-]{20,255}):?$/
/** Go's data source names have no scheme, `user:password@tcp(host)`, and people often omit it. */
const BARE_PASSWORD = /(?:^|[\s"'`=(,/\\])[\w.+-]{1,64}:([^\s:/"'`\\@()]{4,128})$/
const HOST = /(?:tcp|unix)\(|[\w.[-]/y
const BARE_HOST = /(?:tcp|unix)\(|[\w-]{1,60}(?:\.[\w-]{1,60}){0,6}(?::\d{2,5})?(?:[\s/"'`,;)\\]|$)/y
/** The same, for a text that was cut before the host. */
const URL_PASSWORD_CUT = /(:\/\/[^\s/?#:@"'`<>()[\]{}\\]{0,128}:)([^\s/?#"'`<>\\@]{1,256}@?)$/
const BEFORE_CHARS = 460
const NO_URL_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd?|secret|token|\*+|x+|\.+|\$.*|%.*|\{.*|\[.*|<.*|your.*|…|port|\d{1,5}(?:[^\w].*)?)$/

/** Checks the text before each `@`. */
export function findUrlPasswords(text: string, spans: Span[]): void {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const before = text.slice(Math.max(0, at - BEFORE_CHARS), at)
    if (!before.includes(':')) continue
    if (matches(HOST, text, at + 1)) {
      if (push(URL_PASSWORD, before, at, 'url-password', spans, isUrlPassword)) continue
      if (push(URL_USER, before, at, 'url-user', spans, isUrlPassword)) continue
    }
    if (matches(BARE_HOST, text, at + 1)) push(BARE_PASSWORD, before, at, 'url-password', spans, isBarePassword)
  }
  const cut = URL_PASSWORD_CUT.exec(text.slice(-BEFORE_CHARS))
  const value = cut?.[2] ?? ''
  if (value !== '' && isUrlPassword(value.replace('@', '')))
    spans.push({ start: text.length - value.length, end: text.length, kind: 'url-password' })
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

function push(
  pattern: RegExp,
  before: string,
  end: number,
  kind: string,
  spans: Span[],
  isIt: (value: string) => boolean,
): boolean {
  const value = pattern.exec(before)?.[1] ?? ''
  if (value === '' || !isIt(value)) return false
  const start = end - before.length + before.lastIndexOf(value)
  spans.push({ start, end: start + value.length, kind })
  return true
}

function isUrlPassword(value: string): boolean {
  if (NO_URL_PASSWORD.test(value.toLowerCase()) || (value.length < 4 && !/\d/.test(value))) return false
  return !isDocumented(value.length > 8 ? value : `${value}abcdefgh`)
}

/** Without a scheme, accepts only values that do not look like a name, a tag or a version. */
function isBarePassword(value: string): boolean {
  return (
    isUrlPassword(value) && isPassword(value, false) && /\d/.test(value) && /[A-Za-z]/.test(value) && !isWordy(value)
  )
}

/** Path segments that precede a secret, and parameters that contain one. */
const LINK = /:\/\/[^\s"'`<>\\]{3,2048}/y
const TELLING_PART =
  /(?:hook|magic|reset|verif|confirm|activat|invit|passwordless|one-?time|otp|unlock|recover|sign-?in|log-?in|set-?password|auth|token|share|secret|callback|sso|join|session|access|download-?link|bot)/i
const PARAMETER =
  /[?&#;](?:code|oobCode|ticket|otp|ott|hash|hmac|nonce|magic|login|invite|session|sid|sso|st|hdnts|policy|verify|reset|confirm|key|k|t|jwt|assertion|samlresponse|code_verifier|[\w.-]{0,30}(?:token|tok|secret|sig|signature|passw(?:or)?d|pwd|auth|key|ticket|hmac|sessionid|sessid))=([^&#\s;]{8,2048})/gi

export function urlWords(): (readonly [word: string, visit: Visit])[] {
  return [['://', (search, start) => onceBehind(search, 'link', start, () => findInLink(search, start))]]
}

function findInLink({ text, beside }: Search, start: number): number {
  LINK.lastIndex = start
  const url = LINK.exec(text)?.[0] ?? ''
  if (/[=/][^/=&]{10}/.test(url.slice(6))) {
    findInPath(url, start, beside)
    findInQuery(url, start, beside)
  }
  return start + url.length
}

function findInQuery(url: string, offset: number, spans: Span[]): void {
  if (!url.includes('=')) return
  for (const found of url.matchAll(PARAMETER)) {
    const value = (found[1] ?? '').replace(/[.,)\]]+$/, '')
    const start = offset + found.index + found[0].length - (found[1] ?? '').length
    if (isLinkSecret(value)) spans.push({ start, end: start + value.length, kind: 'link' })
  }
}

/** Redacts from the first random segment behind a marked one to the last random segment of the path. */
function findInPath(url: string, offset: number, spans: Span[]): void {
  const path = url.slice(3).split(/[?#]/)[0] ?? ''
  let isTelling = false
  let isHook = false
  let at = offset + 3
  let span: Span | undefined
  for (const part of path.split('/')) {
    const value = part.replace(/[.,)\]:;]+$/, '')
    const isSecret = isTelling && isLinkSecret(value)
    // In a webhook's URL, the id before the secret is redacted too.
    if (isSecret || (isHook && /^[A-Z\d]{6,}$/.test(value))) span ??= { start: at, end: at, kind: 'link' }
    if (isSecret && span !== undefined) span.end = at + value.length
    if (TELLING_PART.test(part)) isTelling = true
    if (/hook/i.test(part)) isHook = true
    at += part.length + 1
  }
  if (span !== undefined && span.end > span.start) spans.push(span)
}

function isLinkSecret(value: string): boolean {
  const decoded = value.replace(/%[0-9A-Fa-f]{2}/g, '')
  return (
    decoded.length >= 10 &&
    isRandom(decoded) &&
    !isReference(decoded) &&
    !isDocumented(decoded) &&
    !/\.(?:[a-z]{2,4}|woff2)$/.test(value)
  )
}

const PAIRS = /(?:[\w.%-]{1,80}(?:=[^;\s"'`\\]{0,4096})?;? ?){1,60}/y
const PAIR = /([\w.%-]{1,80}=)([^;\s,]{6,4096})/g
const SESSION = /sess|sid|pass|token|auth|csrf|xsrf|jwt|login|remember|secret|key/i

/** Returns the end of the cookies that begin at `at`. */
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

const OPENING = /[ \t]{0,4}(?:[=:][ \t]{0,4}(?:new )?[\w.]{0,30})?[([]/y
const ARGUMENT =
  /\s{0,20}(?:[bru]?(\\{0,4}["'`])([^"'`\\\r\n]{0,256})\\{0,4}["'`]|\{[^{}]{0,200}\}|[\w.[\]$>"'-]{1,80}|\$\{?\w{1,40}\}?)(?:\.?[\w.]{0,40}\(\))?\s{0,20}([,)\]])/y

type Place = Omit<Span, 'kind'>

/** The arguments from `at` to the closing bracket, at most so many: the place of a quoted one, null for others. */
export function readArguments(text: string, at: number, most: number): { values: (Place | null)[]; end: number } {
  const values: (Place | null)[] = []
  let end = at
  for (let closing = ','; closing === ',' && values.length < most; ) {
    ARGUMENT.lastIndex = end
    const argument = ARGUMENT.exec(text)
    if (argument === null) break
    const [all, quote, value = ''] = argument
    const start = end + (quote === undefined ? 0 : all.indexOf(quote) + quote.length)
    values.push(quote === undefined ? null : { start, end: start + value.length })
    closing = argument[3] ?? ''
    end = ARGUMENT.lastIndex
  }
  return { values, end }
}

/** `auth=('user', 'value')`, `login("user", "value")`, `connect('host', 'user', 'value')`: the second argument, or the third. */
export function findInCall(text: string, start: number, wordEnd: number, spans: Span[]): void {
  OPENING.lastIndex = wordEnd
  if (!OPENING.test(text)) return
  const isAuth = /^auth/i.test(text.slice(start, wordEnd))
  const wanted = /^(?:connect|mysqli|getconnection|sequelize)/i.test(text.slice(start, wordEnd)) ? 3 : 2
  const value = readArguments(text, OPENING.lastIndex, wanted).values[wanted - 1] ?? null
  if (value !== null && isSecretArgument(text.slice(value.start, value.end), isAuth))
    spans.push({ ...value, kind: 'password' })
}

function isSecretArgument(value: string, isAuth: boolean): boolean {
  if (value.length < 4 || isReference(value)) return false
  return isCertain(value) || (isPassword(value, true) && (isAuth || /[\d!@#$%^&*]/.test(value)))
}

const BASE64 = /[A-Za-z0-9+/]{8,512}={0,2}/y

/** `Basic dXNlcjpwYXNz`: only if it decodes to a name, a colon and a password. */
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
