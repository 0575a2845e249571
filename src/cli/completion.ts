/** `completion`: scripts for bash, zsh and fish, made from the table of commands; words that change are asked of the program itself. */
import { SETTINGS } from '../core/config.ts'
import { KeeperError } from '../core/error.ts'
import { allFacts } from '../core/fact.ts'
import { id8OfFile } from '../core/layout.ts'
import { meantBy } from '../core/meant.ts'
import { allPermanent } from '../core/permanent.ts'
import { readConcepts, readFacts } from '../store/knowledge.ts'
import { readPages } from '../store/pages.ts'
import { sessionFiles } from '../store/sessions.ts'
import type { Command } from './command.ts'
import { type CliWorld, type CommonOptions, openContext } from './context.ts'
import { createOutput } from './output.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export function runCompletion(world: CliWorld, options: CommonOptions, shell: string): number {
  const known = SHELLS.find((one) => one === shell)
  if (known === undefined) throw new KeeperError('usage', `${shell} is not known. Give one of: ${SHELLS.join(', ')}`)
  const program = world.programs === undefined ? null : `${world.programs}/cli.cjs`
  const script = scriptFor(known, program)
  const out = createOutput(world.streams, options.json === true)
  out.json({ shell: known, script })
  if (!out.isJson) world.streams.out(script)
  return 0
}

/** The words before the one that is being typed; the last one is what stands of it already. */
export function runComplete(world: CliWorld, words: readonly string[], commands: readonly Command[]): number {
  const found = completionsFor(commands, words, (kind) => idsOf(world, kind))
  world.streams.out(found.map((word) => `${word}\n`).join(''))
  return 0
}

/** The id that was meant by one that does not exist; null: nobody can tell. */
export function meantId(world: CliWorld, argv: readonly string[], commands: readonly Command[]): string | null {
  const command = commandIn(commands, argv)
  const name = command === undefined ? [] : nameWords(command)
  const kind = command === undefined ? null : kindOf(command, name)
  const typed = argv.slice(name.length).find((word) => !word.startsWith('-'))
  if (kind === null || typed === undefined) return null
  const kinds: readonly Kind[] = kind === 'session' ? ['session', 'fact', 'rule', 'concept', 'page'] : [kind]
  return meantBy(
    typed,
    kinds.flatMap((one) => idsOf(world, one)),
  )
}

/** What a command's argument may be, where that is cheap to say. */
type Kind = 'setting' | 'page' | 'fact' | 'rule' | 'concept' | 'session' | 'shell'

export function completionsFor(
  commands: readonly Command[],
  words: readonly string[],
  idsOf: (kind: Kind) => readonly string[],
): string[] {
  const before = words.slice(0, -1)
  const typed = words.at(-1) ?? ''
  const command = commandIn(commands, before)
  if (command !== undefined && typed.startsWith('-')) return begun(optionsOf(command), typed)
  if (command !== undefined) {
    const kind = kindOf(command, before)
    return kind === null ? [] : begun(idsOf(kind), typed)
  }
  const shown = commands.filter((one) => one.isHidden !== true)
  if (before.length === 0) return begun(typed.startsWith('-') ? TOP : shown.flatMap(firstWords), typed)
  const [group = ''] = before
  return before.length === 1
    ? begun(
        shown.flatMap((one) => secondWord(one, group)),
        typed,
      )
    : []
}

const TOP = ['--help', '--version', '--no-color', '--no-pager']
const ALWAYS = ['--project', '--json', '--help', '--no-color', '--no-pager']

function begun(words: readonly string[], typed: string): string[] {
  return [...new Set(words)].filter((word) => word.startsWith(typed)).sort()
}

