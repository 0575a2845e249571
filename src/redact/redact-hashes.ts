/** Hashes of passwords and the answers of digest authentication. */

import { isRandom } from './redact-judge.ts'
import type { Search, Visit } from './redact-scan.ts'
import type { Span } from './redact-spans.ts'

const HASH_STARTS =
  `$1$ $2$ $2a $2b $2x $2y $5$ $6$ $7$ $y$ $gy $apr1 $md5$ $argon2 $scrypt $pbkdf2 $p$ $h$ {sha {ssha {md5 {smd5 {crypt {pbkdf2 pbkdf2 bcrypt scrypt argon2 scram-sha`.split(
    ' ',
  )
/** `user:realm:hash` of a file for digest authentication. */
const HTDIGEST = /(?:^|[\r\n])([\w.@-]{1,64}:[^:\r\n]{1,64}:)([0-9a-f]{32})(?=\s|$)/g
/** `user:1001:LM hash:NT hash:::` */
const NTLM = /\b([\w.$-]{1,64}:\d{3,6}:)([0-9a-fA-F]{32}:[0-9a-fA-F]{32})(?=:)/g
/** Hashes of passwords in the forms of crypt, LDAP, Django, Werkzeug, PostgreSQL. */
const HASH =
  /\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|md5|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,12}|P|H)\$[\w./+=,$*-]{12,400}|\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT|PBKDF2[\w-]{0,12})\}[A-Za-z0-9+/=$.]{12,200}|(?:pbkdf2|bcrypt|scrypt|argon2)[\w:]{0,24}\$[\w./+=:,-]{1,80}\$[\w./+=,$-]{12,200}|SCRAM-SHA-(?:1|256)\$\d{1,7}:[A-Za-z0-9+/=]{8,100}\$[A-Za-z0-9+/=:]{20,200}/y
/** What a client sends to a server that asks for a digest. */
const DIGEST = /(?:response|cnonce|nonce)=\\{0,4}["']?([\w+/=-]{16,256})/iy

export function hashWords(): (readonly [word: string, visit: Visit])[] {
  return [
    ...HASH_STARTS.map((word) => [word, visitHash] as const),
    ...['response=', 'nonce=', 'cnonce='].map((word) => [word, visitDigest] as const),
  ]
}

function visitHash({ text, spans }: Search, start: number): void {
  HASH.lastIndex = start
  if (HASH.test(text) && isRandom(text.slice(HASH.lastIndex - 22, HASH.lastIndex)))
    spans.push({ start, end: HASH.lastIndex, kind: 'password-hash' })
}

function visitDigest({ text, spans }: Search, start: number): void {
  DIGEST.lastIndex = start
  const value = DIGEST.exec(text)?.[1] ?? ''
  const isDigest = value !== '' && /digest/i.test(text.slice(Math.max(0, start - 1000), start))
  if (isDigest) spans.push({ start: DIGEST.lastIndex - value.length, end: DIGEST.lastIndex, kind: 'authorization' })
}

/** The files that hold a hash beside each user. */
export function findHashFiles(text: string, spans: Span[]): void {
  if (!/:[0-9a-fA-F]{32}(?![\w-])/.test(text)) return
  for (const pattern of [HTDIGEST, NTLM])
    for (const found of text.matchAll(pattern)) {
      const end = found.index + found[0].length
      spans.push({ start: end - (found[2] ?? '').length, end, kind: 'password-hash' })
    }
}
