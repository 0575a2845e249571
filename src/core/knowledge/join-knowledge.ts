/** Joins facts, permanent items and concepts of another memory into ours. */

import { addConcept, type Concept, type Concepts, findConcept } from './concept.ts'
import { type Fact, ITEM_KINDS, isFact, isOfEarlierVersion, type Judged } from './item.ts'
import { allFacts, allPermanent, highestNumber, type Items, idWith, mapItems, numberOf } from './items.ts'

export interface Known {
  facts: Items
  concepts: Concepts
}

/** A concept whose name has at least the similarity `threshold` to one of ours is that one, and what names it follows. */
export function joinKnowledge(ours: Known, theirs: Known, threshold: number): Known {
  const { idOf, concepts } = joinConcepts(ours.concepts, theirs.concepts.concepts, threshold)
  const follow = <T extends { concept: string | null }>(one: T): T => ({
    ...one,
    concept: idOf.get(one.concept ?? '') ?? null,
  })
  const facts = joinFacts(ours.facts, mapItems(theirs.facts, follow))
  return { facts, concepts: withFieldsOf(concepts, theirs.concepts) }
}

/**
 * Adds facts and permanent items whose words are not known here. An id stays if its number was never used here; otherwise it is a new
 * one, and references follow.
 */
export function joinFacts(ours: Items, theirs: Items): Items {
  const known = new Map(allFacts(ours).map((fact) => [plainWords(fact.text), fact]))
  const used = highestUsed(ours)
  let counter = Math.max(used, highestUsed(theirs))
  const idOf = new Map<string, string>()
  const same = new Map<string, Fact>()
  const added = allFacts(theirs).flatMap((fact): Fact[] => {
    const there = known.get(plainWords(fact.text))
    const isFree = numberOf(fact.id) > used
    const id = there?.id ?? (isFree ? fact.id : idWith(ITEM_KINDS[fact.kind].letter, ++counter))
    idOf.set(fact.id, id)
    if (there !== undefined) same.set(there.id, fact)
    return there === undefined ? [{ ...fact, id }] : []
  })
  const joined: Items = {
    _meta: { ...withFieldsOf(ours._meta, theirs._meta), ...(added.length === 0 ? {} : { counter }) },
    list: [
      ...ours.list.map((one) => (isFact(one) ? joinedFact(one, same.get(one.id)) : one)),
      ...added.map((one) => renamedIn(one, idOf)),
    ],
    rest: withFieldsOf(ours.rest, theirs.rest),
  }
  return withPermanent(joined, theirs, idOf)
}

function highestUsed(facts: Items): number {
  return Math.max(facts._meta.counter, highestNumber(allFacts(facts)))
}

/** The same fact from facts.json and from a section of memory.md is told as the section was; what somebody has judged since stays. */
function joinedFact(there: Fact, fact: Fact | undefined): Fact {
  if (fact === undefined) return there
  const { concept, source, evidence } = fact
  const known = there.concept === null && concept !== null ? { ...there, concept } : there
  const isPlain = [there.source, there.judged, there.unaudited].every((one) => one === undefined)
  if (!isPlain || there.by !== 'agent' || source === undefined || !isOfEarlierVersion(fact)) return known
  return { ...known, evidence: { ...there.evidence, quote: there.evidence.quote || evidence.quote }, source }
}

/** References to facts that were not imported are dropped: here the same id names another fact. */
function renamedIn<T extends { judged?: Judged }>(item: T, idOf: ReadonlyMap<string, string>): T {
  const { judged } = item
  return judged === undefined ? item : { ...item, judged: { ...judged, other: idOf.get(judged.other ?? '') ?? null } }
}

/** Adds their permanent items. Fields and items that this version does not understand are kept. */
function withPermanent(ours: Items, theirs: Items, factIds: ReadonlyMap<string, string>): Items {
  const unread = [ours, theirs].flatMap(({ rest }) => listOf(rest.permanent.kept))
  const kept = [...new Map(unread.map((one) => [JSON.stringify(one), one])).values()]
  const fields = withFieldsOf(ours.rest.permanent, theirs.rest.permanent)
  const permanent = { ...fields, ...(kept.length === 0 ? {} : { kept }) }
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

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
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
    const isTaken = concepts.concepts.some(({ id, merged }) => [id, ...(merged ?? [])].includes(concept.id))
    const id = known ?? (isTaken ? addConcept(concepts, concept.name).id : concept.id)
    const list =
      known === null
        ? [...concepts.concepts, { ...concept, id }]
        : concepts.concepts.map((one) => (one.id === id ? unionOf(one, concept, found.is === 'similar') : one))
    const nextId = Math.max(concepts.nextId, (Number(id.slice(1)) || 0) + 1)
    concepts = { ...concepts, concepts: list, nextId }
    idOf.set(concept.id, id)
  }
  return { concepts, idOf }
}

/** A name by which ours is known already is no other name. */
function unionOf(known: Concept, other: Concept, isOtherName: boolean): Concept {
  const both = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]
  const names = [...(isOtherName ? [other.name] : []), ...other.aliases].filter((name) => name !== known.name)
  return {
    ...known,
    summary: known.summary.includes(other.summary) ? known.summary : `${known.summary} ${other.summary}`.trim(),
    files: both(known.files, other.files),
    keywords: both(known.keywords, other.keywords),
    exchanges: both(known.exchanges, other.exchanges),
    aliases: both(known.aliases, names),
  }
}

/** Fields that this version does not know, or that only theirs has, come last. */
function withFieldsOf<T extends object>(ours: T, theirs: T): T {
  return { ...ours, ...theirs, ...ours }
}

function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
}
