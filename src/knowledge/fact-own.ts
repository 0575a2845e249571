/**
 * A fact given by hand. A person's own word needs no proof and brings back what was rejected; an agent's does neither, and
 * changes no fact of the user's.
 */
import type { Fact, Facts, FactType, NewFact } from './fact.ts'
import { saidByPerson } from './fact-add.ts'
import { asRevived, later } from './fact-change.ts'
import { appendFact, factsOfType, isLive, replaceFact, withPast } from './fact-list.ts'
import { isSameFact } from './fact-similar.ts'
import type { Judged } from './permanent.ts'

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

export type FactHand = Extract<Fact['author'], 'user' | 'agent'>

export function addOwnFact(facts: Facts, own: OwnFact, at: string, by: FactHand = 'user'): Added {
  const judged: Judged = { by, at, why: null, other: null }
  const list = factsOfType(facts, own.type)
  const status = own.type === 'issue' ? (own.status ?? 'open') : null
  const rejected = list.find((one) => one.state === 'rejected' && isSameFact(one.text, own.text))
  if (rejected !== undefined && by === 'agent') return { is: 'rejected', facts, fact: rejected }
  if (own.anyway) return { is: 'added', ...appendFact(facts, factOf(own, judged)) }
  const same = list.find((one) => isLive(one) && one.status === status && isSameFact(one.text, own.text))
  if (same !== undefined && by === 'agent' && saidByPerson(same)) return { is: 'known', facts, fact: same }
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

function openIssue(issues: readonly Fact[], text: string): Fact | null {
  return issues.find((one) => one.status === 'open' && isLive(one) && isSameFact(one.text, text)) ?? null
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

export interface ToRemember {
  kind: FactType | 'note' | 'rule'
  /** Without the word that names the kind. */
  text: string
}

/** `decision: …`, in front of everything. */
const NAMED: readonly (readonly [ToRemember['kind'], RegExp])[] = [
  ['rule', /^(?:rule|규칙|規則|规则|Regel)\s*[:：]\s*/iu],
  ['decision', /^(?:decision|decided|we decided|결정|決定|Entscheidung)\s*[:：]\s*/iu],
  ['pattern', /^(?:pattern|패턴|パターン|Muster)\s*[:：]\s*/iu],
  ['issue', /^(?:issue|bug|problem|문제|이슈|課題|問題|问题|Fehler)\s*[:：]\s*/iu],
  ['note', /^(?:note|메모|노트|メモ|笔记|Notiz)\s*[:：]\s*/iu],
]
/** Without such a word it is a note. */
export function toRemember(given: string): ToRemember {
  const text = given.trim()
  for (const [kind, pattern] of NAMED) {
    const rest = text.replace(pattern, '')
    if (rest !== text && rest !== '') return { kind, text: rest }
  }
  return { kind: 'note', text }
}
