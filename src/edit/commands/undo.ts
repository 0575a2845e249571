/** `undo`: takes back the last change of facts, concepts, notes, rules, lessons or pages by hand. */

import { type Context, limitOf } from '../../memory/commands/context.ts'
import { bold, dim, oneLine, table } from '../../memory/commands/output.ts'
import { listUndo, skipLast, undoLast } from '../disk/undo.ts'
import { handIn, tellChange } from './by-hand.ts'

interface UndoOptions {
  list?: boolean
  limit?: string
  skip?: boolean
}

export function runUndo(context: Context, options: UndoOptions): number {
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
