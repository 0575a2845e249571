/** The commands about copies of a memory: `export` and `import-bundle` (a file), `share` (for the team), `restore` (from home). Also the rows of `trust`. */
import path from 'node:path'
import { missingNotes, noteAgain, waiveNotes } from '../../../core/notes/disk/note-list.ts'
import { readSharing } from '../../../core/others/disk/shared.ts'
import { joinAgain, joinedLines, runTrust, runUntrust } from '../../../core/vault/commands/trust.ts'
import { hasFiles, type Loss, renderLoss } from '../../../core/vault/disk/vault.ts'
import { acceptLosses, bringBack, lossesIn, lostFiles, restoreAll } from '../../../core/vault/disk/vault-restore.ts'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, projectOption, underLock } from '../../../kernel/memory/commands/context.ts'
import { bold, bytes, count, dim, harmless, warning } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { disk, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { BUNDLE_KEY_FILE, GITIGNORE_FILE, SHARED_DIR } from '../../../kernel/platform/layout.ts'
import { endShare, performShare, planShare } from '../../share/disk/share.ts'
import { exportBundle, openBundle, performBundle, planBundle } from '../disk/bundle.ts'

interface ExportOptions {
  out?: string
  force?: boolean
}

function runExport({ store, out, world, isDryRun }: Context, options: ExportOptions): number {
  const { text, files, redactions } = exportBundle(store)
  if (files === 0) throw new KeeperError('nothing', 'Nothing is remembered here yet, so there is nothing to export.')
  const to = options.out === undefined ? null : path.resolve(world.cwd, options.out)
  const summary = { files, bytes: Buffer.byteLength(text), redactions, out: to }
  const what = `${count(files, 'file')}${to === null ? '' : ` to ${harmless(to)}`} (${bytes(summary.bytes)})`
  if (to !== null && !isDryRun) {
    if (statOf(to) !== null && options.force !== true)
      throw new KeeperError('exists', `${to} exists. Name another file, or replace it: --force`)
    disk.replace(to, text)
  }
  out.json({ ...summary, ...(isDryRun ? { dryRun: true } : to === null ? { bundle: text } : {}) })
  if (isDryRun) out.say(`Would ${to === null ? 'print' : 'write'} ${what}`)
  else if (to !== null) out.say(`Wrote ${what}`, ...redactedLines(redactions), dim(elsewhere(store)))
  else if (!out.isJson) world.streams.out(text)
  return 0
}

function redactedLines(secrets: number): string[] {
  if (secrets === 0) return []
  return [warning(`${count(secrets, 'secret')} redacted in it; memory-keeper scrub cleans the memory itself.`)]
}

function elsewhere({ places }: Store): string {
  const key = harmless(path.join(places.keeperDir, BUNDLE_KEY_FILE))
  return `It contains what you and Claude said. To add it elsewhere: memory-keeper import-bundle FILE; on another machine of yours with --mine, or after copying ${key}.`
}

interface ImportOptions {
  yes?: boolean
  mine?: boolean
}

function runImportBundle(context: Context, given: string, options: ImportOptions): number {
  const { store, out, world, isDryRun } = context
  const bundle = openBundle(store, path.resolve(world.cwd, given), options.mine === true)
  const { effects, left, isKnown } = planBundle(store, bundle, world.now())
  const isNothing = effects.length === 0
  const isDone = options.yes === true && !isDryRun && !isNothing
  const backup = isDone ? underLock(store, COMMAND_WAIT_MS, () => performBundle(store, bundle, world.now())) : null
  const paths = [...new Set(effects.map((effect) => effect.path))]
  const files = paths.filter((name) => !name.includes('.l1.jsonl'))
  const sessions = paths.length - files.length
  out.json({ signed: bundle.isSigned, sessions, files, left, known: isKnown, done: isDone, backup })
  out.say(
    bundle.isSigned
      ? 'Your own bundle: exported here, and unchanged since.'
      : warning(
          'Not signed here: it counts as yours because you say so (--mine). Its prompts count as your words, and its rules and settings apply. Use this only for a file that you exported yourself and that nobody else could change.',
        ),
  )
  if (isKnown) out.say('It was already added: nothing is added twice, and deleted items stay deleted.')
  else if (isNothing) out.say('All of it is here already.')
  else
    out.say(
      `It adds ${count(sessions, 'session')} and writes ${count(files.length, 'file')}. Existing items are not added again.`,
      ...files.map((name) => dim(`  ${harmless(name)}`)),
      ...left.map((name) => dim(`  ${harmless(name)}: could not be read`)),
      isDone
        ? `Added.${backup === null ? '' : ` What was there before: ${backup}`}`
        : `Nothing was changed. To add it: memory-keeper import-bundle ${harmless(given)}${options.mine === true ? ' --mine' : ''}${harmless(projectOption(context))} --yes`,
    )
  return 0
}

export const BUNDLE_COMMANDS: readonly Command[] = [
  {
    usage: 'export',
    isVerbatim: true,
    about: 'the whole memory as one file: sessions, notes, summaries, facts, concepts, rules, pages, settings',
    options: [
      { flags: '--out <file>', about: 'write it there; without this it is printed' },
      { flags: '--force', about: 'replace a file that is there' },
    ],
    more: [
      'Paths of this machine become relative to the project or your home, except in the words of sessions and what is quoted from them.',
      'Secrets are redacted once more. It is signed with a key at home: only your own can be added again. On another machine: copy that key, or import-bundle --mine.',
    ],
    example: 'memory-keeper export --out memory.json',
    run: inProject((context, options) => runExport(context, options)),
  },
  {
    usage: 'import-bundle <file>',
    about: 'add an exported memory of yours to this one, with --yes; duplicates are skipped, nothing is replaced',
    options: [
      { flags: '--yes', about: 'do it' },
      { flags: '--mine', about: 'you exported it on another machine, and nobody else could change it' },
    ],
    writes: true,
    example: 'memory-keeper import-bundle memory.json --yes',
    run: inProject((context, options, [file = '']) => runImportBundle(context, file, options)),
  },
]

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
    usage: 'restore [file]',
    about: 'restore missing files and lost text from the vault',
    options: [{ flags: '--accept', about: 'do not restore it: accept the loss, and delete it from the vault' }],
    writes: true,
    example: 'memory-keeper restore --dry-run',
    also: ['memory-keeper restore rules.md --accept'],
    run: inProject((context, options: RestoreOptions, [file]) => runRestore(context, options, file)),
  },
]
