/** Corrects words of a query without a match, using the words of the memory. */
import { once } from '../../../kernel/text/once.ts'
import { stemOf } from '../../../kernel/text/token.ts'
import { guessWords } from '../../../kernel/text/typo.ts'
import { type TokenSpan, tokenSpans } from '../../../kernel/text/words.ts'
import type { SearchIndex } from './memory-index.ts'

/** A word without a match, and the word that is searched instead. */
export interface Correction {
  from: string
  to: string
}

/** A query with more unknown words is about something else. */
const MAX_CORRECTED = 3
/** A query with more words is a question. */
const FEW = 3
const EQUAL_WEIGHTS = [1, 1, 1, 1] as const

/** `counts`: the number of documents with each stem of the words. */
export function correctWords(
  index: SearchIndex,
  words: string,
  counts: ReadonlyMap<number, number>,
): { words: string; corrected: Correction[] } {
  const written = writtenWords(words)
  const isUnknown = ({ stems }: Written): boolean => stems.every((stem) => counts.get(stem) === 0)
  // Parts of an identifier may be known although the whole is not: getUsrById.
  const isName = ({ isRun, stems: [whole = 0, ...parts] }: Written): boolean =>
    !isRun && parts.length > 0 && counts.get(whole) === 0
  const unknown = written.filter((one) => isUnknown(one) || isName(one))
  if (unknown.length === 0 || unknown.length > MAX_CORRECTED) return { words, corrected: [] }
  const company = unknown.length === written.length ? 'none' : written.length <= FEW ? 'few' : 'many'
  const corrected: Correction[] = []
  let meant = words
  // From the end, so that earlier positions stay valid.
  for (const one of unknown.toReversed()) {
    const { from, to, word } = one
    const guess = commonest(index, guessWords(word, index.vocabulary(), isUnknown(one) ? company : 'name'), word)
    if (guess === null) continue
    corrected.unshift({ from: words.slice(from, to), to: guess })
    meant = `${meant.slice(0, from)}${guess}${meant.slice(to)}`
  }
  return { words: meant, corrected }
}

/** The typed words without a match, each once. Parts of a name may have a match. */
export function missingWords(words: string, counts: ReadonlyMap<number, number>): string[] {
  const missing = writtenWords(words)
    .filter(({ isRun, stems }) => (isRun ? stems : stems.slice(0, 1)).every((stem) => counts.get(stem) === 0))
    .map(({ from, to }) => words.slice(from, to))
    .filter((word) => !SINGLE().test(word) && !KOREAN_ASKING.test(word))
  return [...new Map(missing.map((word) => [word.toLowerCase(), word])).values()]
}

/** The index contains pairs of such characters: a single one cannot be looked up. */
const SINGLE = once(() => /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}]$/u)
/** Question words and verb endings: nobody expects to find them in this form. */
const KOREAN_ASKING =
  /^(?:뭐|뭘|무엇|무슨|왜|어디|언제|누구|누가|어떻|어떤|어느|몇|얼마)|[가-힣][지어아까나니요냐죠다]$/

interface Written {
  word: string
  /** A run of a script without spaces: it consists of its pairs. */
  isRun: boolean
  from: number
  to: number
  stems: number[]
}

/** The typed words: the parts of a compound and the pairs of a run belong to it. */
export function writtenWords(text: string): Written[] {
  const written: Written[] = []
  for (const span of tokenSpans(text)) {
    const last = written.at(-1)
    if (last === undefined || span.from >= last.to) written.push(wordFrom(span))
    else {
      last.stems.push(stemOf(span.token))
      if (span.to > last.to) last.to = span.to
    }
  }
  return written.map((one) => ({
    ...one,
    word: one.isRun ? text.slice(one.from, one.to).toLowerCase() : one.word,
  }))
}

function wordFrom({ word, from, to, token, isPair }: TokenSpan): Written {
  return { word, isRun: isPair, from, to, stems: [stemOf(token)] }
}

/** The guess that occurs in the most documents; null: no guess occurs. */
function commonest(index: SearchIndex, guesses: readonly string[], word: string): string | null {
  // A Korean guess is cut to the length of the typed word: the rest is a particle.
  const meant = guesses.map((guess) => (/^[\uac00-\ud7a3]+$/.test(guess) ? guess.slice(0, word.length) : guess))
  const candidates = [...new Set(meant)].map((guess) => ({
    guess,
    stems: tokenSpans(guess).map(({ token }) => stemOf(token)),
  }))
  const counts = countsOf(index, candidates).map((each) => (each.length === 0 ? 0 : Math.min(...each)))
  const most = Math.max(0, ...counts)
  return most === 0 ? null : (candidates[counts.indexOf(most)]?.guess ?? null)
}

/** The number of documents with each stem of each word. */
function countsOf(index: SearchIndex, words: readonly { stems: readonly number[] }[]): number[][] {
  const all = [...new Set(words.flatMap(({ stems }) => stems))]
  const found = all.length === 0 ? [] : index.engine.look(all, EQUAL_WEIGHTS, 0, null).found
  const countOf = new Map(all.map((stem, i) => [stem, found[i] ?? 0]))
  return words.map(({ stems }) => stems.map((stem) => countOf.get(stem) ?? 0))
}

/** Contains an inner capital, an underscore, a digit, or a dot or slash between letters. */
const NAME = once(() => /\p{Ll}\p{Lu}|[\p{L}\p{N}]_|_[\p{L}\p{N}]|\p{N}|[\p{L}\p{N}][./\\]+[\p{L}\p{N}]/u)
/** Punctuation around a name in a sentence. */
const AROUND = once(() => /^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu)
/** Most words are none, and the other expressions take long to compile. */
const NO_NAME = /^[A-Za-z]?[a-z]*$/

export function namesInQuery(words: string): string[] {
  return words
    .split(/\s+/)
    .filter((word) => !NO_NAME.test(word))
    .map((word) => word.replace(AROUND(), ''))
    .filter((word) => NAME().test(word))
}

/** Each name occurs whole in one of the texts, ignoring case. */
export function holdsEach(texts: readonly string[], names: readonly string[]): boolean {
  if (names.length === 0) return true
  const lower = texts.map((text) => text.toLowerCase())
  return names.every((name) => lower.some((text) => isWholeIn(text, name.toLowerCase())))
}

/** A part of a longer name is another name. */
function isWholeIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ''
    const behind = text[at + name.length] ?? ''
    if (!/[a-z0-9_]/.test(before) && !/[a-z0-9_]/.test(behind)) return true
  }
  return false
}
