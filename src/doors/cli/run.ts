/** The command line: builds the commands from their table, runs one, and turns errors into messages and exit codes. */
import { Command as Commander, CommanderError, Option as CommanderOption, Help } from 'commander'
import { openAfterFirstSteps, takeFirstSteps, withdrawOutside } from '../../core/extra.ts'
import { knownProjects } from '../../core/health/disk/projects.ts'
import { type Command, type ExitCode, nameOf, withZone, wordsOfName } from '../../kernel/memory/commands/command.ts'
import { type CliWorld, type CommonOptions, type Context, openContext } from '../../kernel/memory/commands/context.ts'
import {
  bad,
  harmless,
  type Streams,
  useColours,
  wantsColours,
  withoutColours,
  wrapLines,
} from '../../kernel/memory/commands/output.ts'
import { openKnown, type Store } from '../../kernel/memory/disk/store.ts'
import { statOf } from '../../kernel/platform/disk/files.ts'
import { locate } from '../../kernel/platform/disk/locate.ts'
import { KeeperError } from '../../kernel/platform/error.ts'
import { once } from '../../kernel/text/once.ts'
import { COMMANDS, runCommand } from './commands.ts'
import { aboutGroup, overview } from './help.ts'
import { helpPlace, inHelpOrder, insteadOf, inTodaysNames } from './names.ts'
import { needUser } from './orders.ts'
import { isTypedLine, needsNoTerminal, RUN_HELP, typedArgs, typedWorld } from './skill.ts'
import { STDIN_OPTION, withStdinText } from './stdin.ts'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

export function runCli(argv: readonly string[], outside: CliWorld): ExitCode {
  if (outside.isOurChild) return DONE
  if (!isTypedLine(argv)) return runGiven(argv, outside)
  const typed = typedArgs(outside.readStdin())
  if (typed === null) return tell(new KeeperError('usage', OPEN_QUOTE), argv, outside)
  if (typed.length > 0) return runGiven(typed, typedWorld(argv, outside))
  outside.streams.out(RUN_HELP)
  return DONE
}

const OPEN_QUOTE =
  'A quote is not closed. Put a text with a single quote in double quotes, and a path that ends with a backslash in single quotes.'

function runGiven(given: readonly string[], outside: CliWorld): ExitCode {
  const named = inTodaysNames(given, COMMANDS.map(nameOf))
  // The check of the order may have to read stdin before the command does.
  const world: CliWorld = {
    ...outside,
    runCommand,
    streams: streamsFor(named, outside),
    readStdin: once(outside.readStdin),
  }
  const instead = insteadOf(given)
  if (instead !== null) return tell(new KeeperError('usage', instead), named, world)
  try {
    return runNamed(withStdinText(named, commandOf(named), world.readStdin), world)
  } catch (error) {
    return tell(error, named, world)
  }
}

function runNamed(argv: readonly string[], world: CliWorld): ExitCode {
  let exitCode: ExitCode = DONE
  const program = createProgram(argv, world, (code) => {
    exitCode = code
  })
  program.parse(helpless(argv, program), { from: 'user' })
  const code = exitCode as ExitCode
  return typeof code === 'number' ? code : code.catch((error: unknown) => tell(error, argv, world))
}

/** Help about an unknown command is treated like the unknown command itself, with the same hint. */
function helpless(argv: readonly string[], program: Commander): string[] {
  const [first, name = ''] = argv
  const isKnown = name === '' || name.startsWith('-') || name === 'help'
  if (first !== 'help' || isKnown) return [...argv]
  return program.commands.some((one) => one.name() === name) ? [...argv] : [name]
}

