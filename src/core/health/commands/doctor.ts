/** `doctor` and `uninstall`, and the rows of all commands about health. */
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import {
  type CliWorld,
  type CommonOptions,
  type Context,
  programIn,
  projectOption,
} from '../../../kernel/memory/commands/context.ts'
import {
  bad,
  bold,
  bytes,
  count,
  createOutput,
  dim,
  good,
  table,
  warning,
} from '../../../kernel/memory/commands/output.ts'
import type { Check } from '../disk/check.ts'
import { allFindings, mendHealth } from '../disk/health.ts'
import { readHost } from '../disk/host-files.ts'
import { bytesAt } from '../disk/numbers.ts'
import { performUninstall, planUninstall, type UninstallPlan } from '../disk/uninstall.ts'
import { runStats } from './stats.ts'
import { runStatus } from './status.ts'
import { lookFor, renderLine } from './statusline.ts'

function runDoctor(context: Context, options: { fix?: boolean } = {}): number {
  const { store, world, isDryRun } = context
  const look = (): Check[] => allFindings(store, { now: world.now(), nodeVersion: world.nodeVersion })
  const before = look()
  const mended = options.fix === true ? mendHealth(store, before, { now: world.now, isDryRun }) : []
  // After repairs all checks run again: a report alone is no proof.
  const checks = mended.length > 0 && !isDryRun ? look() : before
  const problems = checks.filter(({ verdict }) => verdict === 'problem').length
  const warnings = checks.filter(({ verdict }) => verdict === 'warning').length
  context.out.json({ checks, problems, warnings, ...(options.fix ? { mended } : {}) })
  context.out.say(
    ...(options.fix !== true
      ? []
      : mended.length === 0
        ? ['There is nothing to fix automatically.', '']
        : ['Mended:', ...mended.map(({ said }) => `  ${said}`), '']),
    ...checks.flatMap(renderCheck),
    ...renderEnd(checks, problems, warnings, options.fix === true),
  )
  return problems === 0 ? 0 : 1
}

const SIGNS: Readonly<Record<Check['verdict'], () => string>> = {
  ok: () => good('ok     '),
  news: () => good('news   '),
  asks: () => bold('asks   '),
  warning: () => warning('warning'),
  problem: () => bad('problem'),
}

function renderCheck({ verdict, name, finding, fix }: Check): string[] {
  const line = verdict === 'ok' ? `${name}: ${dim(finding)}` : `${bold(name)}: ${finding}`
  return [`${SIGNS[verdict]()}  ${line}`, ...(fix ? [`         → ${fix}`] : [])]
}

function renderEnd(checks: readonly Check[], problems: number, warnings: number, isFix: boolean): string[] {
  if (problems + warnings === 0) return [good('all is well')]
  const counted = `${count(problems, 'problem')}, ${count(warnings, 'warning')}`
  const open = checks.filter(({ verdict }) => verdict !== 'ok')
  const safe = open.filter(({ mend }) => mend !== undefined).length
  if (isFix) return [`${counted} left: only you can do the steps after the arrows.`]
  return [safe === 0 ? counted : `${counted}; memory-keeper doctor --fix fixes ${safe} of them`]
}

function runStatusline(world: CliWorld, options: CommonOptions): number {
  const given = world.isStdinTerminal ? '' : world.readStdin()
  const startDir = options.project ?? world.projectDir ?? world.cwd
  const seen = lookFor(given, { around: world.around, startDir, now: world.now() }, options.project)
  const out = createOutput(world.streams, options.json === true)
  out.json(seen)
  if (seen !== null) out.say(renderLine(seen))
  return 0
}

