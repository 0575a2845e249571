/** The evidence for a memory at a question, and the choice of sentences: of each document the best one, with a distinctive word of the question. */

import { STEM, stemOf } from '../../kernel/text/token.ts'
import { tokenise } from '../../kernel/text/words.ts'
import { type Columns, type Engine, hasNeighbours, KIND_NUMBER } from '../search/engine.ts'
import type { Term } from '../search/question.ts'
import type { Ranked } from '../search/rank.ts'
import { FLAG } from '../search/traits.ts'
import { pickFrom, tellableIn, turnOf } from './closing.ts'
import type { Recollection, Remembrance } from './remembrance.ts'

const PROMPT = KIND_NUMBER.prompt
/** The maximum number of picked documents; some may have been injected before, or not fit. */
const MOST_PICKED = 8
/** One of the best two must be tellable: of 62 firings on bench -- recall 14 right, 6 not are left; 22 right, 40 not without it. */
const FIRST_RANKS = 2
/** Documents below this share of the best score add words without an answer. */
const LEAST_SCORE = 0.55
/** A sentence with this share of its words in an earlier one is a repetition. */
const REPEATING = 0.75
/** A fact is shorter than an entry, and audited. */
const KEPT = 1.2
/** A sentence of the kind that the question asks for counts more. */
const KIND_FACTOR = 1.5

export interface Telling {
  /** The worth of a stem of the prompt; 0: none. */
  worthOf: (stem: number) => number
  /** A sentence with words of less worth answers another question. */
  least: number
  /** A sentence of the wanted kind. */
  isKind: (sentence: string) => boolean
}

/** The most likely answer first. Empty: the best documents may not be told, and others would only be about the same words. */
export function pick(rows: readonly Ranked[], memory: Remembrance, telling: Telling): Recollection[] {
  const { columns, unitOf } = memory
  const scored = answersAmong(rows, memory).map(({ doc, score }) => ({
    doc,
    score: hasNeighbours(columns, doc) ? score : score * KEPT,
  }))
  const best = scored
    .sort((a, b) => b.score - a.score)
    .filter(({ score }) => score >= LEAST_SCORE * (scored[0]?.score ?? 0))
  const picks: Recollection[] = []
  const takenWords: Set<number>[] = []
  let passed = 0
  for (const { doc, score } of best) {
    if (picks.length === MOST_PICKED || (picks.length === 0 && passed >= FIRST_RANKS)) break
    const unit = unitOf(doc)
    const sentences = unit === null ? [] : tellableIn(doc, memory)
    // A note, which retells entries, and what only stands beside them push no answer out of the best two.
    if (hasNeighbours(columns, doc) && holdsAny(unit?.text ?? '', telling)) passed++
    // The first one decides whether anything is told; later ones may say what became of it.
    const at = bestOf(sentences, telling, picks.length === 0 ? telling.least : 0)
    if (unit === null || at < 0) continue
    const words = stemSet(sentences[at] ?? '')
    if (takenWords.some((other) => repeats(words, other))) continue
    takenWords.push(words)
    picks.push(pickFrom(unit, score, sentences, at))
  }
  return picks
}

/** Without what is no answer and may not be told: digests, which retell entries, the question itself, asked before, and runs of programs. */
function answersAmong(rows: readonly Ranked[], memory: Remembrance): readonly Ranked[] {
  const isAnswer = (doc: number): boolean =>
    hasNeighbours(memory.columns, doc) && !isSent(doc, memory) && !isAsking(doc, memory)
  return rows.filter(({ doc }) => isAnswer(doc) || tellableIn(doc, memory).length > 0)
}

function isAsking(doc: number, { columns: { kind, flags } }: Remembrance): boolean {
  return kind[doc] === PROMPT && ((flags[doc] ?? 0) & FLAG.question) !== 0
}

function isSent(doc: number, memory: Remembrance): boolean {
  const began = memory.entryOf(turnOf(doc, memory))
  return began?.role === 'user' && began.sent === true
}

/** A sentence alone must hold what its document was found by. */
const LEAST_WORDS = 2

/** -1: none contains enough words of the question. */
function bestOf(sentences: readonly string[], { worthOf, isKind }: Telling, least: number): number {
  let [best, most] = [-1, 0]
  for (const [at, sentence] of sentences.entries()) {
    const found = [...stemSet(sentence)].filter((stem) => worthOf(stem) > 0)
    const worth = found.reduce((sum, stem) => sum + worthOf(stem), 0)
    if (found.length < LEAST_WORDS || worth < least) continue
    const score = isKind(sentence) ? worth * KIND_FACTOR : worth
    if (score > most) [best, most] = [at, score]
  }
  return best
}

function holdsAny(text: string, { worthOf }: Telling): boolean {
  return [...stemSet(text)].some((stem) => worthOf(stem) > 0)
}

function stemSet(text: string): Set<number> {
  return new Set(Array.from(tokenise(text), stemOf))
}

/** A note, a summary and the entry they cover say the same. */
function repeats(words: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  let shared = 0
  for (const word of words) if (other.has(word)) shared++
  return shared > REPEATING * words.size
}

