/** `migrate`: the memory of an earlier version becomes one of this version; a backup first, and nothing twice. */

import path from 'node:path'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { proposedIn } from '../../knowledge/proposal.ts'
import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { bold, count, dim, table } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../memory/disk/store.ts'
import { NEIGHBOURS } from '../../outgoing/disk/neighbours.ts'
import { statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { isTimezone } from '../../platform/time.ts'
import { isNothing, type MigrateOptions, type PlannedMigration, performMigration, planFrom } from '../disk/migrate.ts'
import { findOrigins, sessionsBeside } from '../disk/migrate-files.ts'
import type { NoteWork } from '../legacy-note.ts'
import type { LegacyRow } from '../legacy-plan.ts'

export interface MigrateArguments {
  from?: string
  timezone?: string
}

/** Rows that a person looks at, and names in a line; --json has them all. */
const MAX_ROWS = 60
const MAX_NAMES = 10

export function runMigrate(context: Context, given: MigrateArguments, work: NoteWork = 'all'): number {
  const { store, out, world, isDryRun } = context
  const options: MigrateOptions = { timezone: timezoneOf(context, given.timezone), work, now: world.now() }
  const origins = findOrigins(store, given.from === undefined ? undefined : path.resolve(world.cwd, given.from))
  const done = origins
    .filter(({ isInPlace }) => isInPlace || work === 'all')
    .map((origin) => {
      const plan = planFrom(store, origin, options)
      const isNone = isNothing(store, plan)
      if (isDryRun || isNone) return { ...plan, isNone, backup: null }
      return { ...performMigration(store, plan, options, (work) => underLock(store, COMMAND_WAIT_MS, work)), isNone }
    })
  const changed = done.filter(({ isNone }) => !isNone)
  const timezone = options.timezone || systemTimezone()
  out.json({ dryRun: isDryRun, timezone, migrations: done.map(asJson) })
  if (changed.length === 0) out.say(nothingToDo(context, given))
  for (const one of changed) out.say(...render(one, one.backup, isDryRun))
  if (changed.some(hasTimes))
    out.say(
      `Times without a zone were read as times in ${timezone}${given.timezone === undefined ? '; if they were written elsewhere: --timezone ZONE' : ''}.`,
    )
  if (changed.length > 0) out.say(nextStep(context, given, work))
  const beside = given.from === undefined && work === 'all' ? sessionsBeside(store) : null
  if (beside !== null)
    out.say(`There are sessions in ${beside}, too. If they are yours: memory-keeper migrate --from ${beside}`)
  return 0
}

function nothingToDo({ store }: Context, { from }: MigrateArguments): string {
  if (from !== undefined) return `Nothing to migrate: what ${from} holds was taken over before.`
  if (statOf(store.dir) !== null) return 'Nothing to migrate: this memory is of the current version.'
  return `Nothing to migrate: this project has no memory yet, and no earlier version left one at home. If it lies elsewhere: memory-keeper migrate --from DIR`
}

function nextStep({ store, isDryRun }: Context, { from, timezone }: MigrateArguments, work: NoteWork): string {
  const again = [
    ...(from === undefined ? [] : [`--from ${from}`]),
    ...(timezone === undefined ? [] : [`--timezone ${timezone}`]),
  ]
  const command = work === 'all' ? 'memory-keeper migrate' : 'memory-keeper migrate-timezone'
  if (isDryRun) return `Next: ${[command, ...again].join(' ')} does it, with a backup first.`
  const waiting = proposedIn(readFacts(store)).length
  return waiting > 0
    ? `Next: ${count(waiting, 'permanent memory', 'permanent memories')} ${waiting === 1 ? 'waits' : 'wait'} for your yes: memory-keeper rules candidates`
    : 'Next: memory-keeper briefing shows what Claude is told now.'
}

type Done = PlannedMigration & { backup: string | null; isNone: boolean }

function asJson({ origin, layout, rows, left, counts, effects, backup }: Done): object {
  const writes = effects.map((effect) => ({ do: effect.do, path: effect.path }))
  return { from: origin.dir, isInPlace: origin.isInPlace, layout, files: rows, left, counts, writes, backup }
}

function render(plan: PlannedMigration, backup: string | null, isDryRun: boolean): string[] {
  const { origin, layout, effects } = plan
  const rows = telling(plan)
  const shown = rows
    .slice(0, MAX_ROWS)
    .map(({ from, to, what }) => [`  ${from}`, to === '' ? '' : `→ ${to}`, dim(what)])
  return [
    `${bold(origin.dir)}${layout === null || layout === 'current' ? '' : `, as ${layout} kept it`}:`,
    ...table(shown),
    ...(rows.length > MAX_ROWS
      ? [dim(`  … ${count(rows.length - MAX_ROWS, 'more file')}; --json lists them all`)]
      : []),
    takenLine(plan, isDryRun),
    ...leftLines(plan),
    ...(backup === null ? [] : [`Backup: ${backup}`]),
    ...(origin.isInPlace || isDryRun || effects.length === 0
      ? []
      : [dim(`${origin.dir} was only read. It is yours to delete.`)]),
  ]
}

function takenLine({ counts, effects, origin }: PlannedMigration, isDryRun: boolean): string {
  const parts = [
    [counts.notes, 'note', 'notes'],
    [counts.facts, 'fact', 'facts'],
    [counts.concepts, 'concept', 'concepts'],
    [counts.sessions, 'session', 'sessions'],
    [counts.archives, 'new archive', 'new archives'],
  ] as const
  const entries = ` (${count(counts.entries, 'entry', 'entries')})`
  const made = parts
    .filter(([n]) => n > 0)
    .map(([n, one, many]) => `${count(n, one, many)}${one === 'session' ? entries : ''}`)
  if (effects.length === 0) return `Nothing in ${origin.dir} ${isDryRun ? 'would be' : 'was'} new.`
  const files = count(new Set(effects.map((effect) => effect.path)).size, 'file')
  return `${isDryRun ? 'Would take over' : 'Took over'} ${made.length === 0 ? files : made.join(', ')}.`
}

function leftLines({ left }: PlannedMigration): string[] {
  if (left.length === 0) return []
  const more = left.length - MAX_NAMES
  const names = left.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more (--json lists them all)` : '')
  return [`${count(left.length, 'file')} not understood, left as ${left.length === 1 ? 'it is' : 'they are'}: ${names}`]
}

/** Whether any time of its own was read: the names of sessions, and the dates of notes. */
function hasTimes({ counts }: PlannedMigration): boolean {
  return counts.notes + counts.sessions + counts.facts > 0
}

/** In place, only what changes. */
function telling({ rows, effects, origin }: PlannedMigration): LegacyRow[] {
  if (!origin.isInPlace) return rows
  const touched = new Set(effects.map((effect) => effect.path))
  return rows.filter(({ from, to }) => touched.has(from) || touched.has(to))
}

function timezoneOf({ store }: Context, given: string | undefined): string {
  if (given !== undefined && !isTimezone(given))
    throw new KeeperError('usage', `"${given}" is no time zone of this system. Give one like --timezone Europe/Berlin.`)
  return given ?? store.config.timezone
}

/** What an empty time zone means here. */
function systemTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

const TIMEZONE: Option = {
  flags: '--timezone <zone>',
  about: "where local times were written, like Asia/Seoul; without it the setting timezone, else the system's",
}

/** What `import` takes to read other memories than the host's transcripts. */
export const NEIGHBOUR_OPTIONS: readonly Option[] = [
  {
    flags: '--from <what>',
    about: 'auto-memory, claude-mem or memory-bank, instead of transcripts',
    values: { of: NEIGHBOURS },
  },
  { flags: '--path <path>', about: 'where that is, if not where it usually lies' },
  { flags: '--neighbours', about: 'all of these that are there' },
]

export const MIGRATE_COMMANDS: readonly Command[] = [
  {
    usage: 'migrate',
    alias: 'migrate-legacy',
    about: 'take over the memory of an earlier version: v3, v4, v12, v13; backs up first, may run twice',
    options: [{ flags: '--from <dir>', about: 'the memory of an earlier version; it is only read' }, TIMEZONE],
    writes: true,
    example: 'memory-keeper migrate --dry-run',
    run: inProject((context, options) => runMigrate(context, options)),
  },
  {
    usage: 'migrate-timezone',
    about: 'only the dates of notes: local times become UTC, with the local time beside it',
    options: [TIMEZONE],
    writes: true,
    example: 'memory-keeper migrate-timezone --timezone Asia/Seoul --dry-run',
    run: inProject((context, options) => runMigrate(context, options, 'times')),
  },
]
