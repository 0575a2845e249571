/** Changes that a person or an agent makes to facts: resolve, reject, replace, restore, pin, edit, add. No change deletes a fact. */
import { type Fact, type FactKind, isLive, isTold, type Judged, type NewFact, saidByPerson, withPast } from './item.ts'
import { addItem, allFacts, findFact, type Items, isSameFact, replaceItem } from './items.ts'

/** `problem`: a sentence with the next step, for the caller. */
interface Refused {
  is: 'refused'
  code: 'not-found' | 'already' | 'not-an-issue' | 'not-live' | 'not-other' | 'not-yours' | 'same'
  problem: string
}

export type Changed = { is: 'changed'; facts: Items; fact: Fact } | Refused

/** Returns the changed fact, or why it cannot be changed. */
type Transition = (fact: Fact) => Fact | Refused

/** The facts that a transition accepts: current ones, current issues, those not rejected, all. */
type From = 'live' | 'issue' | 'unrejected' | 'any'

function changeFact(facts: Items, id: string, from: From, transition: Transition): Changed {
  const fact = findFact(facts, id)
  if (fact === null) return unknown(id)
  const after = whyNotFrom(fact, from) ?? transition(fact)
  return 'is' in after ? after : { is: 'changed', facts: replaceItem(facts, fact, after), fact: after }
}

function whyNotFrom(fact: Fact, from: From): Refused | null {
  const isGone = from === 'any' ? false : from === 'unrejected' ? fact.state === 'rejected' : !isLive(fact)
  const { id, kind, state } = fact
  if (isGone) return refused('not-live', `${id} is ${state}. To restore it first: memory-keeper restore ${id}`)
  if (from !== 'issue' || kind === 'issue') return null
  return refused(
    'not-an-issue',
    `${id} is a ${kind}, and only issues are open or resolved. If it no longer holds: memory-keeper reject ${id}, or supersede it.`,
  )
}

/** The source of a person's own statement: no session. */
const NOWHERE = { session: '', entry: -1 }

/** If an issue is resolved again with other words, the resolution is corrected. */
export function resolveIssue(
  facts: Items,
  id: string,
  resolution: string | null,
  judged: Judged,
  { session, entry } = NOWHERE,
): Changed {
  return changeFact(facts, id, 'issue', (fact) => {
    if (fact.status === 'resolved' && (resolution === null || resolution === fact.resolution))
      return already(fact, 'resolved', `To open it again: memory-keeper restore ${fact.id}`)
    const closedBy = { session, entry, at: judged.at }
    const resolved: Fact = { ...fact, status: 'resolved', resolution: resolution ?? fact.resolution, closedBy }
    return withPast(resolved, judged, `resolved${quoted(resolution)}`)
  })
}

export function reopenIssue(facts: Items, id: string, judged: Judged): Changed {
  return changeFact(facts, id, 'issue', (fact) => {
    if (fact.status === 'open') return already(fact, 'open', `To resolve it: memory-keeper resolve ${fact.id} "how"`)
    const { closedBy: _, ...kept } = fact
    const open: Fact = { ...kept, status: 'open', resolution: null, lastAt: later(fact, judged.at) }
    return withPast(open, judged, `opened again; it was resolved${quoted(fact.resolution)}`)
  })
}

/** A rejected fact never comes back by itself, whatever is said later. */
export function rejectFact(facts: Items, id: string, judged: Judged): Changed {
  return changeFact(facts, id, 'any', (fact) =>
    fact.state === 'rejected'
      ? already(fact, 'rejected', `To restore it: memory-keeper restore ${fact.id}`)
      : withPast({ ...fact, state: 'rejected', judged }, judged, `rejected${quoted(judged.why)}`),
  )
}

/** `judged.other`: the replacement. It must be current, so that facts cannot replace each other in a circle. */
export function supersedeFact(facts: Items, id: string, judged: Judged): Changed {
  const other = judged.other === null ? null : findFact(facts, judged.other)
  if (judged.other !== null && other === null && findFact(facts, id) !== null) return unknown(judged.other)
  return changeFact(facts, id, 'unrejected', (fact) => {
    if (fact.state === 'superseded' && (other === null || other.id === fact.judged?.other))
      return already(fact, 'superseded', `To restore it: memory-keeper restore ${fact.id}`)
    if (other === fact)
      return refused(
        'not-other',
        `${fact.id} cannot take its own place. Name another one: --by ID (memory-keeper facts list shows them)`,
      )
    if (other !== null && !isLive(other))
      return refused(
        'not-other',
        `${other.id} is ${other.state} itself. Name a current fact, or first: memory-keeper restore ${other.id}`,
      )
    const superseded: Fact = { ...fact, state: 'superseded', judged: { ...judged, other: other?.id ?? null } }
    return withPast(superseded, judged, `superseded${other === null ? '' : ` by ${other.id}`}`)
  })
}

