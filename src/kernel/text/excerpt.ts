/** Cuts the excerpt of a text that answers a question best: the sentence with the most question words, and its neighbours. */
import { stemOf } from './token.ts'
import { tokenSpans } from './words.ts'

export interface Excerpt {
  from: number
  to: number
}

const KIND_FACTOR = 1.5
/** Only this many characters are read: a long pasted log must not delay the user's prompt. */
const LONGEST = 64 * 1024

/** An excerpt may begin behind every mark that could end a sentence. The lookbehinds start a match only at the first mark of a run, so that a line of dots does not take quadratic time. */
const BREAK = /(?<![.!?…])[.!?…]+["'”’)\]`*]*(?=\s)|(?<![。！？])[。！？]+|\n+/g

/** Returns at most `most` characters. A longer sentence is cut between words. `isKind` marks sentences of the kind that the question asks for. */
export function excerptOf(
  text: string,
  weightOf: (stem: number) => number,
  isKind: (sentence: string) => boolean,
  most: number,
): Excerpt {
  if (text.length <= most) return { from: 0, to: text.length }
  if (text.length > LONGEST) return excerptOf(text.slice(0, LONGEST), weightOf, isKind, most)
  const sentences = cutLong(piecesBetween(text), text, Math.max(1, most))
  const scores = scoresOf(text, sentences, weightOf)
  for (const [i, { from, to }] of sentences.entries()) {
    if (isKind(text.slice(from, to))) scores[i] = (scores[i] ?? 0) * KIND_FACTOR
  }
  let best = 0
  for (let i = 1; i < sentences.length; i++) if ((scores[i] ?? 0) > (scores[best] ?? 0)) best = i
  return widen(sentences, best, most)
}

function piecesBetween(text: string): Excerpt[] {
  const sentences: Excerpt[] = []
  let from = 0
  for (const found of text.matchAll(BREAK)) {
    const to = found.index + found[0].length
    if (text.slice(from, to).trim() !== '') sentences.push({ from, to })
    from = to
  }
  if (text.slice(from).trim() !== '') sentences.push({ from, to: text.length })
  return sentences.map(({ from: start, to }) => trimmed(text, start, to))
}

function trimmed(text: string, from: number, to: number): Excerpt {
  const inside = text.slice(from, to)
  return { from: from + inside.length - inside.trimStart().length, to: to - inside.length + inside.trimEnd().length }
}

function cutLong(sentences: readonly Excerpt[], text: string, most: number): Excerpt[] {
  return sentences.flatMap((sentence) => {
    const pieces: Excerpt[] = []
    let { from } = sentence
    while (sentence.to - from > most) {
      const space = text.lastIndexOf(' ', from + most)
      let to = space > from + most / 2 ? space : from + most
      // Never cuts a surrogate pair.
      if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to += to - 1 > from ? -1 : 1
      pieces.push(trimmed(text, from, to))
      from = to
    }
    return [...pieces, trimmed(text, from, sentence.to)]
  })
}

/** Each word counts once in a sentence. */
function scoresOf(text: string, sentences: readonly Excerpt[], weightOf: (stem: number) => number): number[] {
  const scores = sentences.map(() => 0)
  let at = 0
  let seen = new Set<number>()
  for (const { token, from } of tokenSpans(text)) {
    while (at + 1 < sentences.length && from >= (sentences[at + 1]?.from ?? 0)) {
      at++
      seen = new Set()
    }
    const stem = stemOf(token)
    const weight = weightOf(stem)
    if (weight === 0 || seen.has(stem)) continue
    seen.add(stem)
    scores[at] = (scores[at] ?? 0) + weight
  }
  return scores
}

/** Adds the following sentences first: they explain more than the preceding ones. */
function widen(sentences: readonly Excerpt[], best: number, most: number): Excerpt {
  let { from, to } = sentences[best] ?? { from: 0, to: 0 }
  for (let i = best + 1; i < sentences.length && (sentences[i]?.to ?? 0) - from <= most; i++)
    to = sentences[i]?.to ?? to
  for (let i = best - 1; i >= 0 && to - (sentences[i]?.from ?? 0) <= most; i--) from = sentences[i]?.from ?? from
  return { from, to }
}
