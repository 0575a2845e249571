/** Renders docs/CLI.md and docs/CONFIG.md from the tables in the code. */
import { COMMANDS } from '../../src/cli/commands.ts'
import { isHomeOnly, renderKind, SETTINGS, type SettingName } from '../../src/platform/config.ts'

const HEADER = '<!-- made from the code by `npm run docs`; do not edit -->'

export function renderCommands(): string {
  const sections = COMMANDS.filter(({ isHidden }) => !isHidden).map((command) => {
    const options = [
      ...(command.options ?? []),
      ...(command.writes ? [{ flags: '--dry-run', about: 'only say what would be done' }] : []),
    ]
    return [
      `## ${command.usage}`,
      '',
      `${capital(command.about)}.${command.alias ? ` Also: \`${command.alias}\`.` : ''}`,
      '',
      ...(options.length > 0 ? [...options.map(({ flags, about }) => `- \`${flags}\` ${about}`), ''] : []),
      '```',
      ...[command.example, ...(command.also ?? [])],
      '```',
      '',
    ].join('\n')
  })
  const intro = [
    '# Commands',
    '',
    HEADER,
    '',
    'Inside Claude Code `memory-keeper` is on the PATH of the Bash tool; from a terminal run `node <plugin>/dist/cli.cjs`.',
    'Every command takes `--project DIR` (another project than the current directory), `--json` and `--help`.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage. Colours go with `NO_COLOR=1` or `--no-color` and come with `FORCE_COLOR=1`. Long',
    'output on a terminal goes to `$MEMORY_KEEPER_PAGER`, `$PAGER` or `less`; `--no-pager` leaves it out.',
    '',
  ]
  return `${intro.join('\n')}\n${sections.join('\n')}`
}

export function renderSettings(): string {
  const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { value, about, kind } = SETTINGS[name]
    const where = isHomeOnly(name) ? 'home' : 'both'
    return `| \`${name}\` | \`${JSON.stringify(value)}\` | ${renderKind(kind as Parameters<typeof renderKind>[0])} | ${about} | ${where} |`
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
