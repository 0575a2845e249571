/** Whether a text contains what a query demands: phrases, files, and no excluded words. */

import { once } from '../../kernel/text/once.ts'
import { stemOf } from '../../kernel/text/token.ts'
import { tokenSpans } from '../../kernel/text/words.ts'

/** What a query demands of a text. */
export interface TextDemands {
  /** Each must occur in the text, with its words in this order. */
  phrases: string[]
  /** Words and phrases that must not occur. */
  without: string[]
  /** Each must occur in the text as a path, or as its end or beginning; `*` matches anything. */
  files: string[]
  withoutFiles: string[]
}

/** Scripts without spaces between words: there, one character is a piece. */
const UNSPACED = '[\\p{sc=Han}\\p{sc=Hangul}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Mymr}\\p{sc=Khmr}]'
const PIECES = once(() => new RegExp(`(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+|${UNSPACED}`, 'gu'))
/** Words that are further apart are cells of a table, not a phrase. */
const MAX_GAP = 20

type TextTest = (text: string) => boolean

/** Null: every text passes. */
export function textTest({ phrases, without, files, withoutFiles }: TextDemands): TextTest | null {
  const must = [...phrases.map((phrase) => phraseTest(phrase)), ...files.map(fileTest)]
  const mayNot = [...without.map(exclusionTest), ...withoutFiles.map(fileTest)]
  if (must.length === 0 && mayNot.length === 0) return null
  return (given) => {
    const text = given.normalize('NFKC')
    return must.every((test) => test(text)) && !mayNot.some((test) => test(text))
  }
}

/** The stems that a document must contain to pass: most texts need not be read. */
export function neededStems({ phrases, files }: Pick<TextDemands, 'phrases' | 'files'>): number[] {
  // A word beside a star is not a whole word.
  const texts = [...phrases, ...files.map((file) => file.replace(/[\p{L}\p{N}_]*\*+[\p{L}\p{N}_]*/gu, ' '))]
  const stems = texts.flatMap((text) => {
    let end = 0
    return tokenSpans(text.normalize('NFKC')).flatMap(({ token, from, to, word, isPair }) => {
      // The text may contain the parts of a compound as one word; of an unspaced run only the first pair is certain.
      if (from < end) {
        end = Math.max(end, to)
        return []
      }
      end = to
      return isPair || word.length > 1 || /\w/.test(word) ? [stemOf(token)] : []
    })
  })
  return [...new Set(stems)]
}

/** The positions where the words of the phrase follow each other, with only non-words between them. */
export function phraseRanges(text: string, phrase: string): [number, number][] {
  const words = piecesOf(lower(phrase.normalize('NFKC'))).map(({ word }) => word)
  const shown = lower(text)
  if (words.length === 0 || words.some((word) => !shown.includes(word))) return []
  const pieces = piecesOf(shown)
  const ranges: [number, number][] = []
  for (let i = 0; i + words.length <= pieces.length; i++) {
    const isHere = words.every(
      (word, k) => pieces[i + k]?.word === word && (k === 0 || gapAfter(pieces, i + k - 1) <= MAX_GAP),
    )
    if (isHere) ranges.push([pieces[i]?.from ?? 0, pieces[i + words.length - 1]?.to ?? 0])
  }
  return ranges
}

/** Keeps the length: `İ` is the only letter that grows in lower case. */
function lower(text: string): string {
  return text.replace(/\u0130/g, 'i').toLowerCase()
}

interface Piece {
  word: string
  from: number
  to: number
}

function piecesOf(text: string): Piece[] {
  return [...text.matchAll(PIECES())].map((match) => ({
    word: match[0],
    from: match.index,
    to: match.index + match[0].length,
  }))
}

function gapAfter(pieces: readonly Piece[], i: number): number {
  return (pieces[i + 1]?.from ?? 0) - (pieces[i]?.to ?? 0)
}

function phraseTest(phrase: string): TextTest {
  return (text) => phraseRanges(text, phrase).length > 0
}

/** Excludes a word also as a part of a compound, such as `loginUser`. */
function exclusionTest(words: string): TextTest {
  const isPhrase = phraseTest(words)
  const [only, ...more] = tokenSpans(words.normalize('NFKC'))
  if (only === undefined || more.length > 0) return isPhrase
  return (text) => isPhrase(text) || tokenSpans(text).some(({ word }) => word === only.word)
}

/** `auth.ts`, `src/auth`, `*.sql`, `src\\auth.ts`: whole names of a path, from border to border. */
function fileTest(file: string): TextTest {
  const wanted = file.normalize('NFKC').replace(/^\.?[/\\]+|[/\\]+$/g, '')
  const parts = wanted.toLowerCase().split(/[/\\]+/)
  // A bare word is not a file; `Makefile` is one if it is written exactly like this.
  const isFile = (run: string): boolean => /[/\\]|\.[\p{L}\p{N}]/u.test(run) || (run === file && /\p{Lu}/u.test(run))
  const isNamed = (run: string): boolean => {
    const names = run.toLowerCase().split(/[/\\]+/)
    return names.some((_, i) =>
      parts.every((part, k) => isMatch(names[i + k] ?? '', part, k === 0, k === parts.length - 1)),
    )
  }
  return (text) => (text.match(RUN()) ?? []).some((run) => isFile(run) && isNamed(run))
}

const RUN = once(() => /[\p{L}\p{N}_@~+.\-/\\[\]()$]+/gu)
/** File systems do not allow longer names. */
const LONGEST_NAME = 255

/**
 * Whether a stretch of the name between two borders matches the pattern; `*` matches anything. Each piece between stars is
 * searched behind the previous one, so that no text makes it slow.
 */
function isMatch(name: string, pattern: string, mayBeginLater: boolean, mayEndEarlier: boolean): boolean {
  if (name.length > LONGEST_NAME) return false
  const [first = '', ...pieces] = pattern.split(/\*+/)
  const last = pieces.pop()
  for (let from = 0; from <= name.length; from++) {
    if (from > 0 && (!mayBeginLater || !isBegin(name, from))) continue
    if (!name.startsWith(first, from)) continue
    let at = from + first.length
    for (const piece of pieces) {
      const found = at < 0 ? -1 : name.indexOf(piece, at)
      at = found < 0 ? -1 : found + piece.length
    }
    if (at >= 0 && endsAt(name, last, at, mayEndEarlier)) return true
  }
  return false
}

/** Whether the piece after the last star (undefined: there is no star) ends at a border, at or after `from`. */
function endsAt(name: string, last: string | undefined, from: number, mayEndEarlier: boolean): boolean {
  if (last === undefined) return from === name.length || (mayEndEarlier && isEnd(name, from))
  for (let at = name.indexOf(last, from); at >= 0; at = name.indexOf(last, at + 1)) {
    const end = at + last.length
    if (end === name.length || (mayEndEarlier && isEnd(name, end))) return true
  }
  return false
}

function isBegin(name: string, at: number): boolean {
  return !/[\p{L}\p{N}_-]/u.test(name.charAt(at - 1))
}

/** A Korean or Japanese particle may follow a name directly. */
function isEnd(name: string, at: number): boolean {
  return !/^(?![\u3040-\u30ff\uac00-\ud7a3])[\p{L}\p{N}_]/u.test(name.charAt(at))
}
