/** New facts among the known ones: nothing twice, and what says the same joined. */
import { once } from '../text/once.ts'
import { allFacts, type Fact, type Facts, type FactType, idOf, isTold, type NewFact } from './fact.ts'
import { highestNumber, isLive, isSameFact, LISTS, similarity, textKey } from './fact-list.ts'

/**
 * What is known already is not added: adding twice is adding once. What says the same joins the fact that is there, and what
 * was rejected stays away unless a person adds it. No evidence is lost: it stands in a fact, or among the places of one.
 */
export function addFacts(facts: Facts, fresh: readonly NewFact[]): Facts {
  let counter = Math.max(facts._meta.counter, highestNumber(allFacts(facts)))
  const lists = new Map<FactType, List>()
  for (const fact of fresh.toSorted(inOrder)) {
    const list = lists.get(fact.type) ?? newList(facts[LISTS[fact.type]])
    lists.set(fact.type, list)
    const at = knownByEvidence(list, fact) ?? placeAmong(list, fact)
    const closed = fact.status === 'resolved' ? { closedBy: placeOf(fact) } : {}
    if (at === null) put(list, list.all.length, { id: idOf(fact.type, ++counter), ...fact, ...closed })
    else if (at !== 'done') put(list, at, joined(list.all[at] as Fact, fact))
  }
  const changed = [...lists].filter(([, list]) => list.isChanged)
  if (changed.length === 0) return facts
  const given = changed.map(([type, { all }]) => [LISTS[type], all] as const)
  return { ...facts, _meta: { ...facts._meta, counter }, ...Object.fromEntries(given) }
}

/** Facts of one type while some are added. */
interface List {
  all: Fact[]
  /** Places by the words that the facts have, or had; made when the first fact comes that is not known by its evidence. */
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

/** Which fact it joins; null: it is a new one. */
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

/** Which fact has it, by the words that prove it, or because it joined this one before; `done`: and needs nothing of it. */
function knownByEvidence({ all }: List, fact: NewFact): number | 'done' | null {
  const isNear = (one: Fact): boolean =>
    one.session === fact.session || one.also?.some((place) => place.startsWith(`${fact.session}#`)) === true
  const near = all.flatMap((one, at) => (isNear(one) ? [{ one, at, isSaid: isSameFact(one.text, fact.text) }] : []))
  // What waits for its audit takes nobody's place: only the same words are the same fact.
  const proven = near.filter(
    ({ one, isSaid }) => hasSameEvidence(one, fact) && (isTold(one) === isTold(fact) || isSaid),
  )
  const hasJoined = ({ one, isSaid }: (typeof near)[number]): boolean =>
    isSaid && one.also?.includes(keyOf(fact)) === true
  const found = proven.find(({ isSaid }) => isSaid) ?? near.find(hasJoined) ?? proven[0]
  if (found === undefined) return null
  // Nothing new: these words are taken in, and the fact's own are no worse.
  const { one, at } = found
  const isTakenIn = RANK[fact.author] <= RANK[one.author] && (isTold(one) || !isTold(fact))
  return isTakenIn && !(one.state === 'rejected' && endsRejection(one, fact)) ? 'done' : at
}

/** A solved issue that comes up again is open again; one said before it was solved is the solved one. */
function isSameIssue({ type, status, at, closedBy }: Fact, other: NewFact): boolean {
  if (type !== 'issue' || status === other.status) return true
  if (closedBy === undefined) return other.at <= at
  return !comesBefore({ ...closedBy, evidence: { entry: closedBy.entry } }, other)
}

/** A person's own hand; an agent's no also ends when the person says it again. */
function endsRejection({ judged }: Fact, other: NewFact): boolean {
  if (other.author === 'user') return true
  return judged !== undefined && judged.by !== 'user' && other.at > judged.at && saidByPerson(other)
}

/** Said again, a fact holds again: a rejected one only by a person, a superseded one only if said later, by no less. */
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

/** How many places a fact remembers: enough for what may be added again, and to see that it recurs. */
const MAX_ALSO = 64
/** Two facts of one author out of the same words are two, unless they are at least so much alike. */
const ONE_AUTHOR = 0.5
const RANK = { user: 2, agent: 1, headless: 1, extractive: 0 } as const

/**
 * The better author's words win; the id and the first date stay. What the user did not say changes nothing of a fact that the
 * user said: it only counts as another place, and may name the concept.
 */
function joinFacts(fact: Fact, other: NewFact): Fact {
  const isLess = (saidByPerson(fact) && !saidByPerson(other)) || (isTold(fact) && !isTold(other))
  if (isLess) return placed({ ...fact, concept: fact.concept ?? other.concept }, [keyOf(other)])
  const [words, rest] = RANK[other.author] > RANK[fact.author] ? [other, fact] : [fact, other]
  // Said again, it does not rest on wording alone any more.
  const { lastAt = fact.at, legacy: _, unaudited, ...kept } = fact
  const first = other.at !== '' && (fact.at === '' || other.at < fact.at) ? other.at : fact.at
  const last = other.at > lastAt ? other.at : lastAt
  const mark = other.unaudited ?? unaudited
  const { text, author, session, evidence } = words
  const both: Fact = {
    ...{ ...kept, text, author, session, evidence, at: first },
    reason: words.reason ?? rest.reason,
    resolution: fact.status === 'resolved' ? (words.resolution ?? rest.resolution) : fact.resolution,
    files: [...new Set([...words.files, ...rest.files])],
    concept: words.concept ?? rest.concept,
    ...(last === first ? {} : { lastAt: last }),
    ...(isTold(fact) || isTold(other) || mark === undefined ? {} : { unaudited: mark }),
  }
  return placed(both, [keyOf(fact), keyOf(other)])
}

/** Said by a person; their own hand needs no proof. */
export function saidByPerson(fact: Pick<NewFact, 'author' | 'evidence'>): boolean {
  return fact.author === 'user' || fact.evidence.by === 'user'
}

/** The fact, found at these places too. */
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

/** The same words prove both; out of one sentence an author may still take two facts. */
function hasSameEvidence(fact: Fact, other: NewFact): boolean {
  if (keyOf(fact) !== keyOf(other)) return false
  const [a, b] = [fact, other].map(({ evidence }) => evidence.quote.replace(/[\s*_`"'“”]+/g, ' ').trim()) as [
    string,
    string,
  ]
  if (a === b && fact.text === other.text) return true
  if (a === '' || b === '' || !(a.includes(b) || b.includes(a))) return false
  return RANK[fact.author] !== RANK[other.author] || similarity(fact.text, other.text) >= ONE_AUTHOR
}

interface Place {
  session: string
  at: string
  evidence: { entry: number }
}

/** By position within a session; between sessions there is only the time. */
function comesBefore(a: Place, b: Place): boolean {
  return a.session === b.session ? a.evidence.entry < b.evidence.entry : a.at < b.at
}
