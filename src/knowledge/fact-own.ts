/**
 * A fact given by hand: a person's own word needs no proof and brings back what was rejected; an agent's does neither, and
 * changes no fact of the user's.
 */

import { contradicts, SAME_SUBJECT } from '../outgoing/fact-contradict.ts'
import { extractFacts } from '../outgoing/fact-extract.ts'
import { recognise } from '../outgoing/standing.ts'
import type { Fact, Facts, FactType, NewFact } from './fact.ts'
import { asRevived, later } from './fact-change.ts'
import { appendFact, factsOfType, findFact, isLive, replaceFact, withPast } from './fact-list.ts'
import { closeness, isSameFact, similarity, textIndex } from './fact-similar.ts'
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
interface Taken {
  is: 'added' | 'known' | 'restored' | 'resolved' | 'rejected'
  facts: Facts
  fact: Fact
}

export interface Added extends Taken {
  /** Decisions that said otherwise: superseded by a person's word, marked as contradicted by an agent's unless they are the user's. */
  overruled: Fact[]
  /** About the same thing; only a person can tell whether both hold. */
  near: Fact[]
}

export type FactHand = Extract<Fact['author'], 'user' | 'agent'>

/** So much alike, and still two: whoever adds one is told of the other. */
const NEAR = 0.5
const MAX_NEAR = 3

export function addOwnFact(facts: Facts, own: OwnFact, at: string, by: FactHand = 'user'): Added {
  const taken = takeIn(facts, own, at, by)
  if (taken.fact.type !== 'decision' || taken.is === 'rejected') return { ...taken, overruled: [], near: [] }
  return weigh(taken, own.text, by, at)
}

/** What a person says now holds, and nothing against it does. */
function weigh(taken: Taken, said: string, by: FactHand, at: string): Added {
  const { id, concept } = taken.fact
  const mayMeet = (one: Fact): boolean => one.concept === null || concept === null || one.concept === concept
  const others = taken.facts.decisions.filter((one) => one.id !== id && isLive(one) && mayMeet(one))
  const index = textIndex(others.map(({ text }) => text))
  const alike = index.near(said, SAME_SUBJECT).flatMap((place) => others[place] ?? [])
  const against = alike.filter(({ text }) => contradicts(text, said))
  const near = alike.filter((one) => !against.includes(one) && similarity(one.text, said) >= NEAR)
  const facts = against.reduce((after, one) => replaceFact(after, one, overruled(one, id, by, at)), taken.facts)
  return {
    ...taken,
    facts,
    overruled: against.flatMap((one) => findFact(facts, one.id) ?? []),
    near: near.toSorted((a, b) => similarity(b.text, said) - similarity(a.text, said)).slice(0, MAX_NEAR),
  }
}

function overruled(fact: Fact, other: string, by: FactHand, at: string): Fact {
  if (by === 'agent') return isUsers(fact) ? fact : { ...fact, contradictedBy: other }
  const { contradictedBy: _, ...kept } = fact
  const judged: Judged = { by: 'code', at, why: 'you decided otherwise', other }
  return withPast({ ...kept, state: 'superseded', judged }, judged, `superseded by ${other}`)
}

function takeIn(facts: Facts, own: OwnFact, at: string, by: FactHand): Taken {
  const judged: Judged = { by, at, why: null, other: null }
  const list = factsOfType(facts, own.type)
  const status = own.type === 'issue' ? (own.status ?? 'open') : null
  const rejected = list.find((one) => one.state === 'rejected' && isSameFact(one.text, own.text))
  if (rejected !== undefined && by === 'agent') return { is: 'rejected', facts, fact: rejected }
  if (own.anyway) return { is: 'added', ...appendFact(facts, factOf(own, judged)) }
  const same = list.find((one) => isLive(one) && one.status === status && isSameFact(one.text, own.text))
  if (same !== undefined && by === 'agent' && isUsers(same)) return { is: 'known', facts, fact: same }
  if (same !== undefined) return put(facts, 'known', same, saidAgain(same, own, judged))
  const open = status === 'resolved' ? openIssue(list, own.text) : null
  if (open !== null) return put(facts, 'resolved', open, closed(open, own, judged))
  if (rejected !== undefined) return put(facts, 'restored', rejected, restored(rejected, own, judged))
  return { is: 'added', ...appendFact(facts, factOf(own, judged)) }
}

function isUsers({ author, evidence }: Fact): boolean {
  return author === 'user' || evidence.by === 'user'
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
  const { judged, contradictedBy, ...kept } = fact
  const isStale = fact.state === 'stale'
  return {
    ...kept,
    ...(contradictedBy === undefined || by === 'user' ? {} : { contradictedBy }),
    ...(judged === undefined || isStale ? {} : { judged }),
    state: isStale ? 'fresh' : fact.state,
    reason: own.reason ?? fact.reason,
    files: [...new Set([...fact.files, ...own.files])],
    concept: own.concept ?? fact.concept,
    lastAt: later(fact, at),
    author: by === 'user' ? 'user' : fact.author,
  }
}

function put(facts: Facts, is: Taken['is'], before: Fact, after: Fact): Taken {
  return { is, facts: replaceFact(facts, before, after), fact: after }
}

export interface ToRemember {
  kind: FactType | 'note'
  /** Without the word that names the kind. */
  text: string
}

/** `decision: …`, in front of everything. */
const NAMED: readonly (readonly [FactType | 'note', RegExp])[] = [
  ['decision', /^(?:decision|decided|we decided|결정|決定|Entscheidung)\s*[:：]\s*/iu],
  ['pattern', /^(?:pattern|패턴|パターン|Muster)\s*[:：]\s*/iu],
  ['issue', /^(?:issue|bug|problem|문제|이슈|課題|問題|问题|Fehler)\s*[:：]\s*/iu],
  ['note', /^(?:note|메모|노트|メモ|笔记|Notiz)\s*[:：]\s*/iu],
]
/** A fact is a sentence or two. */
const MAX_FACT_CHARS = 400

export function toRemember(given: string): ToRemember {
  const text = given.trim()
  for (const [kind, pattern] of NAMED) {
    const rest = text.replace(pattern, '')
    if (rest !== text && rest !== '') return { kind, text: rest }
  }
  return { kind: text.length > MAX_FACT_CHARS || text.includes('\n') ? 'note' : kindOf(text), text }
}

/** As code would take it out of a session in which they had said it. */
function kindOf(text: string): ToRemember['kind'] {
  if (recognise(text) !== null) return 'decision'
  const entry = { role: 'user', by: 'user', ts: '', text } as const
  const found = extractFacts('', [{ n: 0, entry }], 1)[0]
  return found !== undefined && found.status !== 'resolved' ? found.type : 'note'
}
