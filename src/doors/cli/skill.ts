/** `skill`: the skills that people type. Their words come on standard input, so that no shell interprets them. */

import { runTopic } from '../../core/briefing/commands/briefing.ts'
import { runUndo, type UndoOptions } from '../../core/edit/commands/by-hand.ts'
import { runFactsList } from '../../core/edit/commands/facts.ts'
import { runRemember } from '../../core/edit/commands/notes.ts'
import { runShow } from '../../core/edit/commands/show.ts'
import { extras } from '../../core/extra.ts'
import { type ForgetOptions, keepPreviewed, runForget, wasPreviewed } from '../../core/forget/commands/forget.ts'
import { runStatus } from '../../core/health/commands/status.ts'
import { runCompress } from '../../core/health/commands/upkeep.ts'
import { runNoteNow } from '../../core/notes/commands/delta.ts'
import { runSearch } from '../../core/search/commands/search.ts'
import { thingNamed } from '../../core/search/thing.ts'
import { type Command, type ExitCode, inProject } from '../../kernel/memory/commands/command.ts'
import { type CliWorld, type Context, programIn, typed } from '../../kernel/memory/commands/context.ts'
import { harmless, oneLine } from '../../kernel/memory/commands/output.ts'
import { formatCommandLine, parseCommandLine } from '../../kernel/platform/command-line.ts'
import { KeeperError } from '../../kernel/platform/error.ts'
import { needUser } from './orders.ts'

/** The words after `/memory-keeper:run` are a command line, and run as the user's own order. */
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
    if (words === '') throw new KeeperError('usage', 'Give words to find: /memory-keeper:search-memory retry cache')
    return runSearch(context, [words], {})
  },
  show: (context, words) => {
    if (words === '') throw new KeeperError('usage', 'Say what to open, by its id: /memory-keeper:show d001')
    return runShow(context, words)
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
    if (!isDone) context.out.say(`Or type: /memory-keeper:forget ${oneLine(words.replace(/\s+yes$/i, ''), 200)} yes`)
    return code
  },
  undo: runUndoWords,
  pause: onlyHook('pause'),
  resume: onlyHook('resume'),
  remember: (context, words) => {
    if (words === '') throw new KeeperError('usage', 'Say what to remember: /memory-keeper:remember We use pnpm.')
    return runRemember(context, words)
  },
}

/** Only a hook knows its session. */
function onlyHook(name: string): Skill {
  return () => {
    throw new KeeperError(
      'usage',
      `That works in an interactive session of Claude Code only: type /memory-keeper:${name} there.`,
    )
  }
}

/** The names that people type after `/memory-keeper:`. */
export function skillNames(): string[] {
  return [...Object.keys(skills()), TYPED_LINE_SKILL]
}

function skills(): Readonly<Record<string, Skill>> {
  return Object.assign({}, RUN, ...extras().map((extra) => extra.skills ?? {}))
}

function runSkill(context: Context, name: string): ExitCode {
  const skill = skills()[name]
  if (skill === undefined)
    throw new KeeperError('usage', `There is no skill ${harmless(name)}; there are ${skillNames().join(', ')}.`)
  const { world } = context
  return skill(
    { ...context, world: { ...world, isSkill: true } },
    world.isStdinTerminal ? '' : world.readStdin().trim(),
  )
}

const UNDO_OPTIONS = new Map<string, UndoOptions>([
  ['', {}],
  ['list', { list: true }],
  ['skip', { skip: true }],
])

function runUndoWords(context: Context, words: string): ExitCode {
  const args = thingNamed(words) === null ? [] : [words]
  const options = args.length > 0 ? {} : UNDO_OPTIONS.get(words.replace(/^--/, ''))
  if (options === undefined)
    throw new KeeperError(
      'usage',
      'undo takes back the last change by hand: /memory-keeper:undo, /memory-keeper:undo d001, /memory-keeper:undo list or /memory-keeper:undo skip',
    )
  const line = ['undo', ...args, ...Object.keys(options).map((name) => `--${name}`)]
  needUser({ usage: 'undo', writes: true }, { options: { ...options }, args, open: () => context }, context.world, line)
  return runUndo(context, options, args[0])
}

/**
 * As people type it behind the skill: an id or words. Behind an id a bare yes deletes. Behind words it counts once they have
 * seen what would be deleted, since it may as well be one of the words; --yes cannot be mistaken.
 */
function runForgetWords(context: Context, words: string): { code: number; isDone: boolean } {
  const [, said = '', yes] = /^(.*?)(?:\s+(--yes|yes))?$/is.exec(words.trim()) ?? []
  if (said === '')
    throw new KeeperError('usage', 'Say what to forget, by its id or in words: /memory-keeper:forget d001')
  const { store, world } = context
  const isId = thingNamed(said) !== null
  const isDone = yes !== undefined && (isId || yes.startsWith('-') || wasPreviewed(store, said, world.now()))
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
    stdin: 'words',
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
    stdin: 'words',
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

/** Null: a quote is not closed. The name of the program may be typed as well. */
export function typedArgs(words: string): string[] | null {
  const args = parseCommandLine(words)
  return args?.[0] === 'memory-keeper' ? args.slice(1) : args
}

/** Standard input contained the line itself: no command reads a text from there. */
export function typedWorld(argv: readonly string[], world: CliWorld): CliWorld {
  const at = argv.indexOf('--project')
  const projectDir = at < 0 ? world.projectDir : argv[at + 1]
  return { ...world, projectDir, isTypedLine: true, isStdinTerminal: true, readStdin: () => '' }
}

/** A hook waits for the command and has only seconds. */
export function needsNoTerminal({ needsTerminal, usage }: Command, world: CliWorld, argv: readonly string[]): void {
  if (needsTerminal !== true || world.isTypedLine !== true) return
  const own = `Run it in a terminal of your own: ${programIn(world)} ${formatCommandLine(argv)}`
  throw new KeeperError('usage', skillNames().includes(usage) ? `${own}, or type ${typed(world, usage)}` : own)
}
