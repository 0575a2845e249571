/** Commands for people who want to know how their memory fares, set it up, or leave. */
import { type Command, inProject } from '../../memory/commands/command.ts'
import { runCompletion } from './completion.ts'
import { runDoctor } from './doctor.ts'
import { runInit } from './init.ts'
import { runStats } from './stats.ts'
import { runStatus } from './status.ts'
import { runStatusline } from './statusline-command.ts'
import { runUninstall } from './uninstall.ts'

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
