/** Adds new facts to the known ones: repetitions are skipped, and facts that say the same are merged. */

import { once } from '../../kernel/text/once.ts'
import { FACT_KINDS, type Fact, type FactKind, type Item, isLive, isTold, type NewFact, saidByPerson } from './item.ts'
import { allFacts, highestNumber, type Items, idWith, isSameFact, similarity, textKey } from './items.ts'

/**
 * A known fact is not added: adding twice equals adding once. A fact that says the same as another is merged into it, and a
 * rejected fact stays out unless a person adds it. No evidence is lost: it is in a fact, or among a fact's places.
 */
export function addFacts(facts: Items, fresh: readonly NewFact[]): Items {
  let counter = Math.max(facts._meta.counter, highestNumber(allFacts(facts)))
  const lists = new Map<FactKind, List>()
  for (const fact of fresh.toSorted(inOrder)) {
    const list = lists.get(fact.kind) ?? newList(allFacts(facts).filter(({ kind }) => kind === fact.kind))
    lists.set(fact.kind, list)
    const at = knownByEvidence(list, fact) ?? placeAmong(list, fact)
    const closed = fact.status === 'resolved' ? { closedBy: placeOf(fact) } : {}
    if (at === null)
      put(list, list.all.length, { id: idWith(FACT_KINDS[fact.kind].letter, ++counter), ...fact, ...closed })
    else if (at !== 'done') put(list, at, joined(list.all[at] as Fact, fact))
  }
  const changed = [...lists].filter(([, { isChanged }]) => isChanged)
  if (changed.length === 0) return facts
  const kinds = new Map<Item['kind'], List>(changed)
  const others = facts.list.filter(({ kind }) => !kinds.has(kind))
  const list = [...others, ...changed.flatMap(([, { all }]) => all)]
  return { ...facts, _meta: { ...facts._meta, counter }, list }
}

/** The facts of one type while others are added. */
interface List {
  all: Fact[]
  /** Positions by text, current and former; built when the first fact comes that is not known by its evidence. */
  byText: () => Map<string, Set<number>>
  isChanged: boolean
}

function newList(known: readonly Fact[]): List {
  const all = [...known]
  const byText = once(() => {
    const places = new Map<string, Set<number>>()
    for (const [at, { text }] of all.entries()) note(places, text, at)
    return places
  })
  return { all, byText, isChanged: false }
}

function note(places: Map<string, Set<number>>, text: string, at: number): void {
  const key = textKey(text)
  places.set(key, (places.get(key) ?? new Set()).add(at))
}

function put(list: List, at: number, fact: Fact): void {
  if (JSON.stringify(list.all[at]) === JSON.stringify(fact)) return
  note(list.byText(), fact.text, at)
  list.all[at] = fact
  list.isChanged = true
}

/** The fact that it is merged into; null: it is new. */
function placeAmong({ all, byText }: List, fact: NewFact): number | null {
  const same = [...(byText().get(textKey(fact.text)) ?? [])].sort((a, b) => a - b)
  const isIn = (fits: (one: Fact) => boolean): number | undefined =>
    same.find((at) => isSameFact((all[at] as Fact).text, fact.text) && fits(all[at] as Fact))
  return (
    isIn(({ state }) => state === 'rejected') ??
    isIn((one) => isLive(one) && isSameIssue(one, fact)) ??
    isIn((one) => isSameIssue(one, fact)) ??
    null
  )
}

/** The fact with the same evidence, or the one it was merged into before. `done`: nothing needs to change. */
function knownByEvidence({ all }: List, fact: NewFact): number | 'done' | null {
  const isNear = (one: Fact): boolean =>
    one.session === fact.session || one.also?.some((place) => place.startsWith(`${fact.session}#`)) === true
  const near = all.flatMap((one, at) => (isNear(one) ? [{ one, at, isSaid: isSameFact(one.text, fact.text) }] : []))
  // An unaudited fact replaces no other, and no other drops it: of two that say nearly the same an audit may refuse one.
  const proven = near.filter(
    ({ one, isSaid }) => hasSameEvidence(one, fact) && ((isTold(one) && isTold(fact)) || isSaid),
  )
  const hasJoined = ({ one, isSaid }: (typeof near)[number]): boolean =>
    isSaid && one.also?.includes(keyOf(fact)) === true
  const found = proven.find(({ isSaid }) => isSaid) ?? near.find(hasJoined) ?? proven[0]
  if (found === undefined) return null
  // Nothing new: the place is recorded, and the fact's own words are no worse.
  const { one, at } = found
  const isTakenIn = RANK[fact.by] <= RANK[one.by] && (isTold(one) || !isTold(fact))
  return isTakenIn && !(one.state === 'rejected' && endsRejection(one, fact)) ? 'done' : at
}

/** A solved issue that comes up again is open again; a mention before its solution belongs to the solved issue. */
function isSameIssue({ kind, status, at, closedBy }: Fact, other: NewFact): boolean {
  if (kind !== 'issue' || status === other.status) return true
  if (closedBy === undefined) return other.at <= at
  return !comesBefore({ ...closedBy, evidence: { entry: closedBy.entry } }, other)
}

