/** The user's own verdicts on permanent memory: a yes, a no, something made to hold, something taken back. */
import { KeeperError } from '../core/error.ts'
import type { Fact, Facts } from '../core/fact.ts'
import { findFact, isLive } from '../core/fact-list.ts'
import type { Judged } from '../core/judged.ts'
import type { PermanentItem, PermanentKind, PermanentStatus, Proof } from '../core/permanent.ts'
import { nextPermanentId } from '../core/permanent.ts'
import { addPermanent, changePermanent, findPermanent, judgePermanent, useAgain } from '../core/permanent-change.ts'
import { type Candidate, candidateOf } from '../core/recurring.ts'
import { knownAs } from '../core/reflection.ts'
import { judgeStanding, placesOf } from '../core/standing-list.ts'
import { readFacts, writeFacts } from './knowledge.ts'
import { readStanding, writeStanding } from './standing.ts'
import type { Store } from './store.ts'

type Item = PermanentItem & { kind: PermanentKind }

/** What a user wants to hold: a fact (d001), an instruction (t001), or a proposal (r001). */
export interface Promotion {
  id: string
  kind?: PermanentKind
  text?: string
}

/** What it would be, and the writing itself: call `write` under the lock. */
export interface Planned {
  item: Item
  /** What it was before; null: it is new. */
  was: PermanentStatus | null
  write: () => void
}

export function findItem(store: Store, given: string): Item {
  const item = findPermanent(readFacts(store), given.trim().toLowerCase())
  if (item !== null) return item
  throw new KeeperError(
    'not-found',
    `There is no permanent memory ${given.trim()}. memory-keeper reflect lists them all.`,
  )
}

/** A yes, a no, or taken back. */
export function planVerdict(
  store: Store,
  id: string,
  status: PermanentStatus,
  why: string | null,
  now: string,
): Planned {
  const facts = readFacts(store)
  return planned(store, facts, judgePermanent(facts, findItem(store, id).id, status, byUser(now, why)), id, now)
}

/** The user's command is their yes: it holds from now on, or still does. */
export function planPromotion(store: Store, { id: given, kind, text }: Promotion, now: string): Planned {
  const facts = readFacts(store)
  const id = given.trim().toLowerCase()
  const to = { ...(kind === undefined ? {} : { kind }), ...(text === undefined ? {} : { text }) }
  const known = findPermanent(facts, id)
  if (known !== null) return planned(store, facts, saidYes(facts, known, to, now), id, now)
  const { candidate, proofs } = sourceOf(store, facts, id, text)
  const same = knownAs(facts.permanent, candidate)
  if (same !== null) {
    const again = changePermanent(facts, same.id, useAgain(same, now, proofs, candidate.facts))
    return accepting(store, id, planned(store, facts, saidYes(again, same, to, now), same.id, now))
  }
  const added = addPermanent(facts, kind ?? candidate.kind, {
    text: text ?? candidate.text,
    at: now,
    status: 'active',
    by: 'user',
    facts: candidate.facts,
    evidence: proofs,
    concept: candidate.concept,
    usedAt: now,
    judged: byUser(now, null),
  })
  return accepting(store, id, planned(store, facts, added, nextPermanentId(facts.permanent), now))
}

/** Said to hold, it counts as used. */
function saidYes(facts: Facts, { id }: PermanentItem, to: Pick<Promotion, 'kind' | 'text'>, now: string): Facts {
  return changePermanent(judgePermanent(facts, id, 'active', byUser(now, null), to), id, { usedAt: now })
}

function planned(store: Store, before: Facts, after: Facts, id: string, now: string): Planned {
  const item = findPermanent(after, id.trim().toLowerCase())
  if (item === null) throw new KeeperError('not-found', `There is no permanent memory ${id}.`)
  const was = findPermanent(before, item.id)?.status ?? null
  return { item, was, write: () => writeFacts(store, before, after, now) }
}

/** An instruction that is made to hold waits for no verdict any more. */
function accepting(store: Store, id: string, plan: Planned): Planned {
  const write = (): void => {
    plan.write()
    const list = judgeStanding(readStanding(store), id, 'accepted')
    if (list !== null) writeStanding(store, list)
  }
  return { ...plan, write }
}

interface Source {
  candidate: Candidate
  proofs: Proof[]
}

function sourceOf(store: Store, facts: Facts, id: string, text: string | undefined): Source {
  const fact = findFact(facts, id)
  if (fact !== null) {
    const candidate = fact.type === 'issue' ? solutionIn(fact, text) : candidateOf([held(fact)])
    return { candidate, proofs: candidate.places.slice(0, 1) }
  }
  const one = readStanding(store).standing.find((standing) => standing.id === id)
  if (one === undefined)
    throw new KeeperError(
      'not-found',
      `There is no fact, instruction or candidate ${id}. memory-keeper facts list and memory-keeper rules candidates list them.`,
    )
  const proofs = placesOf(one)
    .slice(0, 1)
    .map((place) => ({ ...place, quote: one.text }))
  const candidate = {
    key: id,
    kind: 'rules' as const,
    text: one.text,
    facts: [id],
    places: proofs,
    askAfter: { sessions: 1, prompts: 1 },
    concept: null,
    lastAt: one.at,
  }
  return { candidate, proofs }
}

function held(fact: Fact): Fact {
  if (isLive(fact)) return fact
  throw new KeeperError(
    'not-live',
    `${fact.id} is ${fact.state}. To bring it back first: memory-keeper facts restore ${fact.id}`,
  )
}

/** The problem and what solved it; a problem alone helps nobody. */
function solutionIn(issue: Fact, given: string | undefined): Candidate {
  const { id, text, status, resolution } = held(issue)
  if (status === 'open' || (resolution === null && given === undefined))
    throw new KeeperError(
      'no-solution',
      `${id} is ${status === 'open' ? 'open' : 'resolved, but nobody said how'}. Say what solves it first: memory-keeper facts resolve ${id} "how"`,
    )
  const solution = resolution === null || resolution === text ? text : `${text.replace(/[.!。]+$/, '')}: ${resolution}`
  return { ...candidateOf([issue]), kind: 'solutions', text: solution }
}

function byUser(at: string, why: string | null): Judged {
  return { by: 'user', at, why, other: null }
}
