/** Detects whether a text repeats another one word for word, ignoring case, punctuation and line breaks. */

import { once } from './once.ts'
import { splitSentences } from './sentences.ts'
import { STOP_WORDS } from './words.ts'

/** A repetition of this many words is recognised inside a longer sentence. */
const ROW = 8
/** Shorter sentences are ignored. */
const LEAST_WORDS = 4
/** A row with fewer rare words may occur by chance. */
const LEAST_RARE = 3
/** The minimum length where no rare words are required. */
const LEAST_CHARS = 12
const WORD = once(() => /[\p{L}\p{N}\p{M}_]+/gu)
const UNSPACED = once(() => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u)
const COMMON_NUMBER = /^(?:\d{1,3}|(?:19|20)\d\d)$/

/** Unicode-normalised, lower case. */
export function foldedText(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

export function foldedWords(text: string): string[] {
  return foldedText(text).match(WORD()) ?? []
}

/** Sentences, line by line. */
export function lineSentences(text: string): string[] {
  return text.split(/\r\n?|\n/).flatMap((line) => splitSentences(line))
}

/** The rows of words, and for each first word the lengths of its rows, so that most texts are rejected quickly. */
export interface Rows {
  rows: Set<string>
  lengths: Map<string, Set<number>>
}

export function noRows(): Rows {
  return { rows: new Set(), lengths: new Map() }
}

/** Adds the sentences of a text: those with enough rare words, or, without `isRare`, all that are long enough. */
export function addRows(all: Rows, text: string, isRare?: (word: string) => boolean): void {
  for (const sentence of lineSentences(text)) {
    const words = rowWords(sentence)
    const isLong = isRare === undefined ? words.join(' ').length >= LEAST_CHARS : words.length >= LEAST_WORDS
    const size = Math.min(ROW, words.length)
    for (let i = 0; isLong && i + size <= words.length; i++) {
      const row = words.slice(i, i + size)
      if (isRare === undefined || row.filter(isRare).length >= LEAST_RARE) addRow(all, row)
    }
  }
}

/** Adds each sentence of a text as one row, however common its words are: only an exact copy contains it. */
export function addSentences(all: Rows, text: string): void {
  for (const sentence of lineSentences(text)) {
    const words = rowWords(sentence)
    if (words.join(' ').length >= LEAST_CHARS) addRow(all, words)
  }
}

/** The rows that none of these texts contains. */
export function rowsNotIn({ rows, lengths }: Rows, texts: readonly string[]): Rows {
  const left = new Set(rows)
  for (const words of texts.map(rowWords))
    for (const [i, word] of words.entries())
      for (const size of lengths.get(word) ?? []) left.delete(words.slice(i, i + size).join(' '))
  return { rows: left, lengths }
}

function addRow({ rows, lengths }: Rows, row: readonly string[]): void {
  const [first = ''] = row
  rows.add(row.join(' '))
  lengths.set(first, (lengths.get(first) ?? new Set()).add(row.length))
}

export function hasRow({ rows, lengths }: Rows, text: string): boolean {
  if (rows.size === 0) return false
  const words = rowWords(text)
  return words.some((word, i) =>
    [...(lengths.get(word) ?? [])].some((size) => rows.has(words.slice(i, i + size).join(' '))),
  )
}

/** Words that carry meaning: no stop words, no short numbers. */
export function repeatedWords(text: string): string[] {
  return rowWords(text).filter(isTelling)
}

export function isTelling(word: string): boolean {
  if (UNSPACED().test(word)) return word.length > 1
  return word.length > 2 && !STOP_WORDS.has(word) && !COMMON_NUMBER.test(word)
}

/** Splits scripts without spaces into pairs of characters. */
function rowWords(text: string): string[] {
  return foldedWords(text).flatMap((word) => (word.length > 2 && UNSPACED().test(word) ? pairsOf(word) : [word]))
}

function pairsOf(word: string): string[] {
  const letters = [...word]
  return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`)
}
