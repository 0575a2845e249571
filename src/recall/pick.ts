/** What recall decides, and which lines of the likely hits go with a prompt: each thing once, with a telling word of it. */
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
  /** The excerpt of the unit's text. */
  from: number
  to: number
  /** Its sentence that matches best; the whole excerpt where nothing is said. */
  core?: Excerpt
}

export type Signal = 'dead-end' | 'built' | 'name' | 'question'

export interface Recall {
  /** Null: silence. */
  signal: Signal | null
  /** One sentence. */
  verdict: string
  scores: Record<string, number>
  picks: readonly Pick[]
}

/** What is remembered, as one session may be told of it. */
export interface Remembrance {
  columns: Columns
  engine: Engine
  /** Null: it is gone, or tells of nothing but this session. */
  unitOf: (doc: number) => { text: string; state: string } | null
  sessionOf: (doc: number) => string | null
  /** Undefined: all documents are. */
  isWanted?: ((doc: number) => boolean) | undefined
  /** The session has spoken of it before. */
  isNameKnown: (name: string) => boolean
}

/** At most so many documents are picked; some of them may have been shown before, or find no room. */
const MOST_PICKED = 8
/** Excerpts in tokens: the best one at length, since an answer is seldom one sentence. */
const EXCERPTS = [100, 40, 30]
const LEAST_EXCERPT = 22
/** What the best excerpt is known by where it was told before. */
const CORE = 40
/** Less than this share of the best score adds words and no answer. */
const LEAST_SCORE = 0.5
/** Share of an excerpt's words that stand in one told before. */
const REPEATING = 0.75
/** Factors of the score: a question answers nothing, and a note or fact says it in fewer words than an entry. */
const ASKING = 0.5
const KEPT = 1.2
/** As the text of a refused tool use ends (`search/units.ts`). */
const REFUSED = '\n(refused)'

export interface Telling {
  /** What a stem of the prompt is worth; 0: nothing, or none of it. */
  worthOf: (stem: number) => number
  /** Of the kind that is asked for. */
  isKind: (sentence: string) => boolean
  textOf: (doc: number) => string | null
}

interface Likely extends Ranked {
  text: string
  /** What the user said to a refused tool use: it need not repeat a word of that. */
  isComment: boolean
}

/** The likeliest to answer first. */
export function pick(rows: readonly Ranked[], columns: Columns, { worthOf, isKind, textOf }: Telling): Pick[] {
  const found = rows.flatMap((row) => likely(row, columns, textOf)).sort((a, b) => b.score - a.score)
  const entries = found.filter(({ doc }) => !isKept(columns, doc)).map(({ text }) => plainly(text))
  const picks: Pick[] = []
  const told: Set<number>[] = []
  for (const { doc, score, text, isComment } of found) {
    if (picks.length === MOST_PICKED || score < LEAST_SCORE * (picks[0]?.score ?? 0)) break
    const within = (tokens: number): Excerpt => excerptOf(text, worthOf, isKind, charsFor(text, tokens))
    const { from, to } = within(EXCERPTS[picks.length] ?? LEAST_EXCERPT)
    const words = new Set(Array.from(tokenise(text.slice(from, to)), stemOf))
    if (!isComment && ![...words].some((stem) => worthOf(stem) > 0)) continue
    if (told.some((other) => repeats(words, other))) continue
    if (isKept(columns, doc) && isCopy(text.slice(from, to), entries)) continue
    told.push(words)
    picks.push({ doc, score, from, to, core: within(CORE) })
  }
  return picks
}

/** What a refused tool use proposed was never done: what the user said to it stands in its place. */
function likely({ doc, score }: Ranked, columns: Columns, textOf: Telling['textOf']): Likely[] {
  const { kind, flags, next } = columns
  const text = textOf(doc)
  if (text?.endsWith(REFUSED) === true) {
    const comment = next[doc] ?? -1
    const said = kind[comment] === PROMPT ? textOf(comment) : null
    return said === null ? [] : [{ doc: comment, score, text: said, isComment: true }]
  }
  if (text === null || saysNothing(text)) return []
  const isAsking = kind[doc] === PROMPT && ((flags[doc] ?? 0) & FLAG.question) !== 0
  const factor = isKept(columns, doc) ? KEPT : isAsking ? ASKING : 1
  return [{ doc, score: score * factor, text, isComment: false }]
}

/** Characters of such a text for so many tokens. */
function charsFor(text: string, tokens: number): number {
  const sample = text.slice(0, 400)
  return Math.round((tokens * sample.length) / Math.max(1, estimateTokens(sample)))
}

/** A note, a fact, a page: not an entry of a session. */
export function isKept(columns: Columns, doc: number): boolean {
  return !hasNeighbours(columns, doc)
}

/** A file that was looked at, a list of commits, a run of tests, a heading, or what Claude was about to do. */
function saysNothing(text: string): boolean {
  return UNTOLD.test(text) || (text.length < MOST_ANNOUNCED && ANNOUNCING.test(text))
}

const MOST_ANNOUNCED = 200
const UNTOLD =
  /^(?:(?:Read|\w*Edit|Write|Grep|Glob|LS|Todo\w+|ToolSearch) [^\n]*$|Bash (?:cd \S+ && )?(?:git (?:log|diff|show|status|blame)|(?:[\w./]+ )*(?:test|pytest|vitest|jest)\b)|#+ [^\n]*$)/
const ANNOUNCING =
  /^(?:\w+[,.!:]?\s+){0,3}?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i need to|i should)\b[^.!?]*[.!:…]?\s*$|^[^.!?\n]{0,80}(?:겠습니다|게요)[.:]?\s*$/i

/** So many characters in common, looked for at every tenth. */
const RUN = { chars: 30, step: 10 }

/** A note by structure repeats entries word for word: the entry tells more of it. */
function isCopy(excerpt: string, entries: readonly string[]): boolean {
  const text = plainly(excerpt)
  for (let at = 0; at + RUN.chars <= text.length; at += RUN.step)
    if (entries.some((entry) => entry.includes(text.slice(at, at + RUN.chars)))) return true
  return false
}

function plainly(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ')
}

/** A note, a summary and the entry they tell of say one thing. */
function repeats(words: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  let shared = 0
  for (const word of words) if (other.has(word)) shared++
  return shared > REPEATING * words.size
}
