/** The lists of facts as one: finding a fact, replacing one, and giving a new one its id. */

import { isObject, textOr } from '../platform/json.ts'
import { type Fact, type Facts, type FactType, idOf, type NewFact, numberOf } from './fact.ts'
import type { Judged } from './judged.ts'

const LISTS = { decision: 'decisions', pattern: 'patterns', issue: 'issues' } as const

/** Ids are written as people type them: `D001` is `d001`. */
export function findFact(facts: Facts, given: string): Fact | null {
  const id = given.trim().toLowerCase()
  for (const list of [facts.decisions, facts.patterns, facts.issues]) {
    const found = list.find((one) => one.id.toLowerCase() === id)
    if (found !== undefined) return found
  }
  return null
}

export function factsOfType(facts: Facts, type: FactType): readonly Fact[] {
  return facts[LISTS[type]]
}

export function replaceFact(facts: Facts, before: Fact, after: Fact): Facts {
  const name = LISTS[before.type]
  return { ...facts, [name]: facts[name].map((one) => (one === before ? after : one)) }
}

/** The same object where nothing changes. */
export function mapFacts(facts: Facts, change: (fact: Fact) => Fact): Facts {
  let isChanged = false
  const each = (fact: Fact): Fact => {
    const after = change(fact)
    if (after !== fact) isChanged = true
    return after
  }
  const { decisions, patterns, issues } = facts
  const after = { ...facts, decisions: decisions.map(each), patterns: patterns.map(each), issues: issues.map(each) }
  return isChanged ? after : facts
}

/** Its number was never given before, also not to a fact that somebody took out by hand. */
export function appendFact(facts: Facts, fact: NewFact): { facts: Facts; fact: Fact } {
  const name = LISTS[fact.type]
  const number = Math.max(facts._meta.counter, highestNumber(facts[name])) + 1
  const added: Fact = { id: idOf(fact.type, number), ...fact }
  const after = { ...facts, _meta: { ...facts._meta, counter: number }, [name]: [...facts[name], added] }
  return { facts: after, fact: added }
}

export function highestNumber(list: readonly Fact[]): number {
  return list.reduce((most, { id }) => Math.max(most, numberOf(id)), 0)
}

/** A proposal to replace a fact falls with what was to stand in its place. The same object where nothing changes. */
export function withoutSettled(facts: Facts): Facts {
  const doubted = facts.decisions.filter(({ contradictedBy }) => contradictedBy !== undefined)
  if (doubted.length === 0) return facts
  const wanted = new Set(doubted.map(({ contradictedBy }) => contradictedBy?.toLowerCase()))
  const holding = new Set<string>()
  for (const { id, state } of facts.decisions) {
    const key = id.toLowerCase()
    if (wanted.has(key) && (state === 'fresh' || state === 'stale')) holding.add(key)
  }
  return mapFacts(facts, (fact) => {
    const { contradictedBy, ...rest } = fact
    return contradictedBy === undefined || holding.has(contradictedBy.toLowerCase()) ? fact : rest
  })
}

/** It holds, as far as anybody knows. */
export function isLive({ state }: Pick<Fact, 'state'>): boolean {
  return state === 'fresh' || state === 'stale'
}

/** Claude saved it, and other words than the user's prove it: wherever it is told, it carries Claude's name. Earlier versions did not keep whose words they are. */
export function isClaudes({ author, evidence }: Pick<Fact, 'author' | 'evidence'>): boolean {
  return (author === 'agent' || author === 'headless') && (evidence.by ?? 'user') !== 'user'
}

/** What does not hold any more is not told, pinned or not; brought back, it is pinned again. */
export function isPinned({ pinned, state }: Pick<Fact, 'pinned' | 'state'>): boolean {
  return pinned === true && isLive({ state })
}

/** More is not read by anybody, and facts.json is read at every start. */
const MAX_PAST = 12

export interface Past {
  at: string
  by: string
  /** `rejected`, `text was "…"`. */
  what: string
}

/** Oldest first. */
export function pastOf(fact: Fact): Past[] {
  const { history } = fact as { history?: unknown }
  if (!Array.isArray(history)) return []
  return history.flatMap((one: unknown) => {
    if (!isObject(one) || typeof one.what !== 'string') return []
    return [{ at: textOr(one.at, ''), by: textOr(one.by, ''), what: one.what }]
  })
}

export function withPast(fact: Fact, { by, at }: Pick<Judged, 'by' | 'at'>, what: string): Fact {
  const history = [...pastOf(fact), { at, by, what }].slice(-MAX_PAST)
  return { ...fact, ...{ history } }
}
