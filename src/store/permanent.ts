/** The user's own verdicts on permanent memory: a yes, a no, something made to hold, something taken back. */
import { KeeperError } from '../core/error.ts'
import type { Facts } from '../core/fact.ts'
import { findFact } from '../core/fact-list.ts'
import type { Judged } from '../core/judged.ts'
import type { PermanentItem, PermanentKind, PermanentStatus, Proof } from '../core/permanent.ts'
import { nextPermanentId } from '../core/permanent.ts'
import { addPermanent, findPermanent, judgePermanent } from '../core/permanent-change.ts'
import { candidateOf } from '../core/recurring.ts'
import { knownAs } from '../core/reflection.ts'
import { placesOf } from '../core/standing-list.ts'
import { readFacts, writeFacts } from './knowledge.ts'
import { readStanding } from './standing.ts'
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

/** The user's command is their yes: it holds from now on. */
export function planPromotion(store: Store, { id: given, kind, text }: Promotion, now: string): Planned {
  const facts = readFacts(store)
  const id = given.trim().toLowerCase()
  const to = { ...(kind === undefined ? {} : { kind }), ...(text === undefined ? {} : { text }) }
  const known = findPermanent(facts, id)
  if (known !== null) return planned(store, facts, judgePermanent(facts, id, 'active', byUser(now, null), to), id, now)
  const source = sourceOf(store, facts, id)
  const same = knownAs(facts.permanent, source.candidate)
  if (same !== null)
    return planned(store, facts, judgePermanent(facts, same.id, 'active', byUser(now, null), to), same.id, now)
  const { candidate, proofs } = source
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
  return planned(store, facts, added, nextPermanentId(facts.permanent), now)
}

function planned(store: Store, before: Facts, after: Facts, id: string, now: string): Planned {
  const item = findPermanent(after, id.trim().toLowerCase())
  if (item === null) throw new KeeperError('not-found', `There is no permanent memory ${id}.`)
  return { item, write: () => writeFacts(store, before, after, now) }
}

function sourceOf(
  store: Store,
  facts: Facts,
  id: string,
): { candidate: ReturnType<typeof candidateOf>; proofs: Proof[] } {
  const fact = findFact(facts, id)
  if (fact !== null) {
    const candidate = candidateOf([fact])
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

function byUser(at: string, why: string | null): Judged {
  return { by: 'user', at, why, other: null }
}
