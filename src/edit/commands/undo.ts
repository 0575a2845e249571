/** `undo` takes back the last change of facts, concepts, notes, rules, lessons or pages by hand; `pin` and `unpin` a fact. */

import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, limitOf } from '../../memory/commands/context.ts'
import { bold, dim, oneLine, table } from '../../memory/commands/output.ts'
import { listUndo, skipLast, undoLast } from '../disk/undo.ts'
import { handIn, perform, tellChange } from './by-hand.ts'

interface UndoOptions {
  list?: boolean
  limit?: string
  skip?: boolean
}

function runUndo(context: Context, options: UndoOptions): number {
  if (options.list) return showList(context, options)
  return options.skip ? skip(context) : undo(context)
}

function undo(context: Context): number {
  const done = undoLast(context.store, handIn(context))
  tellChange(context, { undone: done.undone, dryRun: context.isDryRun }, done.lines)
  return 0
}

function skip(context: Context): number {
  const { store, isDryRun } = context
  const [last] = listUndo(store)
  const skipped = isDryRun && last !== undefined ? last : skipLast(store)
  tellChange(context, { skipped, dryRun: isDryRun }, [
    { text: `${isDryRun ? 'Would stay' : 'Stays'} as it is: ${skipped.what}` },
    { text: 'memory-keeper undo takes back the one before.', tone: 'dim' },
  ])
  return 0
}

function showList({ store, out, world }: Context, { limit }: UndoOptions): number {
  const all = listUndo(store)
  const shown = all.slice(0, limitOf(limit))
  out.json({ changes: shown, total: all.length })
  if (all.length === 0) out.say('Nothing was changed by hand that undo could take back.')
  const rows = shown.map(({ at, by, what }) => [
    at.slice(0, 16).replace('T', ' '),
    by === 'user' ? 'you' : 'Claude',
    bold(oneLine(what, Math.max(24, world.columns - 28))),
  ])
  out.say(...table(rows))
  if (all.length > 0) out.say(dim('Newest first: memory-keeper undo takes back the first of them.'))
  return 0
}

function runPin(context: Context, id: string): number {
  return perform(context, { do: 'pin', id })
}

function runUnpin(context: Context, id: string): number {
  return perform(context, { do: 'unpin', id })
}

export const HAND_COMMANDS: readonly Command[] = [
  {
    usage: 'undo',
    about:
      'take back the last change of facts, concepts, notes, rules, lessons or pages by hand; again: the one before',
    options: [
      { flags: '--list', about: 'what could be taken back, newest first' },
      { flags: '--limit <n>', about: 'with --list: at most so many' },
      { flags: '--skip', about: 'leave the last change as it is, and go on with the one before' },
    ],
    more: [
      'What code, a model or a session changed since is never overwritten: then nothing is taken back.',
      'An undo is not undone itself, and forget cannot be undone. The last 50 changes are kept.',
      'Not covered: settings, what sessions and models wrote by themselves, and what was edited in the files.',
    ],
    writes: true,
    example: 'memory-keeper undo --dry-run',
    run: inProject((context, options) => runUndo(context, options)),
  },
  {
    usage: 'pin <id>',
    about: 'have a fact told first in every briefing, however old it is',
    writes: true,
    example: 'memory-keeper pin d001',
    run: inProject((context, _, [id = '']) => runPin(context, id)),
  },
  {
    usage: 'unpin <id>',
    about: 'take the pin off a fact',
    writes: true,
    example: 'memory-keeper unpin d001',
    run: inProject((context, _, [id = '']) => runUnpin(context, id)),
  },
]
