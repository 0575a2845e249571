/** One memory directory: read its state and files, perform effects, hold its lock. */
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
import type { Effect } from '../../platform/effect.ts'
import { KeeperError } from '../../platform/error.ts'
import { CONFIG_FILE, LOCK_FILE, SESSIONS_DIR, STATE_FILE } from '../../platform/layout.ts'
import { canClaim, claim, type Ownership, ownershipOf } from '../../trust/disk/trust.ts'
import { EMPTY_STATE, formatState, parseState, type State } from '../state.ts'
import { settledIn } from './settled.ts'
import { following } from './vault-copy.ts'

/** A hook must not keep a session waiting; a person's command may. */
export const HOOK_WAIT_MS = 250
export const COMMAND_WAIT_MS = 20_000
const MOST_CONFIG_BYTES = 1024 * 1024

export interface Store {
  dir: string
  places: Places
  ownership: Ownership
  config: Config
  configWarnings: string[]
  readState(): State
  /** A sentence for the user where this memory may be read only: a newer version wrote its state, or the state cannot be read. Null: it may be written. */
  whyReadOnly(): string | null
  /** False: another user's file, or something that is no file and cannot be moved, stands in its place. */
  isStateReadable(): boolean
  perform(effects: readonly Effect[]): void
  /** Null: the lock was not free in time, or a file in use by another program could not be replaced. */
  whileLocked<T>(waitMs: number, work: () => T): { value: T } | null
  /** Creates the directory and makes it ours, before the first write. */
  prepare(): void
  isPrepared(): boolean
}

export interface OpenOptions {
  now: () => string
  /** Home storage, whatever the settings say. */
  atHome?: boolean
  disk?: Disk
}

/** Opens the memory that belongs to these places: in the project, or at home when the user wants it or the project's is not ours. */
/** For commands and tools: a memory that lies at home until the project's first session (`import --all`) is read there. */
export function openKnown(places: Places, options: OpenOptions): Store {
  const store = openStore(places, options)
  const isAtHome = statOf(path.join(places.atHome, STATE_FILE)) !== null
  return store.ownership === 'absent' && isAtHome ? openStore(places, { ...options, atHome: true }) : store
}

