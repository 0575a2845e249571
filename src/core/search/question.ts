/** A question as ranking sees it: its words and weights, the date it mentions, the kind of answer it wants. */

import { stemOf } from '../../kernel/text/token.ts'
import { type TokenSpan, tokenFor, tokenSpans } from '../../kernel/text/words.ts'
import { type DateMention, findDate } from './date-mention.ts'
import { FLAG } from './traits.ts'

export interface Term {
  stem: number
  /** The form in the question. */
  token: number
  word: string
  /** Less than 1 for what carries less than a word: pairs of characters, Korean particles. */
  weight: number
}

export interface Question {
  /** Distinct stems in the order of the question. */
  terms: readonly Term[]
  date: DateMention | null
  /** The stem of the month's name in `date`, or null. */
  monthStem: number | null
  /** The `FLAG` of a text of the wanted kind; 0: any. */
  wants: number
  /** It asks for a reason or a decision. */
  asksDecision: boolean
}

/** A pasted page is not a question: only its most distinctive words are used. */
const MAX_TERMS = 24
const PAIR_WEIGHT = 0.5
const PARTICLE_WEIGHT = 0.1
/** The last syllable of a Korean word, if it only marks the word's role. */
const PARTICLE = /[을를이가은는에의도로와과만서고]/
const UNSPACED = /^[\u3040-\u9fff\uac00-\ud7a3]$/

const WANTED: readonly (readonly [RegExp, number])[] = [
  [/\bwhen\b|\bhow long\b|\b(?:what|which) (?:date|day|month|year|time)\b|언제|며칠|いつ|什么时候|何时/i, FLAG.time],
  [/\bhow (?:many|much|often|old)\b|몇|얼마|いくつ|何[回個人]|多少|几个/i, FLAG.number],
  [/\b(?:who|whom|whose|where)\b|누가|누구|어디|誰|どこ|谁|哪里/i, FLAG.name],
  [/\bwhy\b|\breasons?\b|왜|이유|なぜ|どうして|为什么/i, FLAG.reason],
]

const DECIDED =
  /\b(?:why|reasons?|decid(?:ed?|ing)|decisions?|ch(?:ose|oose|osen)|agreed?)\b|왜|이유|결정|정했|なぜ|どうして|決め|决定|为什么/i

export function parseQuestion(text: string): Question {
  const terms: Term[] = []
  const seen = new Set<number>()
  const spans = tokenSpans(text)
  for (const [i, { token, word }] of spans.entries()) {
    const stem = stemOf(token)
    if (seen.has(stem)) continue
    seen.add(stem)
    terms.push({ stem, token, word, weight: weightOf(spans, i) })
  }
  const date = findDate(text)
  return {
    terms: terms.length <= MAX_TERMS ? terms : mostTelling(terms),
    date,
    monthStem: date === null || date.word === '' ? null : stemOf(tokenFor(date.word)),
    wants: WANTED.find(([form]) => form.test(text))?.[1] ?? 0,
    asksDecision: DECIDED.test(text),
  }
}

function weightOf(spans: readonly TokenSpan[], i: number): number {
  const span = spans[i]
  if (span === undefined) return 1
  // A single character is usually a particle behind a word of another script: `PR로`.
  if (!span.isPair) return UNSPACED.test(span.word) ? PARTICLE_WEIGHT : 1
  // A run of two syllables has no particle.
  const isLater = areOneRun(spans[i - 1], span)
  const isLast = !areOneRun(span, spans[i + 1])
  return isLater && isLast && PARTICLE.test(span.word.slice(1)) ? PARTICLE_WEIGHT : PAIR_WEIGHT
}

function areOneRun(one: TokenSpan | undefined, next: TokenSpan | undefined): boolean {
  return one?.isPair === true && next?.isPair === true && next.from < one.to
}

/** Names with digits and long words are the most distinctive; the order stays. */
function mostTelling(terms: readonly Term[]): Term[] {
  const worth = (term: Term): number => (/\d/.test(term.word) ? 4 : 0) + Math.min(term.word.length, 14) * term.weight
  const least = [...terms].sort((a, b) => worth(b) - worth(a)).slice(0, MAX_TERMS)
  const kept = new Set(least)
  return terms.filter((term) => kept.has(term))
}
