/** A change by hand, as a command: made in the store, told in colours. */

import { type Context, handOf } from '../../memory/commands/context.ts'
import { bold, dim, harmless, warning } from '../../memory/commands/output.ts'
import { type Change, changeByHand, type Hand, type HandLine } from '../disk/by-hand.ts'

export function perform(context: Context, change: Change): number {
  const { lines, json } = changeByHand(context.store, change, handIn(context))
  tellChange(context, json, lines)
  return 0
}

/** `now` is asked for once: a change has one moment. */
export function handIn(context: Context): Hand {
  return { by: handOf(context), now: context.world.now(), isDryRun: context.isDryRun }
}

export function tellChange(
  { out }: Pick<Context, 'out'>,
  json: Record<string, unknown>,
  lines: readonly HandLine[],
): void {
  out.json(json)
  out.say(...lines.filter(({ tone }) => tone !== 'warn').map(painted))
  for (const { text, tone } of lines) if (tone === 'warn') out.warn(warning(harmless(text)))
}

function painted({ text, head = '', tone }: HandLine): string {
  const shown = harmless(text.slice(head.length))
  return bold(harmless(head)) + (tone === 'dim' ? dim(shown) : shown)
}
