/** `skill`: what the skills do that people type. Their words come on standard input, so that no shell ever reads them. */

import { runTopic } from '../briefing/commands/topic.ts'
import { runFactsList } from '../edit/commands/facts.ts'
import { runRemember } from '../edit/commands/notes.ts'
import { FORGET_ID, type ForgetOptions, keepPreviewed, runForget, wasPreviewed } from '../forget/commands/forget.ts'
import { runStatus } from '../health/commands/status.ts'
import { runCompress } from '../health/commands/upkeep.ts'
import { type Command, type ExitCode, inProject } from '../memory/commands/command.ts'
import { type CliWorld, type Context, programIn } from '../memory/commands/context.ts'
import { harmless, oneLine } from '../memory/commands/output.ts'
import { runNoteNow } from '../notes/commands/delta.ts'
import { formatCommandLine, parseCommandLine } from '../platform/command-line.ts'
import { KeeperError } from '../platform/error.ts'
import { runSearch } from '../search/commands/search.ts'
import { needUser } from './orders.ts'

/** The words behind `/memory-keeper:run` are a command line, and run as the user's own order. */
const TYPED_LINE_SKILL = 'run'

export const RUN_HELP = `/memory-keeper:run <command> runs a command of Memory Keeper as your own order, without Claude. For example:
  /memory-keeper:run rules add "Run the tests before you say that something works."
  /memory-keeper:run rules accept r001
  /memory-keeper:run config set summarizer extractive
  /memory-keeper:run undo
Wherever a text says memory-keeper <command>, you can type it this way. All commands: /memory-keeper:run --help
`

type Skill = (context: Context, words: string) => ExitCode

const SHOWN_FACTS = '20'

const RUN: Readonly<Record<string, Skill>> = {
  'search-memory': (context, words) => {
    if (words === '') throw new KeeperError('usage', 'Say what to look for: /memory-keeper:search-memory retry cache')
    return runSearch(context, [words], {})
  },
  'memory-status': (context) => runStatus(context),
  'memory-context': runTopic,
  'memory-facts': (context, words) =>
    words === ''
      ? runFactsList(context, { limit: SHOWN_FACTS })
      : runSearch(context, [words], { type: 'decision,pattern,issue' }),
  'memory-delta': (context) => runNoteNow(context),
  'memory-rotate': (context) => runCompress(context),
  forget: (context, words) => {
    const { code, isDone } = runForgetWords(context, words)
    if (!isDone) context.out.say(`Or type: /memory-keeper:forget ${oneLine(words.replace(/\s+yes$/, ''), 200)} yes`)
    return code
  },
  pause: onlyHook('pause'),
  resume: onlyHook('resume'),
  remember: (context, words) => {
    if (words === '') throw new KeeperError('usage', 'Say what to remember: /memory-keeper:remember We use pnpm.')
    return runRemember(context, words)
  },
}

/** Only a hook knows which session it is in. */
function onlyHook(name: string): Skill {
  return () => {
    throw new KeeperError(
      'usage',
      `That works in an interactive session of Claude Code only: type /memory-keeper:${name} there.`,
    )
  }
}

/** By their names, as people type them behind `/memory-keeper:`. */
export const SKILLS: readonly string[] = [...Object.keys(RUN), TYPED_LINE_SKILL]

function runSkill(context: Context, name: string): ExitCode {
  const skill = RUN[name]
  if (skill === undefined)
    throw new KeeperError('usage', `There is no skill ${harmless(name)}; there are ${SKILLS.join(', ')}.`)
  return skill(context, context.world.isStdinTerminal ? '' : context.world.readStdin().trim())
}

/**
 * As people type it behind the skill: an id or words. A bare yes counts once they have seen what goes, since it may as well
 * be a word of what they look for; --yes cannot be mistaken.
 */
function runForgetWords(context: Context, words: string): { code: number; isDone: boolean } {
  const [, said = '', yes] = /^(.*?)(?:\s+(--yes|yes))?$/s.exec(words.trim()) ?? []
  if (said === '')
    throw new KeeperError('usage', 'Say what to forget, by its id or in words: /memory-keeper:forget d001')
  const { store, world } = context
  const isDone = yes === '--yes' || (yes === 'yes' && wasPreviewed(store, said, world.now()))
  const isId = FORGET_ID.test(said)
  const args = isId ? [said] : []
  const options: ForgetOptions = { ...(isDone ? { yes: true } : {}), ...(isId ? {} : { query: said }) }
  const line = ['forget', ...(isId ? [said] : ['--query', said]), ...(isDone ? ['--yes'] : [])]
  needUser({ usage: 'forget', writes: true }, { options: { ...options }, args, open: () => context }, world, line)
  const code = runForget(context, args, options)
  if (!isDone) keepPreviewed(store, said, world.now())
  return { code, isDone }
}

export const SKILL_COMMANDS: readonly Command[] = [
  {
    usage: 'remember [words...]',
    about: 'save something in your own words: a note; a rule or a fact if it begins so, like "decision: …"',
    writes: true,
    more: [
      'Text that begins with "rule:", "decision:", "pattern:", "issue:" or "note:" is saved as that.',
      'Without words they are read from stdin.',
    ],
    example: 'memory-keeper remember "decision: We deploy on Tuesdays only."',
    run: inProject((context, _, words) => runRemember(context, words.join(' '))),
  },
  {
    usage: 'context [topic...]',
    about: 'everything that is remembered about a topic or a file; without one, the briefing',
    example: 'memory-keeper context src/auth/jwt.ts',
    run: inProject((context, _, words) => runTopic(context, words.join(' '))),
  },
  {
    usage: 'skill <name>',
    isVerbatim: true,
    about: 'what a skill does that is typed in Claude Code, with its words on stdin',
    isHidden: true,
    example: 'echo "retry cache" | memory-keeper skill search-memory',
    run: inProject((context, _, [name = '']) => runSkill(context, name)),
  },
]

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