/** Colours only where they can be seen; lines are wrapped for a terminal, or if COLUMNS is set. */
function streamsFor(argv: readonly string[], { streams, env, columns }: CliWorld): Streams {
  const isPlain = argv.includes('--no-color')
  const isVerbatim = argv.includes('--json') || commandOf(argv)?.isVerbatim === true
  const shownOn = (isTerminal: boolean): [isColoured: boolean, shown: (text: string) => string] => {
    const isColoured = !isPlain && wantsColours(env, isTerminal)
    const isFitted = !isVerbatim && (isTerminal || Number(env.COLUMNS) > 0)
    const show = (text: string): string => {
      const painted = isColoured ? text : withoutColours(text)
      // Text with a carriage return is a drawing, not lines.
      return isFitted && !text.includes('\r') ? wrapLines(painted, columns) : painted
    }
    return [isColoured, show]
  }
  const [isOutColoured, onOut] = shownOn(streams.isOutTerminal === true)
  const [isErrColoured, onErr] = shownOn(streams.isErrTerminal)
  useColours(isOutColoured || isErrColoured)
  return { ...streams, out: (text) => streams.out(onOut(text)), err: (text) => streams.err(onErr(text)) }
}

function commandOf(argv: readonly string[]): Command | undefined {
  return COMMANDS.find(({ usage }) => wordsOfName(usage).every((word, i) => argv[i] === word))
}

/** Prints an error and returns its exit code; errors that are not ours are thrown again. */
function tell(error: unknown, argv: readonly string[], world: CliWorld): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return DONE
    // Commander has already printed the message.
    tellProgram(argv, world, 'usage', usageMessage(error))
    return WRONG_USAGE
  }
  if (!(error instanceof KeeperError)) throw error
  tellProgram(argv, world, error.code, error.message)
  world.streams.err(`${bad('memory-keeper:')} ${harmless(error.message)}\n`)
  return error.code === 'usage' ? WRONG_USAGE : FAILED
}

function tellProgram(argv: readonly string[], world: CliWorld, code: string, message: string): void {
  if (argv.includes('--json')) world.streams.out(`${JSON.stringify({ error: { code, message } })}\n`)
}

function usageMessage({ code, message }: CommanderError): string {
  // All commands accept --json: if it is unknown, no command was named yet.
  const isNameless = code === 'commander.help' || (code === 'commander.unknownOption' && message.includes("'--json'"))
  return isNameless
    ? 'The name of a command is missing. memory-keeper --help lists them.'
    : message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
}