export interface RecallEvidence {
  /** The largest share of the prompt's worth around one document. */
  coverage: number
  /** The largest worth in one document, in units of the rarest possible word. */
  mass: number
  /** The largest number of distinct words of the prompt in one document. */
  words: number
  /** Two of them are close together in one of the best documents. */
  isNear: boolean
}

/** The number of documents that are weighed. */
const WEIGHED = 5
/** Words in a larger share of the documents carry no information; in a small memory a subject may occur in a third of them. */
const COMMON = 0.3
const COMMON_FROM = 12
/** The length of a passage, in content words. */
const PASSAGE_WORDS = 40
/** Two words of the prompt within this distance belong together. */
const NEAR_WORDS = 6
/** A word that the memory does not contain may be a synonym of one it contains. */
const UNKNOWN_WORD = 0.5

/** The worth of each word of the prompt as evidence; 0 for common ones. */
export function worthOf(terms: readonly Term[], found: readonly number[], live: number): number[] {
  const most = Math.log(live + 1)
  return terms.map(({ weight }, i) => {
    const holding = found[i] ?? 0
    if (holding > Math.max(COMMON * live, COMMON_FROM)) return 0
    const rarity = Math.min(most, Math.log((live + 1) / (holding + 0.5)))
    const doubt = holding === 0 ? UNKNOWN_WORD : 1
    return rarity * weight * doubt
  })
}

export function weighEvidence(
  rows: readonly Ranked[],
  terms: readonly Term[],
  worth: readonly number[],
  columns: Columns,
  engine: Engine,
): RecallEvidence {
  const all = worth.reduce((sum, one) => sum + one * one, 0)
  const most = Math.log(columns.live + 1)
  const evidence: RecallEvidence = { coverage: 0, mass: 0, words: 0, isNear: false }
  if (all === 0) return evidence
  const termOf = new Map(terms.flatMap(({ stem }, i) => ((worth[i] ?? 0) > 0 ? [[stem | 0, i]] : [])))
  const stems = terms.filter((_, i) => (worth[i] ?? 0) > 0).map(({ stem }) => stem)
  for (const [place, { doc }] of rows.slice(0, WEIGHED).entries()) {
    const places = placesIn(engine.placesOf(doc, stems), termOf)
    const held = bestPassage(places, worth)
    evidence.words = Math.max(evidence.words, held.size)
    evidence.mass = Math.max(evidence.mass, sumOf(held, (term) => worth[term] ?? 0) / most)
    if (place < 3) evidence.isNear ||= areNear(places)
    for (const near of around(columns, doc)) {
      for (const term of bestPassage(placesIn(engine.placesOf(near, stems), termOf), worth)) held.add(term)
    }
    evidence.coverage = Math.max(evidence.coverage, sumOf(held, (term) => (worth[term] ?? 0) ** 2) / all)
  }
  return evidence
}

/** Two on each side, in a session. */
function around(columns: Columns, doc: number): number[] {
  if (!hasNeighbours(columns, doc)) return []
  const { prev, next } = columns
  const before = prev(doc)
  const after = next(doc)
  const beyond = [before < 0 ? -1 : prev(before), after < 0 ? -1 : next(after)]
  return [before, after, ...beyond].filter((near) => near >= 0)
}

function sumOf(terms: ReadonlySet<number>, worthOfTerm: (term: number) => number): number {
  let sum = 0
  for (const term of terms) sum += worthOfTerm(term)
  return sum
}

type Place = readonly [at: number, term: number]

/** By signed stem. */
function placesIn(found: Int32Array, termOf: ReadonlyMap<number, number>): Place[] {
  const places: Place[] = []
  for (let i = 0; i < found.length; i += 2) places.push([found[i] ?? 0, termOf.get((found[i + 1] ?? 0) & STEM) ?? 0])
  return places
}

/** A long text contains every word somewhere: only the words of its best passage count. */
function bestPassage(places: readonly Place[], worth: readonly number[]): Set<number> {
  const times = new Map<number, number>()
  let best = new Set<number>()
  let [held, most] = [0, 0]
  for (let i = 0, j = 0; i < places.length && j < places.length; i++) {
    for (; j < places.length && (places[j]?.[0] ?? 0) - (places[i]?.[0] ?? 0) <= PASSAGE_WORDS; j++) {
      const term = places[j]?.[1] ?? 0
      const before = times.get(term) ?? 0
      if (before === 0) held += worth[term] ?? 0
      times.set(term, before + 1)
    }
    if (held > most) [best, most] = [new Set([...times].flatMap(([term, count]) => (count > 0 ? [term] : []))), held]
    const left = places[i]?.[1] ?? 0
    const count = (times.get(left) ?? 1) - 1
    times.set(left, count)
    if (count === 0) held -= worth[left] ?? 0
  }
  return best
}

function areNear(places: readonly Place[]): boolean {
  return places.some(([at, term], i) => {
    for (let j = i + 1; j < places.length; j++) {
      const [other, otherTerm] = places[j] ?? [0, 0]
      if (other - at > NEAR_WORDS) return false
      if (otherTerm !== term) return true
    }
    return false
  })
}
