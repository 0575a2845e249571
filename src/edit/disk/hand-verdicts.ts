/** Verdicts by hand on rules and other permanent items, decided: accepted, declined, promoted, retired. */

import type { Fact, Facts } from '../../knowledge/fact.ts'
import { findFact, isLive } from '../../knowledge/fact-list.ts'
import {
  type Judged,
  KIND_NAMES,
  nextPermanentId,
  PERMANENT_KINDS,
  type PermanentItem,
  type PermanentKind,
  type PermanentStatus,
} from '../../knowledge/permanent.ts'
import {
  addPermanent,
  changePermanent,
  findPermanent,
  judgePermanent,
  useAgain,
} from '../../knowledge/permanent-change.ts'
import { candidateOf, knownAs, type Recurring } from '../../knowledge/reflection.ts'
import { cleanRule, isRule } from '../../pages/rule.ts'
import { KeeperError } from '../../platform/error.ts'
import { redactorFor } from '../../redact/redact.ts'
import { shown } from '../../text/shown.ts'
import { type Decided, dimLine, type Hand, type HandMemory } from './hand-memory.ts'
import type { HandPlaces } from './hand-rules.ts'

export type VerdictChange =
  /** A proposed item (r001) becomes active. */
  | { do: 'accept'; id: string; text?: string }
  | { do: 'decline'; id: string }
  /** A fact or a proposal becomes permanent. */
  | { do: 'promote'; id: string; kind?: string; text?: string }
  | { do: 'demote'; id: string; why?: string }

export function decideVerdict(memory: HandMemory, change: VerdictChange, hand: Hand, places: HandPlaces): Decided {
  const redact = (text: string): string => redactorFor(places.config)(text).text
  switch (change.do) {
    case 'accept': {
      const { id } = findItem(memory, change.id)
      return holding(promote(memory, promotion({ ...change, id }, redact), hand.now), hand, 'accept')
    }
    case 'decline':
      return verdict(judgeItem(memory, change.id, 'declined', null, hand.now), hand, 'decline', DECLINED)
    case 'promote':
      return holding(promote(memory, promotion(change, redact), hand.now), hand, 'promote')
    case 'demote': {
      const { status, id } = findItem(memory, change.id)
      if (status !== 'active') throw new KeeperError('not-active', `${id} is ${status}, not active.`)
      const why = change.why === undefined ? null : redact(change.why)
      return verdict(judgeItem(memory, id, 'superseded', why, hand.now), hand, 'demote', ENDED)
    }
  }
}

interface Words {
  did: string
  would: string
  /** Where it was so before. */
  still?: string
}

const HOLDS: Words = {
  did: 'Active from now on',
  would: 'Would be active',
  still: 'Still active; it counts as used now',
}
const DECLINED: Words = { did: 'Declined', would: 'Would decline' }
const ENDED: Words = { did: 'Retired', would: 'Would retire' }

function holding(done: PermanentVerdict<HandMemory>, hand: Hand, act: string): Decided {
  const decided = verdict(done, hand, act, HOLDS)
  const more = dimLine(
    'It is told when a session begins. To have it told with every prompt: memory-keeper rules add "…"',
  )
  return { ...decided, lines: [...decided.lines, more] }
}

function verdict(
  { item, was, memory }: PermanentVerdict<HandMemory>,
  hand: Hand,
  act: string,
  { did, would, still = did }: Words,
): Decided {
  const words = hand.isDryRun ? would : was === item.status ? still : did
  return {
    memory,
    what: `${act} ${item.id}`,
    lines: [{ text: `${words}: ${item.id} ${KIND_NAMES[item.kind]}: ${item.text}` }],
    json: { ...item, dryRun: hand.isDryRun === true },
  }
}

function promotion(
  { id, text, kind }: { id: string; text?: string; kind?: string },
  redact: (text: string) => string,
): Promotion {
  const words = text === undefined ? undefined : cleanRule(redact(text))
  if (words !== undefined && !isRule(words)) throw new KeeperError('usage', '--text needs words.')
  const known = PERMANENT_KINDS.find((one) => one === kind)
  if (kind !== undefined && known === undefined)
    throw new KeeperError('usage', `--kind takes ${PERMANENT_KINDS.join(', ')}, not ${shown(kind)}.`)
  return { id, ...(known === undefined ? {} : { kind: known }), ...(words === undefined ? {} : { text: words }) }
}

type Item = PermanentItem & { kind: PermanentKind }

/** Anything that holds the facts. */
interface WithFacts {
  facts: Facts
}

/** What a user makes permanent: a fact (d001) or a proposal (r001). */
export interface Promotion {
  id: string
  kind?: PermanentKind
  text?: string
}

export interface PermanentVerdict<M extends WithFacts> {
  item: Item
  /** Its status before; null: it is new. */
  was: PermanentStatus | null
  memory: M
}

function findItem({ facts }: WithFacts, given: string): Item {
  const item = findPermanent(facts, given.trim().toLowerCase())
  if (item !== null) return item
  throw new KeeperError('not-found', `There is no rule ${shown(given.trim())}. memory-keeper rules lists them all.`)
}

/** A yes, a no, or taken back. */
function judgeItem<M extends WithFacts>(
  memory: M,
  given: string,
  status: PermanentStatus,
  why: string | null,
  now: string,
): PermanentVerdict<M> {
  const { id } = findItem(memory, given)
  return verdictOf(memory, judgePermanent(memory.facts, id, status, byUser(now, why)), id)
}

/** The user's command is their yes: it is active from now on, or still is. */
function promote<M extends WithFacts>(
  memory: M,
  { id: given, kind, text }: Promotion,
  now: string,
): PermanentVerdict<M> {
  const { facts } = memory
  const id = given.trim().toLowerCase()
  const to = { ...(kind === undefined ? {} : { kind }), ...(text === undefined ? {} : { text }) }
  const known = findPermanent(facts, id)
  if (known !== null) return verdictOf(memory, saidYes(facts, known, to, now), id)
  const candidate = sourceOf(memory, id, text)
  const proofs = candidate.places.slice(0, 1)
  const same = knownAs(facts.permanent, candidate)
  if (same !== null) {
    const again = changePermanent(facts, same.id, useAgain(same, now, proofs, candidate.facts))
    return verdictOf(memory, saidYes(again, same, to, now), same.id)
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
  return verdictOf(memory, added, nextPermanentId(facts.permanent))
}

/** An accepted item counts as used. */
function saidYes(facts: Facts, { id }: PermanentItem, to: Pick<Promotion, 'kind' | 'text'>, now: string): Facts {
  return changePermanent(judgePermanent(facts, id, 'active', byUser(now, null), to), id, { usedAt: now })
}

function verdictOf<M extends WithFacts>(memory: M, facts: Facts, id: string): PermanentVerdict<M> {
  const after = { ...memory, facts }
  return { item: findItem(after, id), was: findPermanent(memory.facts, id)?.status ?? null, memory: after }
}

function sourceOf({ facts }: WithFacts, id: string, text: string | undefined): Recurring {
  const fact = findFact(facts, id)
  if (fact !== null) return fact.type === 'issue' ? solutionIn(fact, text) : candidateOf([held(fact)])
  throw new KeeperError(
    'not-found',
    `There is no fact or rule ${shown(id)}. memory-keeper facts list and memory-keeper rules list them.`,
  )
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
