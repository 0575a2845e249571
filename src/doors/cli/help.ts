/** `memory-keeper --help`: each command in one line, below what it is for. */
import { type Command, nameOf, wordsOfName } from '../../kernel/memory/commands/command.ts'
import { bold, oneLine, table, width, wrapLines } from '../../kernel/memory/commands/output.ts'
import { COMMANDS } from './commands.ts'
import { helpPlace, inHelpOrder, isRare } from './names.ts'

/** What the commands of a group are about. */
const ABOUT_GROUPS: Readonly<Record<string, string>> = {
  config: 'the settings',
  notes: 'the notes in memory.md and its archives',
  rules: 'built-in, yours, learned',
  page: 'texts kept by hand',
  recall: 'what is told with a prompt',
  facts: 'decisions, patterns and issues',
  concepts: 'what facts are about',
  sync: 'your other machines, by git',
  team: 'teammates, by PostgreSQL',
  lesson: 'what went wrong and what to do instead, on the page lessons',
}

/** The listed commands of a group, of a rare group all of them. */
export function aboutGroup(name: string): string {
  const own = inHelpOrder(COMMANDS.filter(({ usage }) => usage.startsWith(`${name} `)))
  const listed = own.filter((command) => helpPlace(command) !== null)
  const verbs = (listed.length > 0 ? listed : own).map(({ usage }) => usage.split(' ')[1])
  return `${ABOUT_GROUPS[name] ?? name}: ${verbs.join(', ')}`
}

export function overview(columns: number): string {
  const listed = inHelpOrder(COMMANDS.filter((command) => helpPlace(command) !== null))
  const rows = [...new Map(listed.map((command) => [wordsOfName(command.usage)[0] ?? '', command]))]
  const names = rows.map(([name, command]) => `  ${name}${idOf(command)}`)
  const room = columns - Math.max(...names.map(width)) - 2
  const lines = table(rows.map(([name, command], i) => [names[i] ?? '', oneLine(aboutOf(name, command), room)]))
  const headings = rows.map(([, command]) => helpPlace(command)?.heading ?? '')
  const rare = COMMANDS.filter(isRare).map(nameOf).join(', ')
  return [
    'Usage: memory-keeper <command>; memory-keeper <command> --help tells more',
    ...lines.flatMap((line, i) => [...(headings[i] === headings[i - 1] ? [] : [bold(headings[i] ?? '')]), line]),
    wrapLines(`For upkeep and scripts: ${rare}.`, columns),
    '',
  ].join('\n')
}

function aboutOf(name: string, command: Command): string {
  return nameOf(command) === name ? (command.about.split(/[:;(]/)[0] ?? '').trim() : aboutGroup(name)
}

function idOf({ usage }: Command): string {
  return usage.split(' ')[1] === '<id>' ? ' <id>' : ''
}
