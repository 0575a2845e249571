/** New facts among the known ones: nothing twice, what is the same joined, a solved issue closed, what is overruled marked. */

import { contradicts, SAME_SUBJECT } from '../outgoing/fact-contradict.ts'
import { maySolve, overrules, saidByPerson, saidIn } from '../outgoing/fact-overrule.ts'
import { allFacts, type Fact, type Facts, type FactType, type NewFact } from './fact.ts'
import {
  comesBefore,
  hasSameEvidence,
  isLiveFact,
  isTakenIn,
  joinFacts,
  keyOf,
  lastSaid,
  placeOf,
  revived,
  withPlace,
} from './fact-join.ts'
import { highestNumber, withoutSettled } from './fact-list.ts'
import { closeness, isSameFact, type TextIndex, textIndex } from './fact-similar.ts'

const LISTS = { decision: 'decisions', pattern: 'patterns', issue: 'issues' } as const

/**
 * What is known already is not added: adding twice is adding once. What says the same joins the fact that is there, a
 * solved issue closes the open one it is about, what was rejected stays away unless a person adds it, and of two decisions
 * against each other the later one holds. No evidence is lost: it stands in a fact, or among the places of one.
 */
export function addFacts(facts: Facts, fresh: readonly NewFact[]): Facts {
  const lists = new Map<FactType, List>()
  const listOf = (type: FactType): List => {
    const known = lists.get(type) ?? newList(facts[LISTS[type]])
    lists.set(type, known)
    return known
  }
  let counter = Math.max(facts._meta.counter, highestNumber(allFacts(facts)))
  const nextId = (type: FactType): string => `${type[0]}${String(++counter).padStart(3, '0')}`
  for (const fact of fresh.toSorted(inOrder)) addFact(listOf(fact.type), fact, nextId)
  const changed = [...lists].filter(([, list]) => list.isChanged)
  if (changed.length === 0) return facts
  const given = changed.map(([type, { all }]) => [LISTS[type], all] as const)
  return withoutSettled({ ...facts, _meta: { ...facts._meta, counter }, ...Object.fromEntries(given) })
}

/** Facts of one type while some are added. */
interface List {
  all: Fact[]
  /** By their texts; made when the first fact comes that is not known by its evidence. */
  index: () => TextIndex
  /** As far as asked for. */
  ofSession: Map<string, number[]>
  isChanged: boolean
}

function newList(known: readonly Fact[]): List {
  const all = [...known]
  let index: TextIndex | null = null
  const ofSession = new Map<string, number[]>()
  return { all, index: () => (index ??= textIndex(all.map(({ text }) => text))), ofSession, isChanged: false }
}

/** Places of the facts that were said in a session, or said again there. */
function placesSaidIn({ all, ofSession }: List, session: string): readonly number[] {
  const known = ofSession.get(session)
  if (known !== undefined) return known
  const places: number[] = []
  all.forEach((fact, at) => {
    if (isSaidIn(fact, session)) places.push(at)
  })
  ofSession.set(session, places)
  return places
}

function isSaidIn(fact: Fact, session: string): boolean {
  return fact.session === session || fact.also?.some((place) => place.startsWith(`${session}#`)) === true
}

function put(list: List, at: number, fact: Fact): void {
  const before = list.all[at]
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(fact)) return
  list.index()
  list.all[at] = fact
  if (before?.text !== fact.text) list.index().set(at, fact.text)
  for (const [session, places] of list.ofSession) if (isSaidIn(fact, session) && !places.includes(at)) places.push(at)
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
  if (fact.type === 'decision') weigh(list, at ?? list.all.length - 1, fact)
}

/** Which fact it joins; null: it is a new one; `done`: it has closed one. */
function placeAmong(list: List, fact: NewFact): number | 'done' | null {
  const same = list.index().same(fact.text)
  const isIn = (fits: (one: Fact) => boolean): number | undefined => same.find((at) => fits(list.all[at] as Fact))
  const rejected = isIn(({ state }) => state === 'rejected')
  if (rejected !== undefined) return rejected
  const solved = fact.status === 'resolved' ? openIssue(list.all, fact) : null
  if (solved !== null) {
    const issue = list.all[solved] as Fact
    const resolution = fact.resolution ?? fact.text
    const files = [...new Set([...issue.files, ...fact.files])]
    put(list, solved, { ...withPlace(issue, fact), status: 'resolved', resolution, files, closedBy: placeOf(fact) })
    return 'done'
  }
  return isIn((one) => isLiveFact(one) && isSameIssue(one, fact)) ?? isIn((one) => isSameIssue(one, fact)) ?? null
}

