/** Facts that wait for their audit: the claims to audit, the effect of a verdict, and the limit of facts per session. */

import type { Verdict } from '../grounding/audit.ts'
import { isOfTool } from './evidence.ts'
import { addFacts } from './fact-add.ts'
import { resolveIssue, supersedeFact } from './fact-change.ts'
import type { SoundFact } from './fact-draft.ts'
import {
  authorOfFact,
  awaitsAudit,
  type Closing,
  type Fact,
  isLive,
  isPinned,
  isSaidAfter,
  isTold,
  isUnresolved,
  type NewFact,
  saidByPerson,
} from './item.ts'
import { allFacts, allPermanent, findFact, type Items, replaceItem, withoutFacts } from './items.ts'

/** A claim about a fact (`closing`: that an issue is settled), as the auditor reads it. */
export interface FactQuestion {
  id: string
  is: 'fact' | 'closing'
  session: string
  /** The claim. */
  text: string
  quote: string
  /** The entries, the quoted one first. Empty: Claude saved it by a command, and it is not known yet where. */
  at: number[]
  /** The entry of that command: the fact's evidence once it is confirmed. */
  command?: number
}

/** Oldest first. A claim with an unclear verdict is not asked again. */
export function questionsIn(facts: Items): FactQuestion[] {
  return allFacts(facts)
    .flatMap((fact): FactQuestion[] => {
      const { id, session, evidence, closing } = fact
      const questions: FactQuestion[] = []
      const isPlaced = evidence.entry >= 0
      const at = isPlaced ? [evidence.entry, ...(evidence.more ?? [])] : []
      // Without a place, the quote is the claim itself.
      const quote = isPlaced ? evidence.quote : ''
      if (awaitsAudit(fact)) questions.push({ id, is: 'fact', session, text: claimOf(facts, fact), quote, at })
      if (closing !== undefined && isUnresolved(fact)) questions.push(closingQuestion(fact, closing))
      return questions
    })
    .sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))
}

function closingQuestion({ id, text }: Fact, { session, entry, how, quote }: Closing): FactQuestion {
  return { id, is: 'closing', session, text: `The issue "${text}" is settled: ${how}`, quote, at: [entry] }
}

function claimOf(facts: Items, fact: Fact): string {
  const { kind: type, status, text, reason, resolution, replaces = [] } = fact
  const said = isOfTool(fact) ? `learned ${authorOfFact(fact)}` : type
  const kind = type !== 'issue' ? said : status === 'resolved' ? 'resolved issue' : 'open issue'
  const old = replaces.flatMap((id) => findFact(facts, id) ?? [])
  return [
    `(${kind}) ${text}`,
    ...(reason === null ? [] : [`Reason: ${reason}`]),
    ...(resolution === null ? [] : [`Resolution: ${resolution}`]),
    ...old.map((one) => `It replaces the decision "${one.text}"`),
  ].join(' ')
}

/**
 * Yes confirms the fact, no deletes it. Unclear keeps it if the user or a tool said it, but it is still not injected. What a person
 * decided meanwhile stays: a fact that is pinned, said by the user or rejected.
 */
export function withVerdict(facts: Items, question: FactQuestion, verdict: Verdict, now: string): Items {
  const fact = findFact(facts, question.id)
  if (fact === null) return facts
  if (question.is === 'closing') return closed(facts, fact, verdict)
  if (!awaitsAudit(fact) || claimOf(facts, fact) !== question.text) return facts
  if (verdict === 'yes') return confirmed(facts, fact, placeOf(fact, question), now)
  const isKept = verdict === 'unclear' && (fact.evidence.by === 'user' || fact.evidence.by === 'tool')
  return isKept
    ? replaceItem(facts, fact, { ...fact, unaudited: 'unclear' })
    : withoutFacts(facts, (one) => one === fact)
}

function closed(facts: Items, fact: Fact, verdict: Verdict): Items {
  const { closing, ...issue } = fact
  if (closing === undefined) return facts
  const rest = replaceItem(facts, fact, issue)
  if (verdict !== 'yes') return rest
  const judged = { by: closing.by, at: closing.at, why: null, other: null }
  const done = resolveIssue(rest, issue.id, closing.how, judged, closing)
  return 'facts' in done ? done.facts : rest
}

/** A fact that looked like Claude's, and that the user saved. */
export function asUsers({ unaudited: _, ...fact }: Fact): Fact {
  return { ...fact, by: 'user', evidence: { ...fact.evidence, by: 'user' } }
}

/** What Claude saved by a command has its place from then on. */
function placeOf({ session, evidence }: Fact, question: FactQuestion): Pick<Fact, 'session' | 'evidence'> {
  if (question.command === undefined) return { session, evidence }
  return { session: question.session, evidence: { ...evidence, entry: question.command } }
}

