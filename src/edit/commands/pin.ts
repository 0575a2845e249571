/** `pin`, `unpin`: a fact is told first in every briefing, or no longer. */

import type { Context } from '../../memory/commands/context.ts'
import { perform } from './by-hand.ts'

export function runPin(context: Context, id: string): number {
  return perform(context, { do: 'pin', id })
}

export function runUnpin(context: Context, id: string): number {
  return perform(context, { do: 'unpin', id })
}
