/** Runs a change by hand as a command and prints it; also `undo`, and the printing of lists. */

import { type Command, inProject, type Option } from '../../../kernel/memory/commands/command.ts'
import { type Context, handOf, limitOf, typed } from '../../../kernel/memory/commands/context.ts'
import { dim, harmless, oneLine, table, width } from '../../../kernel/memory/commands/output.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { type Change, changeByHand, type Hand } from '../disk/by-hand.ts'
import { listUndo, type Undoable, undoLast } from '../disk/undo.ts'

/** `saved`: what is said of something new, in place of how it was added. */
export function perform(context: Context, change: Change, saved?: string): number {
  const { said, json } = changeByHand(context.store, change, handIn(context))
  const isNew = json.known !== true && (json.is ?? 'added') === 'added' && !context.isDryRun
  const [first = '', how = '', ...rest] = said
  return printChange(context, json, saved === undefined ? said : [first, isNew ? saved : how, ...rest])
}

/** The options of these commands. */
interface HandOptions {
  text?: string
  reason?: string
  file?: readonly string[]
  concept?: string
  anyway?: boolean
  why?: string
  by?: string
  kind?: string
}

/** A command that performs one change by hand, built from its arguments and options. */
export function handCommand(
  row: Pick<Command, 'usage' | 'about' | 'example' | 'also' | 'options' | 'stdin'>,
  changeOf: (args: readonly string[], options: HandOptions) => Change,
): Command {
  return {
    ...row,
    writes: true,
    run: inProject((context, options: HandOptions, args) => perform(context, changeOf(args, options))),
  }
}

export const REASON: Option = { flags: '--reason <text>', about: 'why; "" for none' }
export const FILE: Option = {
  flags: '--file <file>',
  about: 'a file it is about; may be given several times',
  isRepeatable: true,
}
export const CONCEPT: Option = { flags: '--concept <id-or-name>', about: 'its concept; a new name creates one' }

/** The clock is read once: a change has one time. */
function handIn(context: Context): Hand {
  return { by: handOf(context), now: context.world.now(), isDryRun: context.isDryRun }
}

function printChange(
  { out }: Context,
  json: Record<string, unknown>,
  [first = '', ...rest]: readonly string[],
): number {
  out.json(json)
  out.say(harmless(first), ...rest.map((line) => dim(harmless(line))))
  return 0
}

const LEAST_WORDS = 24

export interface ListRow {
  cells: readonly string[]
  text: string
}

/** Prints columns, then a text in the rest of the line; `after`: lines below the rows. */
export function printList(
  { out, world }: Context,
  json: object,
  rows: readonly ListRow[],
  after: readonly string[],
): number {
  out.json(json)
  const heads = table(rows.map(({ cells }) => cells))
  const room = Math.max(LEAST_WORDS, world.columns - 2 - Math.max(0, ...heads.map(width)))
  out.say(...table(rows.map(({ text }, i) => [heads[i] ?? '', oneLine(text, room)])), ...after)
  return 0
}

export interface UndoOptions {
  list?: boolean
  limit?: string
  skip?: boolean
}

export function runUndo(context: Context, options: UndoOptions, id?: string): number {
  if (options.limit !== undefined && options.list !== true)
    throw new KeeperError('usage', '--limit belongs to --list: memory-keeper undo --list --limit 5')
  if (options.list) return showList(context, options)
  const { undone, said } = undoLast(context.store, context, { id, isSkipped: options.skip === true })
  return printChange(context, { [options.skip ? 'skipped' : 'undone']: undone }, said)
}

function showList(context: Context, { limit }: UndoOptions): number {
  const all = listUndo(context.store)
  const changes = all.slice(0, limitOf(limit))
  const rows = changes.map((one) => ({
    cells: [context.clock.minute(one.at), one.by === 'user' ? 'you' : 'Claude', dim(noteOn(one))],
    text: one.what,
  }))
  return printList(context, { changes, total: all.length }, rows, [
    all.length === 0
      ? 'There is no change by hand to undo.'
      : dim(`Newest first: ${typed(context.world, 'undo')} takes back the newest.`),
  ])
}

function noteOn({ isEarlier, files }: Undoable): string {
  if (isEarlier) return 'made by an earlier version; cannot be undone'
  return files === null ? 'too large; cannot be undone' : ''
}

export const HAND_COMMANDS: readonly Command[] = [
  {
    usage: 'undo [id]',
    about: 'take back the last change by hand; of one thing by its id; again: the one before',
    options: [
      { flags: '--list', about: 'the changes, newest first' },
      { flags: '--limit <n>', about: 'with --list: at most so many' },
      { flags: '--skip', about: 'keep the last change, so that undo continues with the one before' },
    ],
    more: [
      'It restores what that change changed, whatever else was written since. If that very item or line was changed',
      'again, nothing is written: undo that change first. forget cannot be undone. The last 50 changes are kept.',
      'Not covered: settings, texts that sessions and models wrote, and edits made directly in the files.',
    ],
    writes: true,
    example: 'memory-keeper undo --dry-run',
    also: ['memory-keeper undo d001'],
    run: inProject((context, options, [id]) => runUndo(context, options, id)),
  },
]
