/** New facts among the known ones: nothing twice, and what says the same joined. */
import { once } from '../text/once.ts'
import { allFacts, type Fact, type Facts, type FactType, idOf, isTold, type NewFact } from './fact.ts'
import { highestNumber, isLive, LISTS } from './fact-list.ts'
import { isSameFact, similarity, type TextIndex, textIndex } from './fact-similar.ts'

/**
 * What is known already is not added: adding twice is adding once. What says the same joins the fact that is there, and what
 * was rejected stays away unless a person adds it. No evidence is lost: it stands in a fact, or among the places of one.
 */
export function addFacts(facts: Facts, fresh: readonly NewFact[]): Facts {
  const lists = new Map<FactType, List>()
  const listOf = (type: FactType): List => {
    const known = lists.get(type) ?? newList(facts[LISTS[type]])
    lists.set(type, known)
    return known
  }
  let counter = Math.max(facts._meta.counter, highestNumber(allFacts(facts)))
  const nextId = (type: FactType): string => idOf(type, ++counter)
  for (const fact of fresh.toSorted(inOrder)) addFact(listOf(fact.type), fact, nextId)
  const changed = [...lists].filter(([, list]) => list.isChanged)
  if (changed.length === 0) return facts
  const given = changed.map(([type, { all }]) => [LISTS[type], all] as const)
  return { ...facts, _meta: { ...facts._meta, counter }, ...Object.fromEntries(given) }
}

/** Facts of one type while some are added. */
interface List {
  all: Fact[]
  /** By their texts; made when the first fact comes that is not known by its evidence. */
  index: () => TextIndex
  isChanged: boolean
}

function newList(known: readonly Fact[]): List {
  const all = [...known]
  return { all, index: once(() => textIndex(all.map(({ text }) => text))), isChanged: false }
}

/** Places of the facts that were said in a session, or said again there. */
function placesSaidIn({ all }: List, session: string): number[] {
  return all.flatMap((fact, at) => {
    const isSaidThere = fact.session === session || fact.also?.some((place) => place.startsWith(`${session}#`))
    return isSaidThere === true ? [at] : []
  })
}

function put(list: List, at: number, fact: Fact): void {
  const before = list.all[at]
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(fact)) return
  list.index()
  list.all[at] = fact
  if (before?.text !== fact.text) list.index().set(at, fact.text)
  list.isChanged = true
}

function addFact(list: List, fact: NewFact, nextId: (type: FactType) => string): void {
  const at = knownByEvidence(list, fact) ?? placeAmong(list, fact)
  if (at === 'done') return
  if (at !== null) put(list, at, joined(list.all[at] as Fact, fact))
  else {
    const closed = fact.status === 'resolved' ? { closedBy: placeOf(fact) } : {}
    put(list, list.all.length, { id: nextId(fact.type), ...fact, ...closed })
  }
}

/** Which fact it joins; null: it is a new one. */
function placeAmong(list: List, fact: NewFact): number | null {
  const same = list.index().same(fact.text)
  const isIn = (fits: (one: Fact) => boolean): number | undefined => same.find((at) => fits(list.all[at] as Fact))
  const rejected = isIn(({ state }) => state === 'rejected')
  if (rejected !== undefined) return rejected
  return isIn((one) => isLive(one) && isSameIssue(one, fact)) ?? isIn((one) => isSameIssue(one, fact)) ?? null
}

/** Which fact has it, by the words that prove it, or because it joined this one before; `done`: and needs nothing of it. */
function knownByEvidence(list: List, fact: NewFact): number | 'done' | null {
  const { all } = list
  const near = placesSaidIn(list, fact.session)
  const isSaid = (at: number): boolean => isSameFact((all[at] as Fact).text, fact.text)
  // What waits for its audit takes nobody's place: only the same words are the same fact.
  const proven = near.filter(
    (at) => hasSameEvidence(all[at] as Fact, fact) && (isTold(all[at] as Fact) === isTold(fact) || isSaid(at)),
  )
  const hasJoined = (at: number): boolean => {
    const one = all[at] as Fact
    return one.also?.includes(keyOf(fact)) === true && isSaid(at)
  }
  const found = proven.find(isSaid) ?? near.find(hasJoined) ?? proven[0]
  if (found === undefined) return null
  const one = all[found] as Fact
  const isBroughtBack = one.state === 'rejected' && endsRejection(one, fact)
  return isTakenIn(one, fact) && !isBroughtBack ? 'done' : found
}

