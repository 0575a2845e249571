/** `show`: shows anything with an id: a session, entries, a note, a fact, a concept, a summary, a page. */

import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, wholeNumber } from '../../../kernel/memory/commands/context.ts'
import { harmless } from '../../../kernel/memory/commands/output.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { renderFound } from '../../search/commands/search-text.ts'
import { lookUp } from '../../search/disk/lookup.ts'
import { thingNamed } from '../../search/thing.ts'
import { lookAfter } from './facts.ts'

export function runShow(context: Context, given: string, options: { context?: string } = {}): number {
  const { store, out } = context
  const id = given.trim()
  const around = wholeNumber('--context', options.context ?? '0')
  if (thingNamed(id)?.kind === 'fact') lookAfter(context)
  const found = lookUp(store, id, around)
  if (found === null) throw noSuchThing(id)
  if (found.parts.length === 0) throw new KeeperError('not-found', harmless(found.title))
  out.json({ id, ...found })
  out.say(...renderFound(found, context))
  return 0
}

function noSuchThing(id: string): KeeperError {
  // An item that may have been deleted; anything else is a typo.
  if (thingNamed(id) !== null)
    return new KeeperError(
      'not-found',
      `Nothing in this project has the id ${harmless(id)}. memory-keeper sessions, notes list, facts list, rules and page list show what there is.`,
    )
  return new KeeperError(
    'usage',
    `"${harmless(id)}" is not an id. Use one of a session (like 1a2b3c4d), an entry (L1:1a2b3c4d#5), a range (L1:1a2b3c4d#5-9), a note (n-1a2b3c4d-0-57), a fact (d001), a concept (c001), a session's summary (S:1a2b3c4d) or a page (page:project); memory-keeper search finds them.`,
  )
}

export const SHOW_COMMANDS: readonly Command[] = [
  {
    usage: 'show <id>',
    about:
      'anything by its id: a session (1a2b3c4d), entries (L1:1a2b3c4d#5-9), a note, a fact (d001), a concept (c001), a page',
    options: [{ flags: '--context <n>', about: 'with so many entries before and after' }],
    example: 'memory-keeper show L1:1a2b3c4d#5 --context 2',
    run: inProject((context, options, [id = '']) => runShow(context, id, options)),
  },
]
