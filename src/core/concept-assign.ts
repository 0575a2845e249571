/** Which concept a fact belongs to: found by id or name, founded when it is new. */
import { type Concept, type Concepts, conceptId } from './concept.ts'
import { type Fitting, fitsOf, fittingOf, learnFact, learnName } from './concept-fit.ts'
import { foundings, type Homeless } from './concept-found.ts'
import { nameKey, nameSimilarity } from './concept-name.ts'
import { termsOf } from './concept-terms.ts'
import { allFacts, type Fact, type Facts } from './fact.ts'

const MAX_CLOSEST = 3
const MAX_NAME = 60
/** From here on a fact fits; see docs/decisions/0007. */
const FITS = 0.2
/** How far the best concept must be ahead of the next. */
const LEAD = 0.05
/** From here on facts that could found a concept go to one that is there. */
const LEANS = 0.1

export interface ConceptRef {
  id: string
  name: string
}

/** `known`: that one. `similar`: too much like it to begin another. `unknown`: an id that nothing has. */
export type Found =
  | { is: 'known'; id: string }
  | { is: 'similar'; id: string; name: string }
  | { is: 'new'; name: string }
  | { is: 'unknown'; closest: ConceptRef[] }
  | { is: 'none' }

/** The id counts more than the name, since it was looked up. */
export function findConcept(
  { concepts }: Concepts,
  given: { readonly id?: string; readonly name?: string },
  threshold: number,
): Found {
  const id = given.id?.trim() ?? ''
  const name = tidyName(given.name ?? '')
  if (id !== '') {
    if (concepts.some((one) => one.id === id)) return { is: 'known', id }
    // A name in the place of the id.
    const named = concepts.find((one) => isNamed(one, tidyName(id)))
    if (named !== undefined) return { is: 'known', id: named.id }
    if (name === '') return { is: 'unknown', closest: closestTo(concepts, id) }
  }
  if (name === '') return { is: 'none' }
  const named = concepts.find((one) => isNamed(one, name))
  if (named !== undefined) return { is: 'known', id: named.id }
  const [best] = ranked(concepts, name)
  if (best !== undefined && best.likeness >= threshold) {
    return { is: 'similar', id: best.concept.id, name: best.concept.name }
  }
  return { is: 'new', name }
}

/** Not asked whether it is new: that is `findConcept`'s. */
export function addConcept(concepts: Concepts, name: string): { concepts: Concepts; id: string } {
  const taken = new Set(concepts.concepts.map(({ id }) => id))
  let number = Math.max(1, concepts.nextId)
  while (taken.has(conceptId(number))) number++
  const id = conceptId(number)
  const added: Concept = { id, name: tidyName(name), summary: '', files: [], keywords: [], exchanges: [], aliases: [] }
  return { concepts: { ...concepts, concepts: [...concepts.concepts, added], nextId: number + 1 }, id }
}

/**
 * Every live fact without a concept goes to the one it fits, or founds one with others. What has a concept keeps it, whoever
 * gave it; doing it again changes nothing.
 */
export function assignConcepts(
  concepts: Concepts,
  facts: Facts,
  threshold: number,
): { concepts: Concepts; facts: Facts } {
  const live = allFacts(facts).filter(isLive)
  if (live.every(({ concept }) => concept !== null)) return { concepts, facts }
  const all = live.map((fact) => ({ id: fact.id, concept: fact.concept, terms: termsOf(fact) }))
  const fitting = fittingOf(
    concepts.concepts,
    all.map(({ terms }) => terms),
  )
  for (const { concept, terms } of all) if (concept !== null) learnFact(fitting, concept, terms)
  const given = new Map<string, string>()
  let homeless = all.filter(({ concept }) => concept === null)
  let after = concepts
  for (;;) {
    homeless = placeAll(fitting, homeless, given, FITS)
    const founding = foundings(fitting, homeless, (name) => findConcept(after, { name }, threshold).is !== 'new')
    if (founding === null) break
    const old = rather(fitting, founding.members)
    if (old !== null) {
      for (const { id, terms } of founding.members) {
        given.set(id, old)
        learnFact(fitting, old, terms)
      }
    } else {
      const added = addConcept(after, founding.name)
      after = added.concepts
      const made = after.concepts.at(-1)
      if (made !== undefined) learnName(fitting, made)
      for (const { id, terms } of founding.members) {
        given.set(id, added.id)
        learnFact(fitting, added.id, terms)
      }
    }
    homeless = homeless.filter(({ id }) => !given.has(id))
  }
  return { concepts: after, facts: withConcepts(facts, given) }
}

/** Until nothing more finds its place; all of one round are weighed before any is placed, so that their order does not matter. */
function placeAll<T extends Homeless>(
  fitting: Fitting,
  facts: readonly T[],
  given: Map<string, string>,
  fits: number,
): T[] {
  let rest = [...facts]
  for (;;) {
    const placed = rest.flatMap(({ id, terms }) => {
      const [best, next] = fitsOf(fitting, terms)
      if (best === undefined || best.score < fits || best.score - (next?.score ?? 0) < LEAD) return []
      return [{ id, terms, concept: best.concept }]
    })
    if (placed.length === 0) return rest
    for (const { id, terms, concept } of placed) {
      given.set(id, concept)
      learnFact(fitting, concept, terms)
    }
    rest = rest.filter(({ id }) => !given.has(id))
  }
}

/** The concept that most of them lean to anyway: together they are no new one. */
function rather(fitting: Fitting, members: readonly Homeless[]): string | null {
  const sums = new Map<string, number>()
  for (const { terms } of members) {
    for (const { concept, score } of fitsOf(fitting, terms)) sums.set(concept, (sums.get(concept) ?? 0) + score)
  }
  const [best] = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return best !== undefined && best[1] / members.length >= LEANS ? best[0] : null
}

function withConcepts(facts: Facts, given: ReadonlyMap<string, string>): Facts {
  if (given.size === 0) return facts
  const placed = (list: readonly Fact[]): Fact[] =>
    list.map((fact) =>
      fact.concept === null && given.has(fact.id) ? { ...fact, concept: given.get(fact.id) ?? null } : fact,
    )
  return {
    ...facts,
    decisions: placed(facts.decisions),
    patterns: placed(facts.patterns),
    issues: placed(facts.issues),
  }
}

function isLive({ state }: Fact): boolean {
  return state === 'fresh' || state === 'stale'
}

function tidyName(name: string): string {
  return name
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .trim()
}

function isNamed({ name, aliases }: Concept, given: string): boolean {
  const key = nameKey(given)
  return [name, ...aliases].some((one) => nameKey(one) === key)
}

interface Ranked {
  concept: Concept
  likeness: number
}

/** The likest first; by their order where they tie. */
function ranked(concepts: readonly Concept[], name: string): Ranked[] {
  return concepts
    .map((concept) => ({
      concept,
      likeness: Math.max(...[concept.name, ...concept.aliases].map((one) => nameSimilarity(one, name))),
    }))
    .sort((a, b) => b.likeness - a.likeness)
}

function closestTo(concepts: readonly Concept[], name: string): ConceptRef[] {
  return ranked(concepts, name)
    .slice(0, MAX_CLOSEST)
    .map(({ concept: { id, name } }) => ({ id, name }))
}
