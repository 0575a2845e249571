/** What a person or an agent does to facts: resolve, reject, replace, restore, edit, add. No change takes a fact away. */
import { allFacts, type Fact, type Facts } from './fact.ts'
import { findFact, isLive, replaceFact, withPast } from './fact-list.ts'
import { isSameFact } from './fact-similar.ts'
import type { Judged } from './permanent.ts'

/** `problem`: a sentence with the next step, for whoever asked. */
export type Changed =
  | { is: 'changed'; facts: Facts; fact: Fact }
  | {
      is: 'refused'
      code: 'not-found' | 'already' | 'not-an-issue' | 'not-live' | 'not-other' | 'not-yours' | 'same'
      problem: string
    }

/** Where it was said; a person's own word stands in no session. */
interface Place {
  session: string
  entry: number
}

const NOWHERE: Place = { session: '', entry: -1 }

/** Said again with other words, the resolution is corrected. */
export function resolveIssue(
  facts: Facts,
  id: string,
  resolution: string | null,
  judged: Judged,
  place: Place = NOWHERE,
): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  const problem = notLive(fact) ?? notIssue(fact)
  if (problem !== null) return problem
  if (fact.status === 'resolved' && (resolution === null || resolution === fact.resolution)) {
    return already(fact, 'resolved', `To open it again: memory-keeper facts restore ${fact.id}`)
  }
  const { session, entry } = place
  const resolved: Fact = {
    ...fact,
    status: 'resolved',
    resolution: resolution ?? fact.resolution,
    closedBy: { session, entry, at: judged.at },
  }
  return changed(facts, fact, withPast(resolved, judged, `resolved${quoted(resolution)}`))
}

export function reopenIssue(facts: Facts, id: string, judged: Judged): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  const problem = notLive(fact) ?? notIssue(fact)
  if (problem !== null) return problem
  if (fact.status === 'open') {
    return already(fact, 'open', `To resolve it: memory-keeper facts resolve ${fact.id} "how"`)
  }
  const { closedBy: _, ...kept } = fact
  const open: Fact = { ...kept, status: 'open', resolution: null, lastAt: later(fact, judged.at) }
  return changed(facts, fact, withPast(open, judged, `opened again; it was resolved${quoted(fact.resolution)}`))
}

/** It never comes back by itself, whatever is said later. */
export function rejectFact(facts: Facts, id: string, judged: Judged): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  if (fact.state === 'rejected') {
    return already(fact, 'rejected', `To bring it back: memory-keeper facts restore ${fact.id}`)
  }
  const rejected: Fact = { ...settled(fact), state: 'rejected', judged }
  return changed(facts, fact, withPast(rejected, judged, `rejected${quoted(judged.why)}`))
}

/** `judged.other`: what stands in its place. That one must hold itself, so nothing can replace each other in a circle. */
export function supersedeFact(facts: Facts, id: string, judged: Judged): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  const other = judged.other === null ? null : findFact(facts, judged.other)
  if (judged.other !== null && other === null) return unknown(judged.other)
  if (fact.state === 'rejected') return gone(fact)
  if (fact.state === 'superseded' && (other === null || other.id === fact.judged?.other)) {
    return already(fact, 'superseded', `To bring it back: memory-keeper facts restore ${fact.id}`)
  }
  if (other === fact) {
    return refused(
      'not-other',
      `${fact.id} cannot take its own place. Name another one: --by ID (memory-keeper facts list shows them)`,
    )
  }
  if (other !== null && !isLive(other)) {
    return refused(
      'not-other',
      `${other.id} is ${other.state} itself. Name a fact that holds, or first: memory-keeper facts restore ${other.id}`,
    )
  }
  const known: Judged = { ...judged, other: other?.id ?? null }
  const superseded: Fact = { ...settled(fact), state: 'superseded', judged: known }
  return changed(facts, fact, withPast(superseded, judged, `superseded${other === null ? '' : ` by ${other.id}`}`))
}

/**
 * Rejected, superseded or stale, it holds again. Whoever says so says it anew: only what changes after this makes it
 * stale again.
 */
export function reviveFact(facts: Facts, id: string, judged: Judged): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  if (fact.state === 'fresh') return already(fact, 'fresh', 'There is nothing to restore.')
  if (fact.state === 'rejected' && fact.judged?.by === 'user' && judged.by !== 'user') {
    return refused(
      'not-yours',
      `${fact.id} was rejected by the user, and only the user brings it back. Ask them to type: /memory-keeper:run facts restore ${fact.id}`,
    )
  }
  const same = fact.state === 'stale' ? null : sameLive(facts, fact, fact.text)
  if (same !== null) return sayTheSame(fact, same)
  return changed(facts, fact, asRevived(fact, judged))
}

export function asRevived(fact: Fact, judged: Judged): Fact {
  const revived: Fact = { ...settled(fact), state: 'fresh', lastAt: later(fact, judged.at) }
  return withPast(revived, judged, `restored; it was ${fact.state}${quoted(fact.judged?.why ?? null)}`)
}

