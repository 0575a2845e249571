/** Whether two facts say the same: by the words they share, words without spaces between by pairs of characters. */
import { type Terms, termsIn } from '../outgoing/fact-terms.ts'
import { isCompound, isSwapped, isTurned, turnsIn } from '../outgoing/fact-turns.ts'
import { PROBLEMS } from '../outgoing/fact-words.ts'
import { once } from '../text/once.ts'

const SAME = 0.7
/** What a term counts that only the more detailed one has. */
const ADDED = 0.25
/** An issue and the sentence that it is solved are worded differently on purpose. */
const CLOSES = 0.5
const STOP = new Set(
  'the a an is are was were be been and or to of in on for with it its this that we i you will from as at by so do does now use using used have has had just also please'.split(
    ' ',
  ),
)
/** How things stand, not what they are about: as terms. */
const STATUS = new Set(
  'fail fix work pass slow wrong open todo issu problem bug broken done 문제 해결 완료 정상 동작 작동'.split(' '),
)
const NEGATED = once(
  () =>
    /\b(?:not|never|no|without|don't|instead of|rather than|over|avoid|statt|nicht|kein)\s+(?:(?:use|using|the|a|an)\s+)*([\p{L}\p{N}_.-]+)|([\p{L}\p{N}_.-]+?)(?:을|를)?\s*(?:대신|말고)/giu,
)

/** Twice the common terms over all terms of both; what only the longer one adds counts half. */
export function similarity(a: string, b: string): number {
  return likeness(termsIn(a), termsIn(b))
}

/** ≥ 70 % alike, and nothing that makes two of it: another object, number, refusal, order or problem. */
export function isSameFact(a: string, b: string): boolean {
  return isSame(termsIn(a), termsIn(b))
}

/** Which of many texts say the same as one: just those for which `isSameFact` holds, by their places. */
export function sameAs(texts: readonly string[]): (text: string) => number[] {
  return textIndex(texts).same
}

export interface TextIndex {
  same(text: string): number[]
  /** Those with at least so much similarity. */
  near(text: string, least: number): number[]
  /** Puts a text in a place, or another one there. */
  set(at: number, text: string): void
}

/** Texts by their terms, so that one is compared only with those that share enough of them. */
export function textIndex(texts: readonly string[]): TextIndex {
  const all: Terms[] = []
  const places = new Map<string, number[]>()
  const set = (at: number, text: string): void => {
    const terms = termsIn(text)
    all[at] = terms
    for (const term of terms.all) {
      const known = places.get(term)
      if (known === undefined) places.set(term, [at])
      else known.push(at)
    }
  }
  const near = (one: Terms, least: number): number[] => {
    const shared = new Map<number, number>()
    for (const term of one.all) for (const at of places.get(term) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1)
    const found: number[] = []
    for (const [at, common] of shared) {
      const other = all[at] as Terms
      // A text that was replaced may be counted for its old terms too: then this is too much, never too little.
      const most = weighed(common, Math.max(0, one.core.length - common), Math.max(0, other.core.length - common))
      if (most >= least && likeness(one, other) >= least) found.push(at)
    }
    return found.sort((x, y) => x - y)
  }
  texts.forEach((text, at) => {
    set(at, text)
  })
  return {
    set,
    near: (text, least) => near(termsIn(text), least),
    same: (text) => {
      const one = termsIn(text)
      return near(one, SAME).filter((at) => isSame(one, all[at] as Terms))
    },
  }
}

function isSame(a: Terms, b: Terms): boolean {
  return likeness(a, b) >= SAME && !areTwo(a, b)
}

/** Whether something makes two facts of two texts, however much alike they are. */
export function areTwo(a: Terms, b: Terms): boolean {
  const [onlyA, onlyB] = [without(a.core, b.all), without(b.core, a.all)]
  // Each has something that the other has not: the linter is not the formatter.
  if (onlyA.length > 0 && onlyB.length > 0) return true
  const [softA, softB] = [without(a.soft, b.soft), without(b.soft, a.soft)]
  // Another way of doing it, or another thing done: to retry is not to give up.
  if (softA.length > 0 && softB.length + onlyB.length > 0) return true
  if (softB.length > 0 && onlyA.length > 0) return true
  if ([...onlyA, ...onlyB].some((term) => PROBLEMS.has(term))) return true
  if (isCompound(a, b.all) || isCompound(b, a.all)) return true
  return isSwapped(a, b) || isTurned(turnsIn(a), turnsIn(b), commonOf(a, b))
}

/** What both say, and how they do it. */
export function commonOf(a: Terms, b: Terms): ReadonlySet<string> {
  return new Set([...a.all, ...a.soft].filter((term) => b.all.includes(term) || b.soft.includes(term)))
}

function likeness(a: Terms, b: Terms): number {
  let common = 0
  for (const term of a.all) if (b.all.includes(term)) common++
  return weighed(common, missing(a.core, b.all), missing(b.core, a.all))
}

function weighed(common: number, onlyA: number, onlyB: number): number {
  if (common === 0) return 0
  const fewer = Math.min(onlyA, onlyB)
  const added = Math.max(onlyA, onlyB) - fewer
  // One common word proves little: then what is added counts like all else.
  return common / (common + fewer + added * (common > 1 ? ADDED : 0.5))
}

function missing(terms: readonly string[], others: readonly string[]): number {
  let count = 0
  for (const term of terms) if (!others.includes(term)) count++
  return count
}

function without(terms: readonly string[], others: readonly string[]): string[] {
  return terms.filter((term) => !others.includes(term))
}

/** How much a solved issue and an open one are about the same; 0: they are not. */
export function closeness(open: string, solved: string): number {
  const [a, b] = [aboutOf(open), aboutOf(solved)]
  const common = a.length - missing(a, b)
  if (common === 0) return a.length === 0 && b.length === 0 ? 1 : 0
  const value = (2 * common) / (a.length + b.length)
  return value >= CLOSES ? value : isNamedBy(open, solved) ? CLOSES : 0
}

/** "The staging migration problem is fixed too: …": before the colon stands what is solved, behind it how. */
function isNamedBy(open: string, solved: string): boolean {
  const [head = '', how] = solved.split(/[:;–—] /, 2)
  if (how === undefined || !FIXED.test(head)) return false
  const [about, named] = [aboutOf(open), aboutOf(head)]
  return named.length >= LEAST_NAMED && missing(named, about) === 0
}

const FIXED = /\b(?:fixed|solved|resolved|works|gone|behoben)\b|해결|고쳤|고쳐졌|수정/i
/** One word names many problems. */
const LEAST_NAMED = 2

function aboutOf(text: string): readonly string[] {
  return termsIn(text).core.filter((term) => !STATUS.has(term))
}

/** Twice the common words over all words of both. */
export function shareOfWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0
  let common = 0
  for (const word of a) if (b.has(word)) common++
  return (2 * common) / (a.size + b.size)
}

/** What a text is about, without the words that every text has. */
export function factWords(text: string): Set<string> {
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
    [...text.toLowerCase().matchAll(NEGATED())].map((match) => (match[1] ?? match[2] ?? '').replace(/[.-]+$/, '')),
  )
}
