/** Finds secrets that a sentence announces: "the password for staging is …". */
import { isAnnounced, isCertain, isCode, isMixed, isStrong, isTokenSaid } from './redact-judge.ts'
import type { Span } from './redact-scan.ts'
import { isCopula, lineStart, type NameKind } from './redact-words.ts'

const SENTENCE_CHARS = 130
const MOST_WORDS = 13
const OPENING = /^["'`“”„«「『‘’(*_[<]+/
const CLOSING = /["'`“”»」』’)\]}\\*_.,;:?…>]+$/
const ASCII_RUN = /[!-~]{3,}/g
/** Letters from this code on are not Latin: an ASCII value stands out among them. */
const NOT_LATIN = 0x370

/** Searches behind the word first, then before it. */
export function findAnnounced(text: string, kind: NameKind, start: number, end: number, spans: Span[]): void {
  const found =
    text.charCodeAt(end - 1) >= NOT_LATIN
      ? inOtherScript(text, kind, end)
      : (behind(text, kind, end) ?? before(text, kind, start))
  if (found !== null) spans.push({ ...found, kind: kindOf(kind) })
}

function kindOf(kind: NameKind): string {
  return kind === 'password' || kind === 'pass' ? 'password' : kind === 'pin' || kind === 'code' ? 'code' : 'secret'
}

interface Word {
  text: string
  start: number
  isQuoted: boolean
}

/** What every value has that a sentence may announce. */
const SIGN = /[\d!@#$%^&*+=~]|["'`“„«‘][a-z]|-\w+-\w+-/

function behind(text: string, kind: NameKind, end: number): Omit<Span, 'kind'> | null {
  // "All tests pass. It is committed as 4be1c07": the sentence of a verb ends with it.
  if (kind === 'pass' && /^[.?!;,]\s/.test(text.slice(end, end + 2))) return null
  // In most texts there is no sign near the word at all.
  if (!SIGN.test(text.slice(end, end + SENTENCE_CHARS))) return null
  const line = lineOf(text, end)
  if (!SIGN.test(line)) return null
  const words = proseWords(line, end)
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word
    const value = trimmed(word)
    const last = words[index - 1]?.text ?? ''
    const next = words[index + 1]
    if (isSaid(value, word, kind, last, next?.text ?? '')) return spanOf(word, value)
    if (isTwoGroups(value, next, kind) && (last === '' || isCopula(last)))
      return { start: word.start, end: spanOf(next as Word, trimmed(next as Word)).end }
    // "It is now …": an adverb may stand between.
    if (
      kind === 'password' &&
      isMixed(value) &&
      /^(?:now|\p{L}{4,})$/u.test(last) &&
      isCopula(words[index - 2]?.text ?? '')
    )
      return spanOf(word, value)
    if (index > 0 && /[a-z]{2}[.?!]$/.test(last)) return null
  }
  return null
}

/** `482 913` */
function isTwoGroups(value: string, next: Word | undefined, kind: NameKind): boolean {
  return (kind === 'pin' || kind === 'code') && next !== undefined && isCode(`${value} ${trimmed(next)}`)
}

function isSaid(value: string, word: Word, kind: NameKind, last: string, next: string): boolean {
  const isAfterCopula = isCopula(last)
  switch (kind) {
    case 'password':
      if (isAfterCopula)
        return isAnnounced(value, word.isQuoted, next) || (isCertain(value) && !(word.isQuoted && /\w:$/.test(last)))
      if (last === '' && (isMixed(value) || (word.isQuoted && /\d/.test(value) && isAnnounced(value, true, next))))
        return true
      return isStrong(value)
    case 'pass':
      return isAfterCopula && last !== 'to' && /\d/.test(value) && isAnnounced(value, word.isQuoted, next)
    case 'pin':
    case 'code':
      return (isAfterCopula || last === '') && isCode(value) && !/^(?:char|byte|digit|ms|s|px)/.test(next)
    case 'secret':
      return (isAfterCopula || (last === '' && ALONE.test(value))) && isTokenSaid(value)
    default:
      return false
  }
}

/** The next word, without a verb before it. A shorter one may name the beginning of a token; `token-…` goes on. */
const ALONE = /^[A-Za-z\d]\S{19}/

/** "… is the password": a strong or quoted value, then a copula, then the word. */
function before(text: string, kind: NameKind, start: number): Omit<Span, 'kind'> | null {
  if (kind !== 'password') return null
  const from = Math.max(lineStart(text, start), start - 90)
  const words = proseWords(text.slice(from, start), from)
  for (let index = words.length - 2; index >= Math.max(0, words.length - 13); index--) {
    const word = words[index] as Word
    const value = trimmed(word)
    if (!isCopula((words[index + 1] as Word).text) || /[:=]$/.test((words[index + 1] as Word).text)) continue
    const isNear = words.length - index < 4 && isMixed(value)
    if (isStrong(value) || isNear || (word.isQuoted && (isAnnounced(value, true, '') || isCertain(value))))
      return spanOf(word, value)
  }
  return null
}

/** For scripts that do not separate words by spaces, and where an ASCII value stands out without an announcing word. */
function inOtherScript(text: string, kind: NameKind, end: number): Omit<Span, 'kind'> | null {
  const line = lineOf(text, end).replace(/[。！？].*$/s, '')
  for (const run of line.matchAll(ASCII_RUN)) {
    const word = { text: run[0], start: end + run.index, isQuoted: /["'`]/.test(run[0].charAt(0)) }
    const value = trimmed(word)
    const isSecret =
      kind === 'password'
        ? isAnnounced(value, word.isQuoted, '') || isCertain(value)
        : kind === 'pin'
          ? isCode(value)
          : isTokenSaid(value)
    if (isSecret) return spanOf(word, value)
  }
  return null
}

function lineOf(text: string, from: number): string {
  const line = text.slice(from, from + SENTENCE_CHARS)
  const end = line.search(/[\r\n]|\\n/)
  return end < 0 ? line : line.slice(0, end)
}

function proseWords(line: string, offset: number): Word[] {
  const words: Word[] = []
  for (const found of line.matchAll(/\S+/g)) {
    if (words.length >= MOST_WORDS && offset > 0) break
    words.push({ text: found[0], start: offset + found.index, isQuoted: /^["'“„«‘]/.test(found[0]) })
  }
  return words
}

function trimmed(word: Word): string {
  return word.text.replace(OPENING, '').replace(CLOSING, '')
}

function spanOf(word: Word, value: string): Omit<Span, 'kind'> {
  const start = word.start + word.text.indexOf(value)
  return { start, end: start + value.length }
}

/** Twelve or more words of three to eight small letters, with no shorter word between them: the recovery phrase of a wallet. */
const MNEMONIC =
  /(?:^|[^a-z])((?:\d{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}(?:(?:[\s,"'\d.):]|\\n){1,16}[a-z]{3,8}){11,23})(?![a-z])/

export function findMnemonic(text: string, end: number, spans: Span[]): void {
  const found = MNEMONIC.exec(text.slice(end, end + 600))
  if (found === null || found.index > 40) return
  const start = end + found.index + found[0].length - (found[1] ?? '').length
  spans.push({ start, end: end + found.index + found[0].length, kind: 'secret' })
}

const PAIR = /["'“(]?[\w.@+-]{2,60}[ \t]{0,3}(?:[/:|,]|->|and)[ \t]{0,3}["'“]?([^\s"'“”=]{4,80})/y

/** `admin / secret` behind a word such as credentials. */
export function findPair(text: string, at: number, spans: Span[]): void {
  PAIR.lastIndex = at
  const found = PAIR.exec(text)?.[1] ?? ''
  const value = found.replace(CLOSING, '')
  const start = PAIR.lastIndex - found.length
  if (isAnnounced(value, false, '') || isCertain(value))
    spans.push({ start, end: start + value.length, kind: 'password' })
}
