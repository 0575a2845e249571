/** The user's own verdicts on permanent memory: a yes, a no, something made to hold, something taken back. */

import { candidateOf, type Recurring } from '../../outgoing/recurring.ts'
import { judgeStanding, standingPlaces } from '../../outgoing/standing-list.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { KeeperError } from '../../platform/error.ts'
import { shown } from '../../text/shown.ts'
import type { Fact, Facts } from '../fact.ts'
import { findFact, isLive } from '../fact-list.ts'
import type { Judged } from '../judged.ts'
import {
  nextPermanentId,
  type PermanentItem,
  type PermanentKind,
  type PermanentStatus,
  type Proof,
} from '../permanent.ts'
import { addPermanent, changePermanent, findPermanent, judgePermanent, useAgain } from '../permanent-change.ts'
import { knownAs } from '../reflection.ts'

type Item = PermanentItem & { kind: PermanentKind }

/** What a user wants to hold: a fact (d001), an instruction (t001), or a proposal (r001). */
export interface Promotion {
  id: string
  kind?: PermanentKind
  text?: string
}

/** What became of it. */
export interface PermanentVerdict {
  item: Item
  /** What it was before; null: it is new. */
  was: PermanentStatus | null
  memory: HandMemory
}

export function findItem({ facts }: Pick<HandMemory, 'facts'>, given: string): Item {
  const item = findPermanent(facts, given.trim().toLowerCase())
  if (item !== null) return item
  throw new KeeperError(
    'not-found',
    `There is no permanent memory ${shown(given.trim())}. memory-keeper reflect lists them all.`,
  )
}

/** A yes, a no, or taken back. */
export function judgeItem(
  memory: HandMemory,
  given: string,
  status: PermanentStatus,
  why: string | null,
  now: string,
): PermanentVerdict {
  const { id } = findItem(memory, given)
  return verdictOf(memory, judgePermanent(memory.facts, id, status, byUser(now, why)), id)
}

/** The user's command is their yes: it holds from now on, or still does. */
export function promote(memory: HandMemory, { id: given, kind, text }: Promotion, now: string): PermanentVerdict {
  const { facts } = memory
  const id = given.trim().toLowerCase()
  const to = { ...(kind === undefined ? {} : { kind }), ...(text === undefined ? {} : { text }) }
  const known = findPermanent(facts, id)
  if (known !== null) return verdictOf(memory, saidYes(facts, known, to, now), id)
  const { candidate, proofs } = sourceOf(memory, id, text)
  const same = knownAs(facts.permanent, candidate)
  if (same !== null) {
    const again = changePermanent(facts, same.id, useAgain(same, now, proofs, candidate.facts))
    return accepting(id, verdictOf(memory, saidYes(again, same, to, now), same.id))
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
  return accepting(id, verdictOf(memory, added, nextPermanentId(facts.permanent)))
}

/** Said to hold, it counts as used. */
function saidYes(facts: Facts, { id }: PermanentItem, to: Pick<Promotion, 'kind' | 'text'>, now: string): Facts {
  return changePermanent(judgePermanent(facts, id, 'active', byUser(now, null), to), id, { usedAt: now })
}

function verdictOf(memory: HandMemory, facts: Facts, id: string): PermanentVerdict {
  const after = { ...memory, facts }
  return { item: findItem(after, id), was: findPermanent(memory.facts, id)?.status ?? null, memory: after }
}

/** An instruction that is made to hold waits for no verdict any more. */
function accepting(id: string, verdict: PermanentVerdict): PermanentVerdict {
  const standing = judgeStanding(verdict.memory.standing, id, 'accepted')
  return standing === null ? verdict : { ...verdict, memory: { ...verdict.memory, standing } }
}

interface Source {
  candidate: Recurring
  proofs: Proof[]
}

function sourceOf({ facts, standing }: HandMemory, id: string, text: string | undefined): Source {
  const fact = findFact(facts, id)
  if (fact !== null) {
    const candidate = fact.type === 'issue' ? solutionIn(fact, text) : candidateOf([held(fact)])
    return { candidate, proofs: candidate.places.slice(0, 1) }
  }
  const one = standing.standing.find((each) => each.id === id)
  if (one === undefined)
    throw new KeeperError(
      'not-found',
      `There is no fact, instruction or candidate ${shown(id)}. memory-keeper facts list and memory-keeper rules candidates list them.`,
    )
  const proofs = standingPlaces(one)
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
function solutionIn(issue: Fact, given: string | undefined): Recurring {
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
