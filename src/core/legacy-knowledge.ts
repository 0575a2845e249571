/** Facts and concepts of a migration: what all files of an earlier version say, joined with what is known. */
import type { Concepts } from './concept.ts'
import { NO_CONCEPTS } from './concept.ts'
import type { Effect } from './effect.ts'
import { allFacts, type Fact, type Facts, NO_FACTS } from './fact.ts'
import { assignLegacy, joinConcepts } from './legacy-concepts.ts'
import { joinLegacyFacts, type LegacyFact } from './legacy-facts.ts'
import type { Converted, Target } from './legacy-plan.ts'
import { NO_PERMANENT } from './permanent.ts'
import { addSessionFacts, formatSessionFacts, type SessionFact } from './session-facts.ts'

export interface Knowledge {
  facts: Facts
  concepts: Concepts
  /** A broken facts.json set aside, and the facts of each session. */
  files: Effect[]
}

export function planKnowledge(converted: readonly Converted[], target: Target): Knowledge {
  const { conceptSimilarity: threshold } = target
  // In place the file itself is what is converted, not something to join it with.
  const replaced = (is: 'facts' | 'concepts'): boolean =>
    target.isInPlace && converted.some(({ made }) => made.is === is)
  const listed = converted.flatMap(({ made }) => (made.is === 'concepts' ? made.concepts : []))
  let joined = joinConcepts(replaced('concepts') ? NO_CONCEPTS : target.concepts, listed, threshold)
  let facts = replaced('facts') ? NO_FACTS : target.facts
  const add = (more: readonly LegacyFact[]): Fact[] => {
    const assigned = assignLegacy(joined, more, threshold)
    joined = { ...joined, concepts: assigned.concepts }
    facts = joinLegacyFacts(facts, assigned.facts, NO_PERMANENT)
    return assigned.facts
  }
  const files: Effect[] = []
  for (const { file, made } of converted) {
    if (made.is !== 'facts') continue
    if (target.isInPlace) facts = { ...made.from.rest, ...facts }
    add(made.from.facts)
    facts = joinLegacyFacts(facts, [], made.from.permanent)
    if (made.broken !== null) files.push(...unlessThere(target, made.broken, file.text))
  }
  for (const { made } of converted) {
    if (made.is === 'notes') add(made.facts)
    if (made.is !== 'session-facts') continue
    const taken = asTaken(facts, add(made.facts), () => facts)
    files.push(...unlessThere(target, made.file, formatSessionFacts(addSessionFacts(null, made.session, taken, []))))
  }
  return { facts, concepts: joined.concepts, files }
}

/** With the ids they have among all facts. */
function asTaken(_before: Facts, told: readonly Fact[], after: () => Facts): SessionFact[] {
  const all = allFacts(after())
  return told.flatMap((fact) => all.find((one) => one.type === fact.type && one.text === fact.text) ?? [])
}

function unlessThere({ textOf }: Target, path: string, text: string): Effect[] {
  return textOf(path) === text ? [] : [{ do: 'write', path, text }]
}
