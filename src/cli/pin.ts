/** `pin`, `unpin`: a fact is told first in every briefing, or no longer. */
import { perform } from './by-hand.ts'
import type { Context } from './context.ts'
import { needUsersYes } from './users-yes.ts'

/** What is always told is the user's to choose, whoever said it. */
export function runPin(context: Context, id: string): number {
  needUsersYes(context, id, 'pin')
  return perform({ ...context, hand: 'user' }, { do: 'pin', id })
}

export function runUnpin(context: Context, id: string): number {
  needUsersYes(context, id, 'unpin')
  return perform({ ...context, hand: 'user' }, { do: 'unpin', id })
}
