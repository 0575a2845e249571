/** `doctor` and `uninstall`, and the rows of all commands about health. */
import { type Command, inProject } from '../../memory/commands/command.ts'
import {
  type CliWorld,
  type CommonOptions,
  type Context,
  programIn,
  projectOption,
} from '../../memory/commands/context.ts'
import { bad, bold, bytes, count, createOutput, dim, good, table, warning } from '../../memory/commands/output.ts'
import type { Check } from '../disk/check.ts'
import { checkHealth, tryCheck } from '../disk/health.ts'
import { readHost } from '../disk/host.ts'
import { type Mended, mendHealth, probeServer } from '../disk/mend.ts'
import { bytesAt } from '../disk/numbers.ts'
import {
  performUninstall,
  planUninstall,
  type Removal,
  type UninstallOptions,
  type UninstallPlan,
} from '../disk/uninstall.ts'
import { runCompletion, runInit } from './init.ts'
import { runStats } from './stats.ts'
import { runStatus } from './status.ts'
import { lookFor, renderLine } from './statusline.ts'

export function runDoctor(context: Context, options: { fix?: boolean } = {}): number {
  const before = look(context)
  const { store, world, isDryRun } = context
  const mended = options.fix === true ? mendHealth(store, before, { now: world.now, isDryRun }) : []
  // What was mended is looked at again: a word is no proof.
  const checks = mended.length > 0 && !isDryRun ? look(context) : before
  const problems = checks.filter(({ verdict }) => verdict === 'problem').length
  const warnings = checks.filter(({ verdict }) => verdict === 'warning').length
  context.out.json({ checks, problems, warnings, ...(options.fix ? { mended, dryRun: isDryRun } : {}) })
  context.out.say(
    ...renderMended(mended, options.fix === true, isDryRun),
    ...checks.flatMap(renderCheck),
    ...renderEnd(checks, problems, warnings, options.fix === true),
  )
  return problems === 0 ? 0 : 1
}

/** All checks, and whether the server answers: it takes a process, so only here. */
function look({ store, world }: Context): Check[] {
  const { nodeVersion, version, programs = null, env } = world
  const checks = checkHealth(store, { now: world.now(), nodeVersion, version, programs })
  if (programs === null) return checks
  const [plugin, ...others] = checks
  const server = tryCheck('MCP server', () => probeServer(store, { programs, env }))
  return [...(plugin === undefined ? [] : [plugin]), server, ...others]
}

function renderCheck({ verdict, name, finding, fix }: Check): string[] {
  const sign = { ok: good('ok     '), warning: warning('warning'), problem: bad('problem') }
  const told = verdict === 'ok' ? `${name}: ${dim(finding)}` : `${bold(name)}: ${finding}`
  return [`${sign[verdict]}  ${told}`, ...(fix ? [`         → ${fix}`] : [])]
}

function renderMended(mended: readonly Mended[], isAsked: boolean, isDryRun: boolean): string[] {
  if (!isAsked) return []
  if (mended.length === 0) return ['Nothing to mend by itself.', '']
  return [isDryRun ? 'Would be mended:' : 'Mended:', ...mended.map(({ said }) => `  ${said}`), '']
}

