/** What became of a fact: a line for each time somebody changed it, kept in the fact itself. */

import { isObject, textOr } from '../platform/json.ts'
import type { Fact } from './fact.ts'
import type { Judged } from './judged.ts'

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
