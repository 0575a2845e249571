/** Private keys: blocks of PEM and of PuTTY, and the private members of JSON web keys. */

import { onceBehind, type Visit } from './redact-scan.ts'
import type { Span } from './redact-spans.ts'

const KEY_BEGIN =
  /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1|SSH2 ENCRYPTED PRIVATE KEY) ?-{4,5}/g
const KEY_END = /-{4,5} ?END [A-Z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)[ -]{0,6}/g
const KEY_BODY_CHARS = 20_000
const BASE64_RUN = /[A-Za-z0-9+/]{16}/
/** Between the lines of a key: white space, `\n` in JSON, quotes, diff and quote marks, a file viewer's line numbers. */
const KEY_LINE =
  /(?:\s|\\+[nrt]|["',+>|]|\d{1,6}[→|:\t]){0,40}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)[: ][^\r\n\\]{0,200}|[A-Za-z0-9+/=]{16,4096})/y
/** The last line of a key is short, and so is one that the text was cut in. */
const KEY_LAST = /(?:\s|\\+[nrt]|\d{1,6}[→|:\t]){1,10}[A-Za-z0-9+/=]{1,76}(?=\s{0,8}$|\\|["'])/y

/** What only a key holds, and what is done where it begins. */
export function keyWords(): (readonly [word: string, visit: Visit])[] {
  return [
    ...wholeText(
      'pem',
      ['private_key--', 'private_key_-', 'private_key_block', 'openvpn_static_key'],
      (text, spans) => {
        findBlocks(text, spans)
        findTails(text, spans)
      },
    ),
    ...wholeText('putty', ['private-lines', 'private-mac', 'private-hash'], findPutty),
    ...wholeText('jwk', ['kty'], findWebKeys),
    ...wholeText('encoded-pem', ['ls0tls1crudjti'], findEncoded),
  ]
}

/** The first of the words has the whole text read. */
function wholeText(
  rule: string,
  words: readonly string[],
  find: (text: string, spans: Span[]) => void,
): (readonly [word: string, visit: Visit])[] {
  const visit: Visit = (search, start) =>
    onceBehind(search, rule, start, () => {
      find(search.text, search.spans)
      return search.text.length
    })
  return words.map((word) => [word, visit] as const)
}

function findBlocks(text: string, spans: Span[]): void {
  KEY_BEGIN.lastIndex = 0
  for (let begin = KEY_BEGIN.exec(text); begin !== null; begin = KEY_BEGIN.exec(text)) {
    const start = begin.index + begin[0].length
    const end = endOfKey(text, start)
    if (end <= start) continue
    spans.push({ start: begin.index, end, kind: 'private-key' })
    KEY_BEGIN.lastIndex = end
  }
}

/** Returns `start` when no key follows: code that only mentions the markers. */
function endOfKey(text: string, start: number): number {
  const reach = text.slice(start, start + KEY_BODY_CHARS)
  const next = reach.search(/---- ?BEGIN/)
  const body = next < 0 ? reach : reach.slice(0, next)
  KEY_END.lastIndex = 0
  const end = KEY_END.exec(body)
  if (end !== null) {
    const isKey = BASE64_RUN.test(body.slice(0, end.index))
    return isKey ? start + end.index + end[0].trimEnd().length : start
  }
  let at = start
  for (const pattern of [KEY_LINE, KEY_LAST]) {
    for (let more = true; more; ) {
      pattern.lastIndex = at
      more = pattern.test(text) && pattern.lastIndex - start < KEY_BODY_CHARS
      if (more) at = pattern.lastIndex
    }
    if (at === start) return start
  }
  return at
}

/** A key whose beginning was cut off: base64 lines right before an END marker. */
function findTails(text: string, spans: Span[]): void {
  let from = 0
  KEY_END.lastIndex = 0
  for (let end = KEY_END.exec(text); end !== null; end = KEY_END.exec(text)) {
    let start = end.index
    while (start > from && end.index - start < KEY_BODY_CHARS && /[A-Za-z0-9+/=\r\n\\]/.test(text.charAt(start - 1)))
      start--
    if (BASE64_RUN.test(text.slice(start, end.index)))
      spans.push({ start, end: end.index + end[0].trimEnd().length, kind: 'private-key' })
    from = end.index + end[0].length
  }
}

/** `Private-Lines: 14`, the lines, and the check that was made with the passphrase. */
const PUTTY =
  /Private-(?:Lines: ?\d{1,4}|MAC: ?|Hash: ?)((?:(?:\s|\\+[nr]|["'>|]){0,12}[A-Za-z0-9+/=]{16,200}){1,200})/g

function findPutty(text: string, spans: Span[]): void {
  for (const found of text.matchAll(PUTTY)) {
    const end = found.index + found[0].length
    const body = (found[1] ?? '').replace(/^(?:\s|\\+[nr]|["'>|])+/, '')
    spans.push({ start: end - body.length, end, kind: 'private-key' })
  }
}

const WEB_KEY_MEMBER = /["']?\b(?:d|p|q|dp|dq|qi|k)\\{0,4}["']?\s{0,8}:\s{0,8}\\{0,4}["']([\w+/=-]{16,4096})/g
const WEB_KEY_CHARS = 6000

/** The private members of every object with a `kty`. */
function findWebKeys(text: string, spans: Span[]): void {
  let done = 0
  for (let at = text.indexOf('kty'); at >= 0; at = text.indexOf('kty', at + 3)) {
    if (at < done) continue
    const first = Math.max(done, at - WEB_KEY_CHARS)
    const from = first + Math.max(0, text.slice(first, at).lastIndexOf('{'))
    const closing = text.slice(at, at + WEB_KEY_CHARS).indexOf('}')
    const to = Math.min(closing < 0 ? text.length : at + closing, at + WEB_KEY_CHARS)
    for (const member of text.slice(from, to).matchAll(WEB_KEY_MEMBER)) {
      const end = from + member.index + member[0].length
      spans.push({ start: end - (member[1] ?? '').length, end, kind: 'private-key' })
    }
    done = to
  }
}

/** Base64 of a PEM block, but for certificates and public keys. */
const ENCODED = /LS0tLS1CRUdJTi(?!BDRVJUSUZJQ0|BQVUJMSUMg|BUUlVTVEVE)[A-Za-z0-9+/=]{20,20000}/g

function findEncoded(text: string, spans: Span[]): void {
  for (const found of text.matchAll(ENCODED))
    spans.push({ start: found.index, end: found.index + found[0].length, kind: 'private-key' })
}
