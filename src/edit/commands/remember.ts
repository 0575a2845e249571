/** `remember`: what somebody wants kept, now, in their own words: a fact where these say so, else a note. */

import { toRemember } from '../../knowledge/remember.ts'
import { type Context, handOf } from '../../memory/commands/context.ts'
import { dim } from '../../memory/commands/output.ts'
import { KeeperError } from '../../platform/error.ts'
import { runFactsAdd } from './facts-change.ts'
import { runNote } from './note.ts'

export function runRemember(context: Context, words: string): number {
  const { kind, text } = toRemember(words.trim() === '' ? fromStdin(context) : words)
  const code = kind === 'note' ? runNote(context, { text }) : runFactsAdd(context, kind, text, {})
  if (code === 0 && !context.isDryRun) context.out.say(dim(told(context, kind)))
  return code
}

function told(context: Context, kind: string): string {
  const whose = handOf(context) === 'user' ? 'yours' : "Claude's"
  return `Kept as ${kind === 'issue' ? 'an' : 'a'} ${kind} of ${whose}; the next session is told it. memory-keeper undo takes it back.`
}

function fromStdin({ world }: Context): string {
  const text = world.isStdinTerminal ? '' : world.readStdin()
  if (text.trim() !== '') return text
  throw new KeeperError('usage', 'Say what is to be remembered: memory-keeper remember "We deploy on Tuesdays only."')
}
