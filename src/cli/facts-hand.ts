/** Whose hand changes a fact: inside Claude Code it is Claude's, and Claude's does not reach what the user said, unless they typed so. */
import type { Fact } from '../core/fact.ts'
import { findFact } from '../core/fact-list.ts'
import { addOwnFact, type Hand, type OwnFact } from '../core/fact-own.ts'
import type { Act } from '../core/typed-verdict.ts'
import { readFacts } from '../store/knowledge.ts'
import type { Context } from './context.ts'
import { hasSaid, hasTyped, isInside, needUsersYes } from './users-yes.ts'

/** What is known of whose hand it is goes with the context. */
export type InHand = Context & { hand?: Hand }

export function handOf(context: InHand): Hand {
  return context.hand ?? (isInside(context) ? 'agent' : 'user')
}

/** Throws where it is not Claude's to change. `text`: an edit is the user's only in words that they typed. */
export function mayChange(context: Context, id: string, act: Act, text?: string): InHand {
  if (!isInside(context)) return context
  const fact = findFact(readFacts(context.store), id)
  if (fact === null || !isUsers(fact, act)) return context
  // What the user rejected is refused by itself.
  if (fact.state === 'rejected' && !hasSaid(context, fact.id, act)) return context
  needUsersYes(context, fact.id, act)
  return { ...context, hand: text === undefined || hasTyped(context, text) ? 'user' : 'agent' }
}

/** Adding may join or close a fact that is there. */
export function mayAdd(context: Context, own: Omit<OwnFact, 'concept'>): InHand {
  if (!isInside(context)) return context
  const { store, world } = context
  const facts = readFacts(store)
  const { is, fact } = addOwnFact(facts, { ...own, concept: null }, world.now(), 'agent')
  const before = findFact(facts, fact.id)
  if (before === null || !isUsers(before, 'edit')) return context
  if (is === 'resolved') needUsersYes(context, before.id, 'resolve')
  else if (before.reason !== fact.reason || before.files.length !== fact.files.length)
    needUsersYes(context, before.id, 'edit')
  return context
}

/** What the user said, and what the user decided about it. */
function isUsers({ author, evidence, judged }: Fact, act: Act): boolean {
  if (act === 'restore') return judged?.by === 'user'
  return author === 'user' || evidence.by === 'user'
}
