/** The words of what is forgotten: tells of any text whether it still says some of it. */

import { once } from '../text/once.ts'
import { splitSentences } from '../text/sentences.ts'

/** Words in a row that are no chance. */
const RUN = 5
/** The same for scripts that write no spaces. */
const LETTERS = 6
/** A sentence of fewer words counts as a whole, if it is at least so long. */
const LEAST_CHARS = 12
const LEAST_WORD = 3
/** Less is said by chance. */
const LEAST_WHOLE = 4
const LIST_MARK = /^\s*(?:(?:[-*+•]|\d+[.)]|#{1,6}|>)\s+)*/
const WORD = once(() => /[\p{L}\p{N}\p{M}_]+/gu)
const UNSPACED = once(() => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u)
/** Years and other short numbers stand everywhere. */
const COMMON_NUMBER = /^(?:\d{1,3}|(?:19|20)\d\d)$/

/** What stood only in what is forgotten: single words, and words in a row. */
export interface Words {
  words: Set<string>
  runs: Set<string>
  /** All words of it, also those that stay elsewhere. */
  all: ReadonlySet<string>
  /** Lengths of the rows, by the word that they begin with: most texts need no closer look. */
  starts: ReadonlyMap<string, ReadonlySet<number>>
}

/** As it is compared: one form of each letter, lower case. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

export function tokensOf(text: string): string[] {
  return folded(text).match(WORD()) ?? []
}

/** Every word that is not common, and every row of words, that these texts say. */
export function wordsOfAll(texts: Iterable<string>, isCommon: (word: string) => boolean): Words {
  const words = new Set<string>()
  const runs = new Set<string>()
  const starts = new Map<string, Set<number>>()
  const add = (run: readonly string[]): void => {
    const [first = ''] = run
    runs.add(run.join(' '))
    starts.set(first, (starts.get(first) ?? new Set()).add(run.length))
  }
  for (const sentence of [...texts].flatMap(forgetSentences)) {
    const tokens = tokensOf(sentence)
    for (const token of tokens) if (isTelling(token) && !isCommon(token)) words.add(token)
    for (let i = 0; i + RUN <= tokens.length; i++) add(tokens.slice(i, i + RUN))
    for (const letters of tokens.flatMap(lettersOf)) runs.add(letters)
    if (tokens.length < RUN && tokens.length > 1 && tokens.join(' ').length >= LEAST_CHARS) add(tokens)
  }
  return { words, runs, all: new Set(words), starts }
}

/** Takes out what is said elsewhere, too. Text by text: a memory may hold a million of them. */
export function takeOutWords({ words }: Words, text: string): void {
  if (words.size === 0) return
  for (const token of tokensOf(text)) words.delete(token)
}

export function takeOutRuns(all: Words, text: string): void {
  if (all.runs.size === 0) return
  for (const run of runsIn(all, tokensOf(text))) all.runs.delete(run)
}

export function saysAny(all: Words, text: string): boolean {
  const { words, runs } = all
  if (words.size === 0 && runs.size === 0) return false
  const tokens = tokensOf(text)
  if (words.size > 0 && tokens.some((token) => words.has(token))) return true
  return runs.size > 0 && runsIn(all, tokens).some((run) => runs.has(run))
}

/** Rows only: a single word may have come from elsewhere. */
export function saysRun(all: Words, text: string): boolean {
  return all.runs.size > 0 && runsIn(all, tokensOf(text)).some((run) => all.runs.has(run))
}

/** A word of it stands there, and most of the telling words around it are its words as well. */
export function saysMostly({ words, all }: Words, text: string, isCommon: (word: string) => boolean): boolean {
  const telling = tokensOf(text).filter((token) => isTelling(token) && !isCommon(token))
  return (
    telling.some((token) => words.has(token)) && telling.filter((token) => all.has(token)).length * 2 > telling.length
  )
}

/** Tells whether a text says one of these sentences word for word, perhaps with more around it: not across two of its own. */
export function saysSentence(sentences: Iterable<string>): (text: string) => boolean {
  const given = [...sentences].filter((one) => wordsIn(one) !== '')
  const [long, short] = [
    [...new Set(given.map(wordsIn))].filter(isLong),
    new Set(given.map(wordsIn).filter((one) => !isLong(one))),
  ]
  const several = new Set(given.filter((one) => splitSentences(oneLine(one)).length > 1).map(wordsIn))
  const isIn = (said: string, one: string): boolean =>
    UNSPACED().test(one) ? said.includes(one) : ` ${said} `.includes(` ${one} `)
  return (text) => {
    const said = wordsIn(text)
    const near = long.filter((one) => isIn(said, one))
    if (near.some((one) => several.has(one))) return true
    if (near.length === 0 && short.size === 0) return false
    const parts = [...forgetSentences(text), ...splitSentences(oneLine(text))].map(wordsIn)
    return parts.some((part) => short.has(part) || near.some((one) => isIn(part, one)))
  }
}

/** Tells whether one of these sentences (see `plainSentences`) stands in a text by itself, with nothing before or behind it. */
export function saysWhole(wanted: ReadonlySet<string>, text: string): boolean {
  return wanted.size > 0 && plainSentences(text).some((one) => wanted.has(one))
}

/** As they are compared. */
export function plainSentences(text: string): string[] {
  return forgetSentences(text)
    .map((one) => wordsIn(one.replace(LIST_MARK, '')))
    .filter((one) => one.length >= LEAST_WHOLE)
}

/** Sentences, line by line. */
export function forgetSentences(text: string): string[] {
  return text.split(/\r\n?|\n/).flatMap((line) => splitSentences(line))
}

function wordsIn(text: string): string {
  return tokensOf(text).join(' ')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isLong(sentence: string): boolean {
  return sentence.length >= LEAST_CHARS || (UNSPACED().test(sentence) && sentence.length >= LETTERS)
}

function isTelling(token: string): boolean {
  if (UNSPACED().test(token)) return token.length > 1
  return token.length >= LEAST_WORD && !COMMON_NUMBER.test(token)
}

/** Rows that may be among these. */
function runsIn({ starts }: Words, tokens: readonly string[]): string[] {
  const found: string[] = []
  tokens.forEach((token, i) => {
    for (const length of starts.get(token) ?? [])
      if (i + length <= tokens.length) found.push(tokens.slice(i, i + length).join(' '))
    found.push(...lettersOf(token))
  })
  return found
}

function lettersOf(token: string): string[] {
  if (!UNSPACED().test(token)) return []
  const runs: string[] = []
  for (let i = 0; i + LETTERS <= token.length; i++) runs.push(token.slice(i, i + LETTERS))
  return runs
}
