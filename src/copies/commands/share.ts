/** `share` writes the user's memory for others into the repository, `restore` takes files from the vault, `sessions` lists them. Also the rows of `trust`. */
import path from 'node:path'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, limitOf, underLock } from '../../memory/commands/context.ts'
import { bold, count, oneLine, table, width } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../memory/disk/store.ts'
import { missingNotes, noteAgain, waiveNotes } from '../../notes/disk/note-list.ts'
import { KeeperError } from '../../platform/error.ts'
import { GITIGNORE_FILE, SHARED_DIR } from '../../platform/layout.ts'
import { listSessions, type SessionRow } from '../../sessions/disk/sessions.ts'
import { endShare, performShare, planShare } from '../disk/share.ts'
import { readSharing } from '../disk/shared.ts'
import { hasFiles, type Loss, onlyInVault, renderLoss } from '../disk/vault.ts'
import { acceptLosses, bringBack, lossesIn, lostFiles, restoreAll } from '../disk/vault-restore.ts'
import { joinAgain, joinedLines, runTrust, runUntrust } from './trust.ts'

interface ShareOptions {
  as?: string
  off?: boolean
}

function runShare(context: Context, { as, off }: ShareOptions): number {
  if (off === true) return stopSharing(context)
  const { store, out, world, isDryRun } = context
  const plan = planShare(store, as, world)
  const { who, dir, removes, isEmpty, isIgnoreOwn } = plan
  if (isEmpty && readSharing(store.places).as === null)
    throw new KeeperError('nothing', 'There is nothing to share yet: no note, no fact, no concept.')
  if (!isDryRun) performShare(store, plan)
  const changed = [...Object.keys(plan.writes), ...removes]
  out.json({ who, dir, changed, dryRun: isDryRun })
  const memory = path.relative(store.places.project.root, store.places.inProject).split(path.sep).join('/')
  out.say(
    changed.length === 0
      ? `Nothing new to share: ${dir} is as it should be.`
      : `${isDryRun ? 'Would share' : 'Shared'} your notes, facts and concepts as ${bold(who)}: no session, no settings, secrets redacted again.`,
    ...changed.map((file) => `  ${file}${removes.includes(file) ? ' (removed)' : ''}`),
    ...(isIgnoreOwn ? [`You changed ${memory}/${GITIGNORE_FILE}: it must not leave out ${SHARED_DIR}/.`] : []),
    ...(isDryRun
      ? []
      : [`To give it to others: git add ${memory}/${GITIGNORE_FILE} ${memory}/${SHARED_DIR} && git commit`]),
  )
  return 0
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

interface RestoreOptions {
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
  if (store.ownership === 'foreign')
    throw new KeeperError('foreign', `${inProject} is not trusted. Trust or remove it first: memory-keeper trust`)
  const losses = lossesIn(store).filter(({ name }) => file === undefined || name === path.normalize(file))
  if (file !== undefined && losses.length === 0)
    throw new KeeperError(
      'not-found',
      `${file} has lost nothing that the vault has. memory-keeper restore --dry-run shows what has.`,
    )
  return accept === true ? acceptAll(context, losses, file) : bringAll(context, losses, file)
}

function bringAll(context: Context, losses: readonly Loss[], file: string | undefined): number {
  const { store, out, isDryRun } = context
  const restored = file === undefined ? lostFiles(store) : losses.map(({ name }) => name)
  if (!isDryRun)
    underLock(store, COMMAND_WAIT_MS, () => (file === undefined ? restoreAll(store) : bringBack(store, losses)))
  // Neither in a file nor in the vault: the session itself still has what the note told.
  const again = file === undefined ? missingNotes(store).filter(({ isLast }) => isLast) : []
  if (!isDryRun && again.length > 0) underLock(store, COMMAND_WAIT_MS, () => noteAgain(store, again))
  // Sessions that were captured at home while git had files of its own here.
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

/** What cannot be read is not agreed to: nobody knows what it says. */
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
      ? 'Nothing is lost that you could agree to.'
      : `The vault ${isDryRun ? 'would drop' : 'dropped'} what it had of ${count(accepted.length, 'file')}:`,
    ...accepted.map((loss) => `  ${renderLoss(loss)}`),
    ...left.map((loss) => `${renderLoss(loss)}: make it readable or remove it first`),
  )
  return 0
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
