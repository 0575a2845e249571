/** The input of every command: the project's store, the output, and the environment that `bin/` passes in. */
import path from 'node:path'
import { statOf } from '../../platform/disk/files.ts'
import { findProject, locate, type Surroundings } from '../../platform/disk/locate.ts'
import { KeeperError } from '../../platform/error.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { type Clock, clockOf } from '../../platform/time.ts'
import { once } from '../../text/once.ts'
import { COMMAND_WAIT_MS, openKnown, type Store, underLock } from '../disk/store.ts'
import { allSessions } from '../state.ts'
import { createOutput, harmless, type Output, type Streams } from './output.ts'

export { underLock }

export interface CliWorld {
  around: Surroundings
  env: Readonly<Record<string, string | undefined>>
  platform: string
  cwd: string
  /** The session's launch directory as given by the host; set inside Claude Code only. */
  projectDir: string | undefined
  now: () => string
  streams: Streams
  columns: number
  /** The directory of our built programs; absent: not running from a build. */
  programs?: string
  /** Runs a command by its name, in the world that is given. */
  runCommand?: (name: string, world: CliWorld, options: object, args: string[]) => number | Promise<number>
  /** Loads one of our programs by its file's name; only the built program can. */
  loadProgram?: (file: string) => unknown
  isStdinTerminal: boolean
  readStdin: () => string
  /** Asks at the terminal, which does not show the answer. */
  askSecret?: (question: string) => Promise<string>
  version: string
  nodeVersion: string
  tempDir: string
  /** The key for the embedder's endpoint, or empty. */
  embedderKey: string
  fetch: typeof fetch
  isOurChild: boolean
  /** The command line was typed after `/memory-keeper:run`. */
  isTypedLine?: true
  /** The command answers a skill that a person typed in Claude Code. */
  isSkill?: true
}

export interface CommonOptions {
  project?: string
  json?: boolean
  dryRun?: boolean
}

export interface Context {
  world: CliWorld
  out: Output
  store: Store
  isDryRun: boolean
  clock: ScreenClock
}

/** Times on a screen are those of the user's clocks. Their zone is named once, below what the command prints. */
export interface ScreenClock extends Pick<Clock, 'minute' | 'day'> {
  /** Null: no time was printed. */
  zone(): string | null
}

function screenClock(timezone: string): ScreenClock {
  const clock = once(() => clockOf(timezone))
  let isShown = false
  return {
    minute: (at) => {
      isShown ||= at !== ''
      return clock().minute(at)
    },
    day: (at) => clock().day(at),
    zone: () => (isShown ? clock().zone : null),
  }
}

export function openContext(world: CliWorld, options: CommonOptions): Context {
  const dir = options.project ?? world.projectDir ?? world.cwd
  if (statOf(dir) === null) {
    throw new KeeperError('no-project', `${dir} does not exist. Give an existing directory with --project DIR.`)
  }
  const store = openKnown(locate(dir, world.around), { now: world.now })
  return {
    world,
    out: createOutput(world.streams, options.json === true, options.dryRun === true),
    store,
    isDryRun: options.dryRun === true,
    clock: screenClock(store.config.timezone),
  }
}

/** The --project option for a printed command, if the command must name its project. */
export function projectOption({ store, world }: Context): string {
  const { root } = store.places.project
  return findProject(world.cwd).root === root ? '' : ` --project "${root}"`
}

/** Throws if a named transcript is missing. */
export function checkNamed(files: readonly string[]): void {
  const wrong = files.find((file) => statOf(file)?.kind !== 'file')
  if (wrong === undefined) return
  throw new KeeperError(
    'no-transcript',
    `${wrong} ${statOf(wrong) === null ? 'does not exist' : 'is not a plain file'}. Give the path of a transcript (.jsonl) with --transcript.`,
  )
}

/** Parses the value of --limit and --context. */
export function wholeNumber(option: string, given: string): number {
  if (/^\d+$/.test(given)) return Number(given)
  throw new KeeperError('usage', `${option} takes a whole number, like ${option} 5.`)
}

const MOST = 1_000_000

/** The number of rows that --limit allows; without it, all. */
export function limitOf(given: string | undefined): number {
  if (given === undefined) return Number.POSITIVE_INFINITY
  const limit = wholeNumber('--limit', given)
  if (limit > 0 && limit <= MOST) return limit
  throw new KeeperError('usage', `--limit takes a number from 1 to ${MOST}, like --limit 5.`)
}

/** Claude Code sets some of these for everything it runs. An empty value counts too: nobody sets one by chance. */
const INSIDE = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  'AI_AGENT',
] as const

/** Whether Claude or an agent may have run this command. The hook of a skill that the user typed removes these variables. */
export function isInside({ env }: Pick<CliWorld, 'env'>): boolean {
  return INSIDE.some((name) => env[name] !== undefined)
}

/** The author of a change: inside Claude Code it is recorded as Claude's. */
export function handOf({ world }: Pick<Context, 'world'>): 'user' | 'agent' {
  return isInside(world) ? 'agent' : 'user'
}

/** A command that starts our program in any terminal, even if it is not on PATH. */
export function programIn({ programs }: Pick<CliWorld, 'programs'>): string {
  return programs === undefined ? 'memory-keeper' : `node "${path.join(programs, 'cli.cjs')}"`
}

/** Commands that are skills by the same name. */
const SKILL_NAMES: readonly string[] = ['show', 'undo', 'dashboard']

/** A command that is printed to be typed: behind a skill as a skill, elsewhere in a terminal. */
export function typed({ isSkill, isTypedLine }: CliWorld, line: string): string {
  if (isSkill !== true && isTypedLine !== true) return `memory-keeper ${line}`
  const isName = SKILL_NAMES.includes(line.split(' ')[0] ?? '')
  return `/memory-keeper:${isName ? '' : 'run '}${line}`
}

/** Runs the work under the lock, or with --dry-run on a store that writes nothing. Only for work that does not read its own writes. */
export function change<T>({ store, isDryRun }: Context, work: (store: Store) => T): T {
  if (!isDryRun) return underLock(store, COMMAND_WAIT_MS, () => work(store))
  return work({ ...store, perform: () => undefined, prepare: () => undefined })
}

/** Finds a session by its whole id or its first eight characters. */
export function knownSession(store: Store, given: string): string {
  const wanted = given.trim().toLowerCase()
  const found = allSessions(store.readState()).find(
    ([id, session]) => id.toLowerCase() === wanted || id8OfFile(session.file) === wanted,
  )
  if (found !== undefined) return found[0]
  throw new KeeperError(
    'not-found',
    `There is no session ${harmless(given)} in this project. memory-keeper sessions lists them.`,
  )
}
