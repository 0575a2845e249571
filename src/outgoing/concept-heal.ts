/** Facts that name a concept which is not there: merged meanwhile, lost with its file, or written by name. */
import { type Concept, type Concepts, conceptId, moveFacts } from '../knowledge/concept.ts'
import { addConcept, findConcept } from '../knowledge/concept-assign.ts'
import { allFacts, type Fact, type Facts } from '../knowledge/fact.ts'
import { nameForAll } from './concept-found.ts'
import { termsOf } from './concept-terms.ts'

/** Nobody's choice is lost: what was together stays together, under its old id where that can be. */
export function healConcepts(
  concepts: Concepts,
  facts: Facts,
  threshold: number,
): { concepts: Concepts; facts: Facts } {
  const known = new Set(concepts.concepts.map(({ id }) => id))
  const missing = new Map<string, Fact[]>()
  for (const fact of allFacts(facts)) {
    if (fact.concept === null || known.has(fact.concept)) continue
    missing.set(fact.concept, [...(missing.get(fact.concept) ?? []), fact])
  }
  let after = concepts
  const moves = new Map<string, string>()
  for (const [named, members] of missing) {
    const number = Number(/^c(\d{1,9})$/.exec(named)?.[1] ?? 0)
    const found = findConcept(after, number > 0 ? { id: named } : { name: named }, threshold)
    if (found.is === 'known' || found.is === 'similar') moves.set(named, found.id)
    else if (number > 0 && conceptId(number) === named) after = restore(after, named, number, members)
    else {
      const added = addConcept(after, number > 0 ? (nameFor(members) ?? named) : named)
      after = added.concepts
      moves.set(named, added.id)
    }
  }
  return missing.size === 0 ? { concepts, facts } : { concepts: after, facts: moveFacts(facts, moves) }
}

function restore(concepts: Concepts, id: string, number: number, members: readonly Fact[]): Concepts {
  const name = nameFor(members) ?? id
  const restored: Concept = { id, name, summary: '', files: [], keywords: [], exchanges: [], aliases: [] }
  return {
    ...concepts,
    concepts: [...concepts.concepts, restored],
    nextId: Math.max(concepts.nextId, number + 1),
  }
}

function nameFor(facts: readonly Fact[]): string | null {
  return nameForAll(facts.map((fact) => ({ id: fact.id, terms: termsOf(fact) })))
}
