/** Facts as a model proposes them, field by field, with what is wrong with their form; and what the program says about them. */

import { isObject, texts } from '../platform/json.ts'
import { sentencesOf } from '../text/sentences.ts'
import type { FactType, NewFact } from './fact.ts'

type DraftTexts = 'reason' | 'status' | 'resolution' | 'reasonQuote' | 'resolutionQuote'
type DraftLinks = 'conceptId' | 'conceptName' | 'supersedes' | 'resolves'

/** What is asked for; what comes may have other types. `Plain` says what the fields mean. */
export interface Draft extends Partial<Record<DraftTexts | DraftLinks, string | undefined>> {
  type: string
  text: string
  quote: string
  entry?: number | undefined
  done?: number | undefined
  files?: readonly string[] | undefined
}

/** A fact that holds what it promises, and what is to be done with it. */
export interface SoundFact {
  /** Which of the drafts, counted from 1. */
  number: number
  /** Unaudited. */
  fact: NewFact
  /** The name of a concept that it begins. */
  newConcept: string | null
  /** The open issue that it settles. */
  resolves: string | null
}

/** Why a draft is not kept: the number counts from 1, the problem is a sentence for the model. */
export interface FactRefusal {
  number: number
  problem: string
  /** Only what it belongs to is wrong: the fact itself holds, and is among the sound ones without that. */
  isMinor?: true
}

/** An entry that carries weight and that no fact covers. */
export interface DraftQuestion {
  entry: number
  /** Its words, shortened. */
  excerpt: string
  /** What it is. */
  ask: string
}

export interface Checked {
  sound: SoundFact[]
  refused: FactRefusal[]
  /** The weightiest first. */
  questions: DraftQuestion[]
}

export const FACT_TYPES: readonly FactType[] = ['decision', 'pattern', 'issue']

/** Nothing in it can surprise a reader. */
export interface Plain {
  type: FactType | null
  text: string
  reason: string | null
  /** Words of the entries that the reason is taken from. */
  reasonQuote: string
  /** The entry that shows that it is done, where it is reported as done. */
  done: number | undefined
  /** Word for word from the entries; it proves the fact. */
  quote: string
  /** The number of the entry the quote is from, where the model knows it. */
  entry: number | undefined
  files: string[]
  /** Of an issue. */
  status: 'open' | 'resolved'
  resolution: string | null
  resolutionQuote: string
  conceptId: string | null
  conceptName: string | null
  /** An earlier decision (d001) that this one replaces. */
  supersedes: string | null
  /** An open issue (i001) that this one solves. */
  resolves: string | null
  /** Sentences for the model, without a full stop. */
  problems: string[]
}

