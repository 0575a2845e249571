/** Facts without a concept: which there are, and the concepts that somebody chose for them. */
import { addConcept, findConcept } from '../../knowledge/concept-assign.ts'
import { readConcepts, readFacts, writeConcepts, writeFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact, type Facts } from '../../knowledge/fact.ts'
import { whyAddressed } from '../../knowledge/fact-links.ts'
import type { Store } from '../../memory/disk/store.ts'
import { redactorFor } from '../../redact/redact.ts'

interface ConceptWish {
  /** d001. */
  fact: string
  conceptId?: string | undefined
  conceptName?: string | undefined
}

/** Live facts of a session (id8) that belong to no concept. */
export function unsortedFacts(facts: Facts, session: string): Fact[] {
  return allFacts(facts).filter((fact) => fact.session === session && isUnsorted(fact))
}

/** Sessions (id8) that have such facts. */
export function unsortedSessions(facts: Facts): string[] {
  return [
    ...new Set(
      allFacts(facts)
        .filter(isUnsorted)
        .map(({ session }) => session),
    ),
  ]
    .filter((id8) => id8 !== '')
    .sort()
}

/**
 * Puts facts into the concepts they are wished for; sentences about those that cannot be. `session`: whose facts wait; no
 * others are touched. Call it under the lock.
 */
export function sortFacts(
  store: Store,
  session: string,
  wishes: readonly ConceptWish[],
  now: string,
): { sorted: number; problems: string[] } {
  const [facts, before] = [readFacts(store), readConcepts(store)]
  const threshold = store.config.conceptSimilarity
  const chosen = new Map<string, string>()
  const problems: string[] = []
  let concepts = before
  const redact = redactorFor(store.config)
  for (const { fact, conceptId = '', conceptName = '' } of wishes) {
    const [id, name] = [redact(conceptId).text, redact(conceptName).text]
    const known = allFacts(facts).find((one) => one.id === fact)
    const addressed = whyAddressed(name, false)
    const found = findConcept(concepts, { id, name }, threshold)
    if (known === undefined) problems.push(`There is no fact ${fact}.`)
    else if (known.session !== session) problems.push(`${fact} is of another session.`)
    else if (known.concept !== null) problems.push(`${fact} belongs to ${known.concept} already.`)
    else if (addressed !== null) problems.push(`${fact}: the name of its concept may not be used: ${addressed}.`)
    else if (found.is === 'known' || found.is === 'similar') chosen.set(fact, found.id)
    else if (found.is === 'new') {
      const added = addConcept(concepts, found.name)
      concepts = added.concepts
      chosen.set(fact, added.id)
    } else problems.push(`${fact}: there is no concept ${id || '(none named)'}.`)
  }
  writeConcepts(store, before, concepts, now)
  writeFacts(store, facts, withConcepts(facts, chosen), now)
  return { sorted: chosen.size, problems }
}

function withConcepts(facts: Facts, chosen: ReadonlyMap<string, string>): Facts {
  const put = (list: readonly Fact[]): Fact[] =>
    list.map((fact) => (chosen.has(fact.id) ? { ...fact, concept: chosen.get(fact.id) ?? null } : fact))
  return { ...facts, decisions: put(facts.decisions), patterns: put(facts.patterns), issues: put(facts.issues) }
}

function isUnsorted({ concept, state }: Fact): boolean {
  return concept === null && (state === 'fresh' || state === 'stale')
}
