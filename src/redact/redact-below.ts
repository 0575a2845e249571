/** Finds a value that stands alone on the line below a line that ends with an announcing word. */
import { isStanding } from './redact-judge.ts'
import type { Span } from './redact-scan.ts'
import { isCopula, matchEnd, type NameKind } from './redact-words.ts'

/** The rest of such a line: closing marks, at most a copula, a colon. A blank line or the beginning of a fence may follow. */
const LINE_END =
  /[)\]}"'`*_]{0,4}(?:[ \t]{1,4}[^\s:：=]{1,6})?[ \t]{0,4}[:：=]?[*_]{0,2}[ \t]{0,4}\r?\n(?:[ \t]{0,40}(?:`{3}\w{0,10})?\r?\n){0,2}[ \t]{0,40}(?:[-*>$] )?/y
const ALONE = /([^\s`"'“”]{4,256})["'`”]?[ \t]{0,8}(?=\r?\n|$)/y

export function findBelow(text: string, kind: NameKind, wordEnd: number, spans: Span[]): void {
  if (kind !== 'password' && kind !== 'secret' && kind !== 'pin') return
  const from = matchEnd(LINE_END, text, wordEnd)
  if (from === wordEnd) return
  const rest = (text.slice(wordEnd, from).split('\n')[0] ?? '').replace(/[^\p{L}]/gu, '')
  if (rest !== '' && !isCopula(rest)) return
  const at = /["'`“]/.test(text.charAt(from)) ? from + 1 : from
  ALONE.lastIndex = at
  const value = ALONE.exec(text)?.[1] ?? ''
  // `name=value` below the word has a name of its own.
  if (value === '' || /^[\w.-]{1,80}[=:][^=]/.test(value) || !isStanding(value, kind)) return
  spans.push({ start: at, end: at + value.length, kind: kind === 'pin' ? 'code' : kind })
}
