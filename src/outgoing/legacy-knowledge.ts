/** Facts and concepts of a migration: what all files of an earlier version say, joined with what is known. */
import { type Concepts, NO_CONCEPTS } from '../knowledge/concept.ts'
import { type Fact, type Facts, NO_FACTS } from '../knowledge/fact.ts'
import { allPermanent } from '../knowledge/permanent.ts'
import { addSessionFacts, formatSessionFacts, type SessionFact } from '../knowledge/session-facts.ts'
import { assignLegacy, joinConcepts } from '../migrate/legacy-concepts.ts'
import {
  asTaken,
  type FromFacts,
  factKey,
  finderIn,
  joinLegacyFacts,
  joinLegacyPermanent,
  type LegacyFact,
  legacyIds,
} from '../migrate/legacy-facts.ts'
import type { Converted, Target } from '../migrate/legacy-target.ts'
import type { Effect } from '../platform/effect.ts'

export interface LegacyKnowledge {
  facts: Facts
  concepts: Concepts
  /** A broken facts.json set aside, and the facts of each session. */
  files: Effect[]
  /** The file is of an earlier version. */
  isFactsOld: boolean
  isConceptsOld: boolean
}

export function planKnowledge(converted: readonly Converted[], target: Target): LegacyKnowledge {
  const { conceptSimilarity: threshold } = target
  // In place the file itself is what is converted, not something to join it with.
  const isOld = (is: 'facts' | 'concepts'): boolean => target.isInPlace && converted.some(({ made }) => made.is === is)
  const [isFactsOld, isConceptsOld] = [isOld('facts'), isOld('concepts')]
  const listed = converted.flatMap(({ made }) => (made.is === 'concepts' ? made.concepts : []))
  let joined = joinConcepts(isConceptsOld ? NO_CONCEPTS : target.concepts, listed, threshold)
  let facts = isFactsOld ? NO_FACTS : target.facts
  const assign = (more: readonly LegacyFact[]): Fact[] => {
    const assigned = assignLegacy(joined, more, threshold)
    joined = { ...joined, concepts: assigned.concepts }
    return target.isInPlace ? assigned.facts : assigned.facts.map(asTaken)
  }
  const files: Effect[] = []
  for (const { file, made } of converted) {
    if (made.is !== 'facts') continue
    if (target.isInPlace) facts = { ...made.from.rest, ...facts }
    const theirs = assign(made.from.facts)
    facts = joinLegacyFacts(facts, theirs)
    facts = joinLegacyPermanent(facts, made.from, namesFor(target, facts, theirs, made.from))
    if (made.broken !== null) files.push(...unlessThere(target, made.broken, file.text))
  }
  const told = converted.flatMap(({ made }) => (made.is === 'notes' || made.is === 'session-facts' ? [made] : []))
  const later = told.map((made) => ({ made, facts: assign(made.facts) }))
  facts = joinLegacyFacts(facts, onceEach(later.flatMap((one) => one.facts)))
  const find = finderIn(facts)
  for (const { made, facts: ofFile } of later) {
    if (made.is !== 'session-facts') continue
    const taken: SessionFact[] = ofFile.flatMap((fact) => find(fact) ?? [])
    files.push(...unlessThere(target, made.file, formatSessionFacts(addSessionFacts(null, made.session, taken, []))))
  }
  // A file of an earlier version that something joins is one still: its own turn comes.
  const { version } = isFactsOld ? NO_FACTS._meta : target.facts._meta
  facts = { ...facts, _meta: { ...facts._meta, version } }
  return { facts, concepts: joined.concepts, files, isFactsOld, isConceptsOld }
}

/** Instructions are not taken over: in place they stay under their ids, elsewhere another one has it. */
function namesFor(
  { isInPlace }: Target,
  facts: Facts,
  theirs: readonly Fact[],
  { permanent }: FromFacts,
): ReadonlyMap<string, string> {
  const ids = legacyIds(facts, theirs)
  if (!isInPlace) return ids
  const named = allPermanent(permanent).flatMap((item) => [...item.facts, item.judged?.other ?? ''])
  return new Map([...named.map((id) => [id, id] as const), ...ids])
}

/** What several sessions said is one fact; it has the topic that any of them named. */
function onceEach(facts: readonly Fact[]): Fact[] {
  const once = new Map<string, Fact>()
  for (const fact of facts) {
    const known = once.get(factKey(fact))
    if (known === undefined) once.set(factKey(fact), fact)
    else if (known.concept === null) once.set(factKey(fact), { ...known, concept: fact.concept })
  }
  return [...once.values()]
}

function unlessThere({ textOf }: Target, path: string, text: string): Effect[] {
  return textOf(path) === text ? [] : [{ do: 'write', path, text }]
}
