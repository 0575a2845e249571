/** `doctor`: whether all is well, what to do when it is not, and with --fix does what is safe. Also the rows of all commands about health. */

import { type Command, inProject } from '../../memory/commands/command.ts'
import type { CliWorld, CommonOptions, Context } from '../../memory/commands/context.ts'
import { bad, bold, count, createOutput, dim, good, warning } from '../../memory/commands/output.ts'
import type { Check } from '../disk/check.ts'
import { checkHealth, tryCheck } from '../disk/health.ts'
import { type Mended, mendHealth, probeServer } from '../disk/health-mend.ts'
import { runCompletion } from './completion.ts'
import { runInit } from './init.ts'
import { runStats } from './stats-text.ts'
import { runStatus } from './status.ts'
import { lookFor, renderLine } from './statusline.ts'
import { runUninstall } from './uninstall.ts'

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
    example: 'memory-keeper status',
    also: ['memory-keeper status --json'],
    run: inProject(runStatus),
  },
  {
    usage: 'stats',
    about: 'sessions per day, memory growth, tools, files, tokens told and hook times, as bars',
    options: [{ flags: '--days <n>', about: 'so many days up to today; 30 without it' }],
    example: 'memory-keeper stats --days 90',
    run: inProject(runStats),
  },
  {
    usage: 'doctor',
    about: 'check that all is well, with a fix for each finding; exit 1 when there is a problem',
    options: [
      { flags: '--fix', about: 'do what is safe: capture what is missing, close files to others, mend the index' },
    ],
    writes: true,
    isLong: true,
    more: ['Without --fix nothing is changed. What only you can do stands behind the arrows.'],
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
    about: 'make the memory directory with templates for its pages, and say what happens from now on',
    options: [{ flags: '--force', about: 'also where nobody expects a project: in the home directory' }],
    writes: true,
    example: 'memory-keeper init',
    also: ['memory-keeper init --dry-run'],
    run: inProject(runInit),
  },
  {
    usage: 'uninstall',
    about: 'show what we added and take it out with --yes; the memory itself stays, unless --purge',
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
