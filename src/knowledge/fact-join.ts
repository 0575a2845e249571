/** Two sayings of one fact: which words stay, when it was said, and where. */

import { saidByPerson } from '../outgoing/fact-overrule.ts'
import type { Fact, NewFact } from './fact.ts'
import { similarity } from './fact-similar.ts'

/** How many places a fact remembers: enough for what may be added again, and to see that it recurs. */
const MAX_ALSO = 64
/** Two facts of one author out of the same words are two, unless they are at least so much alike. */
const ONE_AUTHOR = 0.5
const RANK = { user: 2, agent: 1, headless: 1, extractive: 0 } as const

/**
 * The better author's words win; the id and the first date stay. What the user did not say changes nothing of a fact that the
 * user said: it only counts as another place, and may name the concept.
 */
export function joinFacts(fact: Fact, other: NewFact): Fact {
  if (saidByPerson(fact) && !saidByPerson(other))
    return withPlace({ ...fact, concept: fact.concept ?? other.concept }, other)
  const isBetter = RANK[other.author] > RANK[fact.author]
  const [words, rest] = isBetter ? [other, fact] : [fact, other]
  const { lastAt: _, ...kept } = fact
  const [first, last] = [earliest(fact.at, other.at), latest(lastSaid(fact), other.at)]
  const { session, evidence, author, text } = words
  const both: Fact = {
    ...kept,
    text,
    author,
    session,
    evidence,
    reason: words.reason ?? rest.reason,
    resolution: fact.status === 'resolved' ? (words.resolution ?? rest.resolution) : fact.resolution,
    files: [...new Set([...words.files, ...rest.files])],
    concept: words.concept ?? rest.concept,
    at: first,
    ...(last === first ? {} : { lastAt: last }),
  }
  return placed(both, [...(fact.also ?? []), keyOf(fact), keyOf(other)])
}

/** The fact, found by the other's evidence too. */
export function withPlace(fact: Fact, other: NewFact): Fact {
  return placed(fact, [...(fact.also ?? []), keyOf(other)])
}

function placed(fact: Fact, places: readonly string[]): Fact {
  const also = [...new Set(places)].filter((place) => place !== keyOf(fact)).slice(-MAX_ALSO)
  return also.length === 0 ? fact : { ...fact, also }
}

/** Nothing new: these words are taken in, and the fact's own are no worse. */
export function isTakenIn(fact: Fact, other: NewFact): boolean {
  return RANK[other.author] <= RANK[fact.author]
}

/** Fresh again: nothing that was judged about it counts any more. */
export function revived({ judged: _, ...fact }: Fact): Fact {
  return { ...fact, state: 'fresh' }
}

export function lastSaid({ at, lastAt }: Fact): string {
  return lastAt ?? at
}

export function isLiveFact({ state }: Fact): boolean {
  return state === 'fresh' || state === 'stale'
}

export function keyOf({ session, evidence }: NewFact): string {
  return `${session}#${evidence.entry}`
}

export function placeOf({ session, evidence, at }: NewFact): NonNullable<Fact['closedBy']> {
  return { session, entry: evidence.entry, at }
}

/** The same words prove both; out of one sentence an author may still take two facts. */
export function hasSameEvidence(fact: Fact, other: NewFact): boolean {
  if (fact.session !== other.session || fact.evidence.entry !== other.evidence.entry) return false
  const [a, b] = [bare(fact.evidence.quote), bare(other.evidence.quote)]
  if (a === b && fact.text === other.text) return true
  if (a === '' || b === '' || !(a.includes(b) || b.includes(a))) return false
  return RANK[fact.author] !== RANK[other.author] || similarity(fact.text, other.text) >= ONE_AUTHOR
}

function bare(quote: string): string {
  return quote.replace(/[\s*_`"'“”]+/g, ' ').trim()
}

interface Place {
  session: string
  at: string
  evidence: { entry: number }
}

/** By position within a session; between sessions there is only the time. */
export function comesBefore(a: Place, b: Place): boolean {
  return a.session === b.session ? a.evidence.entry < b.evidence.entry : a.at < b.at
}

function earliest(a: string, b: string): string {
  return b !== '' && (a === '' || b < a) ? b : a
}

function latest(a: string, b: string): string {
  return b > a ? b : a
}
