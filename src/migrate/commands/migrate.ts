/** `migrate`: the memory of an earlier version becomes one of this version. `import`: transcripts, or claude-mem. */

import path from 'node:path'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { proposedIn } from '../../knowledge/permanent-change.ts'
import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { bold, count, dim, table } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../memory/disk/store.ts'
import { statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { isTimezone } from '../../platform/time.ts'
import { IMPORT_OPTIONS, type ImportOptions, runImport } from '../../sessions/commands/import.ts'
import { claudeMemOrigin, claudeMemPath } from '../disk/claude-mem.ts'
import { isNothing, type MigrateOptions, type PlannedMigration, performMigration, planFrom } from '../disk/migrate.ts'
import { findOrigins } from '../disk/migrate-files.ts'

export interface MigrateArguments {
  from?: string
  timezone?: string
}

/** Rows that a person looks at, and names in a line; --json has them all. */
const MAX_ROWS = 60
const MAX_NAMES = 10

export function runMigrate(context: Context, given: MigrateArguments): number {
  const { store, out, world, isDryRun } = context
  const options: MigrateOptions = { timezone: timezoneOf(context, given.timezone), now: world.now() }
  const origins = findOrigins(store, given.from === undefined ? undefined : path.resolve(world.cwd, given.from))
  const done = origins.map((origin): Done => {
    const plan = planFrom(store, origin, options)
    const isNone = isNothing(store, plan)
    if (isDryRun || isNone) return { ...plan, isNone, backup: null }
    return { ...underLock(store, COMMAND_WAIT_MS, () => performMigration(store, origin, options)), isNone }
  })
  const changed = done.filter(({ isNone }) => !isNone)
  const timezone = options.timezone || new Intl.DateTimeFormat().resolvedOptions().timeZone
  out.json({ dryRun: isDryRun, timezone, migrations: done.map(asJson) })
  if (changed.length === 0) out.say(nothingToDo(context, given))
  for (const one of changed) out.say(...render(one, isDryRun))
  if (changed.some(({ counts }) => counts.notes + counts.sessions + counts.facts > 0))
    out.say(
      `Times without a zone were read as times in ${timezone}${given.timezone === undefined ? '; if they were written elsewhere: --timezone ZONE' : ''}.`,
    )
  if (changed.length > 0) out.say(nextStep(context, given))
  return 0
}

function nothingToDo({ store }: Context, { from }: MigrateArguments): string {
  if (from !== undefined) return `Nothing to migrate: what ${from} holds was taken over before.`
  if (statOf(store.dir) !== null) return 'Nothing to migrate: this memory is of the current version.'
  return `Nothing to migrate: this project has no memory yet, and no earlier version left one at home. If it lies elsewhere: memory-keeper migrate --from DIR`
}

function nextStep({ store, isDryRun }: Context, { from, timezone }: MigrateArguments): string {
  const flags = `${from === undefined ? '' : ` --from ${from}`}${timezone === undefined ? '' : ` --timezone ${timezone}`}`
  if (isDryRun) return `Next: memory-keeper migrate${flags} does it, with a backup first.`
  const waiting = proposedIn(readFacts(store)).length
  return waiting > 0
    ? `Next: ${count(waiting, 'permanent memory', 'permanent memories')} ${waiting === 1 ? 'waits' : 'wait'} for your yes: memory-keeper rules`
    : 'Next: memory-keeper briefing shows what Claude is told now.'
}

type Done = PlannedMigration & { backup: string | null; isNone: boolean }

function asJson({ origin, layout, rows, left, counts, effects, backup }: Done): object {
  const writes = effects.map((effect) => ({ do: effect.do, path: effect.path }))
  return { from: origin.dir, isInPlace: origin.isInPlace, layout, files: rows, left, counts, writes, backup }
}

function render({ origin, layout, effects, rows, left, counts, backup }: Done, isDryRun: boolean): string[] {
  const touched = new Set(effects.map((effect) => effect.path))
  const told = origin.isInPlace ? rows.filter(({ from, to }) => touched.has(from) || touched.has(to)) : rows
  const shown = told
    .slice(0, MAX_ROWS)
    .map(({ from, to, what }) => [`  ${from}`, to === '' ? '' : `→ ${to}`, dim(what)])
  const more = told.length - MAX_ROWS
  return [
    `${bold(origin.dir)}${layout === null || layout === 'current' ? '' : `, as ${layout} kept it`}:`,
    ...table(shown),
    ...(more > 0 ? [dim(`  … ${count(more, 'more file')}; --json lists them all`)] : []),
    takenLine(counts, touched.size, isDryRun),
    ...(left.length === 0 ? [] : [`${count(left.length, 'file')} not understood, left as they are: ${namesOf(left)}`]),
    ...(backup === null ? [] : [`Backup: ${backup}`]),
    ...(origin.isInPlace || isDryRun ? [] : [dim(`${origin.dir} was only read. It is yours to delete.`)]),
  ]
}

function takenLine(counts: PlannedMigration['counts'], files: number, isDryRun: boolean): string {
  const parts = [
    [counts.notes, 'note'],
    [counts.facts, 'fact'],
    [counts.concepts, 'concept'],
    [counts.sessions, 'session'],
    [counts.archives, 'new archive'],
  ] as const
  const made = parts.filter(([n]) => n > 0).map(([n, word]) => count(n, word))
  return `${isDryRun ? 'Would take over' : 'Took over'} ${made.length === 0 ? count(files, 'file') : made.join(', ')}.`
}

function namesOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more (--json lists them all)` : '')
}

function timezoneOf({ store }: Context, given: string | undefined): string {
  if (given !== undefined && !isTimezone(given))
    throw new KeeperError('usage', `"${given}" is no time zone of this system. Give one like --timezone Europe/Berlin.`)
  return given ?? store.config.timezone
}

interface FromOptions extends ImportOptions {
  from?: string
  path?: string
}

export function runImportFrom(context: Context, options: FromOptions): number {
  const { from, path: given, transcript, all } = options
  if (from === undefined && given === undefined) return runImport(context, options)
  if (from !== 'claude-mem' || transcript !== undefined || all === true)
    throw new KeeperError(
      'usage',
      '--from takes claude-mem, with --path if it is not where it usually is, and nothing else.',
    )
  const { store, out, world, isDryRun } = context
  const source = given === undefined ? claudeMemPath(world.around.home) : path.resolve(world.cwd, given)
  const migrateOptions = { timezone: store.config.timezone, now: world.now() }
  const { origin, others } = claudeMemOrigin(store, source)
  const seen = planFrom(store, origin, migrateOptions)
  const isNone = isDryRun || seen.effects.length === 0
  const done = isNone
    ? { ...seen, backup: null }
    : underLock(store, COMMAND_WAIT_MS, () => performMigration(store, origin, migrateOptions))
  const { counts, effects, backup } = done
  const files = effects.map((effect) => effect.path)
  const { notes, facts } = counts
  out.json({ dryRun: isDryRun, from, source, counts: { notes, facts }, others, writes: files, backup })
  if (others.length > 0) out.say(`${source} has nothing about this project. It knows: ${namesOf(others)}`)
  else if (files.length === 0) out.say(`Nothing new in ${source}: it was imported before.`)
  else
    out.say(
      `${isDryRun ? 'Would import' : 'Imported'} ${count(notes, 'note')} and ${count(facts, 'fact')} from ${source}: ${namesOf(files)}`,
      dim('They are marked with where they come from; none of it counts as your own words.'),
      ...(backup === null ? [] : [`Backup: ${backup}`]),
    )
  return others.length > 0 ? 1 : 0
}

const TIMEZONE: Option = {
  flags: '--timezone <zone>',
  about: "where local times were written, like Asia/Seoul; without it the setting timezone, else the system's",
}

export const IMPORT_COMMANDS: readonly Command[] = [
  {
    usage: 'import',
    about: "capture this project's transcripts that are still on the machine",
    options: [
      ...IMPORT_OPTIONS,
      { flags: '--from <what>', about: 'claude-mem, instead of transcripts' },
      { flags: '--path <path>', about: 'where that is, if not where it usually lies' },
    ],
    writes: true,
    example: 'memory-keeper import --all',
    run: inProject(runImportFrom),
  },
]

export const MIGRATE_COMMANDS: readonly Command[] = [
  {
    usage: 'migrate',
    about: 'bring in the memory of an earlier version (v3, v4, v12, v13), after a backup; may run twice',
    options: [{ flags: '--from <dir>', about: 'the memory of an earlier version; it is only read' }, TIMEZONE],
    writes: true,
    example: 'memory-keeper migrate --dry-run',
    run: inProject((context, options) => runMigrate(context, options)),
  },
]