function nameWords({ usage }: Command): string[] {
  return usage.split(' ').filter((word) => !/^[<[]/.test(word))
}

function firstWords(command: Command): string[] {
  return [nameWords(command)[0] ?? '', ...(command.alias ? [command.alias] : [])]
}

function secondWord(command: Command, group: string): string[] {
  const [first, second] = nameWords(command)
  return first === group && second !== undefined ? [second] : []
}

function commandIn(commands: readonly Command[], before: readonly string[]): Command | undefined {
  const matching = commands.filter(
    (command) =>
      nameWords(command).every((word, i) => before[i] === word) ||
      (command.alias !== undefined && command.alias === before[0]),
  )
  return matching.toSorted((a, b) => nameWords(b).length - nameWords(a).length)[0]
}

function optionsOf(command: Command): string[] {
  const own = (command.options ?? []).flatMap(({ flags }) => flags.match(/--[a-z-]+/g) ?? [])
  return [...own, ...ALWAYS, ...(command.writes ? ['--dry-run'] : [])]
}

/** By the name of what it takes next. */
function kindOf(command: Command, before: readonly string[]): Kind | null {
  const name = nameWords(command)
  const given = before.slice(name.length).filter((word) => !word.startsWith('-')).length
  const takes = command.usage.split(' ').slice(name.length)[given]
  if (takes === undefined) return null
  const [group, verb] = name
  if (group === 'config') return 'setting'
  if (group === 'page' || group === 'memory-set' || group === 'memory-get') return 'page'
  if (group === 'completion') return 'shell'
  if (group === 'facts' && verb !== 'add') return 'fact'
  if (group === 'concepts') return 'concept'
  if (group === 'rules' && (verb === 'accept' || verb === 'decline')) return 'rule'
  if (group === 'promote' || group === 'pin' || group === 'unpin') return 'fact'
  if (group === 'demote') return 'rule'
  return group === 'show' || group === 'timeline' ? 'session' : null
}

const NEWEST_SESSIONS = 50

function idsOf(world: CliWorld, kind: Kind): string[] {
  if (kind === 'setting') return Object.keys(SETTINGS)
  if (kind === 'shell') return [...SHELLS]
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

/** `program`: our built file, for terminals where our name is on no PATH; null: the name must do. */
function scriptFor(shell: Shell, program: string | null): string {
  const ask = program === null ? 'memory-keeper' : `node ${quoted(program)}`
  const define = program === null ? '' : `${ALIAS[shell](program)}\n`
  return `${HEADS[shell]}${define}${BODIES[shell](ask)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

const HEADS: Readonly<Record<Shell, string>> = {
  bash: '# memory-keeper for bash: add to ~/.bashrc what completion bash prints\n',
  zsh: '#compdef memory-keeper\n# memory-keeper for zsh: add to ~/.zshrc what completion zsh prints, behind compinit\n',
  fish: '# memory-keeper for fish: put what completion fish prints into ~/.config/fish/completions/memory-keeper.fish\n',
}

/** The name itself, where nothing has it: put together when it is run, since an alias of that name would change the words before. */
const ALIAS: Readonly<Record<Shell, (program: string) => string>> = {
  bash: (program) => `command -v memory-keeper >/dev/null 2>&1 || eval ${quoted(named(program))}`,
  zsh: (program) =>
    `(( $+commands[memory-keeper] + $+aliases[memory-keeper] + $+functions[memory-keeper] )) || eval ${quoted(named(program))}`,
  fish: (program) =>
    `type -q memory-keeper; or function memory-keeper; node ${`'${program.replace(/[\\']/g, '\\$&')}'`} $argv; end`,
}

function named(program: string): string {
  return `memory-keeper() { node ${quoted(program)} "$@"; }`
}

const BODIES: Readonly<Record<Shell, (ask: string) => string>> = {
  bash: (ask) => `_memory_keeper() {
  local IFS=$'\\n'
  COMPREPLY=($(${ask} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _memory_keeper memory-keeper
`,
  zsh: (ask) => `_memory_keeper() {
  local -a found
  found=("\${(@f)$(${ask} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _memory_keeper memory-keeper
`,
  fish: (ask) => `function __memory_keeper_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  ${ask.replace(/^node '(.*)'$/s, (_, file: string) => `node '${file.replaceAll(`'\\''`, "\\'")}'`)} __complete -- $words 2>/dev/null
end
complete -c memory-keeper -a '(__memory_keeper_complete)'
`,
}
