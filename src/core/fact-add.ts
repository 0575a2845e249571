/** New facts among the known ones: nothing twice, what is nearly the same joined, a solved issue closed. */
import type { Fact, Facts, NewFact } from './fact.ts'
import { closeness, isSameFact } from './fact-similar.ts'

/** How many places a fact remembers: enough for what may be added again, and to see that it recurs. */
const MAX_ALSO = 64
const LISTS = { decision: 'decisions', pattern: 'patterns', issue: 'issues' } as const

/**
 * What is known already is not added: adding twice is adding once. What says nearly the same joins the fact that is there,
 * a solved issue closes the open one it is about, what was rejected stays away.
 */
export function addFacts(facts: Facts, fresh: readonly NewFact[]): Facts {
  const ordered = fresh.toSorted((a, b) => (comesBefore(a, b) ? -1 : comesBefore(b, a) ? 1 : 0))
  return ordered.reduce(addFact, facts)
}

function addFact(facts: Facts, fact: NewFact): Facts {
  const list = facts[LISTS[fact.type]]
  if (list.some((one) => isTakenIn(one, fact))) return facts
  if (list.some((one) => one.state === 'rejected' && isSameFact(one.text, fact.text))) return facts
  const solved = fact.status === 'resolved' ? openIssue(list, fact) : null
  if (solved !== null) return replace(facts, solved, closeIssue(solved, fact))
  const same = list.find((one) => isLive(one) && isSameFact(one.text, fact.text) && isSameIssue(one, fact))
  return same === undefined ? append(facts, fact) : replace(facts, same, joinFacts(same, fact))
}

/** The open issue that is most about what was solved; null: none is. */
function openIssue(issues: readonly Fact[], fact: NewFact): Fact | null {
  let best: Fact | null = null
  let most = 0
  for (const one of issues) {
    if (one.status !== 'open' || !isLive(one) || !comesBefore(one, fact)) continue
    const close = closeness(one.text, fact.text)
    if (close > most) [best, most] = [one, close]
  }
  return best
}

function closeIssue(issue: Fact, by: NewFact): Fact {
  return { ...issue, status: 'resolved', resolution: resolutionOf(by), closedBy: placeOf(by), also: alsoOf(issue, by) }
}

function resolutionOf({ resolution, text }: NewFact): string {
  return resolution ?? text
}

function append(facts: Facts, fact: NewFact): Facts {
  const name = LISTS[fact.type]
  const list = facts[name]
  const highest = list.reduce((most, { id }) => Math.max(most, Number(/\d+$/.exec(id)?.[0] ?? 0)), facts._meta.counter)
  const id = `${fact.type[0]}${String(highest + 1).padStart(3, '0')}`
  const closed = fact.status === 'resolved' ? { closedBy: placeOf(fact) } : {}
  return { ...facts, _meta: { ...facts._meta, counter: highest + 1 }, [name]: [...list, { id, ...fact, ...closed }] }
}

function placeOf({ session, evidence, at }: NewFact): { session: string; entry: number; at: string } {
  return { session, entry: evidence.entry, at }
}

function replace(facts: Facts, before: Fact, after: Fact): Facts {
  const name = LISTS[before.type]
  return { ...facts, [name]: facts[name].map((one) => (one === before ? after : one)) }
}

function joinFacts(fact: Fact, other: NewFact): Fact {
  const files = [...new Set([...fact.files, ...other.files])]
  return { ...fact, reason: fact.reason ?? other.reason, files, also: alsoOf(fact, other) }
}

function alsoOf({ also = [] }: Fact, other: NewFact): string[] {
  return [...also, keyOf(other)].slice(-MAX_ALSO)
}

function keyOf({ session, evidence }: NewFact): string {
  return `${session}#${evidence.entry}`
}

function isLive({ state }: Fact): boolean {
  return state === 'fresh' || state === 'stale'
}

/** By the words that prove it, or because it joined this fact before. */
function isTakenIn(fact: Fact, other: NewFact): boolean {
  const { entry, quote } = other.evidence
  if (fact.session === other.session && fact.evidence.entry === entry && fact.evidence.quote === quote) return true
  if (fact.also?.includes(keyOf(other)) !== true) return false
  return isSameFact(fact.text, other.text) || closeness(fact.text, other.text) > 0
}

/** A solved issue that comes up again is open again; one said before it was solved is the solved one. */
function isSameIssue(fact: Fact, other: NewFact): boolean {
  if (fact.type !== 'issue' || fact.status === other.status) return true
  const closed = fact.closedBy
  if (closed === undefined) return other.at <= fact.at
  return !comesBefore({ session: closed.session, at: closed.at, evidence: { entry: closed.entry } }, other)
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