/** A pinned fact is the first of its kind in every briefing, however old it is. */
export function pinFact(facts: Facts, id: string): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  if (!isLive(fact)) return gone(fact)
  if (fact.pinned === true) return already(fact, 'pinned', `To take the pin off: memory-keeper unpin ${fact.id}`)
  return changed(facts, fact, { ...fact, pinned: true })
}

/** In any state: the pin of a rejected fact would come back with it. */
export function unpinFact(facts: Facts, id: string): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  const { pinned, ...rest } = fact
  if (pinned !== true) return refused('already', `${fact.id} is not pinned. To pin it: memory-keeper pin ${fact.id}`)
  return changed(facts, fact, rest)
}

export interface FactEdit {
  text?: string
  reason?: string | null
  files?: readonly string[]
  concept?: string
}

/** Whoever edits a fact stands for it. The words it was taken from stay as its evidence. */
export function editFact(facts: Facts, id: string, edit: FactEdit, judged: Judged): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  if (fact.state === 'rejected') return gone(fact)
  const text = edit.text ?? fact.text
  const same = text === fact.text || !isLive(fact) ? null : sameLive(facts, fact, text)
  if (same !== null) return sayTheSame(fact, same)
  const edited: Fact = {
    ...fact,
    text,
    reason: edit.reason === undefined ? fact.reason : edit.reason,
    files: edit.files === undefined ? fact.files : [...new Set(edit.files)],
    concept: edit.concept ?? fact.concept,
  }
  const what = whatChanged(fact, edited)
  if (what.length === 0) return already(fact, 'so', `memory-keeper show ${fact.id} shows all of it.`)
  const proven = fact.evidence.quote === '' ? { ...fact.evidence, quote: fact.text } : fact.evidence
  // In an agent's words it is not what the user said any more.
  const isAgents = judged.by !== 'user' && text !== fact.text
  const evidence = isAgents ? { ...proven, by: 'assistant' as const } : proven
  return changed(
    facts,
    fact,
    withPast({ ...edited, evidence, author: judged.by === 'user' ? 'user' : 'agent' }, judged, what.join('; ')),
  )
}

function whatChanged(before: Fact, after: Fact): string[] {
  return [
    ...(before.text === after.text ? [] : [`text was "${before.text}"`]),
    ...(before.reason === after.reason ? [] : [`reason was ${before.reason === null ? 'none' : `"${before.reason}"`}`]),
    ...(before.files.join('\n') === after.files.join('\n') ? [] : [`files were ${before.files.join(', ') || 'none'}`]),
    ...(before.concept === after.concept ? [] : [`concept was ${before.concept ?? 'none'}`]),
  ]
}

function sameLive(facts: Facts, fact: Fact, text: string): Fact | null {
  const isSame = (one: Fact): boolean =>
    one !== fact && one.type === fact.type && isLive(one) && one.status === fact.status && isSameFact(one.text, text)
  return allFacts(facts).find(isSame) ?? null
}

function sayTheSame({ id }: Fact, same: Fact): Changed {
  return refused(
    'same',
    `${same.id} says so already: ${same.text}\nOne of them is enough: memory-keeper facts reject ${id} --by ${same.id}, or facts edit ${same.id}`,
  )
}

/** Without what was judged. */
function settled({ judged: _, ...fact }: Fact): Fact {
  return fact
}

export function later({ at, lastAt }: Pick<Fact, 'at' | 'lastAt'>, now: string): string {
  const last = lastAt ?? at
  return last > now ? last : now
}

function quoted(text: string | null): string {
  return text === null || text === '' ? '' : `: ${text}`
}

function notLive(fact: Fact): Changed | null {
  return isLive(fact) ? null : gone(fact)
}

function gone({ id, state }: Fact): Changed {
  return refused('not-live', `${id} is ${state}. To bring it back first: memory-keeper facts restore ${id}`)
}

function notIssue(fact: Fact): Changed | null {
  if (fact.type === 'issue') return null
  return refused(
    'not-an-issue',
    `${fact.id} is a ${fact.type}, and only issues are open or resolved. If it no longer holds: memory-keeper facts reject ${fact.id}, or supersede it.`,
  )
}

function unknown(id: string): Changed {
  return refused('not-found', `There is no fact ${id.trim()}. memory-keeper facts list --state all shows them.`)
}

function already({ id }: Fact, what: string, next: string): Changed {
  return refused('already', `${id} is ${what} already. ${next}`)
}

function refused(code: Extract<Changed, { is: 'refused' }>['code'], problem: string): Changed {
  return { is: 'refused', code, problem }
}

function changed(facts: Facts, before: Fact, after: Fact): Changed {
  return { is: 'changed', facts: replaceFact(facts, before, after), fact: after }
}
