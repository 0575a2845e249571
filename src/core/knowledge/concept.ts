/** Concepts: named groups of facts (`concepts.json`). A fact is assigned by id or by a similar name; a new name creates a concept. */

import { isObject, numberOr, parseObject, textOr, texts } from '../../kernel/platform/json.ts'
import { stemOf } from '../../kernel/text/token.ts'
import { tokenSpans } from '../../kernel/text/words.ts'
import { allFacts, type Items, idNumber, idWith, mapItems } from './items.ts'

export interface Concept {
  /** For example c001. */
  id: string
  name: string
  /** One or two sentences about its facts; code keeps it current. */
  summary: string
  /** Files of its facts, the most frequent first. */
  files: string[]
  /** Distinctive words, the most distinctive first. */
  keywords: string[]
  /** The sources of its facts, as `session#entry`. */
  exchanges: string[]
  /** Former names, and names of concepts merged into it: they match this concept and never create another one. */
  aliases: string[]
  /** Ids of concepts merged into it: references to them find this concept. */
  merged?: string[]
  /** The number of its facts at the last refresh. */
  facts?: number
}

export interface Concepts {
  version: number
  concepts: Concept[]
  nextId: number
}

export const NO_CONCEPTS: Concepts = { version: 1, concepts: [], nextId: 1 }

/** Larger than any real number. */
const MAX_NUMBER = 999_999_999

/** Null: not a JSON object. Unknown fields are kept. */
export function parseConcepts(text: string): Concepts | null {
  const raw = parseObject(text)
  if (raw === null) return null
  const listed = Array.isArray(raw.concepts) ? raw.concepts : []
  const last = Math.max(0, ...listed.map((one) => (isObject(one) ? idNumber('c', one.id) : 0)))
  const given = numberOr(raw.nextId, 1)
  let next = Math.max(last + 1, Number.isInteger(given) && given <= MAX_NUMBER ? given : 1)
  const concepts = listed.flatMap((one): Concept[] => {
    const concept = parseConcept(one)
    if (concept === null) return []
    return [concept.id === '' ? { ...concept, id: idWith('c', next++) } : concept]
  })
  return { ...raw, version: numberOr(raw.version, 1), concepts, nextId: next }
}

/** One concept per line. */
export function formatConcepts({ version, concepts, nextId, ...rest }: Concepts): string {
  const lines = concepts.map((one) => `  ${JSON.stringify(one)}`)
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
  const others = Object.entries(rest).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
  return `{"version": ${version},\n${others.join('')}"concepts": ${list},\n"nextId": ${nextId}}\n`
}

function parseConcept(value: unknown): Concept | null {
  if (!isObject(value)) return null
  const name = textOr(value.name, '').trim()
  if (name === '') return null
  const { merged, ...kept } = value
  return {
    ...kept,
    ...(Array.isArray(merged) ? { merged: texts(merged) } : {}),
    id: idNumber('c', value.id) > 0 ? String(value.id) : '',
    name,
    summary: textOr(value.summary, ''),
    files: texts(value.files),
    keywords: texts(value.keywords),
    exchanges: texts(value.exchanges),
    aliases: texts(value.aliases),
  }
}

/** Moves all facts; the names become aliases. Nothing changes if one of the concepts does not exist. */
export function mergeConcepts(
  concepts: Concepts,
  facts: Items,
  from: string,
  into: string,
): { concepts: Concepts; facts: Items } {
  const gone = concepts.concepts.find(({ id }) => id === from)
  const kept = concepts.concepts.find(({ id }) => id === into)
  if (gone === undefined || kept === undefined || gone === kept) return { concepts, facts }
  const merged: Concept = {
    ...kept,
    aliases: withoutName(kept.name, [...kept.aliases, gone.name, ...gone.aliases]),
    files: [...new Set([...kept.files, ...gone.files])],
    exchanges: [...new Set([...kept.exchanges, ...gone.exchanges])],
    merged: [...new Set([...(kept.merged ?? []), from, ...(gone.merged ?? [])])],
  }
  const rest = concepts.concepts.filter((one) => one !== gone)
  return {
    concepts: { ...concepts, concepts: rest.map((one) => (one === kept ? merged : one)) },
    facts: moveFacts(facts, new Map([[from, into]])),
  }
}

/** The old name becomes an alias. */
export function renameConcept(concepts: Concepts, id: string, name: string): Concepts {
  return {
    ...concepts,
    concepts: concepts.concepts.map((one) =>
      one.id === id ? { ...one, name, aliases: withoutName(name, [...one.aliases, one.name]) } : one,
    ),
  }
}

/** Replaces old ids by new ones, following chains; permanent items too. */
function moveFacts(facts: Items, moves: ReadonlyMap<string, string>): Items {
  const move = <T extends { concept: string | null }>(one: T): T => {
    let to = one.concept
    // This ends: a merged id no longer exists.
    for (let next = moves.get(to ?? ''); next !== undefined; next = moves.get(next)) to = next
    return to === one.concept ? one : { ...one, concept: to }
  }
  return moves.size === 0 ? facts : mapItems(facts, move)
}

function withoutName(name: string, aliases: readonly string[]): string[] {
  return [...new Set(aliases)].filter((one) => one !== name)
}

