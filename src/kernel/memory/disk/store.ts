/** One memory directory: reads its state and files, performs effects, and manages its lock. */
import path from 'node:path'
import { type Config, type ReadConfig, readConfig } from '../../platform/config.ts'
import {
  codeOf,
  type Disk,
  disk,
  isBusy,
  makeDir,
  openToRead,
  readBelow,
  readOwnText,
  readText,
  rename,
  setAside,
  statOf,
} from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { holderOf, lockName, withLock } from '../../platform/disk/lock.ts'
import { attempt, logEvent, logFailure, logOnce, logRefused } from '../../platform/disk/log.ts'
import { performOne } from '../../platform/disk/perform.ts'
import type { Effect } from '../../platform/effect.ts'
import { KeeperError } from '../../platform/error.ts'
import { CONFIG_FILE, LOCK_FILE, SESSIONS_DIR, STATE_FILE } from '../../platform/layout.ts'
import { canClaim, claim, type Ownership, ownershipOf } from '../../trust/disk/trust.ts'
import { EMPTY_STATE, formatState, parseState, type State } from '../state.ts'
import { isOwnState, rebuildState } from './rebuild.ts'
import { settledIn } from './settled.ts'
import { following } from './vault-copy.ts'

/** A hook must not delay a session; a person's command may wait. */
export const HOOK_WAIT_MS = 250
export const COMMAND_WAIT_MS = 20_000
const MOST_CONFIG_BYTES = 1024 * 1024
/** Of a memory that is read-only. Nothing is lost as long as the host keeps its transcripts. */
const WAITING = 'sessions wait in their transcripts, which Claude Code deletes after 30 days'

export interface Store {
  dir: string
  places: Places
  ownership: Ownership
  config: Config
  configWarnings: string[]
  readState(): State
  /** A sentence for the user if this memory is read-only: a newer version wrote its state, or the state cannot be read. Null: it may be written. */
  whyReadOnly(): string | null
  /** False: in place of the state file there is another user's file, or something that cannot be moved. */
  isStateReadable(): boolean
  perform(effects: readonly Effect[]): void
  /** Null: the lock was not free in time, or a file that another program has open could not be replaced. */
  whileLocked<T>(waitMs: number, work: () => T): { value: T } | null
  /** Creates the directory and claims it, before the first write. */
  prepare(): void
  isPrepared(): boolean
}

export interface OpenOptions {
  now: () => string
  /** Use home storage, whatever the settings say. */
  atHome?: boolean
  disk?: Disk
}

/** For commands and tools: reads a memory that is stored at home until the project's first session (`import --all`). */
export function openKnown(places: Places, options: OpenOptions): Store {
  const store = openStore(places, options)
  const isAtHome = statOf(path.join(places.atHome, STATE_FILE)) !== null
  return store.ownership === 'absent' && isAtHome ? openStore(places, { ...options, atHome: true }) : store
}

export function openStore(places: Places, { now, atHome = false, disk: to = disk }: OpenOptions): Store {
  logRefused(places.homeDir, now)
  const ownership = ownershipOf(places)
  const homeConfig = readHomeConfig(places)
  // The memory of a project that cannot be written (read-only, foreign) is stored at home.
  const wantsHome =
    atHome ||
    readConfig(homeConfig, null).config.storage === 'home' ||
    ownership === 'foreign' ||
    (ownership === 'absent' && !canClaim(places))
  const settings = readSettings(places, homeConfig, ownership, wantsHome ? places.atHome : places.inProject)
  let dir = wantsHome ? places.atHome : places.inProject
  let prepared = wantsHome ? statOf(path.join(places.atHome, STATE_FILE)) !== null : ownership === 'ours'
  let seen: { mark: string; state: State; isRebuilt: boolean } | null = null
  /** Under the lock no other process changes the state, so that its version is checked once. */
  let isChecked = false

  const store: Store = {
    get dir() {
      return dir
    },
    places,
    ownership,
    config: settings.config,
    configWarnings: settings.warnings,
    readState: () => {
      // The state file is always replaced as a whole: an unchanged file means an unchanged state.
      const mark = markOfState(dir)
      if (seen?.mark === mark) return seen.state
      // Not cached: the mark does not change when the file becomes readable.
      if (!store.isStateReadable()) return EMPTY_STATE
      const { state, isRebuilt } = readState(dir, places, now)
      seen = { mark, state: { ...state, settled: settledIn(dir) }, isRebuilt }
      return seen.state
    },
    whyReadOnly: () => (store.isStateReadable() ? ifNewer(dir, store.readState()) : unreadable(dir)),
    isStateReadable: () => dir !== places.inProject || seen?.mark === markOfState(dir) || isReadableState(places, now),
    perform: (effects) => {
      store.prepare()
      if (!isChecked) refuseReadOnly(store)
      for (const effect of effects) {
        const follow = dir === places.inProject ? copyOf(places, effect, now) : null
        performOne(dir, effect, to)
        follow?.()
      }
    },
    whileLocked: (waitMs, work) => {
      store.prepare()
      const checked = (): ReturnType<typeof work> => {
        refuseReadOnly(store)
        isChecked = true
        try {
          if (seen?.isRebuilt === true) store.perform([stateEffect(seen.state)])
          return work()
        } finally {
          isChecked = false
        }
      }
      return inLock(path.join(dir, LOCK_FILE), waitMs, { dir: places.homeDir, now }, checked)
    },
    isPrepared: () => prepared,
    prepare: () => {
      if (prepared) return
      prepared = true
      if (!wantsHome && !claim(places)) dir = places.atHome
      makeDir(dir)
    },
  }
  return store
}