function createProgram(argv: readonly string[], world: CliWorld, onDone: (exitCode: ExitCode) => void): Commander {
  const program = new Commander('memory-keeper')
    .description('A memory for Claude Code: every session captured by plain code, in files you can read.')
    .version(world.version)
    .option('--no-color', 'no colours; the same as NO_COLOR=1')
    .exitOverride()
    // Otherwise `search -Vue` would print the version.
    .enablePositionalOptions()
    .addHelpCommand(new Commander('help').argument('[command]').description('what a command does'))
    .configureHelp({
      formatHelp: (command, helper) =>
        command.parent === null ? overview(world.columns) : new Help().formatHelp(command, helper),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(memory-keeper --help lists the commands)')
    .configureOutput({
      writeOut: world.streams.out,
      writeErr: world.streams.err,
      outputError: (text, write) => write(harmless(text).replace(/^error:/, bad('memory-keeper:'))),
      getOutHelpWidth: () => world.columns,
      getErrHelpWidth: () => world.columns,
    })
  const groups = new Map<string, Commander>()
  for (const command of toAdd(argv)) add(program, groups, command, { argv, world, onDone })
  return program
}

/** The commands that the first word names; if it names none, all, in the order of the help: for help and hints. */
function toAdd([first = '']: readonly string[]): Command[] {
  const named = COMMANDS.filter(({ usage }) => usage.split(' ')[0] === first)
  return inHelpOrder(named.length > 0 ? named : COMMANDS)
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
    .command(isGrouped ? command.usage.slice(first.length + 1) : command.usage, { hidden: helpPlace(command) === null })
    .description(command.about)
  made.showHelpAfterError(`(memory-keeper ${nameOf(command)} --help shows more)`)
  made.option('--project <dir>', 'another project than the current directory')
  made.option('--json', 'print JSON')
  made.addOption(new CommanderOption('--no-color').hideHelp())
  if (command.writes) made.option('--dry-run', 'only show what would be done')
  if (command.stdin !== undefined) made.option(...STDIN_OPTION)
  for (const option of command.options ?? []) {
    if (option.isRepeatable)
      made.option(option.flags, option.about, (value: string, all: string[] | undefined) => [...(all ?? []), value])
    else made.option(option.flags, option.about)
  }
  if (command.takesMinusWords) made.allowUnknownOption()
  const more = command.more === undefined ? '' : `\n${command.more.join('\n')}\n`
  const examples = [command.example, ...(command.also ?? [])]
  made.addHelpText(
    'after',
    `${more}\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((one) => `  ${one}`).join('\n')}`,
  )
  made.action((...given: unknown[]) => {
    const self = given.at(-1) as Commander
    const options = self.opts<CommonOptions & Record<string, never>>()
    const args = command.takesMinusWords ? commandWords(self, command, argv) : self.args
    needUser(command, { options, args, open: () => openContext(world, options) }, world, argv)
    needsNoTerminal(command, world, argv)
    if (options.dryRun !== true) openEarlier(world, options)
    const { runEverywhere: everywhere } = command
    const isEverywhere = everywhere !== undefined && (options as Record<string, unknown>).everywhere === true
    const code = isEverywhere ? runEverywhere(everywhere, world, options, args) : command.run(world, options, args)
    const mayChange = command.writes === true && options.dryRun !== true
    onDone(mayChange ? settledOutside(code, () => openAnew(world, options), world.now) : code)
  })
}

/** What a command changed, a setting or whose memory it is, also decides what may stand outside the memory. */
function settledOutside(code: ExitCode, open: () => Store | null, now: () => string): ExitCode {
  const settle = (done: number): number => {
    const store = open()
    if (store !== null) withdrawOutside(store, now())
    return done
  }
  return typeof code === 'number' ? settle(code) : code.then(settle)
}

/** Null: the project does not exist. */
function openAnew(world: CliWorld, options: CommonOptions): Store | null {
  const dir = options.project ?? world.projectDir ?? world.cwd
  return statOf(dir) === null ? null : openKnown(locate(dir, world.around), { now: world.now })
}

/** Right after an update a command may come before any session. Of a project that does not exist the command itself says so. */
function openEarlier(world: CliWorld, options: CommonOptions): void {
  const store = openAnew(world, options)
  if (store !== null) takeFirstSteps(store, world.now())
}

/** `--everywhere`: one command over all projects of this machine that have a memory. What is not trusted is not read. */
function runEverywhere(
  run: NonNullable<Command['runEverywhere']>,
  world: CliWorld,
  options: CommonOptions & Record<string, never>,
  args: string[],
): ExitCode {
  const own = openContext(world, options)
  const others = knownProjects(own.store).map(({ places }): Context => {
    const open = (): Store => openKnown(places, { now: world.now })
    return { ...own, store: openAfterFirstSteps(open, world.now()) }
  })
  const remembering = [own, ...others].filter(({ store }) => store.isPrepared())
  return withZone(own, run(remembering.length === 0 ? [own] : remembering, options, args))
}

/** Commander accepts every unknown option, or none. An argument with a space was quoted. */
function commandWords(self: Commander, command: Command, argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  const typed = new Set(end < 0 ? argv : argv.slice(0, end))
  const unknown = self.args.find((arg) => /^--[^\s-]\S*$/.test(arg) && typed.has(arg))
  if (unknown !== undefined) {
    const hint = `To search for it, put the query in quotes: memory-keeper ${nameOf(command)} "some words ${unknown}"`
    self.error(`error: unknown option '${unknown}'. ${hint}`, { code: 'commander.unknownOption' })
  }
  return self.args.filter((arg) => arg !== '--')
}

function groupOf(program: Commander, groups: Map<string, Commander>, name: string): Commander {
  const known = groups.get(name)
  if (known) return known
  const group = program
    .command(name)
    .description(aboutGroup(name))
    .showHelpAfterError(`(memory-keeper ${name} --help shows more)`)
  groups.set(name, group)
  return group
}
