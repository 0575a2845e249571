/** `skill run`: the words behind `/memory-keeper:run` are a command line, and run as the user's own order. */

import type { Command } from '../memory/commands/command.ts'
import { type CliWorld, programIn } from '../memory/commands/context.ts'
import { formatCommandLine, parseCommandLine } from '../platform/command-line.ts'
import { KeeperError } from '../platform/error.ts'

export const TYPED_LINE_SKILL = 'run'

export const RUN_HELP = `/memory-keeper:run <command> runs a command of Memory Keeper as your own order, without Claude. For example:
  /memory-keeper:run rules add "Run the tests before you say that something works."
  /memory-keeper:run rules accept r001
  /memory-keeper:run config set summarizer extractive
  /memory-keeper:run undo
Wherever a text says memory-keeper <command>, you can type it this way. All commands: /memory-keeper:run --help
`

/** Whether the command line is on standard input. */
export function isTypedLine(argv: readonly string[]): boolean {
  return argv[0] === 'skill' && argv[1] === TYPED_LINE_SKILL
}

/** Null: a quote is not closed. People may type the name of the program as well. */
export function typedArgs(words: string): string[] | null {
  const args = parseCommandLine(words)
  return args?.[0] === 'memory-keeper' ? args.slice(1) : args
}

/** Standard input held the line itself: no command reads a text from there. */
export function typedWorld(argv: readonly string[], world: CliWorld): CliWorld {
  const at = argv.indexOf('--project')
  const projectDir = at < 0 ? world.projectDir : argv[at + 1]
  return { ...world, projectDir, isTypedLine: true, isStdinTerminal: true, readStdin: () => '' }
}

/** A hook waits for the command and has seconds only. */
export function needsNoTerminal({ needsTerminal }: Command, world: CliWorld, argv: readonly string[]): void {
  if (needsTerminal !== true || world.isTypedLine !== true) return
  throw new KeeperError('usage', `Run it in a terminal of your own: ${programIn(world)} ${formatCommandLine(argv)}`)
}
