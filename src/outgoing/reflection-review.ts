/** What holds for good, looked at again: what somebody decided otherwise since, what nobody used for long. */

import { allFacts, type Fact, type Facts } from '../knowledge/fact.ts'
import { textIndex } from '../knowledge/fact-similar.ts'
import { allPermanent, type PermanentItem, type PermanentKind } from '../knowledge/permanent.ts'
import { compareText } from '../text/memory-words.ts'
import { contradicts, SAME_SUBJECT } from './fact-contradict.ts'
import { type Place, placesOfFact } from './recurring.ts'
import { type Standing, standingPlaces } from './standing-list.ts'

type Item = PermanentItem & { kind: PermanentKind }

/** A later decision or instruction that speaks against a permanent memory. */
export interface Opposed {
  item: Item
  /** d004, t002. */
  by: string
  text: string
  /** Where the later one was said. */
  places: Place[]
  /** The user gave it by command: there is no session where it stands. */
  isByHand: boolean
  /** When the permanent memory itself was said last. */
  since: string
}

const DAY_MS = 86_400_000

/** What was said since the last time, and what it may speak against. */
export interface Since {
  isKnown: (item: Item) => boolean
  isNew: (by: string, at: string) => boolean
}

const EVER: Since = { isKnown: () => true, isNew: () => true }

/**
 * Of those that hold. Whoever said the later one decides what becomes of it. Facts that a later one contradicts are marked when
 * it is added and never begin to hold, so what has just begun to need not be compared.
 */
export function opposedIn(facts: Facts, standing: readonly Standing[], { isKnown, isNew }: Since = EVER): Opposed[] {
  const active = allPermanent(facts.permanent).filter((item) => item.status === 'active' && isKnown(item))
  const said = [...facts.decisions.filter(isLive).map(decided), ...standing.filter(isSaidForGood).map(instructed)]
  const later = said.filter(({ by, at }) => isNew(by, at))
  if (active.length === 0 || later.length === 0) return []
  const times = new Map([
    ...allFacts(facts).map(({ id, at, lastAt }) => [id, lastAt ?? at] as const),
    ...standing.map(({ id, at }) => [id, at] as const),
  ])
  const since = active.map((item) => saidAt(times, item))
  const index = textIndex(active.map(({ text }) => text))
  const found = new Map<number, Opposed>()
  for (const { by, text, at, places, isByHand } of later)
    for (const i of index.near(text, SAME_SUBJECT)) {
      const [item, last = ''] = [active[i] as Item, since[i]]
      if (found.has(i) || item.facts.includes(by) || compareText(at, last) <= 0) continue
      if (contradicts(item.text, text)) found.set(i, { item, by, text, places, isByHand, since: last })
    }
  return [...found.values()]
}

/** The longest unused first. */
export function unusedIn(facts: Facts, now: string, days: number): Item[] {
  const limit = Date.parse(now) - days * DAY_MS
  return allPermanent(facts.permanent)
    .filter(({ status, usedAt, at }) => status === 'active' && Date.parse(usedAt || at) < limit)
    .sort((a, b) => compareText(a.usedAt, b.usedAt) || compareText(a.id, b.id))
}

interface Later {
  by: string
  text: string
  at: string
  places: Place[]
  isByHand: boolean
}

function decided(fact: Fact): Later {
  const { author, session, evidence } = fact
  const isByHand = author === 'user' && session === '' && evidence.by !== 'assistant' && evidence.by !== 'tool'
  return { by: fact.id, text: fact.text, at: fact.lastAt ?? fact.at, places: placesOfFact(fact), isByHand }
}

function instructed(one: Standing): Later {
  const places = standingPlaces(one).map((place) => ({ ...place, quote: '' }))
  return { by: one.id, text: one.text, at: one.at, places, isByHand: false }
}

function isLive({ state }: Fact): boolean {
  return state === 'fresh' || state === 'stale'
}

/** A correction holds for its moment. */
function isSaidForGood({ status, kind }: Standing): boolean {
  return (status === 'candidate' || status === 'accepted') && kind !== 'correction'
}

/** When the words behind it were said last; being told or recalled says nothing anew. */
function saidAt(times: ReadonlyMap<string, string>, item: Item): string {
  const own = [
    ...item.facts.flatMap((id) => times.get(id) ?? []),
    // A person who promotes or accepts something says so, too.
    ...(item.judged?.by === 'user' ? [item.judged.at] : []),
  ]
  return own.length === 0 ? item.at : own.reduce((last, at) => (compareText(last, at) < 0 ? at : last))
}
