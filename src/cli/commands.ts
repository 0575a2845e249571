/** The table of all commands: name, what it does, its arguments and options, an example. */

import { runDedupe, runScrub } from './care.ts'
import { runConfigGet, runConfigList, runConfigSet } from './config.ts'
import { type CliWorld, type CommonOptions, type Context, openContext } from './context.ts'
import { runCheck, runFinal, runReset } from './counter.ts'
import { runDemo } from './demo.ts'
import { runDoctor } from './doctor.ts'
import { runImport } from './import.ts'
import { runSessions, runShow } from './sessions.ts'
import { runStatus } from './status.ts'
import { runRestore, runTrust, runUntrust } from './trust.ts'
import { runVerify } from './verify.ts'

export interface Option {
  flags: string
  about: string
  isRepeatable?: true
}

export interface Command {
  /** With its arguments, as commander reads them. */
  usage: string
  alias?: string
  about: string
  options?: readonly Option[]
  /** Takes --dry-run. */
  writes?: true
  example: string
  run: (world: CliWorld, options: CommonOptions & Record<string, never>, args: string[]) => number
}

type Run = (context: Context, options: Record<string, never>, args: string[]) => number

const inProject =
  (run: Run): Command['run'] =>
  (world, options, args) =>
    run(openContext(world, options), options, args)
const TRANSCRIPT: Option = {
  flags: '--transcript <file>',
  about: 'this transcript; may be given several times',
  isRepeatable: true,
}

export const COMMANDS: readonly Command[] = [
  {
    usage: 'import',
    alias: 'refine-all',
    about: "capture this project's transcripts that are still on the machine",
    options: [TRANSCRIPT, { flags: '--all', about: 'all projects; those other than this one go to home storage' }],
    writes: true,
    example: 'memory-keeper import --all',
    run: inProject(runImport),
  },
  {
    usage: 'verify',
    about: 'compare transcripts with what is captured; exit 1 when anything is missing',
    options: [TRANSCRIPT],
    example: 'memory-keeper verify',
    run: inProject(runVerify),
  },
  {
    usage: 'sessions',
    about: 'list the sessions, newest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper sessions --limit 10',
    run: inProject(runSessions),
  },
  {
    usage: 'show <id>',
    about: 'show a session (1a2b3c4d) or an entry (L1:1a2b3c4d#5)',
    options: [{ flags: '--context <n>', about: 'with so many entries before and after' }],
    example: 'memory-keeper show L1:1a2b3c4d#5 --context 2',
    run: inProject((context, options, [id = '']) => runShow(context, id, options)),
  },
  {
    usage: 'status',
    about: 'what is remembered, on one screen',
    example: 'memory-keeper status',
    run: inProject(runStatus),
  },
  {
    usage: 'doctor',
    about: 'check that all is well, with a fix for each finding',
    example: 'memory-keeper doctor',
    run: inProject(runDoctor),
  },
  {
    usage: 'config list',
    about: 'all settings and what they mean',
    example: 'memory-keeper config list',
    run: inProject(runConfigList),
  },
  {
    usage: 'config get <name>',
    about: 'one setting',
    example: 'memory-keeper config get saveInterval',
    run: inProject((context, _, [name = '']) => runConfigGet(context, name)),
  },
  {
    usage: 'config set <name> <value>',
    about: "change a setting in the project's config, or at home",
    options: [{ flags: '--home', about: 'for all projects' }],
    writes: true,
    example: 'memory-keeper config set toolOutputChars 500',
    run: inProject((context, options, [name = '', value = '']) => runConfigSet(context, name, value, options)),
  },
  {
    usage: 'check',
    about: "capture the session of a hook's JSON on stdin, or count one tool use; says when a note is due",
    writes: true,
    example: 'memory-keeper check',
    run: inProject(runCheck),
  },
  {
    usage: 'final',
    about: 'capture everything now and fill the vault, as at session end',
    writes: true,
    example: 'memory-keeper final',
    run: inProject(runFinal),
  },
  {
    usage: 'reset',
    about: 'set the tool counter to 0',
    writes: true,
    example: 'memory-keeper reset',
    run: inProject(runReset),
  },
  {
    usage: 'scrub',
    about: 'redact secrets in files written earlier',
    writes: true,
    example: 'memory-keeper scrub --dry-run',
    run: inProject(runScrub),
  },
  {
    usage: 'dedupe',
    alias: 'dedupe-l1',
    about: 'remove sessions that are wholly contained in another one',
    writes: true,
    example: 'memory-keeper dedupe --dry-run',
    run: inProject(runDedupe),
  },
  {
    usage: 'trust',
    about: "show a stranger's memory directory, and with --yes use it as your own",
    options: [{ flags: '--yes', about: 'you know where it comes from' }],
    writes: true,
    example: 'memory-keeper trust --yes',
    run: inProject(runTrust),
  },
  {
    usage: 'untrust',
    about: "no longer read the project's memory directory",
    writes: true,
    example: 'memory-keeper untrust',
    run: inProject(runUntrust),
  },
  {
    usage: 'restore',
    about: 'bring back from the vault what is missing',
    writes: true,
    example: 'memory-keeper restore --dry-run',
    run: inProject(runRestore),
  },
  {
    usage: 'demo',
    about: 'the memory cycle on a sample session, in seconds, without Claude',
    example: 'memory-keeper demo',
    run: (world, options) => runDemo(world, options),
  },
]
