/** Reads facts and concepts of earlier versions (`facts.json` of v4 to v13, `*.l2.json` of v12), and merges them with the existing ones. */

import { addConcept, type Concept, type Concepts, findConcept } from '../../core/knowledge/concept.ts'
import { parseItems } from '../../core/knowledge/facts-file.ts'
import {
  type Fact,
  type FactKind,
  ITEM_KINDS,
  isFact,
  isLive,
  isOfEarlierVersion,
  type Judged,
} from '../../core/knowledge/item.ts'
import {
  addItem,
  allFacts,
  allPermanent,
  highestNumber,
  type Items,
  idWith,
  mapFacts,
  mapItems,
  NO_ITEMS,
} from '../../core/knowledge/items.ts'
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

export interface Known {
  facts: Items
  concepts: Concepts
}

/** A concept whose name has at least the similarity `threshold` to a known one is that one. */
export function joinKnowledge(
  ours: Known,
  theirs: readonly Items[],
  listed: readonly Concept[],
  threshold: number,
): Known {
  const { idOf, concepts } = joinConcepts(ours.concepts, listed, threshold)
  return theirs.reduce<Known>(
    (known, facts) => {
      const assigned = withConcepts(facts, { concepts: known.concepts, idOf }, threshold)
      return { facts: joinLegacyFacts(known.facts, assigned.facts), concepts: assigned.concepts }
    },
    { facts: ours.facts, concepts },
  )
}

/** Adds facts and permanent items whose text is not known here. If we have no facts at all, their ids stay. */
export function joinLegacyFacts(ours: Items, theirs: Items): Items {
  const known = new Map(allFacts(ours).map((fact) => [plainWords(fact.text), fact]))
  if (known.size === 0) {
    const ids = new Map(allFacts(theirs).map(({ id }) => [id, id]))
    const counter = Math.max(ours._meta.counter, theirs._meta.counter)
    const joined: Items = {
      _meta: { ...theirs._meta, ...ours._meta, counter },
      list: [...ours.list, ...allFacts(theirs)],
      rest: { ...theirs.rest, ...ours.rest },
    }
    return withPermanent(joined, theirs, ids)
  }
  const idOf = new Map<string, string>()
  const added = new Set<string>()
  let facts = ours
  for (const { id, ...fact } of allFacts(theirs)) {
    const there = known.get(plainWords(fact.text))
    if (there === undefined) {
      const { items, item } = addItem<Fact>(facts, fact)
      facts = items
      known.set(plainWords(fact.text), item)
      added.add(item.id)
    } else facts = mapFacts(facts, (one) => (one.id === there.id ? joinedFact(one, fact) : one))
    idOf.set(id, known.get(plainWords(fact.text))?.id ?? id)
  }
  facts = mapFacts(facts, (one) => (added.has(one.id) ? renamedIn(one, idOf) : one))
  return withPermanent(facts, theirs, idOf)
}

/** The same fact from facts.json and from a section of memory.md is told as the section was; what somebody has judged since stays. */
function joinedFact(there: Fact, fact: Omit<Fact, 'id'>): Fact {
  const { concept, source, evidence } = fact
  const known = there.concept === null && concept !== null ? { ...there, concept } : there
  const isPlain = [there.source, there.judged, there.unaudited].every((one) => one === undefined)
  if (!isPlain || there.by !== 'agent' || source === undefined || !isOfEarlierVersion(fact)) return known
  return { ...known, evidence: { ...there.evidence, quote: there.evidence.quote || evidence.quote }, source }
}

/** The bullets of memory.md that became facts. */
export function takenBefore(facts: Items): string[] {
  return allFacts(facts).flatMap(({ source, evidence }) => (source === undefined ? [] : [evidence.quote]))
}

/** References to facts that were not imported are dropped: here the same id names another fact. */
function renamedIn<T extends { judged?: Judged }>(item: T, idOf: ReadonlyMap<string, string>): T {
  const { judged } = item
  return judged === undefined ? item : { ...item, judged: { ...judged, other: idOf.get(judged.other ?? '') ?? null } }
}

/** Adds their permanent items. Fields and items that this version does not understand are kept. */
function withPermanent(ours: Items, theirs: Items, factIds: ReadonlyMap<string, string>): Items {
  const unread = [ours, theirs].flatMap(({ rest }) => listOf(rest.permanent?.kept))
  const kept = [...new Map(unread.map((one) => [JSON.stringify(one), one])).values()]
  const permanent = { ...theirs.rest.permanent, ...ours.rest.permanent, ...(kept.length === 0 ? {} : { kept }) }
  let joined: Items = { ...ours, rest: { ...ours.rest, permanent } }
  const idOf = new Map(factIds)
  for (const item of allPermanent(theirs)) {
    const all = allPermanent(joined)
    const known = all.find((one) => plainWords(one.text) === plainWords(item.text))
    const isTaken = all.some(({ id }) => id === item.id)
    const id = known?.id ?? (isTaken ? idWith(ITEM_KINDS[item.kind].letter, highestNumber(all) + 1) : item.id)
    idOf.set(item.id, id)
    if (known !== undefined) continue
    const facts = [...new Set(item.facts.flatMap((one) => idOf.get(one) ?? []))]
    joined = { ...joined, list: [...joined.list, renamedIn({ ...item, id, facts }, idOf)] }
  }
  return joined
}

/** `idOf`: maps their ids to ours. */
export function joinConcepts(
  ours: Concepts,
  theirs: readonly Concept[],
  threshold: number,
): { concepts: Concepts; idOf: ReadonlyMap<string, string> } {
  let concepts = ours
  const idOf = new Map<string, string>()
  for (const concept of theirs) {
    const found = findConcept(concepts, { name: concept.name }, threshold)
    const known = found.is === 'known' || found.is === 'similar' ? found.id : null
    const isTaken = concepts.concepts.some(({ id }) => id === concept.id)
    const id = known ?? (isTaken ? addConcept(concepts, concept.name).id : concept.id)
    const list =
      known === null
        ? [...concepts.concepts, { ...concept, id }]
        : concepts.concepts.map((one) => (one.id === id ? unionOf(one, concept) : one))
    const nextId = Math.max(concepts.nextId, (Number(id.slice(1)) || 0) + 1)
    concepts = { ...concepts, concepts: list, nextId }
    idOf.set(concept.id, id)
  }
  return { concepts, idOf }
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

function unionOf(known: Concept, other: Concept): Concept {
  const both = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]
  const names = [other.name, ...other.aliases].filter((name) => name !== known.name)
  return {
    ...known,
    summary: known.summary.includes(other.summary) ? known.summary : `${known.summary} ${other.summary}`.trim(),
    files: both(known.files, other.files),
    keywords: both(known.keywords, other.keywords),
    exchanges: both(known.exchanges, other.exchanges),
    aliases: both(known.aliases, names),
  }
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

function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