/** It replaces the fact that structure found in the same words, and the decision that it names. */
function confirmed(facts: Items, fact: Fact, place: Pick<Fact, 'session' | 'evidence'>, now: string): Items {
  const { id, unaudited: _, replaces = [], ...said } = fact
  const sound = { ...said, ...place }
  const rest = withoutFacts(facts, (one) => one === fact)
  const joined = addFacts(rest, [sound])
  const isJoined = allFacts(joined).length === allFacts(rest).length
  const after = isJoined ? joined : replaceItem(facts, fact, { id, ...sound })
  const own = isJoined ? standingFor(joined, sound) : id
  const by = sound.by === 'agent' ? 'agent' : 'headless'
  return replaces.reduce((some, name) => {
    const old = findFact(some, name)
    if (old === null || own === null || old.id === own || isSaidAfter(old, sound.at)) return some
    // Only the user's own words may replace what the user said.
    if (saidByPerson(old) && !saidByPerson(sound)) return some
    const done = supersedeFact(some, old.id, { by, at: now, why: null, other: own })
    return 'facts' in done ? done.facts : some
  }, after)
}

/** The id under which a fact was stored; null: it was not. */
export function standingFor(facts: Items, { session, evidence, kind, text }: NewFact): string | null {
  const all = allFacts(facts).filter((fact) => fact.kind === kind)
  const isThere = (fact: Fact): boolean => fact.session === session && fact.evidence.entry === evidence.entry
  const found =
    all.find((fact) => isThere(fact) && fact.text === text) ??
    all.find((fact) => isThere(fact) && fact.evidence.quote === evidence.quote) ??
    all.find((fact) => isThere(fact) || fact.also?.includes(`${session}#${evidence.entry}`))
  return found?.id ?? null
}

/** Adds a model's facts, unaudited. A resolved issue that settles a known one is not a fact of its own. */
export function withUnaudited(facts: Items, sound: readonly SoundFact[], by: Closing['by']): Items {
  const isSolution = ({ fact, resolves }: SoundFact): boolean =>
    resolves.length > 0 && fact.kind === 'issue' && fact.status === 'resolved'
  const added = addFacts(
    facts,
    sound.filter((one) => !isSolution(one)).map(({ fact }) => fact),
  )
  return sound.reduce((after, { fact, resolves }) => {
    const { session, evidence, at, resolution, text } = fact
    const { entry, quote, more = [] } = evidence
    const closing = { session, entry: more[0] ?? entry, at, how: resolution ?? text, quote, by }
    return resolves.reduce((some, issue) => withClosing(some, issue, closing), after)
  }, added)
}

/** Records that a model reports an open issue as settled. An entry from before the issue settles nothing. */
export function withClosing(facts: Items, id: string, closing: Closing): Items {
  const issue = findFact(facts, id)
  if (issue === null || !isUnresolved(issue) || isSaidAfter(issue, closing.at)) return facts
  return replaceItem(facts, issue, { ...issue, closing })
}

/**
 * At most `max` injectable facts of one session. Facts by structure are deleted before Claude's, those before the user's, older ones first.
 * Pinned facts, open issues and facts that others refer to stay. Open issues by structure do not count: many unfinished tasks
 * would push out every decision.
 */
export function withinRoom(facts: Items, session: string, max: number): Items {
  const takesRoom = (fact: Fact): boolean => !(fact.by === 'extractive' && isUnresolved(fact))
  const own = allFacts(facts).filter(
    (fact) => fact.session === session && isLive(fact) && isTold(fact) && takesRoom(fact),
  )
  const surplus = own.length - max
  if (surplus <= 0) return facts
  const needed = namedIn(facts)
  const mayGo = (fact: Fact): boolean =>
    !isPinned(fact) && !isUnresolved(fact) && fact.by !== 'user' && !needed.has(fact.id.toLowerCase())
  const least = own.filter(mayGo).sort((a, b) => rankOf(a) - rankOf(b) || (a.at < b.at ? -1 : 1))
  const gone = new Set(least.slice(0, surplus))
  return withoutFacts(facts, (fact) => gone.has(fact))
}

function rankOf({ by, evidence }: Fact): number {
  return by === 'extractive' ? 0 : evidence.by === 'user' ? 2 : 1
}

/** Facts that replace another one, or became a rule. */
function namedIn(facts: Items): ReadonlySet<string> {
  const names = [
    ...allFacts(facts).map(({ judged }) => judged?.other),
    ...allPermanent(facts).flatMap((item) => [...item.facts, item.judged?.other]),
  ]
  return new Set(names.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : [])))
}
