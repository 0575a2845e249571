/** Changes of permanent memory: what is proposed, judged, used again or overtaken. Nothing is ever taken out. */

import { compareText } from '../text/memory-words.ts'
import type { Facts } from './fact.ts'
import type { Judged } from './judged.ts'
import {
  allPermanent,
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