/** Which fact has it, by the words that prove it, or because it joined this one before; `done`: and needs nothing of it. */
function knownByEvidence(list: List, fact: NewFact): number | 'done' | null {
  const { all } = list
  const near = placesSaidIn(list, fact.session)
  const proven = near.filter((at) => hasSameEvidence(all[at] as Fact, fact))
  const isSaid = (at: number): boolean => isSameFact((all[at] as Fact).text, fact.text)
  const hasJoined = (at: number): boolean => {
    const one = all[at] as Fact
    return one.also?.includes(keyOf(fact)) === true && (isSaid(at) || closeness(one.text, fact.text) > 0)
  }
  const found = proven.find(isSaid) ?? near.find(hasJoined) ?? proven[0]
  if (found === undefined) return null
  const one = all[found] as Fact
  const isBroughtBack = one.state === 'rejected' && endsRejection(one, fact)
  return isTakenIn(one, fact) && !isBroughtBack ? 'done' : found
}

/** The open issue that is most about what was solved; null: none is. */
function openIssue(issues: readonly Fact[], fact: NewFact): number | null {
  let best: number | null = null
  let most = 0
  issues.forEach((one, at) => {
    if (one.status !== 'open' || !isLiveFact(one) || !comesBefore(one, fact) || !maySolve(one, fact)) return
    const close = closeness(one.text, fact.text)
    if (close > most) [best, most] = [at, close]
  })
  return best
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

/** The decision at `at` has just been said (again) as `said`: of two against each other the one said last holds. */
function weigh(list: List, at: number, said: NewFact): void {
  if (saidByPerson(said)) holdAgain(list, at, said)
  const fact = list.all[at] as Fact
  if (!isLiveFact(fact)) return
  for (const near of list.index().near(fact.text, SAME_SUBJECT)) {
    const other = list.all[near] as Fact
    if (near === at || !isLiveFact(list.all[at] as Fact) || !isLiveFact(other) || !mayMeet(fact, other)) continue
    const isLast = lastSaid(other) < said.at || (lastSaid(other) === said.at && comesBefore(other, said))
    const [earlier, later] = isLast ? [near, at] : [at, near]
    overrule(list, earlier, later, isLast ? said : other)
  }
}

/** Said once more by a person, it is no longer in doubt because of something that was said before. */
function holdAgain(list: List, at: number, said: NewFact): void {
  const { contradictedBy, ...rest } = list.all[at] as Fact
  const other = contradictedBy === undefined ? -1 : list.all.findIndex(({ id }) => id === contradictedBy)
  if (contradictedBy === undefined || (other >= 0 && lastSaid(list.all[other] as Fact) >= said.at)) return
  put(list, at, rest)
  if (other >= 0) put(list, other, { ...(list.all[other] as Fact), contradictedBy: rest.id })
}

/** Two concepts are two subjects. */
function mayMeet(a: Fact, b: Fact): boolean {
  return a.concept === null || b.concept === null || a.concept === b.concept
}

/**
 * A decision that the user wrote by hand replaces the earlier one. One that was only said casts doubt on the earlier one, and
 * one that the user did not say casts none on the user's: it is itself in doubt.
 */
function overrule(list: List, earlier: number, later: number, said: NewFact): void {
  const [fact, by] = [list.all[earlier] as Fact, list.all[later] as Fact]
  if (!contradicts(fact.text, by.text)) return
  const mayDoubt = (one: Fact): boolean => saidByPerson(said) || !saidByPerson(one)
  if (said.author !== 'user' || !overrules(fact.text, saidIn(said))) {
    if (mayDoubt(fact)) doubt(list, earlier, later)
    else if (mayDoubt(by)) doubt(list, later, earlier)
    return
  }
  trust(list, later, fact.id)
  const { contradictedBy: _, ...overruled } = fact
  const judged = { by: 'code', at: lastSaid(by), why: 'a later decision says otherwise', other: by.id } as const
  put(list, earlier, { ...overruled, state: 'superseded', judged })
}

function doubt(list: List, doubted: number, other: number): void {
  const [fact, { id }] = [list.all[doubted] as Fact, list.all[other] as Fact]
  trust(list, other, fact.id)
  put(list, doubted, { ...fact, contradictedBy: id })
}

/** It is not in doubt because of this other one. */
function trust(list: List, at: number, other: string): void {
  const { contradictedBy, ...rest } = list.all[at] as Fact
  if (contradictedBy === other) put(list, at, rest)
}

function inOrder(a: NewFact, b: NewFact): number {
  return comesBefore(a, b) ? -1 : comesBefore(b, a) ? 1 : 0
}
