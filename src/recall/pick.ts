/** The evidence for a memory at a prompt, and the choice of excerpts: each item once, with a distinctive word of the prompt. */

import { type Columns, type Engine, hasNeighbours, KINDS } from '../search/corpus.ts'
import type { Term } from '../search/question.ts'
import type { Ranked } from '../search/rank.ts'
import { FLAG } from '../search/traits.ts'
import { type Excerpt, excerptOf } from '../text/excerpt.ts'
import { STEM, stemOf } from '../text/token.ts'
import { estimateTokens } from '../text/tokens.ts'
import { tokenise } from '../text/words.ts'

const PROMPT = KINDS.indexOf('prompt')

export interface Pick {
  doc: number
  score: number
  /** The excerpt in the unit's text. */
  from: number
  to: number
  /** The best matching sentence; without it, the whole excerpt. */
  core?: Excerpt
}

export type Signal = 'dead-end' | 'built' | 'name' | 'question'

export interface Recall {
  /** Null: nothing is injected. */
  signal: Signal | null
  /** One sentence. */
  verdict: string
  scores: Record<string, number>
  picks: readonly Pick[]
}

/** The memory, as one session may see it. */
export interface Remembrance {
  columns: Columns
  engine: Engine
  /** Null: it was deleted, or is only about this session. */
  unitOf: (doc: number) => { text: string; state: string } | null
  sessionOf: (doc: number) => string | null
  /** Undefined: all documents. */
  isWanted?: ((doc: number) => boolean) | undefined
  /** The session has mentioned the name before. */
  isNameKnown: (name: string) => boolean
}

/** The maximum number of picked documents; some may have been injected before, or not fit. */
const MOST_PICKED = 8
/** Lengths of excerpts in tokens: the best one is longer, since an answer is seldom one sentence. */
const EXCERPTS = [100, 40, 30]
const LEAST_EXCERPT = 22
/** The length of the part by which a repeated best excerpt is recognised. */
const CORE = 40
/** Excerpts below this share of the best score add words without an answer. */
const LEAST_SCORE = 0.55
/** An excerpt with this share of its words in an earlier one is a repetition. */
const REPEATING = 0.75
/** Factors of the score: a question is not an answer, and a note or fact is shorter than an entry. */
const ASKING = 0.7
const KEPT = 1.2
/** The end of the text of a refused tool use (`search/units.ts`). */
const REFUSED = '\n(refused)'

export interface Telling {
  /** The worth of a stem of the prompt; 0: none. */
  worthOf: (stem: number) => number
  /** A sentence of the wanted kind. */
  isKind: (sentence: string) => boolean
  textOf: (doc: number) => string | null
}

interface Likely extends Ranked {
  text: string
  /** The user's comment on a refused tool use: it need not repeat a word of it. */
  isComment: boolean
  /** A prompt that asks: the long excerpts are for answers. */
  isAsking: boolean
}

/** The most likely answer first. */
export function pick(rows: readonly Ranked[], columns: Columns, { worthOf, isKind, textOf }: Telling): Pick[] {
  const found = rows.flatMap((row) => likely(row, columns, textOf)).sort((a, b) => b.score - a.score)
  const entries = found.filter(({ doc }) => !isKept(columns, doc)).map(({ text }) => plainly(text))
  const picks: Pick[] = []
  const told: Set<number>[] = []
  let answers = 0
  for (const { doc, score, text, isComment, isAsking } of found) {
    if (picks.length === MOST_PICKED || score < LEAST_SCORE * (picks[0]?.score ?? 0)) break
    const within = (tokens: number): Excerpt => excerptOf(text, worthOf, isKind, charsFor(text, tokens))
    const { from, to } = within((isAsking ? undefined : EXCERPTS[answers]) ?? LEAST_EXCERPT)
    const words = new Set(Array.from(tokenise(text.slice(from, to)), stemOf))
    if (!isComment && ![...words].some((stem) => worthOf(stem) > 0)) continue
    if (told.some((other) => repeats(words, other))) continue
    if (isKept(columns, doc) && isCopy(text.slice(from, to), entries)) continue
    told.push(words)
    if (!isAsking) answers++
    picks.push({ doc, score, from, to, core: within(CORE) })
  }
  return picks
}

/** A refused tool use was never done: the user's comment is used instead. */
function likely({ doc, score }: Ranked, columns: Columns, textOf: Telling['textOf']): Likely[] {
  const { kind, flags, next } = columns
  const text = textOf(doc)
  if (text?.endsWith(REFUSED) === true) {
    const comment = next(doc)
    const said = kind[comment] === PROMPT ? textOf(comment) : null
    return said === null ? [] : [{ doc: comment, score, text: said, isComment: true, isAsking: false }]
  }
  if (text === null || saysNothing(text)) return []
  const isAsking = kind[doc] === PROMPT && ((flags[doc] ?? 0) & FLAG.question) !== 0
  const factor = isKept(columns, doc) ? KEPT : isAsking ? ASKING : 1
  return [{ doc, score: score * factor, text, isComment: false, isAsking }]
}

/** The number of characters of such a text for this many tokens. */
function charsFor(text: string, tokens: number): number {
  const sample = text.slice(0, 400)
  return Math.round((tokens * sample.length) / Math.max(1, estimateTokens(sample)))
}

/** A note, a fact, a page: not an entry of a session. */
export function isKept(columns: Columns, doc: number): boolean {
  return !hasNeighbours(columns, doc)
}

/** A file that was only read, a list of commits, a test run, a heading, or an announcement by Claude. */
function saysNothing(text: string): boolean {
  return UNTOLD.test(text) || (text.length < MOST_ANNOUNCED && ANNOUNCING.test(text))
}

const MOST_ANNOUNCED = 200
const UNTOLD =
  /^(?:(?:Read|\w*Edit|Write|Grep|Glob|LS|Todo\w+|ToolSearch) [^\n]*$|Bash (?:cd \S+ && )?(?:git (?:log|diff|show|status|blame)|(?:[\w./]+ )*(?:test|pytest|vitest|jest)\b)|#+ [^\n]*$)/
const ANNOUNCING =
  /^(?:\w+[,.!:]?\s+){0,3}?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i need to|i should)\b[^.!?]*[.!:…]?\s*$|^[^.!?\n]{0,80}(?:겠습니다|게요)[.:]?\s*$/i

/** The length of a common run of characters, checked at every tenth position. */
const RUN = { chars: 30, step: 10 }

/** A note by structure repeats entries word for word: the entry is more informative. */
function isCopy(excerpt: string, entries: readonly string[]): boolean {
  const text = plainly(excerpt)
  for (let at = 0; at + RUN.chars <= text.length; at += RUN.step)
    if (entries.some((entry) => entry.includes(text.slice(at, at + RUN.chars)))) return true
  return false
}

function plainly(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ')
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
