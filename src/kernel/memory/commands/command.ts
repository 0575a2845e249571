/** A command: one row of the command table. */
import { type CliWorld, type CommonOptions, type Context, openContext } from './context.ts'
import { dim } from './output.ts'

/** 0 done, 1 failed, 2 wrong usage. A promise if the command uses the network. */
export type ExitCode = number | Promise<number>

export interface Option {
  flags: string
  about: string
  isRepeatable?: true
}

export const HELP_GROUPS = [
  'Look:',
  'Remember and correct, by the id of anything:',
  'What is kept:',
  'Bring in and hand on:',
  'Set up:',
] as const

export type HelpGroup = (typeof HELP_GROUPS)[number]

export interface Command {
  /** The command and its arguments, in commander's notation. */
  usage: string
  about: string
  options?: readonly Option[]
  /** Accepts --dry-run. */
  writes?: true
  /** Shown behind the options in its help. */
  more?: readonly string[]
  /** `-word` is a valid argument: only words with two dashes are checked as options. */
  takesMinusWords?: true
  /** The heading of `--help` under which it stands, if `cli/names.ts` does not list it: for commands of extras. */
  group?: HelpGroup
  example: string
  /** Takes a text with --stdin: as its last argument, or as the value of this option. */
  stdin?: 'words' | `--${string}`
  /** More examples. */
  also?: readonly string[]
  /** Prints stored text unchanged, or output for programs: its lines are never wrapped. */
  isVerbatim?: true
  /** Only our own skills call it; no list of commands shows it. */
  isHidden?: true
  /** Runs until it is stopped, or shows its progress: it cannot run in a hook. */
  needsTerminal?: true
  run: (world: CliWorld, options: CommonOptions & Record<string, never>, args: string[]) => ExitCode
  /** With --everywhere, for people only: the same in all projects of this machine, each under its own trust. */
  runEverywhere?: (contexts: readonly Context[], options: Record<string, never>, args: string[]) => ExitCode
}

/** The command's words without its arguments: `rules add`. */
export function nameOf({ usage }: Pick<Command, 'usage'>): string {
  return wordsOfName(usage).join(' ')
}

export function wordsOfName(usage: string): string[] {
  return usage.split(' ').filter((word) => !/^[<[]/.test(word))
}

export const EVERYWHERE: Option = { flags: '--everywhere', about: 'in all projects of this machine; for people only' }

type Run = (context: Context, options: Record<string, never>, args: string[]) => ExitCode

export const inProject =
  (run: Run): Command['run'] =>
  (world, options, args) => {
    const context = openContext(world, options)
    return withZone(context, run(context, options, args))
  }

/** The zone of the times that a command printed, once, below them. */
export function withZone({ clock, out }: Context, code: ExitCode): ExitCode {
  const done = (one: number): number => {
    const zone = clock.zone()
    if (zone !== null) out.say(dim(`Times are in ${zone}.`))
    return one
  }
  return typeof code === 'number' ? done(code) : code.then(done)
}
