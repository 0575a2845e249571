/** Permanent items: how one is proposed, judged and used again, and which wait for the user. Nothing is deleted. */

import { compareText } from '../../kernel/text/memory-words.ts'
import type { NewItem, PermanentItem, Proof } from './item.ts'
import { addItem, allPermanent, findPermanent, type Items, replaceItem } from './items.ts'

/** More evidence than this is not kept. */
const MAX_PROOFS = 12

export function addPermanent(items: Items, fresh: NewItem<PermanentItem>): { items: Items; item: PermanentItem } {
  return addItem<PermanentItem>(items, { ...fresh, evidence: boundProofs(fresh.evidence) })
}

export function changePermanent(items: Items, id: string, change: Partial<NewItem<PermanentItem>>): Items {
  const item = findPermanent(items, id)
  return item === null ? items : replaceItem(items, item, { ...item, ...change })
}

/** Records a recurrence: its time, its place, and its facts. */
export function useAgain(
  item: PermanentItem,
  lastAt: string,
  proofs: readonly Proof[],
  ids: readonly string[],
): Partial<NewItem<PermanentItem>> {
  return {
    usedAt: compareText(item.usedAt, lastAt) < 0 ? lastAt : item.usedAt,
    evidence: boundProofs([...item.evidence, ...proofs]),
    facts: [...new Set([...item.facts, ...ids])],
  }
}

/** Each place once; of too many, the newest. */
function boundProofs(proofs: readonly Proof[]): Proof[] {
  const byPlace = new Map(
    proofs.map(({ session, entry, quote, quoted }) => [
      `${session}#${entry}`,
      { session, entry, quote, ...(quoted ? { quoted } : {}) },
    ]),
  )
  return [...byPlace.values()].slice(-MAX_PROOFS)
}

/** Items that wait for the user's approval: those not asked yet first, then those with the most sessions. */
export function proposedIn(items: Items): PermanentItem[] {
  return allPermanent(items)
    .filter(({ state }) => state === 'proposed')
    .sort(
      (a, b) =>
        Number(a.askedAt !== undefined) - Number(b.askedAt !== undefined) ||
        sessionsOf(b.evidence) - sessionsOf(a.evidence) ||
        compareText(a.id, b.id),
    )
}

/** Proposed by code, and not judged by a model. */
export function unjudgedIn(items: Items): PermanentItem[] {
  return proposedIn(items).filter(({ by, judged, askedAt }) => by === 'code' && !judged && askedAt === undefined)
}

/** Where rules of an earlier version or of another machine are listed, behind "rules to accept, "; null: none waits. */
export function arrivedRulesNotice(items: Items): string | null {
  const from = proposedIn(items).flatMap((item) => item.from ?? [])
  if (from.length === 0) return null
  const isVersion = (one: string): boolean => /^\d+\.\d+$/.test(one)
  const places = [
    ...(from.some(isVersion) ? ['an earlier version'] : []),
    ...(from.every(isVersion) ? [] : ['your other machines']),
  ]
  return `${from.length} from ${places.join(' and ')}: memory-keeper rules`
}

export function sessionsOf(places: readonly { session: string }[]): number {
  return new Set(places.map(({ session }) => session)).size
}
