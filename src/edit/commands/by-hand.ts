/** A change by hand as a command: performed in the store, printed in colours; `undo`, `pin`, `unpin`; how lists are printed. */

import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, handOf, limitOf } from '../../memory/commands/context.ts'
import { bold, dim, harmless, oneLine, table, warning, width } from '../../memory/commands/output.ts'
import { type Change, changeByHand, type Hand, type HandLine } from '../disk/by-hand.ts'
import { listUndo, skipLast, type Undoable, undoLast } from '../disk/undo.ts'

export function perform(context: Context, change: Change): number {
  const { lines, json } = changeByHand(context.store, change, handIn(context))
  return printChange(context, json, lines)
}

/** A command that changes the one thing whose id it takes. */
export function changeOfId(
  name: string,
  act: 'pin' | 'unpin' | 'reopen' | 'restore' | 'decline' | 'remove-note',
  about: string,
  id: string,
): Command {
  const run = inProject((context, _, [given = '']) => perform(context, { do: act, id: given }))
  return { usage: `${name} <id>`, about, writes: true, example: `memory-keeper ${name} ${id}`, run }
}

/** `now` is asked for once: a change has one moment. */
function handIn(context: Context): Hand {
  return { by: handOf(context), now: context.world.now(), isDryRun: context.isDryRun }
}

function printChange({ out }: Context, json: Record<string, unknown>, lines: readonly HandLine[]): number {
  out.json(json)
  out.say(...lines.filter(({ tone }) => tone !== 'warn').map(painted))
  for (const { text, tone } of lines) if (tone === 'warn') out.warn(warning(harmless(text)))
  return 0
}

function painted({ text, head = '', tone }: HandLine): string {
  const shown = harmless(text.slice(head.length))
  return bold(harmless(head)) + (tone === 'dim' ? dim(shown) : shown)
}

const LEAST_WORDS = 24

/** Rows of a list: columns, then a text in the room that is left of the line. */
export function listed(rows: readonly { cells: readonly string[]; text: string }[], columns: number): string[] {
  const heads = table(rows.map(({ cells }) => cells))
  const room = Math.max(LEAST_WORDS, columns - 2 - Math.max(0, ...heads.map(width)))
  return table(rows.map(({ text }, i) => [heads[i] ?? '', oneLine(text, room)]))
}

export function minute(at: string): string {
  return harmless(at).slice(0, 16).replace('T', ' ')
}

interface UndoOptions {
  list?: boolean
  limit?: string
  skip?: boolean
  redo?: boolean
}

function runUndo(context: Context, options: UndoOptions): number {
  const { store, isDryRun } = context
  if (options.list) return showList(context, options)
  if (options.skip) {
    const skipped = skipLast(store, context)
    return printChange(context, { skipped, dryRun: isDryRun }, [
      { text: `${isDryRun ? 'Would stay' : 'Stays'} as it is: ${skipped.what}` },
      { text: 'memory-keeper undo takes back the one before.', tone: 'dim' },
    ])
  }
  const { undone, lines } = undoLast(store, handIn(context), options.redo ? 'redo' : 'undo')
  return printChange(context, { [options.redo ? 'redone' : 'undone']: undone, dryRun: isDryRun }, lines)
}

function showList({ store, out, world }: Context, { limit }: UndoOptions): number {
  const all = listUndo(store)
  const shown = all.slice(0, limitOf(limit))
  out.json({ changes: shown, total: all.length })
  const rows = shown.map((one) => [
    minute(one.at),
    one.by === 'user' ? 'you' : 'Claude',
    bold(oneLine(one.what, Math.max(LEAST_WORDS, world.columns - 28))),
    dim(noteOn(one)),
  ])
  const last = 'Newest first: memory-keeper undo takes back the newest that is not undone.'
  out.say(...table(rows), all.length === 0 ? 'Nothing was changed by hand that undo could take back.' : dim(last))
  return 0
}

function noteOn({ state, files }: Undoable): string {
  if (state === 'earlier') return 'made by an earlier version; cannot be undone'
  if (files === null) return 'too large; cannot be undone'
  return state === 'undone' ? 'undone; undo --redo makes it again' : ''
}

export const HAND_COMMANDS: readonly Command[] = [
  {
    usage: 'undo',
    about: 'undo the last change by hand of facts, concepts, notes, rules or pages; again: the one before',
    options: [
      { flags: '--list', about: 'the changes, newest first' },
      { flags: '--limit <n>', about: 'with --list: at most so many' },
      { flags: '--skip', about: 'leave the last change as it is, and continue with the one before' },
      { flags: '--redo', about: 'make the change again that was undone last' },
    ],
    more: [
      'A change is taken back only while its files are as it left them: if a session, a model or an editor has',
      'changed one of them since, nothing is written. forget cannot be undone. The last 50 changes are kept.',
      'Not covered: settings, what sessions and models wrote by themselves, and what was edited in the files.',
    ],
    writes: true,
    example: 'memory-keeper undo --dry-run',
    run: inProject((context, options) => runUndo(context, options)),
  },
  changeOfId('pin', 'pin', 'put a fact first in every briefing, however old it is', 'd001'),
  changeOfId('unpin', 'unpin', 'remove the pin of a fact', 'd001'),
]