const MAX_CLOSEST = 3
const MAX_NAME = 60

/** `known`: an existing concept. `similar`: the name is too similar to an existing one. `unknown`: an id that does not exist. */
type FoundConcept =
  | { is: 'known'; id: string }
  | { is: 'similar'; id: string; name: string }
  | { is: 'new'; name: string }
  | { is: 'unknown'; closest: Pick<Concept, 'id' | 'name'>[] }
  | { is: 'none' }

/** The id takes precedence over the name, since the caller looked it up. */
export function findConcept(
  { concepts }: Concepts,
  given: { readonly id?: string; readonly name?: string },
  threshold: number,
): FoundConcept {
  const id = given.id?.trim() ?? ''
  const name = tidyName(given.name ?? '')
  if (id !== '') {
    const same = concepts.find((one) => one.id === id || one.merged?.includes(id) === true)
    // A name was given instead of the id.
    const known = same ?? concepts.find((one) => isNamed(one, tidyName(id)))
    if (known !== undefined) return { is: 'known', id: known.id }
    const closest = ranked(concepts, id).slice(0, MAX_CLOSEST)
    if (name === '')
      return { is: 'unknown', closest: closest.map(({ concept }) => ({ id: concept.id, name: concept.name })) }
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

/** Does not check whether the name is new: `findConcept` does. */
export function addConcept(concepts: Concepts, name: string): { concepts: Concepts; id: string } {
  const taken = new Set(concepts.concepts.map(({ id }) => id))
  let number = Math.max(1, concepts.nextId)
  while (taken.has(idWith('c', number))) number++
  const id = idWith('c', number)
  const added = { id, name: tidyName(name), summary: '', files: [], keywords: [], exchanges: [], aliases: [] }
  return { concepts: { ...concepts, concepts: [...concepts.concepts, added], nextId: number + 1 }, id }
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

/** Most similar first; ties in the original order. */
function ranked(concepts: readonly Concept[], name: string): { concept: Concept; likeness: number }[] {
  return concepts
    .map((concept) => ({
      concept,
      likeness: Math.max(...[concept.name, ...concept.aliases].map((one) => nameSimilarity(one, name))),
    }))
    .sort((a, b) => b.likeness - a.likeness)
}

/** Two long words with this similarity are the same word, misspelt or with an ending that the stemmer does not remove. */
const SAME_WORD = 0.8
const MIN_MISSPELT = 5

/** 0 to 1. Names with different numbers or symbols ("API v1", "API v2", "C++", "C#") are never similar. */
export function nameSimilarity(a: string, b: string): number {
  if (nameKey(a) === nameKey(b)) return 1
  if (marksOf(a) !== marksOf(b)) return 0
  const [left, right] = [stemsIn(a), stemsIn(b)]
  if (left.size === 0 || right.size === 0) return 0
  const free = new Map(right)
  let shared = 0
  for (const [stem, word] of left) {
    const other = free.has(stem) ? stem : [...free].find(([, one]) => isMisspelt(word, one))?.[0]
    if (other === undefined) continue
    free.delete(other)
    shared++
  }
  return (2 * shared) / (left.size + right.size)
}

/** Ignores case, spaces and hyphens: "Time-zone" is "timezone". */
function nameKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Pd}_./]+/gu, '')
}

/** Maps each stem to the written word. A script without spaces gives pairs of characters. */
function stemsIn(name: string): Map<number, string> {
  return new Map(tokenSpans(name).map(({ token, word }) => [stemOf(token), word]))
}

function marksOf(name: string): string {
  return (name.match(/[\d+#]+/g) ?? []).join(' ')
}

function isMisspelt(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < MIN_MISSPELT || a[0] !== b[0]) return false
  const [one, other] = [pairsIn(a), pairsIn(b)]
  const common = one.filter((pair) => other.includes(pair)).length
  return (2 * common) / (one.length + other.length) >= SAME_WORD
}

function pairsIn(word: string): string[] {
  return [...new Set(Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2)))]
}

/**
 * Facts that name a missing concept (merged, lost with its file, or a name instead of an id) get it back, under its old id
 * if possible: otherwise a new concept could take over the id and its facts.
 */
export function restoreMissing(before: { concepts: Concepts; facts: Items }, threshold: number): typeof before {
  const known = new Set(before.concepts.concepts.map(({ id }) => id))
  const named = new Set(allFacts(before.facts).flatMap(({ concept }) => concept ?? []))
  let { concepts } = before
  const moves = new Map<string, string>()
  for (const missing of named) {
    if (known.has(missing)) continue
    const number = idNumber('c', missing)
    const isId = number > 0 && idWith('c', number) === missing
    const found = findConcept(concepts, isId ? { id: missing } : { name: missing }, threshold)
    if (found.is === 'known' || found.is === 'similar') moves.set(missing, found.id)
    else {
      const added = addConcept(isId ? { ...concepts, nextId: number } : concepts, missing)
      concepts = { ...added.concepts, nextId: Math.max(concepts.nextId, added.concepts.nextId) }
      if (added.id !== missing) moves.set(missing, added.id)
    }
  }
  return moves.size === 0 && concepts === before.concepts ? before : { concepts, facts: moveFacts(before.facts, moves) }
}
