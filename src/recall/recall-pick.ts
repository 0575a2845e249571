/** What of the likely hits goes with a prompt: each thing once, and nothing that neither holds a telling word nor belongs to it. */
import { type Columns, type Engine, hasNeighbours, KINDS, type Kind } from '../search/corpus.ts'
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
  /** A telling word of the prompt stands in it; else it belongs to the exchange of one that holds some. */
  isHolding: boolean
  /** It says what somebody asked for, as a prompt or as a note that repeats one, and not what came of it. */
  isAsked: boolean
}

/** At most so many documents are picked; some of them may have been shown before, or find no room. Excerpts in characters: the best one at length. */
const MOST_PICKED = 8
const EXCERPTS = [220, 160, 120]
const LEAST_EXCERPT = 100
/** Share of an excerpt's words that stand in one told before. */
const REPEATING = 0.75
/** Of those without a telling word. */
const MOST_BESIDE = 2
/** Entries between a prompt and what still follows from it. */
const EXCHANGE = 4

const PROMPT = KINDS.indexOf('prompt')
const ANSWER = KINDS.indexOf('answer')
/** They tell what was asked beside what was done. */
const TELLING_OF: ReadonlySet<Kind> = new Set(['note', 'summary', 'session', 'tier'])

const LABEL = /^([A-Z][a-z]+(?: [a-z]+)?): /
const ASKED: ReadonlySet<string> = new Set(['User', 'Asked', 'Then', 'Went on'])

export interface Telling {
  /** What a stem of the prompt is worth; 0: nothing, or none of it. */
  worthOf: (stem: number) => number
  /** Of the kind that is asked for. */
  isKind: (sentence: string) => boolean
  textOf: (doc: number) => string | null
}

/** `rows`: the best first. */
export function pick(rows: readonly Ranked[], columns: Columns, engine: Engine, telling: Telling): Pick[] {
  const { worthOf, isKind, textOf } = telling
  const isTelling = (stem: number): boolean => worthOf(stem) > 0
  const holders = new Set(
    rows.map(({ doc }) => doc).filter((doc) => engine.tokensOf(doc).some((token) => isTelling(stemOf(token)))),
  )
  const picks: Pick[] = []
  const told: Set<number>[] = []
  let beside = 0
  for (const { doc, score } of rows) {
    if (picks.length === MOST_PICKED) break
    const text = textOf(doc)
    if (text === null || (saysNothing(text) && !isKind(text))) continue
    const { from, to } = excerptOf(text, worthOf, isKind, EXCERPTS[picks.length] ?? LEAST_EXCERPT)
    const words = new Set(Array.from(tokenise(text.slice(from, to)), stemOf))
    const isPrompt = columns.kind[doc] === PROMPT
    const same = picks[told.findIndex((other) => repeats(words, other))]
    if (same !== undefined) same.isAsked ||= isPrompt && isTellingOf(columns, same.doc)
    if (same !== undefined || words.size === 0) continue
    const isHolding = [...words].some(isTelling)
    if (!isHolding && (beside === MOST_BESIDE || !belongsTo(columns, doc, holders))) continue
    if (!isHolding) beside++
    told.push(words)
    const isAsked = isPrompt || (isTellingOf(columns, doc) && tellsWhatWasAsked(text, from, to))
    picks.push({ doc, score, from, to, isHolding, isAsked })
  }
  // A holder may have been left out in the end, as a repetition or because its text is gone.
  const kept = new Set(picks.flatMap(({ doc, isHolding }) => (isHolding ? [doc] : [])))
  return picks.filter(({ doc, isHolding }) => isHolding || belongsTo(columns, doc, kept))
}

function isTellingOf({ kind }: Columns, doc: number): boolean {
  return TELLING_OF.has(KINDS[kind[doc] ?? 0] ?? 'prompt')
}

/** Of the labelled lines of a note by code, the excerpt holds no other. */
function tellsWhatWasAsked(text: string, from: number, to: number): boolean {
  const end = text.indexOf('\n', to)
  const lines = text.slice(text.lastIndexOf('\n', from) + 1, end < 0 ? text.length : end).split('\n')
  const labels = lines.flatMap((line) => LABEL.exec(line)?.[1] ?? [])
  return labels.length > 0 && labels.every((label) => ASKED.has(label))
}

/** A file that was looked at, or what Claude was about to do: nothing came of it yet. */
function saysNothing(text: string): boolean {
  return text.length < MOST_ANNOUNCED && (BARE_TOOL.test(text) || ANNOUNCING.test(text) || HANGUL_ANNOUNCING.test(text))
}

const MOST_ANNOUNCED = 200
const BARE_TOOL = /^(?:Read|Edit|MultiEdit|Write|NotebookEdit|Grep|Glob|LS|TodoWrite|ToolSearch) [^\n]*$/
const ANNOUNCING =
  /^(?:(?:ok|okay|great|perfect|good|right|sure|excellent|now|next|first|then|also)[,.!:]?\s+)*(?:(?:now|next|first|then)\s+)?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i need to|i should)\b[^.!?]*[.!:…]?\s*$/i
const HANGUL_ANNOUNCING = /^[^.!?\n]{0,80}(?:겠습니다|할게요|볼게요)[.:]?\s*$/u

/** A note, a summary and the entry they tell of say one thing. */
function repeats(words: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  let shared = 0
  for (const word of words) if (other.has(word)) shared++
  return shared > REPEATING * words.size
}

/** What follows from a prompt that holds, the prompt of an answer that holds, and prompts with no answer between them. */
function belongsTo(columns: Columns, doc: number, holders: ReadonlySet<number>): boolean {
  if (!hasNeighbours(columns, doc)) return false
  const { kind, prev, next } = columns
  const isPrompt = kind[doc] === PROMPT
  const way = isPrompt ? next : prev
  let near = way[doc] ?? -1
  for (let steps = 1; steps <= EXCHANGE && near >= 0; steps++) {
    if (kind[near] === PROMPT) break
    if (isPrompt && kind[near] === ANSWER && holders.has(near)) return true
    near = way[near] ?? -1
  }
  if (!isPrompt) return near >= 0 && kind[near] === PROMPT && holders.has(near)
  return [prev[doc] ?? -1, next[doc] ?? -1].some((each) => kind[each] === PROMPT && holders.has(each))
}
