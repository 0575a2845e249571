/** Names of commands: those that `--help` lists, grouped by purpose; and the earlier ones, which still work. */
import { type Command, HELP_GROUPS, type HelpGroup, nameOf } from '../../kernel/memory/commands/command.ts'

/** A command that is not in this table is rare: for upkeep, scripts and skills. */
const LISTED: Readonly<Record<HelpGroup, string>> = {
  'Look:': 'status, search, show, context, timeline, sessions, briefing, recall list, recall explain, dashboard',
  'Remember and correct, by the id of anything:': 'remember, edit, resolve, reject, restore, pin, undo, forget',
  'What is kept:':
    'facts list, facts add, notes list, rules list, rules add, rules remove, rules accept, concepts list, concepts merge, page list, page get, page set',
  'Bring in and hand on:':
    'import, migrate, export, import-bundle, share, trust, sync now, sync init, sync status, sync name, sync off, team join, team share, team publish, team status, team leave',
  'Set up:': 'init, config list, config get, config set, capture, doctor, demo, uninstall',
}

export const GROUPS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(LISTED).map(([heading, names]) => [heading, names.split(', ')]),
)

const PLACES = new Map(
  Object.entries(GROUPS).flatMap(([heading, names], group) =>
    names.map((name, i) => [name, { heading, order: group * 100 + i }] as const),
  ),
)

/** The place of a command in the help; null: it is rare. */
export function helpPlace(command: Pick<Command, 'usage' | 'group'>): { heading: string; order: number } | null {
  const place = PLACES.get(nameOf(command))
  if (place !== undefined || command.group === undefined) return place ?? null
  return { heading: command.group, order: HELP_GROUPS.indexOf(command.group) * 100 + 99 }
}

export function isRare(command: Pick<Command, 'usage' | 'group' | 'isHidden'>): boolean {
  return helpPlace(command) === null && command.isHidden !== true
}

/** In the order of the help; rare commands at the end, in the order of the command table. */
export function inHelpOrder<T extends Pick<Command, 'usage' | 'group'>>(commands: readonly T[]): T[] {
  const orderOf = (command: T): number => helpPlace(command)?.order ?? Number.MAX_SAFE_INTEGER
  return commands.toSorted((a, b) => Math.sign(orderOf(a) - orderOf(b)))
}

/** Names of earlier versions and alternative names, with the current ones. */
export const ALIASES: Readonly<Record<string, string>> = {
  'refine-all': 'import',
  'search-memory': 'search',
  'generate-l3': 'summary',
  'migrate-legacy': 'migrate',
  'migrate-timezone': 'migrate',
  'dedupe-l1': 'dedupe',
  'memory-list': 'page list',
  'memory-get': 'page get',
  'memory-set': 'page set',
  'add-decision': 'facts add decision',
  'add-pattern': 'facts add pattern',
  'add-issue': 'facts add issue',
  'facts show': 'show',
  'facts edit': 'edit',
  'facts resolve': 'resolve',
  'facts reject': 'reject',
  'facts restore': 'restore',
  'facts reopen': 'restore',
  'facts supersede': 'reject',
  'notes show': 'show',
  'notes edit': 'edit',
  'notes remove': 'reject',
  'concepts show': 'show',
  'concepts rename': 'edit',
  reflect: 'compress',
  'update-concepts': 'compress',
  'rules candidates': 'rules list',
  promote: 'rules accept',
  demote: 'rules remove',
  'rules decline': 'reject',
  'pause project': 'capture off',
  pause: 'capture off',
  resume: 'capture on',
  'load-memory': 'briefing',
  'inject-rules': 'rules list',
  'memory-rotation': 'compress',
  'refine-raw': 'import',
  'auto-compress': 'compress',
  'compress-tiers': 'compress',
  'extract-delta extract': 'delta',
  'extract-delta': 'delta',
  templates: 'config get templates',
  'templates on': 'config set templates true',
  'templates off': 'config set templates false',
}

const WRITTEN = 'To write what waits for a note now: memory-keeper final, or in a session /memory-keeper:memory-delta'