/** Throws the reason if this memory is read-only. */
export function refuseReadOnly(store: Store): void {
  const why = store.whyReadOnly()
  if (why !== null) throw new KeeperError(store.isStateReadable() ? 'newer' : 'unreadable', why)
}

function ifNewer(dir: string, { version }: State): string | null {
  if (version <= EMPTY_STATE.version) return null
  return `The memory in ${dir} was written by a newer Memory Keeper (version ${version} of ${STATE_FILE}; this one supports ${EMPTY_STATE.version}). It is read-only; ${WAITING}. Update the plugin: claude plugin update.`
}

/**
 * Null also if another program keeps a file open for longer than others wait for the lock: every section may be interrupted
 * anywhere and repeated. A lock whose owner cannot be judged is not taken over; it is logged once.
 */
function inLock<T>(
  file: string,
  waitMs: number,
  log: { dir: string; now: () => string },
  work: () => T,
): { value: T } | null {
  try {
    const done = withLock(file, waitMs, work)
    const holder = done === null ? holderOf(file) : null
    if (holder?.isStuck) logOnce(log.dir, log.now(), `${file} waits for ${lockName(holder)}`)
    return done
  } catch (error) {
    if (!isBusy(error) || (error as NodeJS.ErrnoException).syscall !== 'rename') throw error
    logFailure(log.dir, log.now(), 'lock', error)
    return null
  }
}

/** Returns the function that updates the vault's copy. A vault that cannot be written does not prevent writes here. */
function copyOf(places: Places, { path: name }: Effect, now: () => string): (() => void) | null {
  const pair = { dir: places.inProject, vault: places.vault }
  const tryTo = <T>(work: () => T): T | null => attempt(places.homeDir, now(), 'vault', work, null)
  const follow = tryTo(() => following(pair, path.normalize(name)))
  return follow === null ? null : () => tryTo(follow)
}

function markOfState(dir: string): string {
  const stat = statOf(path.join(dir, STATE_FILE))
  return stat === null ? '' : `${stat.kind} ${stat.ino} ${stat.mtimeMs} ${stat.size}`
}

function unreadable(dir: string): string {
  return `${path.join(dir, STATE_FILE)} cannot be read. The readable part of the memory is used, and nothing is written; ${WAITING}. Make the file readable for you, or delete it to use its copy in the vault: memory-keeper restore.`
}

/** True also if there is no state. A directory in its place is set aside, and the state is restored from the vault. */
function isReadableState({ inProject, homeDir }: Places, now: () => string): boolean {
  const file = path.join(inProject, STATE_FILE)
  try {
    if (statOf(file)?.kind === 'dir') {
      setAside(file)
      logEvent(homeDir, now(), `${file} was a directory and is set aside`)
    }
    if (statOf(file)?.kind !== 'file') return true
    const opened = openToRead(file)
    opened?.close()
    return opened !== null
  } catch (error) {
    if (codeOf(error) === '') throw error
    // Another process set it aside; or, on Windows, another program has it open for a moment.
    return statOf(file)?.kind !== 'dir' && isBusy(error)
  }
}

/** Null: there is no config. An empty string (invalid settings): it is not a plain file, or it may not be read. */
function readHomeConfig({ homeDir }: Places): string | null {
  const file = path.join(homeDir, CONFIG_FILE)
  return readText(file) ?? (statOf(file) === null ? null : '')
}

/** A project's config is used only if the directory is ours. */
function readSettings(places: Places, homeConfig: string | null, ownership: Ownership, dir: string): ReadConfig {
  const isOurs = dir === places.atHome || ownership === 'ours'
  const isThere = isOurs && statOf(path.join(dir, CONFIG_FILE)) !== null
  return readConfig(homeConfig, isThere ? (readBelow(dir, CONFIG_FILE, MOST_CONFIG_BYTES) ?? '') : null)
}

/** `isRebuilt`: the file lacks what another program dropped, and the state is written again under the next lock. */
function readState(dir: string, { inProject, vault }: Places, now: () => string): { state: State; isRebuilt: boolean } {
  const file = path.join(dir, STATE_FILE)
  const text = readOwnText(file)
  if (text === null) return { state: EMPTY_STATE, isRebuilt: false }
  const state = parseState(text)
  if (state !== null) {
    if (dir !== inProject || isOwnState(text)) return { state, isRebuilt: false }
    const rebuilt = rebuildState(state, dir, vault)
    if (rebuilt.isFromCopy) logOnce(dir, now(), `${STATE_FILE} was written by another program and is rebuilt`)
    return { state: rebuilt.state, isRebuilt: rebuilt.isFromCopy }
  }
  // Broken: set aside for a person to look at. Sessions are restored from their files and transcripts.
  rename(file, `${file}.broken-${now().replace(/\D/g, '').slice(0, 14)}`)
  logEvent(dir, now(), `${STATE_FILE} was broken and is set aside`)
  return { state: EMPTY_STATE, isRebuilt: false }
}

/** Runs the work under the lock, or throws an error that explains why not. */
export function underLock<T>(store: Store, waitMs: number, work: () => T): T {
  const done = store.whileLocked(waitMs, work)
  if (done !== null) return done.value
  throw new KeeperError(
    'busy',
    `${store.dir} is in use by another process. Try again in a moment; memory-keeper doctor shows who holds it.`,
  )
}

export function stateEffect(state: State): Effect {
  return { do: 'write', path: STATE_FILE, text: formatState(state) }
}

export function sessionPath(file: string): string {
  return path.join(SESSIONS_DIR, file)
}
