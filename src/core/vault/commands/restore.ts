/** `restore`: brings back from the vault what the memory lost, or accepts the loss. */
import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, underLock } from '../../../kernel/memory/commands/context.ts'
import { count } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { runVerb } from '../../edit/commands/verbs.ts'
import { missingNotes, noteAgain, waiveNotes } from '../../notes/disk/note-list.ts'
import { thingNamed } from '../../search/thing.ts'
import { hasFiles, type Loss, renderLoss } from '../disk/vault.ts'
import { acceptLosses, bringBack, lossesIn, lostFiles, restoreAll } from '../disk/vault-restore.ts'
import { joinAgain, joinedLines } from './trust.ts'

interface RestoreOptions {
  accept?: boolean
}

function runRestore(context: Context, { accept }: RestoreOptions, given: string | undefined): number {
  if (given !== undefined && thingNamed(given) !== null) return runVerb(context, 'restore', given, { words: '' })
  return restoreFiles(context, accept === true, given)
}

function restoreFiles(context: Context, isAccepted: boolean, file: string | undefined): number {
  const { store } = context
  const { vault, inProject } = store.places
  if (!hasFiles(vault))
    throw new KeeperError(
      'empty-vault',
      `There is nothing in the vault for this project (${vault}). It is filled when a session ends.`,
    )
  if (store.ownership === 'foreign')
    throw new KeeperError('foreign', `${inProject} is not trusted. Trust or remove it first: memory-keeper trust`)
  const losses = lossesIn(store).filter(({ name }) => file === undefined || name === path.normalize(file))
  if (file !== undefined && losses.length === 0)
    throw new KeeperError(
      'not-found',
      `${file} has lost nothing that the vault has. memory-keeper restore --dry-run shows what has.`,
    )
  return isAccepted ? acceptAll(context, losses, file) : bringAll(context, losses, file)
}

function bringAll(context: Context, losses: readonly Loss[], file: string | undefined): number {
  const { store, out, isDryRun } = context
  const restored = file === undefined ? lostFiles(store) : losses.map(({ name }) => name)
  if (!isDryRun)
    underLock(store, COMMAND_WAIT_MS, () => (file === undefined ? restoreAll(store) : bringBack(store, losses)))
  // Neither a file nor the vault has the note: it is written again from its session.
  const again = file === undefined ? missingNotes(store).filter(({ isLast }) => isLast) : []
  if (!isDryRun && again.length > 0) underLock(store, COMMAND_WAIT_MS, () => noteAgain(store, again))
  // Sessions that were captured at home while the directory was foreign because of git.
  const joined = isDryRun || file !== undefined ? 0 : joinAgain(context)
  const notedAgain = again.map(({ id8, from, to }) => `n-${id8}-${from}-${to}`)
  out.json({ restored, joined, dryRun: isDryRun, ...(again.length === 0 ? {} : { notedAgain }) })
  out.say(
    restored.length === 0
      ? 'Nothing is missing: all files of the vault are there.'
      : `${isDryRun ? 'Would restore' : 'Restored'} ${count(restored.length, 'file')} from the vault:`,
    ...restored.map((name) => `  ${name}`),
    ...joinedLines(joined),
    ...(again.length === 0
      ? []
      : [`Written again from their sessions, at the end of the next one: ${notedAgain.join(', ')}`]),
  )
  return 0
}

/** Unreadable files are not accepted: their content is unknown. */
function acceptAll({ store, out, isDryRun }: Context, losses: readonly Loss[], file: string | undefined): number {
  const accepted = losses.filter(({ found }) => found.is !== 'unread')
  if (!isDryRun)
    underLock(store, COMMAND_WAIT_MS, () => {
      acceptLosses(store, accepted)
      if (file === undefined) waiveNotes(store, missingNotes(store))
    })
  out.json({ accepted: accepted.map(({ name }) => name), dryRun: isDryRun })
  const left = losses.filter((loss) => !accepted.includes(loss))
  out.say(
    accepted.length === 0
      ? 'There is no loss to accept.'
      : `The vault ${isDryRun ? 'would drop' : 'dropped'} its copies of ${count(accepted.length, 'file')}:`,
    ...accepted.map((loss) => `  ${renderLoss(loss)}`),
    ...left.map((loss) => `${renderLoss(loss)}: make it readable or remove it first`),
  )
  return 0
}

export const RESTORE_COMMANDS: readonly Command[] = [
  {
    usage: 'restore [id-or-file]',
    about: 'bring back a rejected fact or rule, or missing files',
    options: [{ flags: '--accept', about: 'do not restore it: accept the loss, and delete it from the vault' }],
    writes: true,
    example: 'memory-keeper restore --dry-run',
    also: ['memory-keeper restore d001', 'memory-keeper restore rules.md --accept'],
    more: [
      'With the id of a fact: a rejected, superseded or stale one is valid again, a resolved issue open. With that of a learned rule: it',
      'is active. Without an id: missing files and lost text are restored from the vault.',
    ],
    run: inProject((context, options: RestoreOptions, [file]) => runRestore(context, options, file)),
  },
]
