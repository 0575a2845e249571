/** What may come next on a command line: commands, options, ids of the memory, and the values of whatever has a closed list of them. */

import { SHELLS } from '../health/commands/init.ts'
import { readConcepts, readFacts } from '../knowledge/disk/knowledge.ts'
import { allFacts } from '../knowledge/fact.ts'
import { FACT_TYPES } from '../knowledge/fact-draft.ts'
import { allPermanent } from '../knowledge/permanent.ts'
import { type Choices, type Command, nameOf, wordsOfName } from '../memory/commands/command.ts'
import { type CliWorld, openContext } from '../memory/commands/context.ts'
import { readPages } from '../pages/disk/pages.ts'
import { isSettingName, SETTINGS, type SettingName } from '../platform/config.ts'
import { id8OfFile } from '../platform/layout.ts'
import { sessionFiles } from '../sessions/disk/sessions.ts'
import { meantBy } from '../text/meant.ts'
import { unaliased } from './names.ts'

/** The words before the one that is being typed; the last one is what stands of it already. */
export function runComplete(world: CliWorld, words: readonly string[], commands: readonly Command[]): number {
  const found = completionsFor(commands, words, (kind) => idsOf(world, kind))
  world.streams.out(found.map((word) => `${word}\n`).join(''))
  return 0
}

/** The id that was meant by one that does not exist; null: nobody can tell. */
export function meantId(world: CliWorld, argv: readonly string[], commands: readonly Command[]): string | null {
  const command = commandIn(commands, argv)
  const name = command === undefined ? [] : wordsOfName(command.usage)
  const kind = command === undefined ? null : kindOf(command, 0)
  const typed = argv.slice(name.length).find((word) => !word.startsWith('-'))
  if (kind === null || typed === undefined) return null
  return meantBy(
    typed,
    kindsFor(kind).flatMap((one) => idsOf(world, one)),
  )
}

/** `show` takes any id. */
function kindsFor(kind: Kind): readonly Kind[] {
  return kind === 'session' ? ['session', 'fact', 'rule', 'concept', 'page'] : [kind]
}

/** What a command's argument may be, where that is cheap to say. */
type Kind = 'setting' | 'page' | 'fact' | 'type' | 'rule' | 'concept' | 'session' | 'shell' | 'timezone'

export function completionsFor(
  commands: readonly Command[],
  words: readonly string[],
  idsOf: (kind: Kind) => readonly string[],
): string[] {
  const before = unaliased(words.slice(0, -1))
  const typed = words.at(-1) ?? ''
  const command = commandIn(commands, before)
  if (command !== undefined) return inCommand(command, before, typed, idsOf)
  const shown = commands.filter((one) => one.isHidden !== true)
  if (before.length === 0)
    return begun(typed.startsWith('-') ? TOP : shown.map((one) => wordsOfName(one.usage)[0] ?? ''), typed)
  const [group = ''] = before
  return before.length === 1
    ? begun(
        shown.flatMap((one) => secondWord(one, group)),
        typed,
      )
    : []
}

function inCommand(
  command: Command,
  before: readonly string[],
  typed: string,
  idsOf: (kind: Kind) => readonly string[],
): string[] {
  const valuesFor = (flag: string, value: string): string[] => valuesBegun(valuesOf(command, flag, idsOf), value)
  const [, flag = '', value = ''] = /^(--[a-z-]+)=(.*)$/s.exec(typed) ?? []
  if (flag !== '') return valuesFor(flag, value).map((one) => `${flag}=${one}`)
  // Bash takes `--state=fresh` for three words.
  const isEquals = typed === '=' || before.at(-1) === '='
  const last = before.at(typed === '=' || !isEquals ? -1 : -2) ?? ''
  if (isEquals && last.startsWith('--')) return valuesFor(last, typed === '=' ? '' : typed)
  if (takesValue(command, last)) return valuesFor(last, typed)
  if (typed.startsWith('-')) return begun(optionsOf(command), typed)
  const given = argumentsIn(command, before)
  if (nameOf(command) === 'config set' && given.length === 1) return begun(settingValues(given[0] ?? ''), typed)
  const kind = kindOf(command, given.length)
  return kind === null ? [] : begun(kindsFor(kind).flatMap(idsOf), typed)
}

/** By the list that parses it; an id of the memory, where the option takes one. */
function valuesOf(command: Command, flag: string, idsOf: (kind: Kind) => readonly string[]): Choices {
  const option = command.options?.find(({ flags }) => flagIn(flags) === flag)
  const kind = option === undefined ? undefined : OPTION_KINDS[flag]
  return option?.values ?? { of: kind === undefined ? [] : idsOf(kind) }
}

