/** What a command is: a row of the table. */
import { type CliWorld, type CommonOptions, type Context, openContext } from './context.ts'

/** 0 done, 1 failed, 2 wrong usage; later, where something is asked over the network. */
export type ExitCode = number | Promise<number>

export interface Option {
  flags: string
  about: string
  isRepeatable?: true
}

export interface Command {
  /** With its arguments, as commander reads them. */
  usage: string
  about: string
  options?: readonly Option[]
  /** Takes --dry-run. */
  writes?: true
  /** Behind the options in its help. */
  more?: readonly string[]
  /** `-word` means something to it: only what begins with two dashes is an option it does not know. */
  takesMinusWords?: true
  example: string
  /** More examples. */
  also?: readonly string[]
  /** Prints a text as it is kept, or for programs: its lines are never broken. */
  isVerbatim?: true
  /** Only our own skills call it: in no list of commands. */
  isHidden?: true
  /** Runs until it is ended, or shows its work for a while: nobody can wait for it in a hook. */
  needsTerminal?: true
  run: (world: CliWorld, options: CommonOptions & Record<string, never>, args: string[]) => ExitCode
}

/** Its words without its arguments: `rules add`. */
export function nameOf({ usage }: Pick<Command, 'usage'>): string {
  return wordsOfName(usage).join(' ')
}

export function wordsOfName(usage: string): string[] {
  return usage.split(' ').filter((word) => !/^[<[]/.test(word))
}

type Run = (context: Context, options: Record<string, never>, args: string[]) => ExitCode

export const inProject =
  (run: Run): Command['run'] =>
  (world, options, args) =>
    run(openContext(world, options), options, args)
