/** The facts that drafts are compared with, by their words. */
import { allFacts, type Fact, type Facts } from '../knowledge/fact.ts'
import { sameAs } from '../knowledge/fact-similar.ts'

export interface Known {
  all: readonly Fact[]
  /** Those that say the same. */
  same(text: string): Fact[]
}

/** Files are read before the lock is taken and again under it: the same facts are looked through once. */
const prepared = new WeakMap<Facts, Known>()

/** By their words, so that a draft is not compared with thousands. */
export function knownFacts(facts: Facts): Known {
  const before = prepared.get(facts)
  if (before !== undefined) return before
  const all = allFacts(facts)
  const find = sameAs(all.map((one) => one.text))
  const known = { all, same: (text: string): Fact[] => find(text).flatMap((at) => all[at] ?? []) }
  prepared.set(facts, known)
  return known
}
