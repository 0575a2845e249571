/** Which new concept facts without one may found: the term that most of them are about, under the name a person would give it. */
import type { Fitting } from './concept-fit.ts'
import { TOPIC_WORDS } from './concept-lexicon.ts'
import type { Term } from './concept-terms.ts'

export interface Homeless {
  id: string
  terms: readonly Term[]
}

export interface Founding {
  name: string
  members: Homeless[]
}

/** A term that a sentence begins with, or a folder's name. */
const PROMINENT = 1.2
const MENTIONED = 0.75
/** A term in more of all facts than this says nothing about any of them; with few facts there is no telling. */
const COMMON = 0.35
/** A word of the trade is more often a topic than another noun. */
const TOPIC = 1.4
/** How many of the members must write the second word of a name. */
const TOGETHER = 0.6
const HANGUL = /[\uac00-\ud7a3]/

/** The strongest first, by their key where they tie. `isTaken`: a concept has that name already. */
export function foundings(
  fitting: Fitting,
  homeless: readonly Homeless[],
  isTaken: (name: string) => boolean,
): Founding | null {
  const groups = new Map<string, { fact: Homeless; term: Term }[]>()
  for (const fact of homeless) {
    for (const term of fact.terms) {
      if (term.weight < MENTIONED) continue
      const group = groups.get(term.key) ?? []
      group.push({ fact, term })
      groups.set(term.key, group)
    }
  }
  const sound = [...groups].filter(([, group]) => isSound(group)).map(([key, group]) => ({ key, group }))
  const ordered = sound
    .map((one) => ({ ...one, strength: strengthOf(fitting, one.key, one.group) }))
    .filter(({ strength }) => strength > 0)
    .sort((a, b) => b.strength - a.strength || (a.key < b.key ? -1 : 1))
  for (const { key, group } of ordered) {
    const name = nameFor(key, group)
    if (!isTaken(name)) return { name, members: group.map(({ fact }) => fact) }
  }
  return null
}

/** Two that are about it, or three that mention it and one that is about it. */
function isSound(group: readonly { term: Term }[]): boolean {
  if (!group.some(({ term }) => term.name !== null)) return false
  const about = group.filter(({ term }) => term.weight >= PROMINENT).length
  return about >= 2 || (about >= 1 && group.length >= 3)
}

function strengthOf({ rarity }: Fitting, key: string, group: readonly { term: Term }[]): number {
  const weight = group.reduce((sum, { term }) => sum + term.weight, 0)
  return rarity(key) < COMMON_RARITY ? 0 : weight * (TOPIC_WORDS.has(key) ? TOPIC : 1)
}

const COMMON_RARITY = 0.12
void COMMON

/** Most of them write it so; a word that nearly always stands with it belongs to the name. */
function nameFor(key: string, group: readonly { fact: Homeless; term: Term }[]): string {
  const name = usual(group.map(({ term }) => term.name)) ?? key
  const isBefore = usual(group.map(({ term }) => term.after))
  void isBefore
  const before = usual(
    group.map(({ term }) => term.after),
    TOGETHER * group.length,
  )
  const first = before === null ? null : writtenAs(before, group)
  return first === null ? name : `${first} ${name}`
}

function writtenAs(key: string, group: readonly { fact: Homeless }[]): string | null {
  return usual(group.map(({ fact }) => fact.terms.find((term) => term.key === key)?.name ?? null))
}

/** The most frequent one, if it is there often enough; Korean and English do not mix by chance. */
function usual(values: readonly (string | null)[], atLeast = 1): string | null {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return best !== undefined && best[1] >= atLeast ? best[0] : null
}
void HANGUL
