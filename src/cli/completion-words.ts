/** What may come next on a command line: commands, options, ids of the memory, and the values of what has a closed list of them. */

import { SHELLS } from '../health/commands/init.ts'
import { readConcepts, readFacts } from '../knowledge/disk/knowledge.ts'
import { allFacts } from '../knowledge/fact.ts'
import { FACT_TYPES } from '../knowledge/fact-draft.ts'
import { allPermanent } from '../knowledge/permanent.ts'
import { type Command, nameOf, wordsOfName } from '../memory/commands/command.ts'
import { type CliWorld, openContext } from '../memory/commands/context.ts'
import { readPages } from '../pages/disk/pages.ts'
import { isSettingName, SETTINGS, type SettingName } from '../platform/config.ts'
import { id8OfFile } from '../platform/layout.ts'
import { sessionFiles } from '../sessions/disk/sessions.ts'
import { meantBy } from '../text/typo.ts'
import { unaliased } from './names.ts'

/** What an argument of a command may be. */
type Kind = 'setting' | 'page' | 'fact' | 'type' | 'rule' | 'concept' | 'session' | 'shell'
type IdsOf = (kind: Kind) => readonly string[]

const TOP = ['--help', '--version', '--no-color', '--no-pager']
const ALWAYS = ['--project', '--json', '--help', '--no-color', '--no-pager']
const NEWEST_SESSIONS = 50

/** The last of the words is the one that is being typed. */
export function runComplete(world: CliWorld, words: readonly string[], commands: readonly Command[]): number {
  const found = completionsFor(commands, words, (kind) => idsIn(world, kind))
  world.streams.out(found.map((word) => `${word}\n`).join(''))
  return 0
}

/** The id that was meant by one that does not exist; null: unknown. */
export function meantId(world: CliWorld, argv: readonly string[], commands: readonly Command[]): string | null {
  const command = commandIn(commands, argv)
  if (command === undefined) return null
  const typed = argv.slice(wordsOfName(command.usage).length).find((word) => !word.startsWith('-'))
  const kinds = kindsOf(command, 0)
  if (kinds.length === 0 || typed === undefined) return null
  return meantBy(
    typed,
    kinds.flatMap((kind) => idsIn(world, kind)),
  )
}

export function completionsFor(commands: readonly Command[], words: readonly string[], idsOf: IdsOf): string[] {
  const before = unaliased(words.slice(0, -1))
  const typed = words.at(-1) ?? ''
  const command = commandIn(commands, before)
  const names = commands.filter(({ isHidden }) => isHidden !== true).map(({ usage }) => wordsOfName(usage))
  const next =
    command !== undefined
      ? inCommand(command, before, typed, idsOf)
      : before.length === 0 && typed.startsWith('-')
        ? TOP
        : names
            .filter((name) => before.every((word, i) => name[i] === word))
            .flatMap((name) => name[before.length] ?? [])
  return [...new Set(next)].filter((word) => word.startsWith(typed)).sort()
}

function inCommand(command: Command, before: readonly string[], typed: string, idsOf: IdsOf): readonly string[] {
  const last = before.at(-1) ?? ''
  const option = command.options?.find(({ flags }) => flags.startsWith(`${last} <`))
  if (option !== undefined || last === '--project') return option?.values ?? []
  if (typed.startsWith('-')) {
    const own = (command.options ?? []).flatMap(({ flags }) => flags.match(/--[a-z-]+/g) ?? [])
    return [...own, ...ALWAYS, ...(command.writes ? ['--dry-run'] : [])]
  }
  const rest = before.slice(wordsOfName(command.usage).length)
  const takesValue = (flag = ''): boolean =>
    flag === '--project' || command.options?.some(({ flags }) => flags.startsWith(`${flag} <`)) === true
  const given = rest.filter((word, i) => !word.startsWith('-') && !takesValue(rest[i - 1]))
  if (nameOf(command) === 'config set' && given.length === 1) return settingValues(given[0] ?? '')
  return kindsOf(command, given.length).flatMap(idsOf)
}

/** Empty: a number or a text. */
function settingValues(name: string): readonly string[] {
  const kind = isSettingName(name) ? (SETTINGS[name] as (typeof SETTINGS)[SettingName]).kind : null
  if (kind?.is === 'choice') return kind.of
  return kind?.is === 'switch' ? ['true', 'false'] : []
}

function commandIn(commands: readonly Command[], before: readonly string[]): Command | undefined {
  return commands
    .filter(({ usage }) => wordsOfName(usage).every((word, i) => before[i] === word))
    .toSorted((a, b) => wordsOfName(b.usage).length - wordsOfName(a.usage).length)[0]
}

/** By the first word of a command, where all its verbs take the same. */
const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  config: ['setting'],
  page: ['page'],
  completion: ['shell'],
  facts: ['fact'],
  concepts: ['concept'],
  pin: ['fact'],
  unpin: ['fact'],
  'facts add': ['type'],
  'rules accept': ['rule'],
  'rules decline': ['rule'],
  'rules remove': ['rule'],
  show: ['session', 'fact', 'rule', 'concept', 'page'],
  timeline: ['session', 'fact', 'rule', 'concept', 'page'],
}

/** What the command takes behind this many arguments. */
function kindsOf(command: Command, given: number): readonly Kind[] {
  const name = wordsOfName(command.usage)
  const takes = command.usage.split(' ')[name.length + given]
  if (takes === undefined || (given > 0 && nameOf(command) === 'facts add')) return []
  return KINDS[nameOf(command)] ?? KINDS[name[0] ?? ''] ?? []
}

function idsIn(world: CliWorld, kind: Kind): string[] {
  if (kind === 'setting') return Object.keys(SETTINGS)
  if (kind === 'shell') return [...SHELLS]
  if (kind === 'type') return [...FACT_TYPES]
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
