/** Whether a text holds what a query asks for word by word: phrases, words that may not stand there, files. */

import { stemOf } from '../text/token.ts'
import { tokenSpans } from '../text/words.ts'
import type { Operators } from './operators.ts'

/** A word; of scripts whose words grow together one character, since a space is no border there. Made once: it takes long. */
const PIECES =
  /(?:(?![\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Mymr}\p{sc=Khmr}])[\p{L}\p{N}\p{M}])+|[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Mymr}\p{sc=Khmr}]/gu
/** Further apart, words are no phrase but the cells of a table. */
const MAX_GAP = 20

type TextTest = (text: string) => boolean

/** Tells whether a text holds all that must stand there and nothing that may not; null: everything does. */
export function textTest({ phrases, without, files, withoutFiles }: Operators): TextTest | null {
  const must = [...phrases.map((phrase) => phraseTest(phrase)), ...files.map(fileTest)]
  const mayNot = [...without.map(exclusionTest), ...withoutFiles.map(fileTest)]
  if (must.length === 0 && mayNot.length === 0) return null
  return (given) => {
    const text = given.normalize('NFKC')
    return must.every((test) => test(text)) && !mayNot.some((test) => test(text))
  }
}

/** What a document must hold to pass: a look at its tokens spares the reading of most texts. */
export function neededStems({ phrases, files }: Operators): number[] {
  // What a star stands beside is not a whole word.
  const texts = [...phrases, ...files.map((file) => file.replace(/[\p{L}\p{N}_]*\*+[\p{L}\p{N}_]*/gu, ' '))]
  const stems = texts.flatMap((text) => {
    let end = 0
    return tokenSpans(text.normalize('NFKC')).flatMap(({ token, from, to, word, isPair }) => {
      // Parts of a compound may be written as one there; of an unspaced run only the first pair is sure to be a pair there.
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

/** Where its words stand in this order, whatever is between them that is no word. */
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

/** As long as the text was: the one letter that grows with its case is taken for its plain form. */
function lower(text: string): string {
  return text.replace(/\u0130/g, 'i').toLowerCase()
}

interface Piece {
  word: string
  from: number
  to: number
}

function piecesOf(text: string): Piece[] {
  return [...text.matchAll(PIECES)].map((match) => ({
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

/** A word is gone with all places where a search finds it: as a part of `loginUser`, too. */
function exclusionTest(words: string): TextTest {
  const isPhrase = phraseTest(words)
  const [only, ...more] = tokenSpans(words.normalize('NFKC'))
  if (only === undefined || more.length > 0) return isPhrase
  return (text) => isPhrase(text) || tokenSpans(text).some(({ word }) => word === only.word)
}

/** `auth.ts`, `src/auth`, `*.sql`, `src\\auth.ts`: whole names, from a border to a border. */
function fileTest(file: string): TextTest {
  const wanted = file.normalize('NFKC').replace(/^\.?[/\\]+|[/\\]+$/g, '')
  const parts = wanted
    .toLowerCase()
    .replace(/\*+/g, '*')
    .slice(0, LONGEST_NAME)
    .split(/[/\\]+/)
  // A word alone is no file; `Makefile` is, written as it was asked for.
  const isFile = (run: string): boolean => isPath(run) || (run === file && /\p{Lu}/u.test(run))
  const isNamed = (run: string): boolean => {
    const names = run.toLowerCase().split(/[/\\]+/)
    return names.some((_, i) =>
      parts.every((part, k) => isMatch(names[i + k] ?? '', part, k === 0, k === parts.length - 1)),
    )
  }
  return (text) => (text.match(RUN) ?? []).some((run) => isFile(run) && isNamed(run))
}

/** Longer ones no file system takes. */
const LONGEST_NAME = 255

/**
 * Whether a stretch of the name from a border to a border is what the pattern says; `*` is anything. All beginnings are followed
 * at once, character by character: no text makes it slow.
 */
function isMatch(name: string, pattern: string, mayBeginLater: boolean, mayEndEarlier: boolean): boolean {
  if (name.length > LONGEST_NAME) return false
  let active = new Uint8Array(pattern.length + 1)
  for (let at = 0; at <= name.length; at++) {
    if (at === 0 || (mayBeginLater && isBegin(name, at))) active[0] = 1
    for (let j = 0; j < pattern.length; j++) if (active[j] === 1 && pattern[j] === '*') active[j + 1] = 1
    const isDone = active[pattern.length] === 1
    if (isDone && (at === name.length || (mayEndEarlier && isEnd(name, at)))) return true
    const next = new Uint8Array(pattern.length + 1)
    for (let j = 0; j < pattern.length; j++) {
      if (active[j] !== 1) continue
      if (pattern[j] === '*') next[j] = 1
      else if (pattern[j] === name[at]) next[j + 1] = 1
    }
    active = next
  }
  return false
}

const RUN = /[\p{L}\p{N}_@~+.\-/\\[\]()$]+/gu

function isPath(run: string): boolean {
  return /[/\\]|\.[\p{L}\p{N}]/u.test(run)
}

function isBegin(name: string, at: number): boolean {
  return !/[\p{L}\p{N}_-]/u.test(name.charAt(at - 1))
}

/** Particles may stand behind a name. */
function isEnd(name: string, at: number): boolean {
  return !/^(?![\u3040-\u30ff\uac00-\ud7a3])[\p{L}\p{N}_]/u.test(name.charAt(at))
}
