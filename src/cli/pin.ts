/** `pin`, `unpin`: a fact is told first in every briefing, or no longer. */
import { perform } from './by-hand.ts'
import type { Context } from './context.ts'

export function runPin(context: Context, id: string): number {
  return perform(context, { do: 'pin', id })
}

export function runUnpin(context: Context, id: string): number {
  return perform(context, { do: 'unpin', id })
}
