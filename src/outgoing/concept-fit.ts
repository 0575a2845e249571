/** How well facts fit into concepts: by the concept's name, and by the words that its facts have and others have not. */
import type { Concept } from '../knowledge/concept.ts'
import type { ConceptTerm } from './concept-terms.ts'
import { unitsOf } from './concept-words.ts'

/** What is known while facts are assigned; `learn` makes it grow. */
export interface Fitting {
  /** Per key: in how many facts of each concept it stands. */
  seen: Map<string, Map<string, number>>
  /** In how many facts a key stands, with a concept or without: a word seen once in a concept is not yet its own. */
  times: (key: string) => number
  /** How rare a key is among all facts, 0..1. */
  rarity: (key: string) => number
  names: Map<string, Name[]>
}

interface Name {
  concept: string
  units: readonly { key: string; weight: number }[]
  total: number
}

export interface Fit {
  concept: string
  score: number
}

const BY_NAME = 0.6
const BY_WORDS = 0.75
/** How much of a name must stand in a fact. */
const NAMED = 0.7
const NAME_HEAD = 1.3

export function fittingOf(concepts: readonly Concept[], terms: Iterable<readonly ConceptTerm[]>): Fitting {
  const counts = new Map<string, number>()
  let facts = 0
  for (const own of terms) {
    facts++
    for (const { key } of own) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const most = Math.log(facts + 2)
  const times = (key: string): number => counts.get(key) ?? 1
  const rarity = (key: string): number => Math.log((facts + 2) / times(key)) / most
  const fitting: Fitting = { seen: new Map(), times, rarity, names: new Map() }
  for (const concept of concepts) learnName(fitting, concept)
  return fitting
}

export function learnName(fitting: Fitting, { id, name, aliases }: Concept): void {
  for (const one of [name, ...aliases]) {
    const units = unitsOf(one)
    const head = units.findLastIndex(({ weight }) => weight >= 0.5)
    const weighed = units.map(({ key, weight }, i) => ({ key, weight: i === head ? weight * NAME_HEAD : weight }))
    const entry: Name = { concept: id, units: weighed, total: weighed.reduce((sum, { weight }) => sum + weight, 0) }
    for (const { key } of weighed) {
      const under = fitting.names.get(key) ?? []
      under.push(entry)
      fitting.names.set(key, under)
    }
  }
}

/** This fact is in this concept. */
export function learnFact({ seen }: Fitting, concept: string, terms: readonly ConceptTerm[]): void {
  for (const { key } of terms) {
    const counts = seen.get(key) ?? new Map<string, number>()
    counts.set(concept, (counts.get(concept) ?? 0) + 1)
    seen.set(key, counts)
  }
}

/** All facts and names of one concept are another's from now on. */
export function learnMerge({ seen, names }: Fitting, from: string, into: string): void {
  for (const counts of seen.values()) {
    const moved = counts.get(from)
    if (moved === undefined) continue
    counts.delete(from)
    counts.set(into, (counts.get(into) ?? 0) + moved)
  }
  for (const under of names.values()) for (const name of under) if (name.concept === from) name.concept = into
}

/** Best first; ties by the concept's id. `without`: as if this concept and its facts were not there. */
export function fitsOf(fitting: Fitting, terms: readonly ConceptTerm[], without = ''): Fit[] {
  const scores = byWords(fitting, terms, without)
  for (const [concept, score] of byNames(fitting, terms)) {
    scores.set(concept, (scores.get(concept) ?? 0) + score)
  }
  scores.delete(without)
  return [...scores]
    .map(([concept, score]) => ({ concept, score }))
    .sort((a, b) => b.score - a.score || (a.concept < b.concept ? -1 : 1))
}

function byWords(
  { seen, rarity, times }: Fitting,
  terms: readonly ConceptTerm[],
  without: string,
): Map<string, number> {
  const scores = new Map<string, number>()
  let total = 0
  for (const { key, weight } of terms) {
    const worth = weight * rarity(key)
    total += worth
    const counts = seen.get(key)
    if (counts === undefined) continue
    const all = times(key) + 2 - (counts.get(without) ?? 0)
    for (const [concept, count] of counts) scores.set(concept, (scores.get(concept) ?? 0) + (worth * count) / all)
  }
  for (const [concept, score] of scores) scores.set(concept, (BY_WORDS * score) / Math.max(total, Number.EPSILON))
  return scores
}

/** The best of each concept's names, if enough of it stands in the fact. */
function byNames({ names }: Fitting, terms: readonly ConceptTerm[]): Map<string, number> {
  const prominence = new Map(terms.map(({ key, weight }) => [key, Math.min(1, 0.1 + 0.6 * weight)]))
  const scores = new Map<string, number>()
  const done = new Set<Name>()
  for (const { key } of terms) {
    for (const name of names.get(key) ?? []) {
      if (done.has(name)) continue
      done.add(name)
      const found = name.units.filter((unit) => prominence.has(unit.key))
      const share = found.reduce((sum, { weight }) => sum + weight, 0) / name.total
      if (share < NAMED) continue
      const shown = Math.max(...found.map((unit) => prominence.get(unit.key) ?? 0))
      scores.set(name.concept, Math.max(scores.get(name.concept) ?? 0, BY_NAME * share * shown))
    }
  }
  return scores
}
