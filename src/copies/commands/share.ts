/** `share` writes the user's memory for others into the repository, `restore` takes files from the vault, `sessions` lists them. Also the rows of `trust`. */
import path from 'node:path'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, limitOf, underLock } from '../../memory/commands/context.ts'
import { bold, count, oneLine, table, width } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { type MissingNote, missingNotes, noteAgain, waiveNotes } from '../../notes/disk/note-list.ts'
import { KeeperError } from '../../platform/error.ts'
import { GITIGNORE_FILE, SHARED_DIR } from '../../platform/layout.ts'
import { listSessions, type SessionRow } from '../../sessions/disk/sessions.ts'
import { IGNORE_BUT_SHARED } from '../../trust/share-files.ts'
import { endShare, isLeftOut, performShare, planShare } from '../disk/share.ts'
import { readSharing } from '../disk/shared.ts'
import { hasFiles, type Loss, onlyInVault, renderLoss } from '../disk/vault.ts'
import { acceptLosses, bringBack, lossesIn, lostFiles, restoreAll } from '../disk/vault-restore.ts'
import { joinAgain, runTrust, runUntrust } from './trust.ts'

interface ShareOptions {
  as?: string
  off?: boolean
}

function runShare(context: Context, { as, off }: ShareOptions): number {
  if (off === true) return stopSharing(context)
  const { store, out, world, isDryRun } = context
  const plan = planShare(store, as, world)
  const { notes, facts, concepts } = plan.counts
  if (notes + facts + concepts === 0 && readSharing(store.places).as === null)
    throw new KeeperError(
      'nothing',
      'There is nothing to share yet: no note, no fact, no concept. Nothing was written.',
    )
  const files = [...Object.keys(plan.writes), ...plan.removes]
  if (!isDryRun) performShare(store, plan)
  const isIgnored = isLeftOut(store, plan, world)
  const { who, counts } = plan
  out.json({ who, dir: plan.dir, changed: files, counts, isIgnored, dryRun: isDryRun })
  const told = `${count(counts.notes, 'note')}, ${count(counts.facts, 'fact')} and ${count(counts.concepts, 'concept')}`
  out.say(
    files.length === 0
      ? `Nothing new to share: ${plan.dir} holds ${told}.`
      : `${isDryRun ? 'Would share' : 'Shared'} ${told} as ${bold(who)}: no session, no settings, secrets redacted again.`,
    ...files.map((file) => `  ${file}${plan.removes.includes(file) ? ' (removed)' : ''}`),
    ...(plan.isIgnoreOwn ? [ignoreAdvice(store.places.inProject)] : []),
    ...(isDryRun ? [] : [`To give it to others: ${commitCommand(context, isIgnored)}`]),
  )
  return 0
}

/** A .gitignore above it may leave out all of `.claude`. */
function commitCommand({ store: { places } }: Context, isIgnored: boolean): string {
  const dir = path.relative(places.project.root, places.inProject).split(path.sep).join('/')
  return `git add ${isIgnored ? '-f ' : ''}${dir}/${GITIGNORE_FILE} ${dir}/${SHARED_DIR} && git commit`
}

function ignoreAdvice(dir: string): string {
  const rules = IGNORE_BUT_SHARED.split('\n').filter((line) => line.startsWith('!'))
  return `You changed ${path.join(dir, GITIGNORE_FILE)}, so it stays as it is. It must not leave out the shared files: ${rules.join(' ')}`
}

function stopSharing({ store, out, isDryRun }: Context): number {
  const ended = endShare(store, isDryRun)
  if (ended === null)
    throw new KeeperError('not-shared', 'Nothing of this memory is shared. To share it: memory-keeper share')
  out.json({ who: ended.who, removed: ended.files, dryRun: isDryRun })
  out.say(
    `${isDryRun ? 'Would remove' : 'Removed'} what you shared as ${bold(ended.who)}. Commit that; what was committed before stays in git's history.`,
    ...ended.files.map((file) => `  ${file}`),
  )
  return 0
}

export const TRUST_COMMANDS: readonly Command[] = [
  {
    usage: 'trust',
    about: 'look at a memory that came with a repository or through git, or that teammates share, and use it',
    options: [{ flags: '--yes', about: 'use it' }],
    writes: true,
    example: 'memory-keeper trust --yes',
    run: inProject(runTrust),
  },
  {
    usage: 'untrust [who]',
    about: "stop reading the project's memory directory and what teammates share in it, or what one of them shares",
    writes: true,
    example: 'memory-keeper untrust',
    also: ['memory-keeper untrust alice'],
    run: inProject((context, _, [who]) => runUntrust(context, who)),
  },
  {
    usage: 'share',
    about: 'write your notes, facts and concepts into the project for others to read, ready to be committed',
    options: [
      { flags: '--as <name>', about: "the name they are found under; without this git's user.name" },
      { flags: '--off', about: 'share nothing any more' },
    ],
    writes: true,
    example: 'memory-keeper share --as alice',
    run: inProject(runShare),
  },
]

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
  // Sessions that were captured at home while git had files of its own here.
  const joined = isDryRun || file !== undefined ? 0 : joinAgain(context)
  out.json({ restored, joined, dryRun: isDryRun, ...(again.length === 0 ? {} : { notedAgain: again.map(nameOf) }) })
  out.say(
    restored.length === 0
      ? 'Nothing is missing: all files of the vault are there.'
      : `${isDryRun ? 'Would restore' : 'Restored'} ${count(restored.length, 'file')} from the vault:`,
    ...restored.map((name) => `  ${name}`),
    ...(joined === 0 ? [] : [`${count(joined, 'file')} kept at home meanwhile joined it.`]),
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

/** Below so many columns, the counts are left out. */
const NARROW = 72
const LEAST_GOAL = 10

function runSessions(context: Context, options: { limit?: string }): number {
  const rows = listSessions(context.store)
  const shown = rows.slice(0, limitOf(options.limit))
  context.out.json({ sessions: shown })
  if (rows.length === 0) {
    const inVault = onlyInVault(context.store)
    context.out.say(
      inVault > 0
        ? `No sessions here, but ${count(inVault, 'session')} in the vault: memory-keeper restore brings them back.`
        : 'No sessions yet. They are captured as you work; memory-keeper import takes in earlier ones.',
    )
  }
  context.out.say(...renderRows(shown, context.world.columns))
  return 0
}

/** One line each; a narrow terminal gets less of it. */
function renderRows(rows: readonly SessionRow[], columns: number): string[] {
  const counts = (row: SessionRow): string[] => [count(row.prompts, 'prompt'), count(row.tools, 'tool use')]
  const heads = table(
    rows.map((row) => [
      bold(row.id),
      row.startedAt.slice(0, 16).replace('T', ' ') || '–',
      ...(columns < NARROW ? [] : counts(row)),
    ]),
  )
  const taken = Math.max(0, ...heads.map(width)) + 2
  return table(rows.map((row, i) => [heads[i] ?? '', oneLine(row.goal, Math.max(LEAST_GOAL, columns - taken))]))
}

export const SESSIONS_COMMANDS: readonly Command[] = [
  {
    usage: 'sessions',
    about: 'list the sessions, newest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper sessions --limit 10',
    run: inProject(runSessions),
  },
]
