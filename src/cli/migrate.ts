/** `migrate`: the memory of an earlier version becomes one of this version; a backup first, and nothing twice. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import type { NoteWork } from '../core/legacy-note.ts'
import type { Row } from '../core/legacy-plan.ts'
import { isTimezone } from '../core/time.ts'
import { isNothing, type MigrateOptions, type PlannedMigration, performMigration, planFrom } from '../store/migrate.ts'
import { findOrigins, sessionsBeside } from '../store/migrate-files.ts'
import { COMMAND_WAIT_MS } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { bold, count, dim, table } from './output.ts'

export interface MigrateArguments {
  from?: string
  timezone?: string
}

/** Rows that a person looks at; --json has them all. */
const MAX_ROWS = 60

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
  out.json({ dryRun: isDryRun, migrations: done.map(asJson) })
  const changed = done.filter(({ isNone }) => !isNone)
  if (changed.length === 0) out.say('Nothing to migrate: this memory is of the current version.')
  for (const one of changed) out.say(...render(one, one.backup, isDryRun))
  const beside = given.from === undefined && work === 'all' ? sessionsBeside(store) : null
  if (beside !== null)
    out.say(`There are sessions in ${beside}, too. If they are yours: memory-keeper migrate --from ${beside}`)
  return 0
}

type Done = PlannedMigration & { backup: string | null; isNone: boolean }

function asJson({ origin, layout, rows, left, counts, effects, backup }: Done): object {
  const writes = effects.map((effect) => ({ do: effect.do, path: effect.path }))
  return { from: origin.dir, isInPlace: origin.isInPlace, layout, files: rows, left, counts, writes, backup }
}

function render(plan: PlannedMigration, backup: string | null, isDryRun: boolean): string[] {
  const { origin, layout, counts, left } = plan
  const rows = telling(plan)
  const shown = rows
    .slice(0, MAX_ROWS)
    .map(({ from, to, what }) => [`  ${from}`, to === '' ? '' : `→ ${to}`, dim(what)])
  const made = [
    count(counts.notes, 'note'),
    count(counts.facts, 'fact'),
    count(counts.concepts, 'concept'),
    `${count(counts.sessions, 'session')} (${count(counts.entries, 'entry', 'entries')})`,
    count(counts.archives, 'new archive'),
  ]
  return [
    `${bold(origin.dir)}${layout === null || layout === 'current' ? '' : `, as ${layout} kept it`}:`,
    ...table(shown),
    ...(rows.length > MAX_ROWS
      ? [dim(`  … ${count(rows.length - MAX_ROWS, 'more file')}; --json lists them all`)]
      : []),
    `${isDryRun ? 'Would take over' : 'Took over'} ${made.join(', ')}.`,
    ...(left.length > 0 ? [`${count(left.length, 'file')} not understood, left as they are: ${left.join(', ')}`] : []),
    ...(backup === null ? [] : [`What was changed, as it was, and a list of what is new: ${backup}`]),
    ...(origin.isInPlace ? [] : [dim(`${origin.dir} was only read. It is yours to delete.`)]),
  ]
}

/** In place, only what changes. */
function telling({ rows, effects, origin }: PlannedMigration): Row[] {
  if (!origin.isInPlace) return rows
  const touched = new Set(effects.map((effect) => effect.path))
  return rows.filter(({ from, to }) => touched.has(from) || touched.has(to))
}

function timezoneOf({ store }: Context, given: string | undefined): string {
  if (given !== undefined && !isTimezone(given))
    throw new KeeperError('usage', `"${given}" is no time zone of this system. Give one like --timezone Europe/Berlin.`)
  return given ?? String(store.config.timezone)
}