/** A person's own addition ends a rejection; a rejection by an agent also ends when the person says it again. */
function endsRejection({ judged }: Fact, other: NewFact): boolean {
  if (other.by === 'user') return true
  return judged !== undefined && judged.by !== 'user' && other.at > judged.at && saidByPerson(other)
}

/** A repeated fact becomes current again: a rejected one only by a person, a superseded one only if said later and by a person. */
function joined(fact: Fact, other: NewFact): Fact {
  const { state, judged } = fact
  const isLater = judged !== undefined && other.at > judged.at
  const isBack = {
    fresh: false,
    stale: isLater,
    superseded: isLater && saidByPerson(other),
    rejected: state === 'rejected' && endsRejection(fact, other),
  }[state]
  if (!isLive(fact) && !isBack) return placed(fact, [keyOf(other)])
  const both = joinFacts(fact, other)
  if (!isBack) return both
  const { judged: _, ...revived } = both
  return { ...revived, state: 'fresh' }
}

function inOrder(a: NewFact, b: NewFact): number {
  return comesBefore(a, b) ? -1 : comesBefore(b, a) ? 1 : 0
}

/** The maximum number of places per fact: enough to recognise repetitions and recurrence. */
const MAX_ALSO = 64
/** Two facts of one author from the same words are different, unless they have at least this similarity. */
const ONE_AUTHOR = 0.5
const RANK = { user: 2, agent: 1, headless: 1, extractive: 0 } as const

/**
 * The better author's words are used; the id and the first date stay. A statement that is not the user's does not change a
 * fact of the user: it only adds a place, and may add the concept.
 */
function joinFacts(fact: Fact, other: NewFact): Fact {
  const isLess = (saidByPerson(fact) && !saidByPerson(other)) || (isTold(fact) && !isTold(other))
  if (isLess) return placed({ ...fact, concept: fact.concept ?? other.concept }, [keyOf(other)])
  // No audit has confirmed what a model added: its reason must not be told with the other's words.
  const isConfirmed = fact.unaudited !== undefined && !isTold(fact) && isTold(other)
  const [words, rest] = isConfirmed ? [other, other] : RANK[other.by] > RANK[fact.by] ? [other, fact] : [fact, other]
  // Said again, it no longer rests on wording alone.
  const { lastAt = fact.at, legacy: _, unaudited, replaces, ...kept } = fact
  const first = other.at !== '' && (fact.at === '' || other.at < fact.at) ? other.at : fact.at
  const last = [other.at, lastAt].sort().at(-1) ?? lastAt
  const mark = other.unaudited ?? unaudited
  const { text, by, session, evidence } = words
  const both: Fact = {
    ...kept,
    text,
    by,
    session,
    evidence,
    at: first,
    reason: words.reason ?? rest.reason,
    resolution: fact.status === 'resolved' ? (words.resolution ?? rest.resolution) : fact.resolution,
    files: [...new Set([...words.files, ...fact.files, ...other.files])],
    concept: words.concept ?? rest.concept,
    ...(last === first ? {} : { lastAt: last }),
    ...(isConfirmed || replaces === undefined ? {} : { replaces }),
    ...(isTold(fact) || isTold(other) || mark === undefined ? {} : { unaudited: mark }),
  }
  return placed(both, [keyOf(fact), keyOf(other)])
}

/** The fact with these additional places. */
function placed(fact: Fact, places: readonly string[]): Fact {
  const all = new Set([...(fact.also ?? []), ...places])
  const also = [...all].filter((place) => place !== keyOf(fact)).slice(-MAX_ALSO)
  return also.length === 0 ? fact : { ...fact, also }
}

function keyOf({ session, evidence }: NewFact): string {
  return `${session}#${evidence.entry}`
}

function placeOf({ session, evidence, at }: NewFact): NonNullable<Fact['closedBy']> {
  return { session, entry: evidence.entry, at }
}

/** The same words prove both; but one author may derive two facts from one sentence. */
function hasSameEvidence(fact: Fact, other: NewFact): boolean {
  if (keyOf(fact) !== keyOf(other)) return false
  const [a, b] = [fact, other].map(({ evidence }) => evidence.quote.replace(/[\s*_`"'“”]+/g, ' ').trim()) as [
    string,
    string,
  ]
  if (a === b && fact.text === other.text) return true
  if (a === '' || b === '' || !(a.includes(b) || b.includes(a))) return false
  return RANK[fact.by] !== RANK[other.by] || similarity(fact.text, other.text) >= ONE_AUTHOR
}

interface Place {
  session: string
  at: string
  evidence: { entry: number }
}

/** By position within a session; between sessions by time. */
function comesBefore(a: Place, b: Place): boolean {
  return a.session === b.session ? a.evidence.entry < b.evidence.entry : a.at < b.at
}
