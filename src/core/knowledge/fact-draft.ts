/** Facts as a model proposes them: parses them field by field, and lists what is wrong with their form. */

import { isObject, oneOrMore, texts } from '../../kernel/platform/json.ts'
import { sentencesOf } from '../../kernel/text/sentences.ts'
import { FACT_KINDS, type FactKind, kindOfItem, type NewFact } from './item.ts'

type DraftTexts = 'reason' | 'status' | 'resolution' | 'reasonQuote' | 'resolutionQuote'
type DraftLinks = 'conceptId' | 'conceptName'

/** The requested fields; the actual values may have other types. `Plain` documents the fields. */
export interface Draft extends Partial<Record<DraftTexts | DraftLinks, string | undefined>> {
  type: string
  text: string
  quote: string
  entry?: number | undefined
  done?: number | undefined
  files?: readonly string[] | undefined
  supersedes?: string | readonly string[] | undefined
  resolves?: string | readonly string[] | undefined
}

/** A fact that passed the checks, and its links. */
export interface SoundFact {
  /** The number of the draft, from 1. */
  number: number
  /** Unaudited. */
  fact: NewFact
  /** The name of a new concept for it. */
  newConcept: string | null
  /** The open issues that it settles. */
  resolves: string[]
}

/** Why a draft is refused: the number counts from 1, the problem is a sentence for the model. */
export interface FactRefusal {
  number: number
  problem: string
  /** Only a link is wrong: the fact itself is valid and is among the sound ones, without the link. */
  isMinor?: true
}

/** An important entry that no fact covers. */
export interface DraftQuestion {
  entry: number
  /** The entry's text, shortened. */
  excerpt: string
  /** Why the entry is important. */
  ask: string
}

export interface Checked {
  sound: SoundFact[]
  refused: FactRefusal[]
  /** Most important first. */
  questions: DraftQuestion[]
}

/** A draft with checked types. */
export interface Plain {
  type: FactKind | null
  text: string
  reason: string | null
  /** The quoted words of the entries that give the reason. */
  reasonQuote: string
  /** The entry which shows that it is done, if it is reported as done. */
  done: number | undefined
  /** Word for word from the entries; it proves the fact. */
  quote: string
  /** The number of the quoted entry, if the model gave it. */
  entry: number | undefined
  files: string[]
  /** For issues only. */
  status: 'open' | 'resolved'
  resolution: string | null
  resolutionQuote: string
  conceptId: string | null
  conceptName: string | null
  /** Earlier decisions (d001) that this one replaces. */
  supersedes: string[]
  /** Open issues (i001) that this one solves. */
  resolves: string[]
  /** Sentences for the model, without a full stop. */
  problems: string[]
}

const MIN_TEXT = 10
const MAX_TEXT = 300
const MAX_SENTENCES = 2
const MAX_QUOTE = 600
/** Bidirectional and invisible characters make a text look different from what it contains. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu

export function plainDraft(draft: unknown): Plain {
  const raw = isObject(draft) ? draft : {}
  const plain = {
    type: kindOfItem(FACT_KINDS, wordOf(raw.type)) ?? null,
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
    supersedes: idsIn(raw.supersedes),
    resolves: idsIn(raw.resolves),
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
  // A character of these scripts carries as much as two letters.
  const dense = text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0
  if (count + dense < MIN_TEXT) return [`its text is shorter than ${MIN_TEXT} characters; say it in a whole sentence`]
  if (count > MAX_TEXT) return [`its text is longer than ${MAX_TEXT} characters; one or two sentences are enough`]
  if (sentencesOf(text).length > MAX_SENTENCES)
    return ['its text has more than two sentences; make several facts of it']
  return []
}

/** Empty: there is no quote, or it is too long. */
function quoteIn(value: unknown): string {
  const quote = typeof value === 'string' ? value.trim() : ''
  return quote.length > MAX_QUOTE ? '' : quote
}

/** On one line and without invisible characters; null: empty. */
function tidy(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, 4 * MAX_TEXT)
    .replace(/\s+/g, ' ')
    .replace(UNSEEN, '')
    .trim()
  return text === '' ? null : text
}

/** More than one fact replaces or solves. */
const MAX_LINKS = 10

function idsIn(value: unknown): string[] {
  return oneOrMore(value)
    .slice(0, MAX_LINKS)
    .flatMap((id) => tidy(id) ?? [])
}

/** A reason may begin with its speaker: `User: it is faster`. Written as a sentence it is no longer a speaker mark. */
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

/** Also accepts a text: `12`, `#12`. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(/^#?(\d{1,9})$/.exec(value.trim())?.[1] ?? Number.NaN) : value
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined
}

function length(text: string): number {
  return [...text].length
}