export function openStore(places: Places, { now, atHome = false, disk: to = disk }: OpenOptions): Store {
  logRefused(places.keeperDir, now)
  const ownership = ownershipOf(places)
  const homeConfig = readHomeConfig(places)
  // A project that cannot be written (read-only, not ours) is remembered at home.
  const wantsHome =
    atHome ||
    readConfig(homeConfig, null).config.storage === 'home' ||
    ownership === 'foreign' ||
    (ownership === 'absent' && !canClaim(places))
  const settings = readSettings(places, homeConfig, ownership, wantsHome ? places.atHome : places.inProject)
  let dir = wantsHome ? places.atHome : places.inProject
  let prepared = wantsHome ? statOf(path.join(places.atHome, STATE_FILE)) !== null : ownership === 'ours'
  let seen: { mark: string; state: State } | null = null
  /** Under the lock nobody else changes the state: its version is checked once. */
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
      // Replaced as a whole by whoever writes it: the same file is the same state.
      const mark = markOfState(dir)
      if (seen?.mark === mark) return seen.state
      // Not remembered: the mark stays the same when the file becomes readable.
      if (!store.isStateReadable()) return EMPTY_STATE
      seen = { mark, state: { ...readState(dir, now), settled: settledIn(dir) } }
      return seen.state
    },
    whyReadOnly: () => (store.isStateReadable() ? ifNewer(dir, store.readState()) : unreadable(dir, places)),
    isStateReadable: () => dir !== places.inProject || seen?.mark === markOfState(dir) || isReadableState(places, now),
    perform: (effects) => {
      store.prepare()
      if (!isChecked) refuseNewer(store)
      for (const effect of effects) {
        const follow = dir === places.inProject ? copyOf(places, effect, now) : null
        performOne(dir, effect, to)
        follow?.()
      }
    },
    whileLocked: (waitMs, work) => {
      store.prepare()
      const checked = (): ReturnType<typeof work> => {
        refuseNewer(store)
        isChecked = true
        try {
          return work()
        } finally {
          isChecked = false
        }
      }
      return inLock(path.join(dir, LOCK_FILE), waitMs, { dir: places.keeperDir, now }, checked)
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

function refuseNewer(store: Store): void {
  const why = store.whyReadOnly()
  if (why !== null) throw new KeeperError(store.isStateReadable() ? 'newer' : 'unreadable', why)
}

function ifNewer(dir: string, { version }: State): string | null {
  if (version <= EMPTY_STATE.version) return null
  return `The memory in ${dir} was written by a newer Memory Keeper (version ${version} of ${STATE_FILE}; this one knows ${EMPTY_STATE.version}). It is read and not written, and sessions wait in their transcripts. Update the plugin: claude plugin update.`
}

/**
 * Null also where a file stays in use by another program for longer than others wait for the lock: every section may be stopped
 * anywhere and done again. An owner that nobody here can judge is not robbed: the log tells of it, once for each lock.
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

/** What makes the vault's copy follow; a vault that cannot be written does not keep anything from being written here. */
function copyOf(places: Places, { path: name }: Effect, now: () => string): (() => void) | null {
  const pair = { dir: places.inProject, vault: places.vault }
  const tryTo = <T>(work: () => T): T | null => attempt(places.keeperDir, now(), 'vault', work, null)
  const follow = tryTo(() => following(pair, path.normalize(name)))
  return follow === null ? null : () => tryTo(follow)
}

function markOfState(dir: string): string {
  const facts = statOf(path.join(dir, STATE_FILE))
  return facts === null ? '' : `${facts.kind} ${facts.ino} ${facts.mtimeMs} ${facts.size}`
}

function unreadable(dir: string, { atHome }: Places): string {
  return `${path.join(dir, STATE_FILE)} cannot be read. The memory is read as far as it can be, and not written; sessions are kept in ${atHome} and join it later. Make the file readable for you; or delete it, then its copy in the vault is used: memory-keeper restore.`
}

/** True also where there is none. A directory in its place is set aside: the state comes back from the vault. */
function isReadableState({ inProject, keeperDir }: Places, now: () => string): boolean {
  const file = path.join(inProject, STATE_FILE)
  try {
    if (statOf(file)?.kind === 'dir') {
      setAside(file)
      logEvent(keeperDir, now(), `${file} was a directory and is set aside`)
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

/** Null: there is none. Empty, and so no valid settings: something else stands there, or nobody may read it. */
function readHomeConfig({ keeperDir }: Places): string | null {
  const file = path.join(keeperDir, CONFIG_FILE)
  return readText(file) ?? (statOf(file) === null ? null : '')
}

/** A project's config counts only in a directory that is ours. */
function readSettings(places: Places, homeConfig: string | null, ownership: Ownership, dir: string): ReadConfig {
  const isOurs = dir === places.atHome || ownership === 'ours'
  const isThere = isOurs && statOf(path.join(dir, CONFIG_FILE)) !== null
  return readConfig(homeConfig, isThere ? (readBelow(dir, CONFIG_FILE, MOST_CONFIG_BYTES) ?? '') : null)
}

function readState(dir: string, now: () => string): State {
  const file = path.join(dir, STATE_FILE)
  const text = readOwnText(file)
  if (text === null) return EMPTY_STATE
  const state = parseState(text)
  if (state !== null) return state
  // Broken: set aside for a person to look at. Sessions are found again from their files and transcripts.
  rename(file, `${file}.broken-${now().replace(/\D/g, '').slice(0, 14)}`)
  logEvent(dir, now(), `${STATE_FILE} was broken and is set aside`)
  return EMPTY_STATE
}

export function stateEffect(state: State): Effect {
  return { do: 'write', path: STATE_FILE, text: formatState(state) }
}

export function sessionPath(file: string): string {
  return path.join(SESSIONS_DIR, file)
}

function performOne(dir: string, effect: Effect, to: Disk): void {
  const file = path.resolve(dir, effect.path)
  if (!file.startsWith(dir + path.sep)) {
    throw new KeeperError('outside', `${effect.path} is outside of ${dir}: refused`)
  }
  switch (effect.do) {
    case 'write':
      return to.replace(file, effect.text)
    case 'writeBytes':
      return to.replace(file, Buffer.from(effect.bytes.buffer, effect.bytes.byteOffset, effect.bytes.byteLength))
    case 'append':
      return to.append(file, effect.text)
    case 'appendAt':
      return to.appendAt(file, effect.at, effect.text)
    case 'remove':
      return to.remove(file)
  }
}