/** Earlier names that no command of today is the same as, and what to do instead. */
const GONE: Readonly<Record<string, string>> = {
  'save-memory': `Sessions are saved by themselves. ${WRITTEN}`,
  'memory-save': `Sessions are saved by themselves. ${WRITTEN}`,
  'clear-memory':
    'To delete something: memory-keeper forget. To delete the memory of this project: memory-keeper uninstall --purge',
  counter: 'Say what it should do: memory-keeper check, final, reset or search. What is counted: memory-keeper status',
  'save-l2': 'Facts are saved by themselves. To add one: memory-keeper facts add decision "…"',
  'save-session': 'Sessions are captured by themselves. To save a note of your own: memory-keeper note --text "…"',
  'extract-delta mark-updated': `Saving a note does that. ${WRITTEN}`,
  'extract-delta cleanup': `Saving a note does that. ${WRITTEN}`,
  constants: 'Its numbers are settings. To see them: memory-keeper config list',
  utils: 'It did nothing by itself. For all commands: memory-keeper --help',
  'run-hook.cmd': 'The host starts the hooks itself. To see whether they run: memory-keeper doctor',
}

/** What to do instead of a command that is gone; null: it is not. */
export function insteadOf(given: readonly string[]): string | null {
  const line = given.filter((word) => !TOP_FLAGS.includes(word))
  const words = ofScript(projectLast(line[0] === 'help' ? line.slice(1) : line))
  const name = nameAmong(GONE, words)
  return name === undefined ? null : (GONE[name] ?? null)
}

/** Options that may come before the command. */
const TOP_FLAGS = ['--no-color']

/** `--project DIR` may come before the command; it is read behind it, and before words that are no options. */
function projectLast(line: readonly string[]): string[] {
  const [first = '', dir] = line
  const taken = first === '--project' && dir !== undefined ? 2 : first.startsWith('--project=') ? 1 : 0
  const rest = line.slice(taken)
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length
  return [...rest.slice(0, end), ...line.slice(0, taken), ...rest.slice(end)]
}

/** Converts the line to current names: replaces aliases, a group alone lists, and an empty line means the short status. */
export function inTodaysNames(given: readonly string[], names: readonly string[]): string[] {
  const at = given.findIndex((word) => !TOP_FLAGS.includes(word))
  const line = at < 0 ? given : [...given.slice(0, at), ...projectLast(given.slice(at))]
  const words = at < 0 ? [] : line.slice(at)
  if (words.length === 0 || words[0]?.startsWith('--project')) return ['status', '--short', ...line]
  if (words[0] !== 'help') return [...line.slice(0, at), ...listing(unaliased(words), names)]
  const asked = unaliased(words.slice(1))
  return asked.join(' ') === words.slice(1).join(' ') ? [...line] : [...asked, '--help']
}

/** The words of a command line, its name first. */
function unaliased(given: readonly string[]): string[] {
  const words = ofScript(given)
  const old = nameAmong(ALIASES, words)
  return old === undefined ? words : [...(ALIASES[old] ?? '').split(' '), ...words.slice(old.split(' ').length)]
}

/** The first two words, or the first one. */
function nameAmong(table: Readonly<Record<string, string>>, words: readonly string[]): string | undefined {
  return [words.slice(0, 2), words.slice(0, 1)].map((name) => name.join(' ')).find((name) => Object.hasOwn(table, name))
}

/** The original's scripts: `counter.js search-memory x` is `search-memory x`, and `search.js x` is `search x`. */
function ofScript([first = '', ...rest]: readonly string[]): string[] {
  const name = first.endsWith('.js') ? first.slice(0, -'.js'.length) : first
  const isNamed = name === 'counter' && rest[0] !== undefined && !rest[0].startsWith('-')
  return isNamed ? rest : [name, ...rest]
}

/** `rules` is `rules list`, `sync` is `sync now`. */
function listing(words: readonly string[], names: readonly string[]): string[] {
  const [group = '', next = '-'] = words
  const isAlone = next.startsWith('-') && next !== '--help' && next !== '-h'
  const verb = ['list', 'now'].find((one) => names.includes(`${group} ${one}`))
  return isAlone && verb !== undefined ? [group, verb, ...words.slice(1)] : [...words]
}
