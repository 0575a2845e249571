/** Facts on their way into concepts: placed where they fit, joined where two concepts turn out to be one. */
import type { Concept, Founded } from '../knowledge/concept.ts'
import type { Fact, Facts } from '../knowledge/fact.ts'
import { mapFacts } from '../knowledge/fact-list.ts'
import { type Fitting, fitsOf, fittingOf, learnFact, learnMerge } from './concept-fit.ts'
import type { Homeless } from './concept-found.ts'
import { termsOf } from './concept-terms.ts'

/** From here on a fact fits; these numbers are measured: docs/decisions/0007. */
const FITS = 0.2
/** How far the best concept must be ahead of the next. */
const LEAD = 0.02
/** From here on a fact that is no fit leans to a concept. */
const LEANS = 0.15
/** How many of some facts must lean to one concept, so that they are no concept of their own. */
const MOST = 0.6
/** Fewer facts are no proof that two concepts are one. */
const MIN_TWIN = 3

export interface Placing {
  fitting: Fitting
  facts: Placed[]
}

interface Placed extends Homeless {
  fact: Fact
  concept: string | null
}

/** What names a concept that is not there teaches nothing, and stays as it is. */
export function beginPlacing(concepts: readonly Concept[], live: readonly Fact[]): Placing {
  const facts = live.map((fact): Placed => ({ fact, id: fact.id, concept: fact.concept, terms: termsOf(fact) }))
  const fitting = fittingOf(
    concepts,
    facts.map(({ terms }) => terms),
  )
  const known = new Set(concepts.map(({ id }) => id))
  for (const { concept, terms } of facts) if (concept !== null && known.has(concept)) learnFact(fitting, concept, terms)
  return { fitting, facts }
}

export function homelessIn({ facts }: Placing): Homeless[] {
  return facts.filter(({ concept }) => concept === null)
}

/** Until nothing more finds its place; all of one round are weighed before any is placed, so that their order does not matter. */
export function placeAll({ fitting, facts }: Placing): void {
  for (;;) {
    const placed = facts.flatMap((one) => {
      if (one.concept !== null) return []
      const [best, next] = fitsOf(fitting, one.terms)
      if (best === undefined || best.score < FITS || best.score - (next?.score ?? 0) < LEAD) return []
      return [{ one, concept: best.concept }]
    })
    if (placed.length === 0) return
    for (const { one, concept } of placed) settle(fitting, one, concept)
  }
}

export function settleAll({ fitting, facts }: Placing, members: readonly Homeless[], concept: string): void {
  const chosen = new Set(members)
  for (const one of facts) if (chosen.has(one)) settle(fitting, one, concept)
}

export function joinPlaced({ fitting, facts }: Placing, from: string, into: string): void {
  learnMerge(fitting, from, into)
  for (const one of facts) if (one.concept === from) one.concept = into
}

/** The concept that most of them lean to, as if `without` were not there; null: none. */
export function leaningOf({ fitting }: Placing, members: readonly Homeless[], without = ''): string | null {
  const votes = new Map<string, number>()
  for (const { terms } of members) {
    const [best] = fitsOf(fitting, terms, without)
    if (best !== undefined && best.score >= LEANS) votes.set(best.concept, (votes.get(best.concept) ?? 0) + 1)
  }
  const [most] = [...votes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return most !== undefined && most[1] >= MOST * members.length ? most[0] : null
}

/** A concept of code's own, with nothing but code's own facts, that leans to one at least as large. */
export function twinIn(placing: Placing, concepts: readonly Concept[]): { from: string; into: string } | null {
  const members = new Map<string, Placed[]>()
  for (const one of placing.facts) {
    if (one.concept === null) continue
    const own = members.get(one.concept)
    if (own === undefined) members.set(one.concept, [one])
    else own.push(one)
  }
  for (const concept of concepts) {
    const own = members.get(concept.id) ?? []
    if (own.length < MIN_TWIN || !isCodes(concept, own)) continue
    const into = leaningOf(placing, own, concept.id)
    if (into !== null && (members.get(into)?.length ?? 0) >= own.length) return { from: concept.id, into }
  }
  return null
}

function isCodes(concept: Founded, own: readonly Placed[]): boolean {
  return concept.founded === 'code' && own.every(({ fact }) => fact.author === 'extractive')
}

/** By the fact itself: an id may stand twice in a file that was edited by hand. */
export function withPlaces(facts: Facts, placing: Placing): Facts {
  const places = new Map(placing.facts.map(({ fact, concept }) => [fact, concept]))
  return mapFacts(facts, (fact) => {
    const concept = places.get(fact) ?? fact.concept
    return concept === fact.concept ? fact : { ...fact, concept }
  })
}

function settle(fitting: Fitting, one: Placed, concept: string): void {
  one.concept = concept
  learnFact(fitting, concept, one.terms)
}
