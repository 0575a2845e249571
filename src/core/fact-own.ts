/** A fact given by hand: a person's own word needs no proof and brings back what was rejected; an agent's does neither. */
import type { Fact, Facts, FactType, NewFact } from './fact.ts'
import { asRevived, later } from './fact-change.ts'
import { withPast } from './fact-history.ts'
import { appendFact, factsOfType, isLive, replaceFact } from './fact-list.ts'
import { closeness, isSameFact } from './fact-similar.ts'
import type { Judged } from './judged.ts'

export interface OwnFact {
  type: FactType
  text: string
  reason: string | null
  files: readonly string[]
  concept: string | null
  /** Issues only. */
  status: 'open' | 'resolved' | null
  resolution: string | null
  /** Though another one seems to say the same. */
  anyway?: true
}

/** `known`: another one says so; it counts as said again, now. `rejected`: it was, and only a person brings it back. */
export interface Added {
  is: 'added' | 'known' | 'restored' | 'resolved' | 'rejected'
  facts: Facts
  fact: Fact
}

export type Hand = Extract<Fact['author'], 'user' | 'agent'>

export function addOwnFact(facts: Facts, own: OwnFact, at: string, by: Hand = 'user'): Added {
  const judged: Judged = { by, at, why: null, other: null }
  const list = factsOfType(facts, own.type)
  const status = own.type === 'issue' ? (own.status ?? 'open') : null
  const rejected = list.find((one) => one.state === 'rejected' && isSameFact(one.text, own.text))
  if (rejected !== undefined && by === 'agent') return { is: 'rejected', facts, fact: rejected }
  if (own.anyway) return { is: 'added', ...appendFact(facts, factOf(own, judged)) }
  const same = list.find((one) => isLive(one) && one.status === status && isSameFact(one.text, own.text))
  if (same !== undefined) return put(facts, 'known', same, saidAgain(same, own, judged))
  const open = status === 'resolved' ? openIssue(list, own.text) : null
  if (open !== null) return put(facts, 'resolved', open, closed(open, own, judged))
  if (rejected !== undefined) return put(facts, 'restored', rejected, restored(rejected, own, judged))
  return { is: 'added', ...appendFact(facts, factOf(own, judged)) }
}

/** In the new words, which prove it from now on; where it was said before is kept. */
function restored(rejected: Fact, own: OwnFact, judged: Judged): Fact {
  const { session, evidence, also = [] } = rejected
  const before = evidence.entry < 0 ? also : [...also, `${session}#${evidence.entry}`]
  const { closedBy: _, ...kept } = joined(asRevived(rejected, judged), own, judged)
  const { reason, files, concept, at } = kept
  const place = before.length === 0 ? {} : { also: before }
  return { ...kept, ...factOf(own, judged), reason, files, concept, at, ...place }
}

function factOf(own: OwnFact, { by, at }: Judged): NewFact {
  const status = own.type === 'issue' ? (own.status ?? 'open') : null
  return {
    type: own.type,
    text: own.text,
    reason: own.reason,
    status,
    resolution: status === 'resolved' ? own.resolution : null,
    ...(status === 'resolved' ? { closedBy: { session: '', entry: -1, at } } : {}),
    at,
    session: '',
    evidence: { entry: -1, quote: own.text, by: by === 'user' ? 'user' : 'assistant' },
    files: [...new Set(own.files)],
    concept: own.concept,
    state: 'fresh',
    author: by === 'user' ? 'user' : 'agent',
  }
}

/** The open issue that is most about what was solved; null: none is. */
function openIssue(issues: readonly Fact[], text: string): Fact | null {
  let best: Fact | null = null
  let most = 0
  for (const one of issues) {
    if (one.status !== 'open' || !isLive(one)) continue
    const close = isSameFact(one.text, text) ? 1 : closeness(one.text, text)
    if (close > most) [best, most] = [one, close]
  }
  return best
}

function closed(issue: Fact, own: OwnFact, judged: Judged): Fact {
  const resolution = own.resolution ?? own.text
  const after: Fact = {
    ...joined(issue, own, judged),
    status: 'resolved',
    resolution,
    closedBy: { session: '', entry: -1, at: judged.at },
  }
  return withPast(after, judged, `resolved: ${resolution}`)
}

/** Its words stay; those of the person are kept beside them. */
function saidAgain(fact: Fact, own: OwnFact, judged: Judged): Fact {
  const after = joined(fact, own, judged)
  return own.text === fact.text ? after : withPast(after, judged, `said again: ${own.text}`)
}

/** What is there stays; what is said besides is added. A person who says it stands for it. */
function joined(fact: Fact, own: OwnFact, { by, at }: Judged): Fact {
  const { judged, ...kept } = fact
  const isStale = fact.state === 'stale'
  return {
    ...kept,
    ...(judged === undefined || isStale ? {} : { judged }),
    state: isStale ? 'fresh' : fact.state,
    reason: own.reason ?? fact.reason,
    files: [...new Set([...fact.files, ...own.files])],
    concept: own.concept ?? fact.concept,
    lastAt: later(fact, at),
    author: by === 'user' ? 'user' : fact.author,
  }
}

function put(facts: Facts, is: Added['is'], before: Fact, after: Fact): Added {
  return { is, facts: replaceFact(facts, before, after), fact: after }
}
