/** Who may run which command. Inside Claude Code, everything that changes what is injected into later sessions must be the user's own order. */
import path from 'node:path'
import { isUsersToUndo } from '../../core/edit/disk/undo.ts'
import { archiveNamed } from '../../core/notes/disk/memory.ts'
import { type Command, nameOf } from '../../kernel/memory/commands/command.ts'
import { type CliWorld, type Context, isInside, programIn } from '../../kernel/memory/commands/context.ts'
import { formatCommandLine } from '../../kernel/platform/command-line.ts'
import { KeeperError } from '../../kernel/platform/error.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { isHostTranscript } from '../../kernel/sessions/disk/transcripts.ts'

/** A command as given. */
export interface Order {
  options: Readonly<Record<string, unknown>>
  args: readonly string[]
  /** Opens the project: only decisions that depend on it need this. */
  open: () => Context
}

type NeedsUser = boolean | ((order: Order) => boolean)

/** Other projects are none of Claude's business here. */
const everywhere: NeedsUser = ({ options }) => options.everywhere === true
const withYes: NeedsUser = ({ options }) => options.yes === true

/**
 * Commands by name: whether they need the user's own order. Any other command that writes needs it, and any other that only reads does not.
 * False: it does what hooks do anyway, from existing content, or saves in Claude's name.
 */
export const NEEDS_USER: Readonly<Record<string, NeedsUser>> = {
  search: everywhere,
  sessions: everywhere,
  remember: false,
  note: false,
  'facts add': false,
  undo: takesBackTheUsers,
  forget: withYes,

  // What is imported, whose memory is read, and who reads it.
  import: bringsInOthers,
  'import-bundle': ({ options }) => options.yes === true || options.mine === true,
  migrate: ({ options }) => options.from !== undefined || options.withRules === true || options.cleanClaudeMd === true,
  trust: withYes,
  capture: ({ args }) => args.length > 0,
  uninstall: withYes,
  // The replaced file may be one of ours.
  export: ({ options }) => options.out !== undefined,

  summary: replacesSummary,
  compress: false,
  check: hooksOther,
  final: hooksOther,
  reset: false,
  init: false,
  // Restores files, as restore does.
  doctor: ({ options }) => options.fix === true,
  reindex: false,
  scrub: false,
  dedupe: false,
}

/** Throws unless the command may run. `line`: the command line that the user would have to type. */
export function needUser(
  command: Pick<Command, 'usage' | 'writes'>,
  order: Order,
  world: CliWorld,
  line: readonly string[],
): void {
  if (!isInside(world) || order.options.dryRun === true) return
  const name = nameOf(command)
  const needed = Object.hasOwn(NEEDS_USER, name) ? NEEDS_USER[name] : command.writes === true
  if (needed === false || (typeof needed === 'function' && !needed(order))) return
  throw new KeeperError('not-asked', refusal(world, line))
}

/** More than one or two lines of a terminal. */
const MAX_LINE = 300

function refusal(world: CliWorld, line: readonly string[]): string {
  const command = formatCommandLine(line)
  const isShort = command.length <= MAX_LINE && !command.includes('\n')
  if (world.isTypedLine === true) {
    const own = isShort ? `: ${programIn(world)} ${command}` : '.'
    return `There is no proof that you typed this: it works only in an attended session. Run it in a terminal of your own${own}`
  }
  const typed = isShort ? `/memory-keeper:run ${command}` : '/memory-keeper:run and the same command'
  return `Only the user can do this from inside Claude Code. Ask them to type: ${typed} (or to run it in a terminal of their own)`
}

/** Claude may undo its own changes. */
function takesBackTheUsers({ options, args: [id], open }: Order): boolean {
  return options.list !== true && isUsersToUndo(open().store, id)
}

/** Claude may write a pending summary of an archive, but not replace an existing one. */
function replacesSummary({ options, args: [archive], open }: Order): boolean {
  if (archive === undefined) return false
  const { store, world } = open()
  const isGiven = options.extractive === true || options.file !== undefined
  if (!isGiven && (world.isStdinTerminal || world.readStdin().trim() === '')) return false
  const name = archiveNamed(archive)
  return store.readState().rotatedFiles.some(({ file, summaryGenerated }) => file === name && summaryGenerated)
}

/** Transcripts in the host's own directories are captured anyway. */
function bringsInOthers({ options, open }: Order): boolean {
  if (options.from !== undefined) return true
  return Array.isArray(options.transcript) && isAnyForeign(open(), options.transcript)
}

/** The JSON of a hook on standard input may name any transcript. */
function hooksOther({ open }: Order): boolean {
  const context = open()
  const { transcript_path: file } = parseObject(context.world.isStdinTerminal ? '' : context.world.readStdin()) ?? {}
  return typeof file === 'string' && isAnyForeign(context, [file])
}

function isAnyForeign({ store, world }: Context, files: readonly unknown[]): boolean {
  return files.some((file) => !isHostTranscript(store.places.hostDir, path.resolve(world.cwd, String(file))))
}
