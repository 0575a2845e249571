/** Which concept a fact belongs to: found by id or name, founded when it is new. */

import { sharedFiles } from '../outgoing/concept-files.ts'
import { learnName } from '../outgoing/concept-fit.ts'
import { type Founding, foundingOf } from '../outgoing/concept-found.ts'
import { nameKey, nameSimilarity } from '../outgoing/concept-name.ts'
import {
  beginPlacing,
  homelessIn,
  joinPlaced,
  leaningOf,
  type Placing,
  placeAll,
  settleAll,
  twinIn,
  withPlaces,
} from '../outgoing/concept-place.ts'
import { type Concept, type Concepts, conceptId, type Founded, mergeConcepts, moveFacts } from './concept.ts'
import { allFacts, type Facts, NO_FACTS } from './fact.ts'
import { isLive } from './fact-list.ts'

const MAX_CLOSEST = 3
const MAX_NAME = 60

export interface ConceptRef {
  id: string
  name: string
}

/** `known`: that one. `similar`: too much like it to begin another. `unknown`: an id that nothing has. */
export type FoundConcept =
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
): FoundConcept {
  const id = given.id?.trim() ?? ''
  const name = tidyName(given.name ?? '')
  if (id !== '') {
    const same = concepts.find((one: Founded) => one.id === id || one.merged?.includes(id) === true)
    if (same !== undefined) return { is: 'known', id: same.id }
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
  return { concepts: { ...concepts, concepts: [...concepts.concepts, newConcept(id, name)], nextId: number + 1 }, id }
}

function newConcept(id: string, name: string): Concept {
  return { id, name: tidyName(name), summary: '', files: [], keywords: [], exchanges: [], aliases: [] }
}

/**
 * Every live fact without a concept goes to the one it fits, or founds one with others. What has a concept keeps it: only
 * concepts that code founded, and that nobody but code put facts into, are joined when they turn out to be one.
 * Doing it again changes nothing.
 */
export function assignConcepts(
  concepts: Concepts,
  facts: Facts,
  threshold: number,
): { concepts: Concepts; facts: Facts } {
  let after = withoutEmpty(concepts, facts)
  const live = allFacts(facts).filter(isLive)
  if (live.every(({ concept }) => concept !== null)) return { concepts: after, facts }
  const placing = beginPlacing(after.concepts, live)
  const moves = new Map<string, string>()
  for (;;) {
    placeAll(placing)
    const twin = twinIn(placing, after.concepts)
    if (twin !== null) {
      after = mergeConcepts(after, NO_FACTS, twin.from, twin.into).concepts
      joinPlaced(placing, twin.from, twin.into)
      moves.set(twin.from, twin.into)
      continue
    }
    const named = foundingOf(placing.fitting, homelessIn(placing))
    const foundings: readonly (Founding & { home?: string | null })[] = named ? [named] : sharedFiles(placing.facts)
    if (foundings.length === 0) break
    for (const founding of foundings) {
      const home = founding.home ?? homeFor(placing, after, founding, threshold)
      const made = home === null ? found(after, founding.name) : null
      if (made !== null) {
        after = made.concepts
        learnName(placing.fitting, made.concept)
      }
      settleAll(placing, founding.members, home ?? made?.concept.id ?? '')
    }
  }
  return { concepts: after, facts: moveFacts(withPlaces(facts, placing), moves) }
}

/** Code's own concepts that no fact names: founded by a run that was killed, or their facts are gone. */
function withoutEmpty(concepts: Concepts, facts: Facts): Concepts {
  const { rules, solutions, core_logic } = facts.permanent
  const named = new Set([...allFacts(facts), ...rules, ...solutions, ...core_logic].map(({ concept }) => concept))
  const kept = concepts.concepts.filter((one: Founded) => one.founded !== 'code' || named.has(one.id))
  return kept.length === concepts.concepts.length ? concepts : { ...concepts, concepts: kept }
}

/** Marked, so that code may take it back; a person who renames it makes it theirs. */
function found(concepts: Concepts, name: string): { concepts: Concepts; concept: Concept } {
  const { id, concepts: added } = addConcept(concepts, name)
  const concept: Founded = { ...newConcept(id, name), founded: 'code' }
  return { concepts: { ...added, concepts: [...concepts.concepts, concept] }, concept }
}

/** No new one: a concept has that name or nearly so, or most of the facts lean to it anyway. */
function homeFor(placing: Placing, concepts: Concepts, { name, members }: Founding, threshold: number): string | null {
  const named = findConcept(concepts, { name }, threshold)
  if (named.is === 'known' || named.is === 'similar') return named.id
  return leaningOf(placing, members)
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