/**
 * A rejected, superseded or stale fact becomes current again. It counts as said now: only later changes make it stale
 * again.
 */
export function reviveFact(facts: Items, id: string, judged: Judged): Changed {
  return changeFact(facts, id, 'any', (fact) => {
    if (fact.state === 'fresh') return already(fact, 'fresh', 'There is nothing to restore.')
    if (fact.state === 'rejected' && fact.judged?.by === 'user' && judged.by !== 'user')
      return refused(
        'not-yours',
        `${fact.id} was rejected by the user, and only the user can restore it. Ask them to type: /memory-keeper:run restore ${fact.id}`,
      )
    return (fact.state === 'stale' ? null : whySame(facts, fact, fact.text)) ?? revived(fact, judged)
  })
}

function revived({ judged: before, ...fact }: Fact, judged: Judged): Fact {
  const back: Fact = { ...fact, state: 'fresh', lastAt: later(fact, judged.at) }
  return withPast(back, judged, `restored; it was ${fact.state}${quoted(before?.why ?? null)}`)
}

/** A pinned fact comes first of its kind in every briefing, however old it is. */
export function pinFact(facts: Items, id: string): Changed {
  return changeFact(facts, id, 'live', (fact) =>
    fact.pinned === true
      ? already(fact, 'pinned', `To take the pin off: memory-keeper unpin ${fact.id}`)
      : { ...fact, pinned: true },
  )
}

/** In any state: otherwise the pin of a rejected fact would come back with it. */
export function unpinFact(facts: Items, id: string): Changed {
  return changeFact(facts, id, 'any', ({ pinned, ...fact }) =>
    pinned === true ? fact : refused('already', `${fact.id} is not pinned. To pin it: memory-keeper pin ${fact.id}`),
  )
}

interface FactEdit {
  text?: string
  reason?: string | null
  files?: readonly string[]
  concept?: string
}

/** Whoever edits a fact becomes its author. The original words stay as its evidence. */
export function editFact(facts: Items, id: string, edit: FactEdit, judged: Judged): Changed {
  return changeFact(facts, id, 'unrejected', (fact) => {
    const { text = fact.text, reason = fact.reason, files = fact.files, concept = fact.concept } = edit
    const same = text === fact.text || !isLive(fact) ? null : whySame(facts, fact, text)
    if (same !== null) return same
    const edited: Fact = { ...fact, text, reason, files: [...new Set(files)], concept }
    const what = whatChanged(fact, edited)
    if (what.length === 0) return already(fact, 'so', `memory-keeper show ${fact.id} shows all of it.`)
    const isUsers = judged.by === 'user'
    const evidence = {
      ...fact.evidence,
      quote: fact.evidence.quote || fact.text,
      // In an agent's words it is no longer what the user said.
      ...(isUsers || text === fact.text ? {} : { by: 'assistant' as const }),
    }
    return withPast({ ...edited, evidence, by: isUsers ? 'user' : 'agent' }, judged, what.join('; '))
  })
}

function whatChanged(before: Fact, after: Fact): string[] {
  const shown = (fact: Fact): [string, string][] => [
    ['text was', `"${fact.text}"`],
    ['reason was', fact.reason === null ? 'none' : `"${fact.reason}"`],
    ['files were', fact.files.join(', ') || 'none'],
    ['concept was', fact.concept ?? 'none'],
  ]
  const now = shown(after)
  return shown(before).flatMap(([name, was], i) => (was === now[i]?.[1] ? [] : [`${name} ${was}`]))
}

/** Refuses if another current fact says the same. */
function whySame(facts: Items, fact: Fact, text: string): Refused | null {
  const { id, kind, status } = fact
  const same = allFacts(facts).find(
    (one) => one !== fact && one.kind === kind && isLive(one) && one.status === status && isSameFact(one.text, text),
  )
  if (same === undefined) return null
  return refused(
    'same',
    `${same.id} already says so: ${same.text}\nOne of them is enough: memory-keeper reject ${id} --by ${same.id}, or memory-keeper edit ${same.id}`,
  )
}

function later({ at, lastAt = at }: Pick<Fact, 'at' | 'lastAt'>, now: string): string {
  return lastAt > now ? lastAt : now
}

