/** Reads facts and concepts of earlier versions (`facts.json` of v4 to v13, `*.l2.json` of v12), and merges them with the existing ones. */
import { addConcept, type Concept, type Concepts, findConcept } from '../../core/knowledge/concept.ts'
import { allFacts, type Fact, type Facts, type FactType, NO_FACTS, parseFacts } from '../../core/knowledge/fact.ts'
import { appendFact, isOfEarlierVersion, mapFacts } from '../../core/knowledge/fact-list.ts'
import {
  allPermanent,
  type Judged,
  nextPermanentId,
  PERMANENT_KINDS,
  type Permanent,
} from '../../core/knowledge/permanent.ts'
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
export function parseLegacyFacts(text: string, { id8Of, at }: FactReading): Facts | null {
  const plain = text.replace(/^\ufeff/, '')
  const raw = parseObject(plain) ?? parseObject(`{"facts": ${plain.trim() === '' ? '?' : plain}}`)
  if (raw === null) return null
  const { facts: mixed, ...rest } = raw
  const listed = (name: string, type: FactType): unknown[] => [
    ...listOf(raw[name]),
    ...listOf(mixed).filter((one) => typeOf(one) === type),
  ]
  const parsed = parseFacts(
    JSON.stringify({
      ...rest,
      decisions: listed('decisions', 'decision').map(withReason),
      patterns: listed('patterns', 'pattern').map(withReason),
      issues: listed('issues', 'issue').map(withReason),
    }),
  )
  const sound = parsed?._meta.version === FACTS_VERSION ? withWordingMarked(parsed) : (parsed ?? NO_FACTS)
  return mapFacts(sound, (fact) => ({
    ...fact,
    at: fact.at === '' ? at : fact.at,
    session: id8Of(fact.session),
  }))
}

/** Facts of 0.5 in today's form: what its code made from wording is found and listed, and never injected (`isLegacy`). */
export function withWordingMarked(facts: Facts): Facts {
  const marked = mapFacts(facts, (fact) => (fact.author === 'extractive' ? { ...fact, legacy: true as const } : fact))
  return { ...marked, _meta: { ...facts._meta, version: NO_FACTS._meta.version } }
}

/** Treated as another person's: nothing counts as the user's words, and permanent items wait for the user's approval. */
export function unproven(facts: Facts): Facts {
  const theirs = mapFacts(facts, ({ pinned: _, ...fact }) => {
    const { by: _by, ...evidence } = fact.evidence
    return { ...fact, evidence, author: fact.author === 'user' ? 'agent' : fact.author }
  })
  const asked = PERMANENT_KINDS.map((kind) => [
    kind,
    facts.permanent[kind].map((item) => ({
      ...item,
      by: 'agent',
      evidence: [],
      status: item.status === 'active' ? 'proposed' : item.status,
    })),
  ])
  return { ...theirs, permanent: { ...facts.permanent, ...Object.fromEntries(asked) } }
}

export interface Known {
  facts: Facts
  concepts: Concepts
}

/** A concept whose name has at least the similarity `threshold` to a known one is that one. */
export function joinKnowledge(
  ours: Known,
  theirs: readonly Facts[],
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
export function joinLegacyFacts(ours: Facts, theirs: Facts): Facts {
  const known = new Map(allFacts(ours).map((fact) => [plainWords(fact.text), fact]))
  if (known.size === 0) {
    const ids = new Map(allFacts(theirs).map(({ id }) => [id, id]))
    const counter = Math.max(ours._meta.counter, theirs._meta.counter)
    const { decisions, patterns, issues } = theirs
    const _meta = { ...theirs._meta, ...ours._meta, counter }
    const permanent = joinPermanent(ours.permanent, theirs.permanent, ids)
    return { ...theirs, ...ours, _meta, decisions, patterns, issues, permanent }
  }
  const idOf = new Map<string, string>()
  const added = new Set<string>()
  let facts = ours
  for (const { id, ...fact } of allFacts(theirs)) {
    const there = known.get(plainWords(fact.text))
    if (there === undefined) {
      const done = appendFact(facts, fact)
      facts = done.facts
      known.set(plainWords(fact.text), done.fact)
      added.add(done.fact.id)
    } else facts = mapFacts(facts, (one) => (one.id === there.id ? joinedFact(one, fact) : one))
    idOf.set(id, known.get(plainWords(fact.text))?.id ?? id)
  }
  facts = mapFacts(facts, (one) => (added.has(one.id) ? renamedIn(one, idOf) : one))
  return { ...facts, permanent: joinPermanent(facts.permanent, theirs.permanent, idOf) }
}

/** The same fact from facts.json and from a section of memory.md is told as the section was; what somebody has judged since stays. */
function joinedFact(there: Fact, fact: Omit<Fact, 'id'>): Fact {
  const { concept, source, evidence } = fact
  const known = there.concept === null && concept !== null ? { ...there, concept } : there
  const isPlain = [there.source, there.judged, there.unaudited].every((one) => one === undefined)
  if (!isPlain || there.author !== 'agent' || source === undefined || !isOfEarlierVersion(fact)) return known
  return { ...known, evidence: { ...there.evidence, quote: there.evidence.quote || evidence.quote }, source }
}

/** The bullets of memory.md that became facts. */
export function takenBefore(facts: Facts): string[] {
  return allFacts(facts).flatMap(({ source, evidence }) => (source === undefined ? [] : [evidence.quote]))
}

/** References to facts that were not imported are dropped: here the same id names another fact. */
function renamedIn<T extends { judged?: Judged }>(item: T, idOf: ReadonlyMap<string, string>): T {
  const { judged } = item
  return judged === undefined ? item : { ...item, judged: { ...judged, other: idOf.get(judged.other ?? '') ?? null } }
}

function joinPermanent(ours: Permanent, theirs: Permanent, factIds: ReadonlyMap<string, string>): Permanent {
  // Fields and items that this version does not understand are kept.
  const kept = [...new Map([...(ours.kept ?? []), ...(theirs.kept ?? [])].map((one) => [JSON.stringify(one), one]))]
  let joined: Permanent = { ...theirs, ...ours, ...(kept.length === 0 ? {} : { kept: kept.map(([, one]) => one) }) }
  const idOf = new Map(factIds)
  for (const { kind, ...item } of allPermanent(theirs)) {
    const all = allPermanent(joined)
    const known = all.find((one) => plainWords(one.text) === plainWords(item.text))
    const id = known?.id ?? (all.some((one) => one.id === item.id) ? nextPermanentId(joined) : item.id)
    idOf.set(item.id, id)
    if (known !== undefined) continue
    const facts = [...new Set(item.facts.flatMap((one) => idOf.get(one) ?? []))]
    joined = { ...joined, [kind]: [...joined[kind], renamedIn({ ...item, id, facts }, idOf)] }
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
  facts: Facts,
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

function typeOf(value: unknown): FactType {
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
