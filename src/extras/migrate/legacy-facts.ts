/** Reads facts and concepts of earlier versions (`facts.json` of v4 to v13, `*.l2.json` of v12). */

import { addConcept, type Concept, type Concepts, findConcept, NO_CONCEPTS } from '../../core/knowledge/concept.ts'
import { formatItems, parseItems } from '../../core/knowledge/facts-file.ts'
import { type Fact, type FactKind, isFact, isLive } from '../../core/knowledge/item.ts'
import { allFacts, type Items, mapFacts, mapItems, NO_ITEMS } from '../../core/knowledge/items.ts'
import { joinConcepts, joinFacts, type Known } from '../../core/knowledge/join-knowledge.ts'
import { isObject, parseObject, textOr } from '../../kernel/platform/json.ts'
import { FACTS_VERSION } from './files.ts'

export interface FactReading {
  /** The id8 for a session name of an earlier version. */
  id8Of: (session: string) => string
  /** The time for facts without one. */
  at: string
}

/** Earlier versions stored the concept beside the fact. */
type LegacyFact = Fact & { conceptId?: unknown; conceptName?: unknown }

/** Null: not JSON. Also reads a file with one list for all types of facts. */
export function parseLegacyFacts(text: string, { id8Of, at }: FactReading): Items | null {
  const plain = text.replace(/^\ufeff/, '')
  const raw = parseObject(plain) ?? parseObject(`{"facts": ${plain.trim() === '' ? '?' : plain}}`)
  if (raw === null) return null
  const { facts: mixed, ...rest } = raw
  const listed = (name: string, type: FactKind): unknown[] => [
    ...listOf(raw[name]),
    ...listOf(mixed).filter((one) => typeOf(one) === type),
  ]
  const parsed = parseItems(
    JSON.stringify({
      ...rest,
      decisions: listed('decisions', 'decision').map(withReason),
      patterns: listed('patterns', 'pattern').map(withReason),
      issues: listed('issues', 'issue').map(withReason),
    }),
  )
  const sound = parsed?._meta.version === FACTS_VERSION ? withWordingMarked(parsed) : (parsed ?? NO_ITEMS)
  return mapFacts(sound, (fact) => ({
    ...fact,
    at: fact.at === '' ? at : fact.at,
    session: id8Of(fact.session),
  }))
}

/** A text of another version stays as it is. */
export function factsInTodaysForm(text: string): string {
  const facts = parseItems(text)
  return facts?._meta.version === FACTS_VERSION ? formatItems(withWordingMarked(facts)) : text
}

/** Facts of 0.5 in today's form: what its code made from wording is found and listed, and never injected (`isLegacy`). */
export function withWordingMarked(facts: Items): Items {
  const marked = mapFacts(facts, (fact) => (fact.by === 'extractive' ? { ...fact, legacy: true as const } : fact))
  return { ...marked, _meta: { ...facts._meta, version: NO_ITEMS._meta.version } }
}

/** Treated as another person's: nothing counts as the user's words, and permanent items wait for the user's approval. */
export function unproven(facts: Items): Items {
  return mapItems(facts, (item) => {
    if (!isFact(item)) return { ...item, by: 'agent', evidence: [], state: isLive(item) ? 'proposed' : item.state }
    const { pinned: _, ...fact } = item
    const { by: _by, ...evidence } = fact.evidence
    return { ...fact, evidence, by: fact.by === 'user' ? 'agent' : fact.by }
  })
}

/** What the files of one earlier memory know, as one. A concept whose name is as similar as `threshold` to an earlier one is that one. */
export function knowledgeOf(files: readonly Items[], listed: readonly Concept[], threshold: number): Known {
  const { idOf, concepts } = joinConcepts(NO_CONCEPTS, listed, threshold)
  return files.reduce<Known>(
    (known, given, n) => {
      // Each file counts from one: only the ids of the first are those that something names.
      const facts = n === 0 ? given : withoutNumbers(given)
      const assigned = withConcepts(facts, { concepts: known.concepts, idOf }, threshold)
      return { facts: joinFacts(known.facts, assigned.facts), concepts: assigned.concepts }
    },
    { facts: NO_ITEMS, concepts },
  )
}

function withoutNumbers(facts: Items): Items {
  return { ...mapFacts(facts, (fact) => ({ ...fact, id: '' })), _meta: { ...facts._meta, counter: 0 } }
}

/** The bullets of memory.md that became facts. */
export function takenBefore(facts: Items): string[] {
  return allFacts(facts).flatMap(({ source, evidence }) => (source === undefined ? [] : [evidence.quote]))
}

/** Facts with the ids of their concepts; a new name creates a concept. */
function withConcepts(
  facts: Items,
  joined: { concepts: Concepts; idOf: ReadonlyMap<string, string> },
  threshold: number,
): Known {
  let { concepts } = joined
  // Cached: thousands of facts name a handful of concepts.
  const asked = new Map<string, string | null>()
  const idFor = (id: string, name: string): string | null => {
    const found = findConcept(concepts, { id, name }, threshold)
    if (found.is === 'known' || found.is === 'similar') return found.id
    if (found.is !== 'new') return null
    const added = addConcept(concepts, found.name)
    concepts = added.concepts
    return added.id
  }
  const assigned = mapFacts(facts, (fact: LegacyFact): Fact => {
    const { conceptId, conceptName, ...rest } = fact
    const given = textOr(conceptId, fact.concept ?? '')
    const id = joined.idOf.get(given) ?? ''
    const name = textOr(conceptName, /^c\d+$/.test(given) ? '' : given)
    const key = `${id}|${name}`
    if (!asked.has(key)) asked.set(key, idFor(id, name))
    return { ...rest, concept: asked.get(key) ?? null }
  })
  return { facts: assigned, concepts }
}

function withReason(value: unknown): unknown {
  if (!isObject(value) || typeof value.reason === 'string') return value
  const reason = textOr(value.rationale, textOr(value.why, null))
  return reason === null ? value : { ...value, reason }
}

function typeOf(value: unknown): FactKind {
  const { type, category, kind } = isObject(value) ? value : {}
  const named = [type, category, kind].find((one) => one === 'decision' || one === 'issue')
  return named === 'decision' || named === 'issue' ? named : 'pattern'
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