function quoted(text: string | null): string {
  return text === null || text === '' ? '' : `: ${text}`
}

function unknown(id: string): Refused {
  return refused('not-found', `There is no fact ${id.trim()}. memory-keeper facts list --state all shows them.`)
}

function already({ id }: Fact, what: string, next: string): Refused {
  return refused('already', `${id} is ${what} already. ${next}`)
}

function refused(code: Refused['code'], problem: string): Refused {
  return { is: 'refused', code, problem }
}

/** A fact entered by a person or an agent. */
export interface OwnFact {
  kind: FactKind
  text: string
  reason: string | null
  files: readonly string[]
  concept: string | null
  /** Issues only. */
  status: 'open' | 'resolved' | null
  resolution: string | null
  /** Add it even if another one seems to say the same. */
  anyway?: true
}

/** `known`: another fact says the same and now counts as said again. `rejected`: only a person can bring it back. */
export interface Added {
  is: 'added' | 'known' | 'restored' | 'resolved' | 'rejected'
  facts: Items
  fact: Fact
}

/** A person's own fact needs no proof and restores a rejected one; an agent's does neither, waits for its audit, and changes nothing that is told. */
export function addOwnFact(facts: Items, own: OwnFact, at: string, by: 'user' | 'agent' = 'user'): Added {
  const judged: Judged = { by, at, why: null, other: null }
  const status = own.kind === 'issue' ? (own.status ?? 'open') : null
  const like = allFacts(facts).filter(({ kind, text }) => kind === own.kind && isSameFact(text, own.text))
  const rejected = like.find(({ state }) => state === 'rejected')
  if (rejected !== undefined && by === 'agent') return { is: 'rejected', facts, fact: rejected }
  const live = own.anyway ? [] : like.filter(isLive)
  const put = (is: Added['is'], before: Fact, after: Fact): Added => ({
    is,
    facts: replaceItem(facts, before, after),
    fact: after,
  })
  const same = live.find((one) => one.status === status)
  if (same !== undefined && by === 'agent' && (saidByPerson(same) || isTold(same)))
    return { is: 'known', facts, fact: same }
  if (same !== undefined) {
    const again = saidAgain(same, own, judged)
    return put('known', same, own.text === same.text ? again : withPast(again, judged, `said again: ${own.text}`))
  }
  const open = status === 'resolved' ? live.find((one) => one.status === 'open') : undefined
  if (open !== undefined) {
    const resolution = own.resolution ?? own.text
    const closed: Fact = { ...saidAgain(open, own, judged), status, resolution, closedBy: { ...NOWHERE, at } }
    return put('resolved', open, withPast(closed, judged, `resolved: ${resolution}`))
  }
  if (rejected !== undefined && !own.anyway) return put('restored', rejected, restored(rejected, own, judged))
  const added = addItem<Fact>(facts, factOf(own, judged))
  return { is: 'added', facts: added.items, fact: added.item }
}

/** In the new words, which are its evidence from now on; the earlier places are kept. */
function restored(rejected: Fact, own: OwnFact, judged: Judged): Fact {
  const { session, evidence, also = [] } = rejected
  const before = evidence.entry < 0 ? also : [...also, `${session}#${evidence.entry}`]
  const { closedBy: _, ...kept } = saidAgain(revived(rejected, judged), own, judged)
  const { reason, files, concept, at } = kept
  const placed = before.length === 0 ? {} : { also: before }
  return { ...kept, ...factOf(own, judged), reason, files, concept, at, ...placed }
}

function factOf(own: OwnFact, { by, at }: Judged): NewFact {
  const { kind, text, reason, files, concept } = own
  const status = kind === 'issue' ? (own.status ?? 'open') : null
  return {
    ...{ kind, text, reason, status, resolution: status === 'resolved' ? own.resolution : null },
    ...(status === 'resolved' ? { closedBy: { ...NOWHERE, at } } : {}),
    ...{ at, session: '', evidence: { entry: -1, quote: text, by: by === 'user' ? 'user' : 'assistant' } },
    ...{ files: [...new Set(files)], concept, state: 'fresh', by: by === 'user' ? 'user' : 'agent' },
    ...(by === 'user' ? {} : { unaudited: true as const }),
  }
}

/** Keeps what is there and adds what is new. A person who repeats a fact becomes its author. */
function saidAgain(fact: Fact, own: OwnFact, { by, at }: Judged): Fact {
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
    by: by === 'user' ? 'user' : fact.by,
  }
}