const MIN_TEXT = 10
const MAX_TEXT = 300
const MAX_SENTENCES = 2
const MAX_QUOTE = 600
/** Bidirectional and invisible signs show a reader something else than what stands there. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu

export function plainDraft(draft: unknown): Plain {
  const raw = isObject(draft) ? draft : {}
  const plain = {
    type: FACT_TYPES.find((one) => one === wordOf(raw.type)) ?? null,
    text: tidy(raw.text) ?? '',
    reason: named(tidy(raw.reason)),
    reasonQuote: quoteIn(raw.reasonQuote),
    done: numberOf(raw.done),
    quote: quoteIn(raw.quote),
    entry: numberOf(raw.entry),
    files: texts(raw.files),
    status: wordOf(raw.status) === 'resolved' ? ('resolved' as const) : ('open' as const),
    resolution: named(tidy(raw.resolution)),
    resolutionQuote: quoteIn(raw.resolutionQuote),
    conceptId: tidy(raw.conceptId),
    conceptName: tidy(raw.conceptName),
    supersedes: tidy(raw.supersedes),
    resolves: tidy(raw.resolves),
  }
  return {
    ...plain,
    problems: isObject(draft) ? problemsOf(plain, raw) : ['it is no object with type, text and quote'],
  }
}

function problemsOf(draft: Omit<Plain, 'problems'>, raw: Readonly<Record<string, unknown>>): string[] {
  const { type, quote, reason, resolution, status } = draft
  const isIssue = type === 'issue'
  const hasQuote = typeof raw.quote === 'string' && raw.quote.trim() !== ''
  const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [type === null, 'its type is none of decision, pattern, issue'],
    ...textWrong(draft.text).map((problem) => [true, problem] as const),
    [!hasQuote, 'it has no quote; copy the words of the entries that prove it'],
    [hasQuote && quote === '', `its quote is longer than ${MAX_QUOTE} characters; the telling sentence is enough`],
    [length(reason ?? '') > MAX_TEXT, `its reason is longer than ${MAX_TEXT} characters`],
    [length(resolution ?? '') > MAX_TEXT, `its resolution is longer than ${MAX_TEXT} characters`],
    [isIssue && !['', 'open', 'resolved'].includes(wordOf(raw.status)), 'the status of an issue is open or resolved'],
    [isIssue && status === 'resolved' && resolution === null, 'a resolved issue needs its resolution: what solved it'],
  ]
  return checks.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []))
}

function textWrong(text: string): string[] {
  if (text === '') return ['it has no text']
  const count = length(text)
  // A syllable or a sign of these scripts holds as much as two letters.
  const dense = text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0
  if (count + dense < MIN_TEXT) return [`its text is shorter than ${MIN_TEXT} characters; say it in a whole sentence`]
  if (count > MAX_TEXT) return [`its text is longer than ${MAX_TEXT} characters; one or two sentences are enough`]
  if (sentencesOf(text).length > MAX_SENTENCES)
    return ['its text has more than two sentences; make several facts of it']
  return []
}

/** Empty: there is none, or one that nobody reads. */
function quoteIn(value: unknown): string {
  const quote = typeof value === 'string' ? value.trim() : ''
  return quote.length > MAX_QUOTE ? '' : quote
}

/** On one line and without what cannot be seen; null: nothing is said. */
function tidy(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, 4 * MAX_TEXT)
    .replace(/\s+/g, ' ')
    .replace(UNSEEN, '')
    .trim()
  return text === '' ? null : text
}

/** A reason may say whose it is: `User: it is faster`. In a sentence that is no mark by which programs tell who speaks. */
function named(text: string | null): string | null {
  return text === null
    ? null
    : text.replace(
        /^(user|claude|assistant)\s*:\s*/i,
        (_, who: string) => `${who.toLowerCase() === 'user' ? 'the user' : 'Claude'} said: `,
      )
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.trim().toLowerCase() : ''
}

/** Also where it is written as a text: `12`, `#12`. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(/^#?(\d{1,9})$/.exec(value.trim())?.[1] ?? Number.NaN) : value
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined
}

function length(text: string): number {
  return [...text].length
}

export interface ToRemember {
  kind: FactType | 'note' | 'rule'
  /** Without the word that names the kind. */
  text: string
}

/** `decision: …`, in front of everything. */
const NAMED: readonly (readonly [ToRemember['kind'], RegExp])[] = [
  ['rule', /^(?:rule|규칙|規則|规则|Regel)\s*[:：]\s*/iu],
  ['decision', /^(?:decision|decided|we decided|결정|決定|Entscheidung)\s*[:：]\s*/iu],
  ['pattern', /^(?:pattern|패턴|パターン|Muster)\s*[:：]\s*/iu],
  ['issue', /^(?:issue|bug|problem|문제|이슈|課題|問題|问题|Fehler)\s*[:：]\s*/iu],
  ['note', /^(?:note|메모|노트|メモ|笔记|Notiz)\s*[:：]\s*/iu],
]

/** What a person typed for the memory. Without such a word it is a note. */
export function toRemember(given: string): ToRemember {
  const text = given.trim()
  const found = NAMED.map(([kind, pattern]) => ({ kind, text: text.replace(pattern, '') }))
  return found.find((one) => one.text !== text && one.text !== '') ?? { kind: 'note', text }
}
