/** Whether two facts say the same: by the words they share, words without spaces between by pairs of characters. */
import { type Terms, termsIn } from './fact-terms.ts'
import { isCompound, isSwapped, isTurned, type Turns, turnsIn } from './fact-turns.ts'
import { PROBLEMS } from './fact-words.ts'

const SAME = 0.7
/** What a term counts that only the more detailed one has. */
const ADDED = 0.2
/** An issue and the sentence that it is solved are worded differently on purpose. */
const CLOSES = 0.5
const STOP = new Set(
  'the a an is are was were be been and or to of in on for with it its this that we i you will from as at by so do does now use using used have has had just also please'.split(
    ' ',
  ),
)
/** How things stand, not what they are about. */
const STATUS = new Set(
  'still not yet now fixed fix fixes fails fail failing failed works work working open todo resolved solved solves issue problem bug broken needs need done again longer no isn aren doesn hasn been 아직 이제 해결 해결됨 해결했습니다 수정 수정했습니다 문제 남은 남아 결했 했습 습니 니다 았습 었습 합니 입니 됩니 되었 됐습 결됐 결되 정했'.split(
    ' ',
  ),
)
const NEGATED =
  /\b(?:not|never|no|without|don't|instead of|rather than|over|avoid|statt|nicht|kein)\s+(?:(?:use|using|the|a|an)\s+)*([\p{L}\p{N}_.-]+)|([\p{L}\p{N}_.-]+?)(?:을|를)?\s*(?:대신|말고)/giu

/** Twice the common terms over all terms of both; what only the longer one adds counts half. */
export function similarity(a: string, b: string): number {
  return likeness(termsIn(a), termsIn(b))
}

/** ≥ 70 % alike, and nothing that makes two of it: another object, number, refusal, order or problem. */
export function isSameFact(a: string, b: string): boolean {
  return isSame(readied(a), readied(b))
}

/** Which of many texts say the same as one: just those for which `isSameFact` holds, by their places. */
export function sameAs(texts: readonly string[]): (text: string) => number[] {
  const all = texts.map(readied)
  const places = new Map<string, number[]>()
  all.forEach(({ terms }, i) => {
    for (const term of terms.all) {
      const at = places.get(term)
      if (at === undefined) places.set(term, [i])
      else at.push(i)
    }
  })
  return (text) => {
    const one = readied(text)
    const near = new Set<number>()
    for (const term of one.terms.all) for (const i of places.get(term) ?? []) near.add(i)
    return [...near].filter((i) => isSame(one, all[i] as Readied)).sort((x, y) => x - y)
  }
}

interface Readied {
  terms: Terms
  /** Only asked for where the terms are alike. */
  turns: () => Turns
}

function readied(text: string): Readied {
  const terms = termsIn(text)
  let turns: Turns | null = null
  return { terms, turns: () => (turns ??= turnsIn(terms)) }
}

function isSame(a: Readied, b: Readied): boolean {
  if (likeness(a.terms, b.terms) < SAME) return false
  const [onlyA, onlyB] = [without(a.terms.core, b.terms.all), without(b.terms.core, a.terms.all)]
  // Each has something that the other has not: the linter is not the formatter.
  if (onlyA.length > 0 && onlyB.length > 0) return false
  const [softA, softB] = [without(a.terms.soft, b.terms.soft), without(b.terms.soft, a.terms.soft)]
  // Another way of doing it, or another thing done: to retry is not to give up.
  if (softA.length > 0 && softB.length + onlyB.length > 0) return false
  if (softB.length > 0 && onlyA.length > 0) return false
  if ([...onlyA, ...onlyB].some((term) => PROBLEMS.has(term))) return false
  if (isCompound(a.terms, b.terms.all) || isCompound(b.terms, a.terms.all)) return false
  const common = new Set(
    [...a.terms.all, ...a.terms.soft].filter((term) => b.terms.all.has(term) || b.terms.soft.has(term)),
  )
  return !isSwapped(a.terms, b.terms) && !isTurned(a.turns(), b.turns(), common)
}

function likeness(a: Terms, b: Terms): number {
  const common = a.all.size - without(a.all, b.all).length
  if (common === 0) return 0
  const [fewer, more] = [without(a.core, b.all).length, without(b.core, a.all).length].sort((x, y) => x - y)
  const added = (more ?? 0) - (fewer ?? 0)
  // One common word proves little: then what is added counts like all else.
  return common / (common + (fewer ?? 0) + added * (common > 1 ? ADDED : 0.5))
}

function without(terms: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...terms].filter((term) => !others.has(term))
}

/** How much a solved issue and an open one are about the same; 0: they are not. */
export function closeness(open: string, solved: string): number {
  const about = (text: string): Set<string> => new Set([...wordsOf(text)].filter((word) => !STATUS.has(word)))
  const value = shareOfWords(about(open), about(solved))
  return value >= CLOSES ? value : 0
}

/** Twice the common words over all words of both. */
export function shareOfWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0
  let common = 0
  for (const word of a) if (b.has(word)) common++
  return (2 * common) / (a.size + b.size)
}

/** What a text is about, without the words that every text has. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const [run] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    for (const part of run.match(
      /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+/g,
    ) ?? []) {
      if (/^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(part)) for (const pair of pairs(part)) words.add(pair)
      else if (!STOP.has(part)) words.add(part)
    }
  }
  return words
}

function pairs(run: string): string[] {
  return run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2))
}

/** What a text says no to. */
export function negatedOf(text: string): Set<string> {
  return new Set(
    [...text.toLowerCase().matchAll(NEGATED)].map((match) => (match[1] ?? match[2] ?? '').replace(/[.-]+$/, '')),
  )
}
