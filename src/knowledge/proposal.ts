/** What waits for the user's yes, and the one line that asks for it. Loaded at every start: it must stay small. */

import { compareText, shortenTo, textOnOneLine } from '../text/memory-words.ts'
import type { Facts } from './fact.ts'
import { allPermanent, type PermanentItem, type PermanentKind } from './permanent.ts'

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

function sessionsOf({ evidence }: Item): number {
  return new Set(evidence.map(({ session }) => session)).size
}
