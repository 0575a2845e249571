/** Whether two facts say the same, word for word; and how many words they share, where somebody else decides. */
import { once } from '../text/once.ts'
import { tellingWords } from '../text/words.ts'

const WORD = once(() => /[\p{L}\p{N}_]+(?:[.'’-][\p{L}\p{N}_]+)*/gu)
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the'])

/** The same words in the same order. Anything looser joins "use tabs" with "never use tabs". */
export function isSameFact(a: string, b: string): boolean {
  return keyOfText(a) === keyOfText(b)
}

function keyOfText(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().match(WORD()) ?? []
  return words.filter((word) => !ARTICLES.has(word)).join(' ')
}

/** Twice the common words over all telling words of both. */
export function similarity(a: string, b: string): number {
  return shareOfWords(tellingWords(a), tellingWords(b))
}

export function shareOfWords<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0
  let common = 0
  for (const word of a) if (b.has(word)) common++
  return (2 * common) / (a.size + b.size)
}

/** Which of many texts say the same as one, by their places. */
export function sameAs(texts: readonly string[]): (text: string) => number[] {
  return textIndex(texts).same
}

export interface TextIndex {
  same(text: string): number[]
  /** Puts a text in a place, or another one there. */
  set(at: number, text: string): void
}

export function textIndex(texts: readonly string[]): TextIndex {
  const keys: string[] = []
  const places = new Map<string, number[]>()
  const set = (at: number, text: string): void => {
    const key = keyOfText(text)
    keys[at] = key
    const known = places.get(key)
    if (known === undefined) places.set(key, [at])
    else if (!known.includes(at)) known.push(at)
  }
  texts.forEach((text, at) => {
    set(at, text)
  })
  const same = (text: string): number[] => {
    const key = keyOfText(text)
    // A text that was replaced is still named for its old words.
    return (places.get(key) ?? []).filter((at) => keys[at] === key).sort((x, y) => x - y)
  }
  return { set, same }
}