const OPTION_KINDS: Readonly<Record<string, Kind>> = {
  '--concept': 'concept',
  '--session': 'session',
  '--after-compaction': 'session',
  '--by': 'fact',
  '--timezone': 'timezone',
}

/** Several with commas: those that stand there already are not offered again. */
function valuesBegun({ of, isList }: Choices, typed: string): string[] {
  const at = isList === true ? typed.lastIndexOf(',') + 1 : 0
  const taken = typed.slice(0, at).split(',')
  return begun(
    of.filter((one) => !taken.includes(one)),
    typed.slice(at),
  ).map((one) => typed.slice(0, at) + one)
}

/** Empty: whatever fits, like a number. */
function settingValues(name: string): readonly string[] {
  const kind = isSettingName(name) ? (SETTINGS[name] as (typeof SETTINGS)[SettingName]).kind : null
  switch (kind?.is) {
    case 'choice':
      return kind.of
    case 'switch':
      return ['true', 'false']
    case 'timezone':
      return timezones()
    default:
      return []
  }
}

const TOP = ['--help', '--version', '--no-color', '--no-pager']
const VALUED = ['--project']
const ALWAYS = ['--project', '--json', '--help', '--no-color', '--no-pager']

function begun(words: readonly string[], typed: string): string[] {
  return [...new Set(words)].filter((word) => word.startsWith(typed)).sort()
}

function secondWord(command: Command, group: string): string[] {
  const [first, second] = wordsOfName(command.usage)
  return first === group && second !== undefined ? [second] : []
}

function commandIn(commands: readonly Command[], before: readonly string[]): Command | undefined {
  return commands
    .filter(({ usage }) => wordsOfName(usage).every((word, i) => before[i] === word))
    .toSorted((a, b) => wordsOfName(b.usage).length - wordsOfName(a.usage).length)[0]
}

function optionsOf(command: Command): string[] {
  const own = (command.options ?? []).flatMap(({ flags }) => flags.match(/--[a-z-]+/g) ?? [])
  return [...own, ...ALWAYS, ...(command.writes ? ['--dry-run'] : [])]
}

function flagIn(flags: string): string {
  return flags.split(' ')[0] ?? ''
}

function takesValue({ options = [] }: Command, flag: string): boolean {
  return VALUED.includes(flag) || options.some(({ flags }) => flags.includes('<') && flagIn(flags) === flag)
}

/** What was given behind its name, without options and their values. */
function argumentsIn(command: Command, before: readonly string[]): string[] {
  const rest = before.slice(wordsOfName(command.usage).length)
  return rest.filter((word, i) => !word.startsWith('-') && !takesValue(command, rest[i - 1] ?? ''))
}

/** By the name of what it takes next, behind so many. */
function kindOf(command: Command, given: number): Kind | null {
  const name = wordsOfName(command.usage)
  const takes = command.usage.split(' ').slice(name.length)[given]
  if (takes === undefined) return null
  const [group, verb] = name
  if (group === 'config') return 'setting'
  if (group === 'page') return 'page'
  if (group === 'completion') return 'shell'
  if (group === 'facts') return verb !== 'add' ? 'fact' : given === 0 ? 'type' : null
  if (group === 'concepts') return 'concept'
  if (group === 'rules' && (verb === 'accept' || verb === 'decline' || verb === 'remove')) return 'rule'
  if (group === 'pin' || group === 'unpin') return 'fact'
  return group === 'show' || group === 'timeline' ? 'session' : null
}

/** Asked for only when wanted: there are hundreds. */
function timezones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
}

const NEWEST_SESSIONS = 50

function idsOf(world: CliWorld, kind: Kind): string[] {
  if (kind === 'setting') return Object.keys(SETTINGS)
  if (kind === 'shell') return [...SHELLS]
  if (kind === 'type') return [...FACT_TYPES]
  if (kind === 'timezone') return timezones()
  const { store } = openContext(world, {})
  switch (kind) {
    case 'page':
      return readPages(store).map(({ name }) => name)
    case 'fact':
      return allFacts(readFacts(store)).map(({ id }) => id)
    case 'rule':
      return allPermanent(readFacts(store).permanent).map(({ id }) => id)
    case 'concept':
      return readConcepts(store).concepts.map(({ id }) => id)
    case 'session':
      return sessionFiles(store)
        .slice(-NEWEST_SESSIONS)
        .flatMap((file) => id8OfFile(file) ?? [])
  }
}
