/** `migrate`: converts the memory of an earlier version. `import --from`: brings in claude-mem. */

import path from 'node:path'
import { readFacts } from '../../../core/knowledge/disk/knowledge.ts'
import { proposedIn } from '../../../core/knowledge/permanent.ts'
import { type Command, inProject, type Option } from '../../../kernel/memory/commands/command.ts'
import { type Context, underLock } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, warning } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { isTimezone } from '../../../kernel/platform/time.ts'
import { type ImportOptions, runImport } from '../../../kernel/sessions/commands/import.ts'
import { claudeMemOrigin, claudeMemPath } from '../disk/claude-mem.ts'
import { isNothing, type Migrated, type MigrateOptions, performMigration, planFrom } from '../disk/migrate.ts'
import { findOrigins, type MigrateOrigin, rawOrigin, sessionsBeside } from '../disk/migrate-files.ts'
import { bringOriginal, lookAtOriginal, type OriginalArguments } from './original.ts'

interface MigrateArguments extends OriginalArguments {
  from?: string
  timezone?: string
}

/** Names per line; --json has them all. */
const MAX_NAMES = 10

export function runMigrate(context: Context, given: MigrateArguments): number {
  const { store, out, world, isDryRun } = context
  const asked = given.timezone ?? store.config.timezone
  if (given.timezone !== undefined && !isTimezone(asked))
    throw new KeeperError('usage', `"${asked}" is not a known time zone. Give one like --timezone Europe/Berlin.`)
  const { origins, clash } = findOrigins(
    store,
    given.from === undefined ? undefined : path.resolve(world.cwd, given.from),
  )
  const found = lookAtOriginal(context, given)
  const done = bringAll(context, origins, asked)
  const original = bringOriginal(context, found, given)
  const shown = done.map((one) => one.timezone).find((zone) => zone !== '')
  const timezone = shown ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
  out.json({ dryRun: isDryRun, timezone, migrations: done.map(asJson), clash, original: original.json })
  if (clash !== null) out.warn(warning(clash))
  const changed = done.filter(({ isNone }) => !isNone)
  if (changed.length === 0 && !original.isAny)
    out.say('Nothing to migrate. If an earlier version left a memory elsewhere: memory-keeper migrate --from DIR')
  if (changed.length > 0)
    out.say(
      ...changed.flatMap((one) => render(one, isDryRun)),
      `Times without a zone were read as times in ${timezone}; if they were written elsewhere: --timezone ZONE.`,
      nextStep(context),
    )
  out.say(...original.said)
  const beside = sessionsBeside(store)
  if (beside !== null) out.say(`Sessions of an earlier version in ${beside}: memory-keeper migrate --from ${beside}`)
  return 0
}

function bringAll(context: Context, origins: readonly MigrateOrigin[], timezone: string): Done[] {
  const { store, world, isDryRun } = context
  const options: MigrateOptions = { timezone, now: world.now() }
  return origins.map((origin) => {
    const plan = planFrom(store, origin, options)
    const isNone = isNothing(store, plan)
    if (isDryRun || isNone) return { ...plan, isNone, backup: null }
    return { ...underLock(store, COMMAND_WAIT_MS, () => performMigration(store, origin, options)), isNone }
  })
}

type Done = Migrated & { isNone: boolean }

function nextStep({ store, isDryRun }: Context): string {
  if (isDryRun) return 'Next: the same command without --dry-run does it, with a backup first.'
  const waiting = proposedIn(readFacts(store)).length
  return waiting > 0
    ? `Next: ${count(waiting, 'permanent memory', 'permanent memories')} ${waiting === 1 ? 'waits' : 'wait'} for your approval: memory-keeper rules`
    : 'Next: memory-keeper briefing shows what is injected now.'
}

function asJson({ origin, left, taken, effects, backup }: Done): object {
  const writes = effects.map((effect) => ({ do: effect.do, path: effect.path }))
  return { from: origin.dir, isInPlace: origin.isInPlace, left, taken, writes, backup }
}

function render(done: Done, isDryRun: boolean): string[] {
  const { origin, left } = done
  return [
    `${bold(origin.dir)}:`,
    ...takenLines(done, isDryRun),
    ...(left.length === 0 ? [] : [`${count(left.length, 'file')} not understood, left as they are: ${namesOf(left)}`]),
    ...(origin.isInPlace || isDryRun ? [] : [dim(`${origin.dir} was only read. It is yours to delete.`)]),
  ]
}

function takenLines({ taken, effects, backup }: Done, isDryRun: boolean): string[] {
  const paths = effects.map((effect) => (effect.do === 'remove' ? `${effect.path} (removed)` : effect.path))
  return [
    `${isDryRun ? 'Would take over' : 'Took over'} ${taken.join(', ') || count(paths.length, 'file')}: ${namesOf([...new Set(paths)])}`,
    ...(backup === null ? [] : [`Backup: ${backup}`]),
  ]
}

function namesOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more (--json lists them all)` : '')
}

interface FromOptions extends ImportOptions {
  from?: string
  path?: string
}

export function runImportFrom(context: Context, options: FromOptions): number {
  const { from, path: given, transcript, all } = options
  if (from === undefined && given === undefined) {
    const raw = transcript === undefined ? rawOrigin(context.store) : null
    const done = raw === null ? [] : bringAll(context, [raw], context.store.config.timezone)
    context.out.say(...done.flatMap((one) => takenLines(one, context.isDryRun)))
    return runImport(context, options)
  }
  if (from !== 'claude-mem' || transcript !== undefined || all === true)
    throw new KeeperError(
      'usage',
      '--from takes claude-mem, with --path if it is not where it usually is, and nothing else.',
    )
  const { store, out, world, isDryRun } = context
  const source = given === undefined ? claudeMemPath(world.around.home) : path.resolve(world.cwd, given)
  const [done] = bringAll(context, [claudeMemOrigin(store, source)], store.config.timezone)
  if (done === undefined) return 0
  out.json({ dryRun: isDryRun, ...asJson(done) })
  if (done.effects.length === 0) out.say(`Nothing new in ${source}: it was imported before.`)
  else
    out.say(
      ...takenLines(done, isDryRun),
      dim('They are marked with their source; none of it counts as your own words.'),
    )
  return 0
}

const TIMEZONE: Option = {
  flags: '--timezone <zone>',
  about: "where local times were written, like Asia/Seoul; without it the setting timezone, else the system's",
}

/** `import --from claude-mem`, and transcripts that an earlier version kept. */
export function withImportFrom(command: Command): Command {
  return {
    ...command,
    options: [
      ...(command.options ?? []),
      { flags: '--from <what>', about: 'claude-mem, instead of transcripts' },
      { flags: '--path <path>', about: 'where that is, if not where it usually lies' },
    ],
    run: inProject(runImportFrom),
  }
}

export const MIGRATE_COMMANDS: readonly Command[] = [
  {
    usage: 'migrate',
    about: 'take over the memory of an earlier version (v3, v4, v12, v13), after a backup; may run twice',
    options: [
      { flags: '--from <dir>', about: 'the memory of an earlier version; it is only read' },
      TIMEZONE,
      {
        flags: '--with-rules',
        about:
          'also take in what the original plugin left for Claude: its rules in CLAUDE.md, .claude/workflow and .claude/lessons',
      },
      { flags: '--clean-claude-md', about: "take the original plugin's section out of CLAUDE.md, after a backup" },
    ],
    writes: true,
    example: 'memory-keeper migrate --dry-run',
    run: inProject((context, options) => runMigrate(context, options)),
  },
]
