/** Concepts of v12 → concepts of ours: the same topic once, whatever it was called, and facts led to what stayed of it. */
import type { Concept, Concepts } from '../knowledge/concept.ts'
import { addConcept, findConcept } from '../knowledge/concept-assign.ts'
import type { Fact } from '../knowledge/fact.ts'
import type { LegacyFact } from './legacy-facts.ts'

export interface JoinedConcepts {
  concepts: Concepts
  /** Their ids → ours. */
  idOf: ReadonlyMap<string, string>
}

/** A name that is as similar as `threshold` to a known one is that one. */
export function joinConcepts(ours: Concepts, theirs: readonly Concept[], threshold: number): JoinedConcepts {
  let concepts = ours
  const idOf = new Map<string, string>()
  for (const concept of theirs) {
    const found = findConcept(concepts, { name: concept.name }, threshold)
    if (found.is === 'known' || found.is === 'similar') {
      concepts = mapOne(concepts, found.id, (known) => joined(known, concept))
      idOf.set(concept.id, found.id)
      continue
    }
    const isFree = !concepts.concepts.some(({ id }) => id === concept.id)
    const added = isFree ? withConcept(concepts, concept) : addConcept(concepts, concept.name)
    const id = 'id' in added ? added.id : concept.id
    concepts = mapOne('id' in added ? added.concepts : added, id, (one) => ({ ...concept, id, name: one.name }))
    idOf.set(concept.id, id)
  }
  return { concepts, idOf }
}

/** Facts with the ids of their concepts; a topic that was only named begins one. */
export function assignLegacy(
  { concepts: before, idOf }: JoinedConcepts,
  facts: readonly LegacyFact[],
  threshold: number,
): { facts: Fact[]; concepts: Concepts } {
  let concepts = before
  // Thousands of facts name a handful of topics.
  const asked = new Map<string, string | null>()
  const idFor = (id: string, name: string): string | null => {
    const found = findConcept(concepts, { id, name }, threshold)
    if (found.is === 'known' || found.is === 'similar') return found.id
    if (found.is !== 'new') return null
    const added = addConcept(concepts, found.name)
    concepts = added.concepts
    return added.id
  }
  const assigned = facts.map(({ fact, conceptId, conceptName }): Fact => {
    const id = idOf.get(conceptId) ?? ''
    const name = conceptName === '' && !/^c\d+$/.test(conceptId) ? conceptId : conceptName
    const key = `${id}|${name}`
    if (!asked.has(key)) asked.set(key, idFor(id, name))
    return { ...fact, concept: asked.get(key) ?? null }
  })
  return { facts: assigned, concepts }
}

function withConcept(concepts: Concepts, concept: Concept): Concepts {
  const nextId = Math.max(concepts.nextId, Number(concept.id.slice(1)) + 1)
  return { ...concepts, concepts: [...concepts.concepts, concept], nextId }
}

function mapOne(concepts: Concepts, id: string, change: (concept: Concept) => Concept): Concepts {
  return { ...concepts, concepts: concepts.concepts.map((one) => (one.id === id ? change(one) : one)) }
}

function joined(known: Concept, other: Concept): Concept {
  const both = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]
  const isNamed = [known.name, ...known.aliases].includes(other.name)
  return {
    ...known,
    summary: known.summary.includes(other.summary) ? known.summary : `${known.summary} ${other.summary}`.trim(),
    files: both(known.files, other.files),
    keywords: both(known.keywords, other.keywords),
    exchanges: both(known.exchanges, other.exchanges),
    aliases: isNamed ? known.aliases : both(known.aliases, [other.name, ...other.aliases]),
  }
}