/** A solved issue that comes up again is open again; one said before it was solved is the solved one. */
function isSameIssue(fact: Fact, other: NewFact): boolean {
  if (fact.type !== 'issue' || fact.status === other.status) return true
  const closed = fact.closedBy
  if (closed === undefined) return other.at <= fact.at
  return !comesBefore({ session: closed.session, at: closed.at, evidence: { entry: closed.entry } }, other)
}

/** A person's own hand; an agent's no also ends when the person says it again. */
function endsRejection({ judged }: Fact, other: NewFact): boolean {
  if (other.author === 'user') return true
  return judged !== undefined && judged.by !== 'user' && other.at > judged.at && saidByPerson(other)
}

/** Said again, a fact holds again: a rejected one only by a person, a superseded one only if said later, by no less. */
function joined(fact: Fact, other: NewFact): Fact {
  if (fact.state === 'rejected')
    return endsRejection(fact, other) ? revived(joinFacts(fact, other)) : withPlace(fact, other)
  const isLater = fact.judged !== undefined && other.at > fact.judged.at
  if (fact.state === 'superseded')
    return isLater && saidByPerson(other) ? revived(joinFacts(fact, other)) : withPlace(fact, other)
  const both = joinFacts(fact, other)
  return fact.state === 'stale' && isLater ? revived(both) : both
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
  if (isLess) return withPlace({ ...fact, concept: fact.concept ?? other.concept }, other)
  const isBetter = RANK[other.author] > RANK[fact.author]
  const [words, rest] = isBetter ? [other, fact] : [fact, other]
  // Said again, it does not rest on wording alone any more.
  const { lastAt: _, legacy: _legacy, unaudited: _unaudited, ...kept } = fact
  const [first, last] = [earliest(fact.at, other.at), latest(fact.lastAt ?? fact.at, other.at)]
  const { session, evidence, author, text } = words
  const mark = other.unaudited ?? fact.unaudited
  const both: Fact = {
    ...kept,
    text,
    author,
    session,
    evidence,
    reason: words.reason ?? rest.reason,
    resolution: fact.status === 'resolved' ? (words.resolution ?? rest.resolution) : fact.resolution,
    files: [...new Set([...words.files, ...rest.files])],
    concept: words.concept ?? rest.concept,
    at: first,
    ...(last === first ? {} : { lastAt: last }),
    ...(isTold(fact) || isTold(other) || mark === undefined ? {} : { unaudited: mark }),
  }
  return placed(both, [...(fact.also ?? []), keyOf(fact), keyOf(other)])
}

/** Said by a person; their own hand needs no proof. */
export function saidByPerson(fact: Pick<NewFact, 'author' | 'evidence'>): boolean {
  return fact.author === 'user' || fact.evidence.by === 'user'
}

/** The fact, found by the other's evidence too. */
function withPlace(fact: Fact, other: NewFact): Fact {
  return placed(fact, [...(fact.also ?? []), keyOf(other)])
}

function placed(fact: Fact, places: readonly string[]): Fact {
  const also = [...new Set(places)].filter((place) => place !== keyOf(fact)).slice(-MAX_ALSO)
  return also.length === 0 ? fact : { ...fact, also }
}

/** Nothing new: these words are taken in, and the fact's own are no worse. */
function isTakenIn(fact: Fact, other: NewFact): boolean {
  return RANK[other.author] <= RANK[fact.author] && (isTold(fact) || !isTold(other))
}

/** Fresh again: nothing that was judged about it counts any more. */
function revived({ judged: _, ...fact }: Fact): Fact {
  return { ...fact, state: 'fresh' }
}

function keyOf({ session, evidence }: NewFact): string {
  return `${session}#${evidence.entry}`
}

function placeOf({ session, evidence, at }: NewFact): NonNullable<Fact['closedBy']> {
  return { session, entry: evidence.entry, at }
}

/** The same words prove both; out of one sentence an author may still take two facts. */
function hasSameEvidence(fact: Fact, other: NewFact): boolean {
  if (fact.session !== other.session || fact.evidence.entry !== other.evidence.entry) return false
  const [a, b] = [bare(fact.evidence.quote), bare(other.evidence.quote)]
  if (a === b && fact.text === other.text) return true
  if (a === '' || b === '' || !(a.includes(b) || b.includes(a))) return false
  return RANK[fact.author] !== RANK[other.author] || similarity(fact.text, other.text) >= ONE_AUTHOR
}

function bare(quote: string): string {
  return quote.replace(/[\s*_`"'“”]+/g, ' ').trim()
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

function earliest(a: string, b: string): string {
  return b !== '' && (a === '' || b < a) ? b : a
}

function latest(a: string, b: string): string {
  return b > a ? b : a
}
