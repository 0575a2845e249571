/** What facts of a model do once they are added: what they replace, what they solve, and which ones make room for them. */

import { replaces, saidByPerson, saidIn } from '../outgoing/fact-overrule.ts'
import { allFacts, type Fact, type Facts, type NewFact } from './fact.ts'
import { type Changed, resolveIssue, supersedeFact } from './fact-change.ts'
import type { SoundFact } from './fact-draft.ts'
import { allPermanent } from './permanent.ts'

/** The facts that stand for these now, in the same order. */
export function takenAs(facts: Facts, fresh: readonly NewFact[]): Fact[] {
  const all = allFacts(facts)
  return fresh.flatMap((one) => {
    const { session, evidence, type } = one
    const place = `${session}#${evidence.entry}`
    const isThere = (fact: Fact): boolean => fact.session === session && fact.evidence.entry === evidence.entry
    const found =
      all.find((fact) => fact.type === type && isThere(fact) && fact.text === one.text) ??
      all.find((fact) => fact.type === type && isThere(fact) && fact.evidence.quote === evidence.quote) ??
      all.find((fact) => fact.type === type && (isThere(fact) || fact.also?.includes(place)))
    return found === undefined ? [] : [found]
  })
}

/** It only says how a known issue was solved: that issue is closed, and no other one begun. */
export function isSolution({ fact, resolves }: SoundFact): boolean {
  return resolves !== null && fact.type === 'issue' && fact.status === 'resolved'
}

/** The fact under which it is kept now. */
export function standingFor(facts: Facts, sound: SoundFact): Fact[] {
  if (!isSolution(sound)) return takenAs(facts, [sound.fact])
  return facts.issues.filter(({ id }) => id === sound.resolves)
}

/**
 * What a fact does to others. Nothing but the user's own words takes back what the user said, or casts doubt on it: of a
 * decision of the user's and one of somebody else's against it, the latter is in doubt.
 */
export function carryOut(facts: Facts, sound: SoundFact, by: 'agent' | 'headless', now: string): Facts {
  const { supersedes, resolves, fact } = sound
  const [own] = standingFor(facts, sound)
  if (own === undefined) return facts
  let after = facts
  if (supersedes !== null && supersedes !== own.id) {
    const old = after.decisions.find(({ id }) => id === supersedes)
    const may = old !== undefined && (!saidByPerson(old) || (saidByPerson(fact) && replaces(old.text, saidIn(fact))))
    if (may) after = changed(after, supersedeFact(after, supersedes, { by, at: now, why: null, other: own.id }))
    else if (saidByPerson(fact)) after = inDoubt(after, supersedes, own.id)
    else if (!saidByPerson(own)) after = inDoubt(after, own.id, supersedes)
  }
  if (resolves !== null) {
    const other = resolves === own.id ? null : own.id
    const judged = { by, at: fact.at, why: null, other }
    const place = { session: fact.session, entry: fact.evidence.entry }
    after = changed(after, resolveIssue(after, resolves, fact.resolution ?? fact.text, judged, place))
  }
  return after
}

function inDoubt(facts: Facts, id: string, contradictedBy: string): Facts {
  return { ...facts, decisions: facts.decisions.map((one) => (one.id === id ? { ...one, contradictedBy } : one)) }
}

function changed(before: Facts, result: Changed): Facts {
  return 'facts' in result ? result.facts : before
}

/** Too many of one session: those that only code found go, unless the user said them, or they were repeated, or others rest on them. */
export function withinLimit(facts: Facts, session: string, max: number): Facts {
  const own = allFacts(facts).filter((fact) => fact.session === session && fact.state !== 'rejected')
  const surplus = own.length - max
  if (surplus <= 0) return facts
  const needed = namedIn(facts)
  const isDispensable = ({ id, author, evidence, also, judged }: Fact): boolean =>
    author === 'extractive' &&
    evidence.by !== 'user' &&
    also === undefined &&
    judged === undefined &&
    !needed.has(id.toLowerCase())
  const dispensable = own.filter(isDispensable).sort((a, b) => (a.at < b.at ? -1 : 1))
  const gone = new Set(dispensable.slice(0, surplus))
  const rest = (list: readonly Fact[]): Fact[] => list.filter((fact) => !gone.has(fact))
  return { ...facts, decisions: rest(facts.decisions), patterns: rest(facts.patterns), issues: rest(facts.issues) }
}

/** What stands in another's place, speaks against one, or has grown into a rule. */
function namedIn(facts: Facts): ReadonlySet<string> {
  const names = [
    ...allFacts(facts).flatMap(({ judged, contradictedBy }) => [judged?.other, contradictedBy]),
    ...allPermanent(facts.permanent).flatMap((item) => [...item.facts, item.judged?.other]),
  ]
  return new Set(names.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : [])))
}
