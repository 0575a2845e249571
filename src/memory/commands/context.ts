/** What every command is given: the project's store, the output, and the world as `bin/` sees it. */
import path from 'node:path'
import { statOf } from '../../platform/disk/files.ts'
import { findProject, locate, type Surroundings } from '../../platform/disk/locate.ts'
import { KeeperError } from '../../platform/error.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { COMMAND_WAIT_MS, openKnown, type Store } from '../disk/store.ts'
import { allSessions } from '../state.ts'
import { createOutput, harmless, type Output, type Streams } from './output.ts'

export interface CliWorld {
  around: Surroundings
  env: Readonly<Record<string, string | undefined>>
  platform: string
  cwd: string
  /** Where the host says the session was started; set inside Claude Code only. */
  projectDir: string | undefined
  now: () => string
  streams: Streams
  columns: number
  /** Where our built programs lie; absent: they are not run from there. */
  programs?: string
  /** Opens the dashboard (cli/dashboard.ts); only the built program has it. */
  dashboard?: unknown
  isStdinTerminal: boolean
  readStdin: () => string
  version: string
  nodeVersion: string
  tempDir: string
  /** For the embedder's endpoint, or empty. */
  embedderKey: string
  fetch: typeof fetch
  isOurChild: boolean
  /** The command line was typed behind `/memory-keeper:run`. */
  isTypedLine?: true
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
}

export function openContext(world: CliWorld, options: CommonOptions): Context {
  const dir = options.project ?? world.projectDir ?? world.cwd
  if (statOf(dir) === null) {
    throw new KeeperError('no-project', `${dir} does not exist. Give an existing directory with --project DIR.`)
  }
  return {
    world,
    out: createOutput(world.streams, options.json === true, options.dryRun === true),
    store: openKnown(locate(dir, world.around), { now: world.now }),
    isDryRun: options.dryRun === true,
  }
}

/** For a command that is printed to be typed: where it must say which project it is about. */
export function projectOption({ store, world }: Context): string {
  const { root } = store.places.project
  return findProject(world.cwd).root === root ? '' : ` --project "${root}"`
}

/** Transcripts that were named must be there. */
export function checkNamed(files: readonly string[]): void {
  const wrong = files.find((file) => statOf(file)?.kind !== 'file')
  if (wrong === undefined) return
  throw new KeeperError(
    'no-transcript',
    `${wrong} ${statOf(wrong) === null ? 'does not exist' : 'is not a plain file'}. Give the path of a transcript (.jsonl) with --transcript.`,
  )
}

/** What --limit and --context take. */
export function wholeNumber(option: string, given: string): number {
  if (/^\d+$/.test(given)) return Number(given)
  throw new KeeperError('usage', `${option} takes a whole number, like ${option} 5.`)
}

const MOST = 1_000_000

/** How many rows --limit allows; all of them without it. */
export function limitOf(given: string | undefined): number {
  if (given === undefined) return Number.POSITIVE_INFINITY
  const limit = wholeNumber('--limit', given)
  if (limit > 0 && limit <= MOST) return limit
  throw new KeeperError('usage', `--limit takes a number from 1 to ${MOST}, like --limit 5.`)
}

/** The lock, or a clear word why not. */
export function underLock<T>(store: Store, waitMs: number, work: () => T): T {
  const done = store.whileLocked(waitMs, work)
  if (done === null) {
    throw new KeeperError(
      'busy',
      `${store.dir} is in use by another process. Try again in a moment; memory-keeper doctor shows who holds it.`,
    )
  }
  return done.value
}

/** Claude Code sets some of these for whatever it runs. A variable that is set to nothing counts: nobody does that by chance. */
const INSIDE = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  'AI_AGENT',
] as const

/** Whether Claude or an agent may have run this command. The hook of a skill that the user typed removes these marks. */
export function isInside({ env }: Pick<CliWorld, 'env'>): boolean {
  return INSIDE.some((name) => env[name] !== undefined)
}

/** Whose hand changes the memory: inside Claude Code what is saved carries Claude's name. */
export function handOf({ world }: Pick<Context, 'world'>): 'user' | 'agent' {
  return isInside(world) ? 'agent' : 'user'
}

/** Our program as it can be typed in any terminal, where our name is on no PATH. */
export function programIn({ programs }: Pick<CliWorld, 'programs'>): string {
  return programs === undefined ? 'memory-keeper' : `node "${path.join(programs, 'cli.cjs')}"`
}

/** Under the lock; with --dry-run on a store that writes nothing. Only for work that does not read what it wrote. */
export function change<T>({ store, isDryRun }: Context, work: (store: Store) => T): T {
  if (!isDryRun) return underLock(store, COMMAND_WAIT_MS, () => work(store))
  return work({ ...store, perform: () => undefined, prepare: () => undefined })
}

/** By its whole id or its first eight characters. */
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
