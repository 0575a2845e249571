/** Pinning: a person wants a fact told first in every briefing, however old it is. */
import type { Facts } from '../knowledge/fact.ts'
import type { Changed } from '../knowledge/fact-change.ts'
import { findFact, isLive, replaceFact } from '../knowledge/fact-list.ts'

export function pinFact(facts: Facts, id: string): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return notFound(id)
  if (!isLive(fact))
    return refused(
      'not-live',
      `${fact.id} is ${fact.state}, and what does not hold cannot be pinned. To bring it back first: memory-keeper facts restore ${fact.id}`,
    )
  if (fact.pinned === true)
    return refused('already', `${fact.id} is pinned already. To take the pin off: memory-keeper unpin ${fact.id}`)
  const pinned = { ...fact, pinned: true } as const
  return { is: 'changed', facts: replaceFact(facts, fact, pinned), fact: pinned }
}

/** In any state: the pin of what does not hold any more would come back with it. */
export function unpinFact(facts: Facts, id: string): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return notFound(id)
  const { pinned, ...rest } = fact
  if (pinned !== true) return refused('already', `${fact.id} is not pinned. To pin it: memory-keeper pin ${fact.id}`)
  return { is: 'changed', facts: replaceFact(facts, fact, rest), fact: rest }
}

function notFound(id: string): Changed {
  return refused('not-found', `There is no fact ${id.trim()}. memory-keeper facts list --state all shows them.`)
}

function refused(code: Extract<Changed, { is: 'refused' }>['code'], problem: string): Changed {
  return { is: 'refused', code, problem }
}
