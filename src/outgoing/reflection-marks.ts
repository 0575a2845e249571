/** What reflection has looked at, kept in `facts.json` beside what it looked at: nothing is weighed twice for nothing. */
import { allFacts, type Facts } from '../knowledge/fact.ts'
import { allPermanent } from '../knowledge/permanent.ts'
import { isObject } from '../platform/json.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { compareText } from '../text/memory-words.ts'
import type { Recurring } from './recurring.ts'
import type { Since } from './reflection-review.ts'
import type { Standing } from './standing-list.ts'

/** By the candidate's key; `all`: everything together; `upTo`: what was compared with what holds. */
type Marks = Readonly<Record<string, string>>

export function reflectedIn({ _meta }: Facts): Marks {
  const { reflected } = _meta as { reflected?: unknown }
  if (!isObject(reflected)) return {}
  return Object.fromEntries(
    Object.entries(reflected).filter((one): one is [string, string] => typeof one[1] === 'string'),
  )
}

export function withReflected(facts: Facts, marks: Marks): Facts {
  return { ...facts, _meta: { ...facts._meta, reflected: marks } as Facts['_meta'] }
}

/** Changes when the candidate was said once more, or in other words. */
export function reflectionMark({ text, places, askAfter }: Recurring): string {
  return fingerprint(
    [text, askAfter.sessions, askAfter.prompts, ...places.map(({ session, entry }) => `${session}#${entry}`)].join(
      '\n',
    ),
  )
}

/** Changes with anything that reflection depends on. */
export function markOfAll(facts: Facts, standing: readonly Standing[], promoteAfter: number): string {
  const known = allFacts(facts).map(
    ({ id, state, status, concept, also, lastAt, contradictedBy }) =>
      `${id} ${state} ${status} ${concept} ${also?.length} ${also?.at(-1)} ${lastAt} ${contradictedBy}`,
  )
  const lasting = allPermanent(facts.permanent).map(({ id, status }) => `${id} ${status}`)
  const said = standing.map(({ id, status, times, at, kind }) => `${id} ${status} ${times} ${at} ${kind}`)
  return fingerprint([promoteAfter, ...known, ...lasting, ...said].join('\n'))
}

/** What a complete reflection leaves: up to where it compared what was said with what holds. */
export function comparedMarks(facts: Facts, standing: readonly Standing[]): Marks {
  const times = [...facts.decisions.map(({ at, lastAt }) => lastAt ?? at), ...standing.map(({ at }) => at)]
  const upTo = times.reduce((last, at) => (compareText(last, at) < 0 ? at : last), '')
  return { upTo, upToFact: String(facts._meta.counter) }
}

/** An import brings older facts with new numbers: both must be known. Instructions are few and always looked at. */
export function sinceLast({ upTo = '', upToFact = '0' }: Marks, before: Facts): Since {
  const known = new Set(allPermanent(before.permanent).map(({ id }) => id))
  return {
    isKnown: ({ id }) => known.has(id),
    isNew: (id, at) => !id.startsWith('d') || compareText(at, upTo) > 0 || Number(id.slice(1)) > Number(upToFact),
  }
}
