/** What a person does to concepts, and code to its own: one taken into another, one called otherwise. */
import type { Concept, Concepts } from './concept.ts'
import type { Facts } from './fact.ts'
import { mapFacts } from './fact-list.ts'
import type { PermanentItem } from './permanent.ts'

/** More than every concept has. */
export interface Founded extends Concept {
  /** Code founded it: code may take it back, until a person renames it or takes another into it. */
  founded?: 'code'
  /** Ids that were merged into it: what still names them finds it. */
  merged?: string[]
  /** How many facts it had when it was last refreshed. */
  facts?: number
}

/** All facts move, names become aliases. Nothing changes where one of them is not there. */
export function mergeConcepts(
  concepts: Concepts,
  facts: Facts,
  from: string,
  into: string,
): { concepts: Concepts; facts: Facts } {
  const gone: Founded | undefined = concepts.concepts.find(({ id }) => id === from)
  const kept: Founded | undefined = concepts.concepts.find(({ id }) => id === into)
  if (gone === undefined || kept === undefined || gone === kept) return { concepts, facts }
  const merged: Founded = {
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

/** The old name keeps finding it. */
export function renameConcept(concepts: Concepts, id: string, name: string): Concepts {
  return {
    ...concepts,
    concepts: concepts.concepts.map((one) =>
      one.id === id ? { ...ownedByPeople(one), name, aliases: withoutName(name, [...one.aliases, one.name]) } : one,
    ),
  }
}

/** Somebody chose it: code does not take it back any more. */
export function ownedByPeople(concept: Concept): Concept {
  const { founded: _, ...rest }: Founded = concept
  return rest
}

/** From the old id to the new one, and on from there; permanent memory too. */
export function moveFacts(facts: Facts, moves: ReadonlyMap<string, string>): Facts {
  if (moves.size === 0) return facts
  const move = <T extends { concept: string | null }>(one: T): T => {
    let to = one.concept ?? ''
    // Each id is gone once it was merged: this ends.
    for (let next = moves.get(to); next !== undefined; next = moves.get(to)) to = next
    return one.concept === null || to === one.concept ? one : { ...one, concept: to }
  }
  const { rules, solutions, core_logic } = facts.permanent
  const permanent = {
    ...facts.permanent,
    rules: rules.map<PermanentItem>(move),
    solutions: solutions.map<PermanentItem>(move),
    core_logic: core_logic.map<PermanentItem>(move),
  }
  return { ...mapFacts(facts, move), permanent }
}

function withoutName(name: string, aliases: readonly string[]): string[] {
  return [...new Set(aliases)].filter((one) => one !== name)
}
