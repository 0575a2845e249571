/** The command line: builds the commands from their table, runs one, turns errors into words and exit codes. */
import { Command as Commander, CommanderError } from 'commander'
import { KeeperError } from '../core/error.ts'
import type { Command, ExitCode } from './command.ts'
import { COMMANDS } from './commands.ts'
import type { CliWorld } from './context.ts'
import { bad } from './output.ts'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** What the commands of a group have in common. */
const ABOUT_GROUPS: Readonly<Record<string, string>> = {
  config: 'the settings',
  notes: 'the notes in memory.md and its archives',
  rules: 'what Claude is told with every prompt',
  page: 'texts kept by hand',
  recall: 'what goes with a prompt by itself',
  facts: 'decisions, patterns and issues',
  concepts: 'what facts are about',
  lesson: 'what you learned, on the page lessons',
}

export function runCli(argv: readonly string[], world: CliWorld): ExitCode {
  if (world.isOurChild) return DONE
  let exitCode: ExitCode = DONE
  const program = createProgram(argv, world, (code) => {
    exitCode = code
  })
  const told = (error: unknown): number => tell(error, argv, world)
  try {
    program.parse([...argv], { from: 'user' })
    const code = exitCode as ExitCode
    return typeof code === 'number' ? code : code.catch(told)
  } catch (error) {
    return told(error)
  }
}

/** What went wrong, in words and as an exit code; whatever is no error of ours is thrown on. */
function tell(error: unknown, argv: readonly string[], world: CliWorld): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return DONE
    // Commander has told the person already.
    tellProgram(argv, world, 'usage', usageMessage(error))
    return WRONG_USAGE
  }
  if (!(error instanceof KeeperError)) throw error
  tellProgram(argv, world, error.code, error.message)
  world.streams.err(`${bad('memory-keeper:')} ${error.message}\n`)
  return error.code === 'usage' ? WRONG_USAGE : FAILED
}

function tellProgram(argv: readonly string[], world: CliWorld, code: string, message: string): void {
  if (argv.includes('--json')) world.streams.out(`${JSON.stringify({ error: { code, message } })}\n`)
}

function usageMessage({ code, message }: CommanderError): string {
  // All commands know --json: whoever does not is no command yet.
  const isNameless = code === 'commander.help' || (code === 'commander.unknownOption' && message.includes("'--json'"))
  return isNameless
    ? 'The name of a command is missing. memory-keeper --help lists them.'
    : message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
}

function createProgram(argv: readonly string[], world: CliWorld, onDone: (exitCode: ExitCode) => void): Commander {
  const program = new Commander('memory-keeper')
    .description('A memory for Claude Code: every session captured by plain code, in files you can read.')
    .version(world.version)
    .exitOverride()
    // Or `search -Vue` would ask for the version.
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .showHelpAfterError('(memory-keeper --help lists the commands)')
    .configureOutput({
      writeOut: world.streams.out,
      writeErr: world.streams.err,
      outputError: (text, write) => write(text.replace(/^error:/, bad('memory-keeper:'))),
      getOutHelpWidth: () => world.columns,
      getErrHelpWidth: () => world.columns,
    })
  const groups = new Map<string, Commander>()
  for (const command of COMMANDS) add(program, groups, command, { argv, world, onDone })
  return program
}

interface Run {
  argv: readonly string[]
  world: CliWorld
  onDone: (code: ExitCode) => void
}

function add(program: Commander, groups: Map<string, Commander>, command: Command, { argv, world, onDone }: Run): void {
  const [first = '', second] = command.usage.split(' ')
  const isGrouped = second !== undefined && !/^[<[]/.test(second)
  const parent = isGrouped ? groupOf(program, groups, first) : program
  const made = parent
    .command(isGrouped ? command.usage.slice(first.length + 1) : command.usage)
    .description(command.about)
  if (command.alias) made.alias(command.alias)
  made.showHelpAfterError(`(${nameOf(command)} --help tells more)`)
  made.option('--project <dir>', 'another project than the current directory')
  made.option('--json', 'print JSON')
  if (command.writes) made.option('--dry-run', 'only say what would be done')
  for (const option of command.options ?? []) {
    if (option.isRepeatable)
      made.option(option.flags, option.about, (value: string, all: string[] | undefined) => [...(all ?? []), value])
    else made.option(option.flags, option.about)
  }
  if (command.takesMinusWords) made.allowUnknownOption()
  const more = command.more === undefined ? '' : `\n${command.more.join('\n')}\n`
  made.addHelpText('after', `${more}\nExample:\n  ${command.example}`)
  made.action((...given: unknown[]) => {
    const self = given.at(-1) as Commander
    onDone(command.run(world, self.opts(), command.takesMinusWords ? wordsOf(self, command, argv) : self.args))
  })
}

/** Commander lets every unknown option through, or none. What has a space in it was in quotes. */
function wordsOf(self: Commander, command: Command, argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  const typed = new Set(end < 0 ? argv : argv.slice(0, end))
  const unknown = self.args.find((arg) => /^--[^\s-]\S*$/.test(arg) && typed.has(arg))
  if (unknown !== undefined) {
    const hint = `If it is to be looked for, put the query in quotes: ${nameOf(command)} "some words ${unknown}"`
    self.error(`error: unknown option '${unknown}'. ${hint}`, { code: 'commander.unknownOption' })
  }
  return self.args.filter((arg) => arg !== '--')
}

function nameOf({ usage }: Command): string {
  return `memory-keeper ${usage.replace(/ [<[].*$/, '')}`
}

function groupOf(program: Commander, groups: Map<string, Commander>, name: string): Commander {
  const known = groups.get(name)
  if (known) return known
  const verbs = COMMANDS.filter(({ usage }) => usage.startsWith(`${name} `)).map(({ usage }) => usage.split(' ')[1])
  const group = program
    .command(name)
    .description(`${verbs.join(', ')}: ${ABOUT_GROUPS[name] ?? name}`)
    .showHelpAfterError(`(memory-keeper ${name} --help tells more)`)
  groups.set(name, group)
  return group
}
