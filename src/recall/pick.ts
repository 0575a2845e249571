/** The result of recall, and the choice of excerpts for a prompt: each item once, with a distinctive word of the prompt. */
import { type Columns, type Engine, hasNeighbours, KINDS } from '../search/corpus.ts'
import type { Ranked } from '../search/rank.ts'
import { FLAG } from '../search/traits.ts'
import { type Excerpt, excerptOf } from '../text/excerpt.ts'
import { stemOf } from '../text/token.ts'
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
