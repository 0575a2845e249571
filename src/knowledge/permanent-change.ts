/** Changes of permanent memory (proposed, judged, used again, superseded; nothing is deleted), and the lines that ask the user for a yes. */
import { compareText, shortenTo, textOnOneLine } from '../text/memory-words.ts'
import type { Facts } from './fact.ts'
import {
  allPermanent,
  type Judged,
  nextPermanentId,
  PERMANENT_KINDS,
  type PermanentItem,
  type PermanentKind,
  type PermanentStatus,
  type Proof,
} from './permanent.ts'

/** More prove no more. */
const MAX_PROOFS = 12

export type NewPermanent = Omit<PermanentItem, 'id'>

export function addPermanent(facts: Facts, kind: PermanentKind, item: NewPermanent): Facts {
  const { permanent } = facts
  const added = { id: nextPermanentId(permanent), ...item, evidence: boundProofs(item.evidence) }
  return { ...facts, permanent: { ...permanent, [kind]: [...permanent[kind], added] } }
}

export function findPermanent(facts: Facts, id: string): (PermanentItem & { kind: PermanentKind }) | null {
  return allPermanent(facts.permanent).find((item) => item.id === id) ?? null
}

/** Somebody's verdict: what becomes of it, when and why. */
export function judgePermanent(
  facts: Facts,
  id: string,
  status: PermanentStatus,
  judged: Judged,
  to: { kind?: PermanentKind; text?: string } = {},
): Facts {
  const text = to.text === undefined ? {} : { text: to.text }
  return moveTo(changePermanent(facts, id, { ...text, status, judged }), id, to.kind)
}

export function changePermanent(facts: Facts, id: string, change: Partial<NewPermanent>): Facts {
  const permanent = { ...facts.permanent }
  for (const kind of PERMANENT_KINDS)
    permanent[kind] = permanent[kind].map((item) => (item.id === id ? { ...item, ...change } : item))
  return { ...facts, permanent }
}

/** It recurred: when, where else, and what else says it. */
export function useAgain(
  item: PermanentItem,
  lastAt: string,
  proofs: readonly Proof[],
  ids: readonly string[],
): Partial<NewPermanent> {
  return {
    usedAt: compareText(item.usedAt, lastAt) < 0 ? lastAt : item.usedAt,
    evidence: boundProofs([...item.evidence, ...proofs]),
    facts: [...new Set([...item.facts, ...ids])],
  }
}

/** Each place once, the newest of too many. */
function boundProofs(proofs: readonly Proof[]): Proof[] {
  const byPlace = new Map(proofs.map(({ session, entry, quote }) => [`${session}#${entry}`, { session, entry, quote }]))
  return [...byPlace.values()].slice(-MAX_PROOFS)
}

function moveTo(facts: Facts, id: string, kind: PermanentKind | undefined): Facts {
  const item = findPermanent(facts, id)
  if (kind === undefined || item === null || item.kind === kind) return facts
  const { kind: from, ...moved } = item
  const { permanent } = facts
  const left = permanent[from].filter((one) => one.id !== id)
  return { ...facts, permanent: { ...permanent, [from]: left, [kind]: [...permanent[kind], moved] } }
}

type Item = PermanentItem & { kind: PermanentKind }

const MAX_CHARS = 160
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const ASKED: Record<PermanentKind, string> = {
  rules: 'Make it a rule?',
  solutions: 'Keep it as a solution?',
  core_logic: 'Keep it for good?',
}

/** What waits for the user's yes: never asked first, what most sessions say before the rest. */
export function proposedIn(facts: Facts): Item[] {
  return allPermanent(facts.permanent)
    .filter(({ status }) => status === 'proposed')
    .sort(
      (a, b) =>
        Number(a.askedAt !== undefined) - Number(b.askedAt !== undefined) ||
        sessionsOf(b) - sessionsOf(a) ||
        compareText(a.id, b.id),
    )
}

/** Proposed by code, and no model has looked at it. */
export function unjudgedIn(facts: Facts): Item[] {
  return proposedIn(facts).filter(({ by, judged, askedAt }) => by === 'code' && !judged && askedAt === undefined)
}

/** Who says so, what, and the line that answers it. */
export function renderQuestion(item: Item): string {
  const text = shortenTo(textOnOneLine(item.text).replace(/[.!]+$/, ''), MAX_CHARS) ?? ''
  const sessions = sessionsOf(item)
  const agreed = `${NUMBERS[sessions] ?? sessions} sessions agree on`
  const who = item.by === 'code' && sessions > 1 ? agreed : 'Claude proposes'
  return `Memory Keeper: ${who} "${text}". ${ASKED[item.kind]} To answer, type: /memory-keeper:run rules accept ${item.id} (or /memory-keeper:run rules decline ${item.id})`
}

/** Rules of an earlier version, in one line for all of them; null: none waits. */
export function earlierRulesNotice(facts: Facts): string | null {
  const waiting = proposedIn(facts).filter(({ from }) => from !== undefined).length
  if (waiting === 0) return null
  return `${waiting} ${waiting === 1 ? 'rule' : 'rules'} from an earlier version ${waiting === 1 ? 'waits' : 'wait'} for your yes: memory-keeper rules`
}

function sessionsOf({ evidence }: Item): number {
  return new Set(evidence.map(({ session }) => session)).size
}