function renderEnd(checks: readonly Check[], problems: number, warnings: number, isFix: boolean): string[] {
  if (problems + warnings === 0) return [good('all is well')]
  const told = `${count(problems, 'problem')}, ${count(warnings, 'warning')}`
  const open = checks.filter(({ verdict }) => verdict !== 'ok')
  const safe = open.filter(({ mend }) => mend !== undefined).length
  if (isFix) return [`${told} left: only you can do what stands behind the arrows.`]
  return [safe === 0 ? told : `${told}; memory-keeper doctor --fix mends ${safe} of them`]
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
    about: 'what is remembered, what waits and what it costs, on one screen',
    options: [{ flags: '--short', about: 'only the few lines that memory-keeper alone prints' }],
    example: 'memory-keeper status',
    also: ['memory-keeper status --json'],
    run: inProject(runStatus),
  },
  {
    usage: 'stats',
    about: 'sessions, prompts and tool uses per day, memory growth, injected tokens, model calls',
    options: [{ flags: '--days <n>', about: 'so many days up to today; 30 without it' }],
    example: 'memory-keeper stats --days 90',
    run: inProject(runStats),
  },
  {
    usage: 'doctor',
    about: 'check everything, with a fix for each finding; exit 1 when there is a problem',
    options: [
      { flags: '--fix', about: 'do what is safe: capture what is missing, close files to others, mend the index' },
    ],
    writes: true,
    isLong: true,
    more: [
      'Without --fix nothing is changed. What only you can do stands behind the arrows.',
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
    usage: 'init',
    about: 'create the memory directory with templates for its pages, and say what happens next',
    options: [{ flags: '--force', about: 'also where nobody expects a project: in the home directory' }],
    writes: true,
    example: 'memory-keeper init',
    also: ['memory-keeper init --dry-run'],
    run: inProject(runInit),
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
  {
    usage: 'completion <shell>',
    isVerbatim: true,
    about: 'the script that completes commands, options and ids in bash, zsh or fish',
    more: ['For bash, in ~/.bashrc:  eval "$(node <plugin>/dist/cli.cjs completion bash)"'],
    example: 'memory-keeper completion bash',
    also: ['memory-keeper completion fish > ~/.config/fish/completions/memory-keeper.fish'],
    isLive: true,
    run: (world, options, [shell = '']) => runCompletion(world, options, shell),
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
  const options = { isPurge: given.purge === true, isAll: given.all === true }
  const plan = planUninstall(store, options)
  const plugins = pluginsOf(context)
  const shown = renderPlan(plan, options, isWanted)
  const done = isWanted ? performUninstall(plan) : null
  out.json({
    removed: plan.removals,
    sections: plan.sections,
    kept: plan.kept,
    failed: done?.failed ?? [],
    plugins,
    done: done !== null,
    dryRun: isDryRun,
  })
  out.say(
    ...shown,
    ...(done === null ? [] : renderFailed(done.failed, done.sections)),
    ...renderNext(context, given, done !== null, plugins),
  )
  if (done === null) return isDryRun || plan.removals.length + plan.sections.length === 0 ? 0 : 1
  return done.failed.length + done.sections.length > 0 ? 1 : 0
}

function commandOf(context: Context, { purge, all }: Given): string {
  const options = `${purge ? ' --purge' : ''}${all ? ' --all' : ''}${projectOption(context)}`
  return `${programIn(context.world)} uninstall${options}`
}

function pluginsOf({ store }: Context): string[] {
  return [...new Set(readHost(store.places).ours.map(({ id }) => id))]
}

function renderPlan({ removals, sections, kept }: UninstallPlan, options: UninstallOptions, isDone: boolean): string[] {
  const goes = [
    ...sections.map((file) => [`  ${file}`, dim('only our section between its markers')]),
    ...removals.map(({ path: file, what }) => [`  ${file}`, dim(`${what}, ${bytes(bytesAt(file))}`)]),
  ]
  return [
    ...(goes.length === 0
      ? ['Nothing of ours is there to remove.']
      : [bold(isDone ? 'Removed:' : 'Goes:'), ...table(goes)]),
    ...(kept.length === 0
      ? goes.length === 0 || !options.isPurge
        ? []
        : ['', 'Nothing of ours stays.']
      : ['', bold('Stays:'), ...table(kept.map(({ path: file, what }) => [`  ${file}`, dim(what)]))]),
  ]
}

function renderFailed(failed: readonly Removal[], sections: readonly string[]): string[] {
  return [
    ...(failed.length === 0
      ? []
      : ['', warning('Could not be removed:'), ...failed.map(({ path: file }) => `  ${file}`)]),
    ...(sections.length === 0
      ? []
      : ['', warning('Remove what stands between our markers yourself:'), ...sections.map((file) => `  ${file}`)]),
  ]
}

function renderNext(context: Context, given: Given, isDone: boolean, plugins: readonly string[]): string[] {
  const isLine = /\b(?:statusline\.cjs|memory-keeper\b.* statusline)\b/.test(readHost(context.store.places).statusLine)
  const rows = [
    ...(isDone ? [] : [[`  ${commandOf(context, given)} --yes`, dim('does it')]]),
    ...(isDone || given.purge
      ? []
      : [[`  ${commandOf(context, { ...given, purge: true })}`, dim('shows what goes with the memory too')]]),
    ...(plugins.length === 0 ? ['memory-keeper@memory-keeper'] : plugins).map((id) => [
      `  claude plugin uninstall ${id}`,
      dim('the plugin itself: Claude Code removes it'),
    ]),
    ...(isLine ? [['  statusLine in your settings.json', dim('take it out: it names our program')]] : []),
  ]
  return ['', isDone ? 'Left for you:' : 'Nothing was removed yet. Next:', ...table(rows)]
}
