/** A fact in a person's own words: it needs no proof, and brings back what was rejected. */
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

/** `known`: another one says so; it counts as said again, now. */
export interface Added {
  is: 'added' | 'known' | 'restored' | 'resolved'
  facts: Facts
  fact: Fact
}

export function addOwnFact(facts: Facts, own: OwnFact, at: string): Added {
  const judged: Judged = { by: 'user', at, why: null, other: null }
  if (own.anyway) return { is: 'added', ...appendFact(facts, factOf(own, at)) }
  const list = factsOfType(facts, own.type)
  const status = own.type === 'issue' ? (own.status ?? 'open') : null
  const same = list.find((one) => isLive(one) && one.status === status && isSameFact(one.text, own.text))
  if (same !== undefined) return put(facts, 'known', same, saidAgain(same, own, judged))
  const open = status === 'resolved' ? openIssue(list, own.text) : null
  if (open !== null) return put(facts, 'resolved', open, closed(open, own, judged))
  const rejected = list.find((one) => one.state === 'rejected' && isSameFact(one.text, own.text))
  if (rejected !== undefined) return put(facts, 'restored', rejected, restored(rejected, own, judged))
  return { is: 'added', ...appendFact(facts, factOf(own, at)) }
}

/** In the new words, which prove it from now on; where it was said before is kept. */
function restored(rejected: Fact, own: OwnFact, judged: Judged): Fact {
  const { session, evidence, also = [] } = rejected
  const before = evidence.entry < 0 ? also : [...also, `${session}#${evidence.entry}`]
  const { closedBy: _, ...kept } = joined(asRevived(rejected, judged), own, judged.at)
  const { files: __, reason: ___, concept: ____, at: _____, ...said } = factOf(own, judged.at)
  return { ...kept, ...said, ...(before.length === 0 ? {} : { also: before }) }
}

function factOf(own: OwnFact, at: string): NewFact {
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
    evidence: { entry: -1, quote: own.text, by: 'user' },
    files: [...new Set(own.files)],
    concept: own.concept,
    state: 'fresh',
    author: 'user',
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
    ...joined(issue, own, judged.at),
    status: 'resolved',
    resolution,
    closedBy: { session: '', entry: -1, at: judged.at },
  }
  return withPast(after, judged, `resolved: ${resolution}`)
}

/** Its words stay; those of the person are kept beside them. */
function saidAgain(fact: Fact, own: OwnFact, judged: Judged): Fact {
  const after = joined(fact, own, judged.at)
  return own.text === fact.text ? after : withPast(after, judged, `said again: ${own.text}`)
}

/** What is there stays; what the person says besides is added. */
function joined(fact: Fact, own: OwnFact, at: string): Fact {
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
    author: 'user',
  }
}

function put(facts: Facts, is: Added['is'], before: Fact, after: Fact): Added {
  return { is, facts: replaceFact(facts, before, after), fact: after }
}
