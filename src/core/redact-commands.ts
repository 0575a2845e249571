/** Secrets in cookies and in the flags of commands. */

import { isPlainWord, isRandom, isReference, isWordy } from './redact-judge.ts'
import type { Tally } from './redact-rules.ts'

export interface Value {
  start: number
  end: number
  isQuoted: boolean
}

const COMMAND =
  /\b(curl|https?(?= )|wget|mysql\w{0,12}|mariadb\w{0,12}|sshpass|redis-cli|docker login|podman login|ldap\w{2,10}|unzip|zip|7z|openssl|smbclient|mongo(?:sh|dump|restore)?|sqlcmd)((?:\\\r?\n|[ \t][^\r\n]?|[^\s]){2,2000})/g
const USER_FLAG =
  /([ \t](?:-u|-U|-a|--user|--auth|--proxy-user)(?:[ \t]{1,4}|=)?\\{0,4}["']?[^\s:"'%\\]{0,100}[:%])([^\s"'\\]{3,256})/g
const JOINED_FLAG = /([ \t]-p\\{0,4}["']?)([^\s"'\\]{3,256})/g
const APART_FLAG = /([ \t]-(?:p|a|P|w)[ \t]{0,4}\\{0,4}["']?)([^\s"'\\-][^\s"'\\]{2,255})/g
const PASS_PHRASE = /(\bpass:)([^\s"'\\]{3,256})/g
const COOKIE_FLAG = /([ \t](?:-b|--cookie)[ \t=]{1,4}\\{0,4}["']?)([^"'\r\n\\]{6,1024})/g

export function redactCommands(text: string, tally: Tally): string {
  if (!text.includes(' -')) return text
  return text.replace(COMMAND, (match: string, command: string, rest: string) => {
    if (!/[ \t]-|pass:/.test(rest)) return match
    const flags = /^(?:curl|http|wget|smb)/.test(command)
      ? USER_FLAG
      : /^(?:mysql|maria)/.test(command)
        ? JOINED_FLAG
        : APART_FLAG
    const replaced = rest.replace(
      command === 'openssl' ? PASS_PHRASE : flags,
      (found: string, kept: string, value: string) => {
        if (isReference(value) || isPlainWord(value) || value.includes('[redacted:')) return found
        tally.count++
        return `${kept}[redacted:password]`
      },
    )
    if (command !== 'curl') return command + replaced
    return (
      command +
      replaced.replace(COOKIE_FLAG, (found: string, kept: string, value: string) => {
        const cookies = replaceCookies(value, tally)
        return cookies === null ? found : kept + cookies
      })
    )
  })
}

const COOKIE_PAIRS = /(?:[\w.%-]{1,80}(?:=[^;\s"'`\\]{0,4096})?;? ?){1,60}/y
const SESSION_COOKIE = /sess|sid|pass|token|auth|csrf|xsrf|jwt|login|remember|secret|key/i

export function readCookies(text: string, at: number): Value | null {
  const quote = matchEnd(/\\{0,4}["'`]/y, text, at)
  const end = matchEnd(COOKIE_PAIRS, text, quote)
  return end > quote ? { start: quote, end, isQuoted: true } : null
}

/** Null when no cookie holds a secret. */
export function replaceCookies(value: string, tally: Tally): string | null {
  let hits = 0
  const replaced = value.replace(
    /([\w.%-]{1,80}=)([^;\s,]{6,4096})/g,
    (match: string, name: string, content: string) => {
      if (isReference(content) || isWordy(content)) return match
      if (!(SESSION_COOKIE.test(name) && /\d|%/.test(content)) && !isRandom(content)) return match
      hits++
      return `${name}[redacted:cookie]`
    },
  )
  tally.count += hits
  return hits === 0 ? null : replaced
}

/** The end of what a sticky pattern matches at a place; the place itself when it does not. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
