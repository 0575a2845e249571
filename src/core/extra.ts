/** An extra: a part that can be taken away. It is one object of data and functions; `doors/bin/extras.ts` lists all of them. */
import type { Command, ExitCode } from '../kernel/memory/commands/command.ts'
import type { Context } from '../kernel/memory/commands/context.ts'
import { HOOK_WAIT_MS, type Store } from '../kernel/memory/disk/store.ts'
import type { FileKind } from '../kernel/memory/file-kind.ts'
import type { Config } from '../kernel/platform/config.ts'
import { attempt } from '../kernel/platform/disk/log.ts'
import { type Agent, useAgents } from '../kernel/transcript/agent.ts'
import { type MemoryFile, useFileKinds } from './files.ts'
import type { Found, Searcher, SearchRequest } from './search/disk/search.ts'

export interface Extra {
  name: string
  commands?: readonly Command[]
  /** An agent whose transcripts are read. */
  transcripts?: Agent
  /** Returns the command with more options, or as it is: `search --team`. */
  extendCommand?: (command: Command) => Command
  /** What people type in Claude Code behind `/memory-keeper:`, by name. */
  skills?: Readonly<Record<string, (context: Context, words: string) => ExitCode>>
  /** Whether its first steps have something to do. Asked at every start and before every change of a rule: it must be cheap. */
  isDue?: (store: Store) => boolean
  /** The finisher's work, and what comes before everything else at a start. */
  steps?: readonly Step[]
  /** What it looks at to find what is wrong, waits or is new. */
  findings?: readonly FindingRow[]
  /** Figures of `status`. */
  statusRows?: (store: Store, now: string) => readonly StatusRow[]
  /** Kinds of files that it adds to a memory. */
  fileKinds?: readonly FileKind[]
  /** What it writes in the project, outside the memory. */
  outside?: Outside
  /** Orders the hits of a search anew. Null: the user has configured none. Only `embedder` has it. */
  openReorder?: (config: Config, world: ReorderWorld) => Reorder | null
  /** What earlier versions made. Only `migrate` has it. */
  earlier?: EarlierVersions
}

/**
 * `first`: under the lock, if the extra is due: before a start, a command, an MCP tool or the finisher tells anything. `captured`: when the
 * finisher has captured, before its notes. `settled`: when it has written notes and facts. `copied`: when it has filled the vault.
 */
export type Step = FirstStep | FinisherStep

interface FirstStep {
  name: string
  when: 'first'
  run: (store: Store, now: string) => void
}

interface FinisherStep {
  name: string
  when: 'captured' | 'settled' | 'copied'
  /** Also in a project in which nothing was remembered yet. */
  isForEmpty?: true
  run: (store: Store, world: StepWorld) => unknown
}

export interface StepWorld {
  env: Readonly<Record<string, string | undefined>>
  platform: string
  home: string
  now: () => string
  /** The finisher's time is up: the next one continues. */
  isLate: () => boolean
  /** Loads one of our programs by its file's name. */
  loadProgram: (file: string) => unknown
}

/** What is wrong with a memory, waits for its owner, or is new. Doctor, status, the notices of a start, the page and MCP show it from one list. */
export interface Finding {
  /** `asks`: waits for the user's yes. `news`: told once at a start and nowhere else. */
  verdict: 'ok' | 'news' | 'asks' | 'warning' | 'problem'
  finding: string
  /** The next step, with commands as a terminal takes them. */
  fix?: string | undefined
  /** A start tells it again when this changes; absent: when its words change. */
  about?: string
}

/** The input of a look. */
export interface FindingInput {
  store: Store
  now: string
}

/**
 * Who looks: a start (and tells a person once, or every time), `status` and MCP; absent: only the doctor and the page. A later one looks
 * at all of the earlier. It writes nothing, not even a cache: `sessionFiles` and `readSession`, not `sessionRows` or `listSessions`.
 */
