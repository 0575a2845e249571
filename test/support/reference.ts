/** Renders docs/CLI.md and docs/CONFIG.md from the tables in the code. */
import { COMMANDS } from '../../src/doors/cli/commands.ts'
import { ALIASES, helpPlace, inHelpOrder, isRare } from '../../src/doors/cli/names.ts'
import { STDIN_OPTION } from '../../src/doors/cli/stdin.ts'
import { type Command, nameOf } from '../../src/kernel/memory/commands/command.ts'
import { isHomeOnly, SETTINGS, type SettingName } from '../../src/kernel/platform/config.ts'

const HEADER = '<!-- made from the code by `npm run docs`; do not edit -->'

export function renderCommands(): string {
  const shown = inHelpOrder(COMMANDS.filter((command) => helpPlace(command) !== null))
  const intro = [
    '# Commands',
    '',
    HEADER,
    '',
    'Inside Claude Code `memory-keeper` is on the PATH of the Bash tool; from a terminal run `node <plugin>/dist/cli.cjs`.',
    'Without a command it prints what is remembered and what waits. `facts`, `notes`, `rules`, `concepts`, `config`, `page` and',
    '`recall` alone list. Every command takes `--project DIR` (another project than the current directory), `--json` and `--help`.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage. Colours go with `NO_COLOR=1` or `--no-color` and come with `FORCE_COLOR=1`.',
    '',
    'With `--stdin` a command takes its text from standard input, letter by letter: in `cmd.exe` `%NAME%` becomes the value of a variable,',
    'in double quotes too, and other shells change `$`, `!` or quotes. PowerShell runs `bin/memory-keeper.ps1`, to which `cmd.exe` does nothing;',
    'where scripts are not allowed (`Get-ExecutionPolicy`), type `memory-keeper.cmd`. `type text.txt | memory-keeper rules add --stdin` reads UTF-8.',
    '',
    ...renderContents(shown),
    '',
  ]
  return `${intro.join('\n')}\n${shown.map(renderCommand).join('\n')}\n${renderOthers().join('\n')}\n`
}

function renderContents(shown: readonly Command[]): string[] {
  const headings = [...new Set(shown.map((command) => helpPlace(command)?.heading ?? ''))]
  return headings.map((heading) => {
    const names = shown.filter((command) => helpPlace(command)?.heading === heading).map(nameOf)
    return `- ${heading} ${names.map((name) => `\`${name}\``).join(', ')}`
  })
}

function renderCommand(command: Command): string {
  const options = optionLines(command)
  return [
    `## ${command.usage}`,
    '',
    `${capital(command.about)}.`,
    '',
    ...(options.length > 0 ? [...options, ''] : []),
    '```',
    ...[command.example, ...(command.also ?? [])],
    '```',
    '',
  ].join('\n')
}

const [STDIN, ABOUT_STDIN] = STDIN_OPTION

function optionLines({ options = [], writes, stdin }: Command): string[] {
  const all = [
    ...options,
    ...(stdin === undefined ? [] : [{ flags: STDIN, about: ABOUT_STDIN }]),
    ...(writes ? [{ flags: '--dry-run', about: 'only show what would be done' }] : []),
  ]
  return all.map(({ flags, about }) => `- \`${flags}\` ${about}`)
}

function renderOthers(): string[] {
  const flagsOf = ({ options = [], writes, stdin }: Command): string =>
    [...options.map(({ flags }) => flags), ...(stdin === undefined ? [] : [STDIN]), ...(writes ? ['--dry-run'] : [])]
      .map((flags) => `\`${flags}\``)
      .join(', ')
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  return [
    '## Aliases and rare commands',
    '',
    'Names of earlier versions and second names. They still work.',
    '',
    '| alias | today |',
    '|---|---|',
    ...Object.entries(ALIASES).map(([old, today]) => `| \`${old}\` | \`${today}\` |`),
    '',
    'For upkeep, scripts and skills; `--help` of each tells more.',
    '',
    '| command | what it does | options |',
    '|---|---|---|',
    ...COMMANDS.filter(isRare).map(
      (command) => `| \`${cell(command.usage)}\` | ${cell(command.about)} | ${cell(flagsOf(command))} |`,
    ),
  ]
}

export function renderSettings(): string {
  const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { value, about, kind } = SETTINGS[name]
    const where = isHomeOnly(name) ? 'home' : 'both'
    return `| \`${name}\` | \`${JSON.stringify(value)}\` | ${kind.shown} | ${about} | ${where} |`
  })
  return [
    '# Settings',
    '',
    HEADER,
    '',
    "`memory-keeper config list | get NAME | set NAME VALUE [--home]`. A project's `.claude/memory/config.json` goes over",
    '`~/.claude/memory-keeper/config.json`, which goes over the defaults. What touches secrets, money or the network is set at',
    'home; a project may only make it stricter. An unknown key or a wrong value costs nothing but itself: you are told once,',
    'and the default is used.',
    '',
    '| setting | default | values | what it does | where |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
