/** `restore`: files of the memory come back from the vault, or the user agrees that they are gone. */

import path from 'node:path'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { count } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { type MissingNote, missingNotes, noteAgain, waiveNotes } from '../../notes/disk/notes-missing.ts'
import { KeeperError } from '../../platform/error.ts'
import { hasFiles } from '../disk/vault.ts'
import { type Loss, renderLoss } from '../disk/vault-loss.ts'
import { acceptLosses, bringBack, lossesIn, lostFiles, restoreAll } from '../disk/vault-restore.ts'

export interface RestoreOptions {
  accept?: boolean
}

function runRestore(context: Context, { accept }: RestoreOptions, file: string | undefined): number {
  const { store } = context
  const { vault, inProject } = store.places
  if (!hasFiles(vault))
    throw new KeeperError(
      'empty-vault',
      `There is nothing in the vault for this project (${vault}). It is filled when a session ends.`,
    )
  if (store.ownership === 'foreign') {
    throw new KeeperError('foreign', `${inProject} is not trusted. Trust or remove it first: memory-keeper trust`)
  }
  const losses = lossesIn(store).filter(({ name }) => file === undefined || name === path.normalize(file))
  return accept === true ? acceptAll(context, losses, file) : bringAll(context, losses, file)
}

function bringAll(context: Context, losses: readonly Loss[], file: string | undefined): number {
  const { store, out, isDryRun } = context
  const restored = file === undefined ? lostFiles(store) : losses.map(({ name }) => name)
  if (file !== undefined && restored.length === 0) throw nothingOf(file)
  if (!isDryRun)
    underLock(store, COMMAND_WAIT_MS, () => (file === undefined ? restoreAll(store) : bringBack(store, losses)))
  // Neither in a file nor in the vault: the session itself still has what the note told.
  const again = file === undefined ? missingNotes(store).filter(({ isLast }) => isLast) : []
  if (!isDryRun && again.length > 0) underLock(store, COMMAND_WAIT_MS, () => noteAgain(store, again))
  out.json({ restored, dryRun: isDryRun, ...(again.length === 0 ? {} : { notedAgain: again.map(nameOf) }) })
  out.say(
    restored.length === 0
      ? 'Nothing is missing: all files of the vault are there.'
      : `${isDryRun ? 'Would restore' : 'Restored'} ${count(restored.length, 'file')} from the vault:`,
    ...restored.map((name) => `  ${name}`),
    ...(again.length === 0
      ? []
      : [
          `${count(again.length, 'note')} that no file has ${isDryRun ? 'would be' : 'will be'} written again from the session when the next one ends: ${again.map(nameOf).join(', ')}`,
        ]),
  )
  return 0
}

function acceptAll({ store, out, isDryRun }: Context, losses: readonly Loss[], file: string | undefined): number {
  const unread = losses.filter(({ found }) => found.is === 'unread')
  const accepted = losses.filter((loss) => !unread.includes(loss))
  if (file !== undefined && losses.length === 0) throw nothingOf(file)
  if (!isDryRun) underLock(store, COMMAND_WAIT_MS, () => accept(store, accepted, file === undefined))
  out.json({ accepted: accepted.map(({ name }) => name), dryRun: isDryRun })
  out.say(
    accepted.length === 0
      ? 'Nothing is lost that you could agree to.'
      : `${isDryRun ? 'Would be' : 'From now on'} as you want it; the vault ${isDryRun ? 'would drop' : 'dropped'} what it had of ${count(accepted.length, 'file')}:`,
    ...accepted.map((loss) => `  ${renderLoss(loss)}`),
    ...unread.map((loss) => `${renderLoss(loss)}: make it readable or remove it first`),
  )
  return 0
}

function accept(store: Store, losses: readonly Loss[], isAll: boolean): void {
  acceptLosses(store, losses)
  if (isAll) waiveNotes(store, missingNotes(store))
}

function nothingOf(file: string): KeeperError {
  return new KeeperError(
    'not-found',
    `${file} has lost nothing that the vault has. memory-keeper restore --dry-run shows what has.`,
  )
}

function nameOf({ id8, from, to }: MissingNote): string {
  return `n-${id8}-${from}-${to}`
}

export const RESTORE_COMMANDS: readonly Command[] = [
  {
    usage: 'restore [file]',
    about: 'bring back from the vault what is missing or was lost from a file',
    options: [{ flags: '--accept', about: 'do not bring it back: it is meant to be gone, and the vault drops it' }],
    writes: true,
    example: 'memory-keeper restore --dry-run',
    also: ['memory-keeper restore rules.md --accept'],
    run: inProject((context, options: RestoreOptions, [file]) => runRestore(context, options, file)),
  },
]
