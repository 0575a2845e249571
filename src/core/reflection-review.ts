/** What holds for good, looked at again: what the user decided otherwise since, what nobody used for long, what waits for a yes. */
import { isOvertaken } from './digest-overtaken.ts'
import type { Fact, Facts } from './fact.ts'
import { shareOfWords, wordsOf } from './fact-similar.ts'
import { compareText } from './memory-words.ts'
import { allPermanent, type PermanentItem, type PermanentKind } from './permanent.ts'
import type { Place } from './reflection.ts'
import type { Standing } from './standing-list.ts'

type Item = PermanentItem & { kind: PermanentKind }

/** A later decision or instruction that speaks against a permanent memory. */
export interface Opposed {
  item: Item
  /** d004, t002. */
  by: string
  text: string
  place: Place
}

/** Fewer words in common: they are about different things. */
const ABOUT_SAME = 0.2
const DAY_MS = 86_400_000

/** Of those that hold. Whoever said the later one decides what becomes of it. */
export function opposedIn(facts: Facts, standing: readonly Standing[]): Opposed[] {
  const active = activeIn(facts)
  if (active.length === 0) return []
  const later = [...facts.decisions.filter(isLive).map(decided), ...standing.filter(isSaidForGood).map(instructed)]
  const wordsIn = new Map(later.map((one) => [one, wordsOf(one.text)]))
  return active.flatMap((item) => {
    const since = saidAt(facts, standing, item)
    const words = wordsOf(item.text)
    const against = later.find(
      (one) =>
        compareText(one.at, since) > 0 &&
        !item.facts.includes(one.by) &&
        shareOfWords(words, wordsIn.get(one) ?? new Set()) >= ABOUT_SAME &&
        isOvertaken(item.text, one.text),
    )
    return against === undefined ? [] : [{ item, by: against.by, text: against.text, place: against.place }]
  })
}

/** The longest unused first. */
export function unusedIn(facts: Facts, now: string, days: number): Item[] {
  const limit = Date.parse(now) - days * DAY_MS
  return activeIn(facts)
    .filter(({ usedAt, at }) => Date.parse(usedAt || at) < limit)
    .sort((a, b) => compareText(a.usedAt, b.usedAt) || compareText(a.id, b.id))
}

/** What waits for the user's yes: never asked first, what most sessions say before the rest. */
export function proposedIn(facts: Facts): Item[] {
  const sessions = ({ evidence }: Item): number => new Set(evidence.map(({ session }) => session)).size
  return allPermanent(facts.permanent)
    .filter(({ status }) => status === 'proposed')
    .sort(
      (a, b) =>
        Number(a.askedAt !== undefined) - Number(b.askedAt !== undefined) ||
        sessions(b) - sessions(a) ||
        compareText(a.id, b.id),
    )
}

/** Proposed by code, and no model has looked at it. */
export function unjudgedIn(facts: Facts): Item[] {
  return proposedIn(facts).filter(({ by, judged, askedAt }) => by === 'code' && !judged && askedAt === undefined)
}

function activeIn({ permanent }: Facts): Item[] {
  return allPermanent(permanent).filter(({ status }) => status === 'active')
}

interface Later {
  by: string
  text: string
  at: string
  place: Place
}

function decided({ id, text, at, lastAt, session, evidence }: Fact): Later {
  return { by: id, text, at: lastAt ?? at, place: { session, entry: evidence.entry, quote: evidence.quote } }
}

function instructed({ id, text, at, session, entry }: Standing): Later {
  return { by: id, text, at, place: { session, entry, quote: '' } }
}

function isLive({ state }: Fact): boolean {
  return state === 'fresh' || state === 'stale'
}

/** A correction holds for its moment. */
function isSaidForGood({ status, kind }: Standing): boolean {
  return (status === 'candidate' || status === 'accepted') && kind !== 'correction'
}

/** When the words behind it were said last; being told or recalled says nothing anew. */
function saidAt(facts: Facts, standing: readonly Standing[], item: Item): string {
  const own = new Set(item.facts)
  const times = [
    ...[...facts.decisions, ...facts.patterns, ...facts.issues].flatMap(({ id, at, lastAt }) =>
      own.has(id) ? [lastAt ?? at] : [],
    ),
    ...standing.flatMap(({ id, at }) => (own.has(id) ? [at] : [])),
    // A person who promotes or accepts something says so, too.
    ...(item.judged?.by === 'user' ? [item.judged.at] : []),
  ]
  return times.length === 0 ? item.at : times.reduce((last, at) => (compareText(last, at) < 0 ? at : last))
}
