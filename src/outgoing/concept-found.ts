/** Which new concept facts without one may found: the term that most of them are about, under the name a person would give it. */
import type { Fitting } from './concept-fit.ts'
import { TOPIC_WORDS } from './concept-lexicon.ts'
import type { ConceptTerm } from './concept-terms.ts'

export interface Homeless {
  id: string
  terms: readonly ConceptTerm[]
}

export interface Founding {
  name: string
  members: Homeless[]
}

interface Mention {
  fact: Homeless
  term: ConceptTerm
}

/** A term that a sentence begins with. */
const PROMINENT = 1.2
const MENTIONED = 0.75
/** A term in most of all facts says nothing about any of them. */
const TOO_COMMON = 0.12
/** A word of the trade is more often a topic than another noun. */
const TOPIC = 1.4
/** How many of the members must write the second word of a name. */
const TOGETHER = 0.6
const MIN_TOGETHER = 3

/** The strongest one, by its key where two tie; null: no two facts belong together. */
export function foundingOf(fitting: Fitting, homeless: readonly Homeless[]): Founding | null {
  const [strongest] = [...mentionsIn(homeless)]
    .filter(([key, group]) => isSound(group) && fitting.rarity(key) >= TOO_COMMON)
    .map(([key, group]) => ({ key, group, strength: strengthOf(key, group) }))
    .sort((a, b) => b.strength - a.strength || (a.key < b.key ? -1 : 1))
  if (strongest === undefined) return null
  const { key, group } = strongest
  return { name: nameFor(key, group), members: group.map(({ fact }) => fact) }
}

/** What a person would call what these facts are about; null: nothing in them is a name. */
export function nameForAll(facts: readonly Homeless[]): string | null {
  const [strongest] = [...mentionsIn(facts)]
    .filter(([, group]) => group.some(({ term }) => term.name !== null))
    .sort(([a, one], [b, other]) => strengthOf(b, other) - strengthOf(a, one) || (a < b ? -1 : 1))
  return strongest === undefined ? null : nameFor(...strongest)
}

function mentionsIn(homeless: readonly Homeless[]): Map<string, Mention[]> {
  const groups = new Map<string, Mention[]>()
  for (const fact of homeless) {
    for (const term of fact.terms) {
      if (term.weight < MENTIONED) continue
      const group = groups.get(term.key) ?? []
      group.push({ fact, term })
      groups.set(term.key, group)
    }
  }
  return groups
}

/** Two that are about it, or three that mention it and one that is about it. */
function isSound(group: readonly Mention[]): boolean {
  if (!group.some(({ term }) => term.name !== null)) return false
  const about = group.filter(({ term }) => term.weight >= PROMINENT).length
  return about >= 2 || (about >= 1 && group.length >= 3)
}

function strengthOf(key: string, group: readonly Mention[]): number {
  const weight = group.reduce((sum, { term }) => sum + term.weight, 0)
  return weight * (TOPIC_WORDS.has(key) ? TOPIC : 1)
}

/** Most of them write it so; a word that nearly always stands before or behind it belongs to the name. */
function nameFor(key: string, group: readonly Mention[]): string {
  const name = usual(group.map(({ term }) => term.name)) ?? key
  const enough = Math.max(MIN_TOGETHER, TOGETHER * group.length)
  const before = usual(
    group.map(({ term }) => term.after),
    enough,
  )
  const behind = usual(
    group.map(({ fact }) => fact.terms.find(({ after }) => after === key)?.key ?? null),
    enough,
  )
  const [first, last] = [writtenAs(before, group), writtenAs(behind, group)]
  return last !== null ? `${name} ${last}` : first !== null ? `${first} ${name}` : name
}

function writtenAs(key: string | null, group: readonly Mention[]): string | null {
  if (key === null) return null
  return usual(group.map(({ fact }) => fact.terms.find((term) => term.key === key)?.name ?? null))
}

/** The most frequent one, if it is there often enough; by the alphabet where two tie. */
function usual(values: readonly (string | null)[], atLeast = 1): string | null {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return best !== undefined && best[1] >= atLeast ? best[0] : null
}