export const PEOPLE_COMMANDS: readonly Command[] = [
  {
    usage: 'status',
    about: 'what is remembered, what waits and what it costs',
    options: [{ flags: '--short', about: 'only the few lines that memory-keeper alone prints' }],
    example: 'memory-keeper status',
    also: ['memory-keeper status --json'],
    run: inProject(runStatus),
  },
  {
    usage: 'stats',
    about: 'sessions, prompts and tool uses per day, and how memory.md grew',
    options: [{ flags: '--days <n>', about: 'so many days up to today; 30 without it' }],
    example: 'memory-keeper stats --days 90',
    run: inProject(runStats),
  },
  {
    usage: 'doctor',
    about: 'check everything, and say how to mend it; exit 1 when there is a problem',
    options: [
      {
        flags: '--fix',
        about: 'do what is safe: restore lost files, capture missing entries, close files to other users',
      },
    ],
    writes: true,
    more: [
      'Without --fix nothing is changed. The steps after the arrows are for you.',
      'Upkeep that it asks for where needed: verify, reindex, scrub, dedupe, compress, summary.',
    ],
    example: 'memory-keeper doctor',
    also: ['memory-keeper doctor --fix --dry-run'],
    run: inProject(runDoctor),
  },
  {
    usage: 'statusline',
    isVerbatim: true,
    about: "one line for Claude Code's status line, which hands its JSON in on stdin",
    more: [
      'A plugin cannot set the status line. In ~/.claude/settings.json (memory-keeper init prints it with the right path):',
      '  "statusLine": {"type":"command","command":"node \\"<plugin>/dist/statusline.cjs\\""}',
    ],
    example: 'memory-keeper statusline < /dev/null',
    run: runStatusline,
  },
  {
    usage: 'uninstall',
    about: 'show what the plugin added, and remove it with --yes; the memory stays unless --purge',
    options: [
      { flags: '--purge', about: 'the memory too: sessions, notes, facts, pages, its copy and backups' },
      { flags: '--all', about: 'of every project of yours; with --purge also the settings and records at home' },
      { flags: '--yes', about: 'do it; without this nothing is removed' },
    ],
    writes: true,
    example: 'memory-keeper uninstall',
    also: ['memory-keeper uninstall --yes', 'memory-keeper uninstall --purge --all --yes'],
    run: inProject(runUninstall),
  },
]

interface Given {
  purge?: boolean
  all?: boolean
  yes?: boolean
}

function runUninstall(context: Context, given: Given): number {
  const { store, out, isDryRun } = context
  const isWanted = given.yes === true && !isDryRun
  const plan = planUninstall(store, { isPurge: given.purge === true, isAll: given.all === true })
  const installed = [...new Set(readHost(store.places).ours.map(({ id }) => id))]
  const plugins = installed.length === 0 ? ['memory-keeper@memory-keeper'] : installed
  const shown = renderPlan(plan, isWanted)
  const done = isWanted ? performUninstall(plan) : null
  const { removals: removed, sections, kept } = plan
  out.json({ removed, sections, kept, failed: done?.failed ?? [], plugins: installed, done: done !== null })
  out.say(...shown, ...(done === null ? [] : renderFailed(done)), ...renderNext(context, given, done !== null, plugins))
  return done !== null && done.failed.length + done.sections.length > 0 ? 1 : 0
}

const block = (title: string, rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : ['', title, ...table(rows.map(([first, ...rest]) => [`  ${first}`, ...rest.map(dim)]))]

function renderPlan({ removals, sections, kept }: UninstallPlan, isDone: boolean): string[] {
  const goes = [
    ...sections.map((file) => [file, 'only our section between its markers']),
    ...removals.map(({ path: file, what }) => [file, `${what}, ${bytes(bytesAt(file))}`]),
  ]
  return [
    ...(goes.length === 0
      ? ['Nothing of ours is there to remove.']
      : block(bold(isDone ? 'Removed:' : 'Goes:'), goes).slice(1)),
    ...block(
      bold('Stays:'),
      kept.map(({ path: file, what }) => [file, what]),
    ),
  ]
}

function renderFailed({ failed, sections }: ReturnType<typeof performUninstall>): string[] {
  return [
    ...block(
      warning('Could not be removed:'),
      failed.map(({ path: file }) => [file]),
    ),
    ...block(
      warning('Remove the text between our markers yourself:'),
      sections.map((file) => [file]),
    ),
  ]
}

function renderNext(context: Context, { purge, all }: Given, isDone: boolean, plugins: readonly string[]): string[] {
  const isLine = /\b(?:statusline\.cjs|memory-keeper\b.* statusline)\b/.test(readHost(context.store.places).statusLine)
  const command = `${programIn(context.world)} uninstall${all ? ' --all' : ''}${projectOption(context)}`
  return block(isDone ? 'Left for you:' : 'Nothing was removed yet. Next:', [
    ...(isDone ? [] : [[`${command}${purge ? ' --purge' : ''} --yes`, 'does it']]),
    ...(isDone || purge ? [] : [[`${command} --purge`, 'shows what would be deleted with the memory']]),
    ...plugins.map((id) => [`claude plugin uninstall ${id}`, 'the plugin itself: Claude Code removes it']),
    ...(isLine ? [['statusLine in your settings.json', 'take it out: it names our program']] : []),
  ])
}