export type FindingRow<S extends FindingInput = FindingInput, F extends Finding = Finding> = readonly [
  name: string,
  look: (seen: S) => F | readonly F[],
  at?: 'start' | 'every start' | 'status',
]

/** One figure of `status --json`, under a key that no other has, and its line on the screen; null: no line. */
export interface StatusRow {
  key: string
  value: unknown
  line: { label: string; text: string } | null
}

export interface Outside {
  what: string
  /** The files and directories that are its own: `uninstall` deletes them. */
  places: (store: Store) => readonly string[]
  /** Deletes them if they may not stand any more. Called without the lock, after every command that writes, and after a pause. */
  withdraw: (store: Store) => void
}

export interface ReorderWorld {
  /** The key of the user's embedder, or empty. */
  key: string
  fetch: typeof fetch
  now: () => string
}

/** Searches by words, and orders what was found. */
export type Reorder = (searcher: Searcher, request: SearchRequest & { limit: number }) => Promise<Found>

export interface EarlierVersions {
  /** Whether an earlier version made what is in the directory. */
  isIn: (dir: string) => boolean
  /** The same files as this version would have written them. */
  inTodaysForm: (files: readonly MemoryFile[]) => MemoryFile[]
}

let used: readonly Extra[] = []

/** Called once by each program, with the extras that its work may need. */
export function useExtras(list: readonly Extra[]): void {
  used = list
  useFileKinds(list.flatMap(({ fileKinds = [] }) => fileKinds))
  useAgents(list.flatMap(({ transcripts }) => transcripts ?? []))
}

export function extras(): readonly Extra[] {
  return used
}

/** Whether an extra has something to do before all else. */
export function isFirstStepDue(store: Store): boolean {
  return used.some(({ isDue }) => isDue?.(store) === true)
}

/** Call it under the lock. */
export function runFirstSteps(store: Store, now: string, guard: (name: string, work: () => void) => void): void {
  for (const { isDue, steps = [] } of used)
    if (isDue?.(store) === true)
      for (const step of steps) if (step.when === 'first') guard(step.name, () => step.run(store, now))
}

/** A failure is logged: the memory is used as it is. True: open it again, a setting may have changed. */
export function takeFirstSteps(store: Store, now: string, waitMs = HOOK_WAIT_MS): boolean {
  const guard = <T>(name: string, work: () => T, otherwise: T): T =>
    attempt(store.places.homeDir, now, name, work, otherwise)
  const take = (): boolean => {
    if (!isFirstStepDue(store) || store.whyReadOnly() !== null) return false
    return (
      store.whileLocked(waitMs, () => runFirstSteps(store, now, (name, work) => guard(name, work, undefined))) !== null
    )
  }
  return guard('first steps', take, false)
}

/** The memory as it is after the first steps. */
export function openAfterFirstSteps(open: () => Store, now: string): Store {
  const store = open()
  return takeFirstSteps(store, now) ? open() : store
}

/** Of the finisher; without a moment all of them. */
export function extraSteps(when?: FinisherStep['when']): FinisherStep[] {
  const all = used.flatMap(({ steps = [] }) => steps.filter((step) => step.when !== 'first'))
  return when === undefined ? all : all.filter((step) => step.when === when)
}

/** A failure is logged: the finisher does it again. */
export function withdrawOutside(store: Store, now: string): void {
  for (const { name, outside } of used)
    attempt(store.places.homeDir, now, name, () => outside?.withdraw(store), undefined)
}

/** Null: nothing orders hits anew. */
export function openReorder(config: Config, world: ReorderWorld): Reorder | null {
  for (const { openReorder: open } of used) {
    const reorder = open?.(config, world) ?? null
    if (reorder !== null) return reorder
  }
  return null
}

/** Null: the part that knows earlier versions was taken away. */
export function earlierVersions(): EarlierVersions | null {
  return used.find(({ earlier }) => earlier !== undefined)?.earlier ?? null
}
