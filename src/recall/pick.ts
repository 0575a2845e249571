/** What recall decides, and which lines of the likely hits go with a prompt: each thing once, with a telling word of it. */
import { type Columns, type Engine, hasNeighbours } from '../search/corpus.ts'
import type { Ranked } from '../search/rank.ts'
import { excerptOf } from '../text/excerpt.ts'
import { stemOf } from '../text/token.ts'
import { tokenise } from '../text/words.ts'

export interface Pick {
  doc: number
  score: number
  /** The excerpt of the unit's text. */
  from: number
  to: number
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

/** At most so many documents are picked; some of them may have been shown before, or find no room. Excerpts in characters: the best one at length. */
const MOST_PICKED = 8
const EXCERPTS = [160, 120, 100]
const LEAST_EXCERPT = 80
/** Share of an excerpt's words that stand in one told before. */
const REPEATING = 0.75

export interface Telling {
  /** What a stem of the prompt is worth; 0: nothing, or none of it. */
  worthOf: (stem: number) => number
  /** Of the kind that is asked for. */
  isKind: (sentence: string) => boolean
  textOf: (doc: number) => string | null
}

/** `rows`: the best first. */
export function pick(rows: readonly Ranked[], columns: Columns, { worthOf, isKind, textOf }: Telling): Pick[] {
  const picks: Pick[] = []
  const told: { words: Set<number>; plain: string; isKept: boolean }[] = []
  for (const { doc, score } of rows) {
    if (picks.length === MOST_PICKED) break
    const text = textOf(doc)
    if (text === null || saysNothing(text)) continue
    const { from, to } = excerptOf(text, worthOf, isKind, EXCERPTS[picks.length] ?? LEAST_EXCERPT)
    const words = new Set(Array.from(tokenise(text.slice(from, to)), stemOf))
    const plain = text.slice(from, to).replace(/[^\p{L}\p{N}]+/gu, ' ')
    const isNote = isKept(columns, doc)
    const isTold = told.some(
      (other) => repeats(words, other.words) || ((isNote || other.isKept) && hasRun(plain, other.plain)),
    )
    if (isTold || ![...words].some((stem) => worthOf(stem) > 0)) continue
    told.push({ words, plain, isKept: isNote })
    picks.push({ doc, score, from, to })
  }
  return picks
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

/** So many characters in common, looked for at every tenth: notes by structure repeat entries word for word. */
const RUN = { chars: 30, step: 10 }

function hasRun(text: string, other: string): boolean {
  for (let at = 0; at + RUN.chars <= text.length; at += RUN.step)
    if (other.includes(text.slice(at, at + RUN.chars))) return true
  return false
}

/** A note, a summary and the entry they tell of say one thing. */
function repeats(words: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  let shared = 0
  for (const word of words) if (other.has(word)) shared++
  return shared > REPEATING * words.size
}
