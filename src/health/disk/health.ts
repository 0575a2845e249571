/** The table of the doctor's checks, which the page shows too, and the checks of files that cannot be read. Nothing is changed. */

import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { missingNotes } from '../../notes/disk/note-list.ts'
import { codeOf, list, openToRead, statOf } from '../../platform/disk/files.ts'
import {
  ARCHIVE_DIR,
  BRIEFINGS_DIR,
  BUNDLE_KEY_FILE,
  CONFIG_FILE,
  FACTS_FILE,
  HEADLESS_CHILD_FILE,
  HEADLESS_HEALTH_FILE,
  HEADLESS_LOCK,
  isSetAside,
  JOURNAL_DIR,
  KEPT_DIR,
  LOG_FILE,
  LOGS_DIR,
  MODEL_CALLS_FILE,
  NOTICES_FILE,
  SESSIONS_DIR,
  SETTLED_DIR,
  SHARED_DIR,
  STATE_FILE,
  TOLD_RULES_DIR,
} from '../../platform/layout.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { transcriptsBehind } from '../../sessions/disk/coverage.ts'
import { capturedIn } from '../../sessions/disk/meanwhile.ts'
import { count } from '../../text/figures.ts'
import { bad, type Check, type Found, few, type HealthWorld, ok, warn } from './check.ts'
import {
  checkConfig,
  checkDisk,
  checkGone,
  checkLock,
  checkLog,
  checkModes,
  checkNode,
  checkSecrets,
  checkState,
  checkStrays,
  checkVault,
  checkWritable,
} from './check-files.ts'
import {
  checkBadLines,
  checkConflicts,
  checkCoverage,
  checkDeletion,
  checkDuplicates,
  checkFiles,
  checkHooks,
  checkPlugin,
  checkStatusline,
  readHost,
} from './check-host.ts'
import {
  checkBackground,
  checkCap,
  checkClaudeMd,
  checkEmbedder,
  checkIndex,
  checkMemory,
  checkMigration,
  checkShared,
  checkStanding,
  checkWaiting,
  examineFacts,
} from './check-memory.ts'

export function checkHealth(store: Store, world: HealthWorld): Check[] {
  const { now } = world
  const host = later(() => readHost(store.places))
  const hooks = later(() => readHookTimes(store.dir))
  const captured = later(() => capturedIn(store, () => now))
  const behind = later(() => transcriptsBehind(captured()))
  const all: [name: string, check: () => Found][] = [
    ['plugin', () => checkPlugin(host(), hooks().at(-1)?.at ?? null, now)],
    ['one installation', () => checkDuplicates(host(), world)],
    ['other memories', () => checkConflicts(host())],
    ['hooks', () => checkHooks(store, hooks().at(-1), now)],
    ['status line', () => checkStatusline(host())],
    ['coverage', () => checkCoverage(captured(), behind())],
    ['deletion by the host', () => checkDeletion(behind(), host(), now)],
    ['session files', () => checkFiles(captured())],
    ['unreadable lines', () => checkBadLines(captured())],
    ['memory', () => checkStanding(store)],
    ['shared memory', () => checkShared(store)],
    ['earlier version', () => checkMigration(store, now)],
    ['state', () => checkState(store)],
    ['readable', () => checkReadable(store)],
    ['set aside', () => checkSetAside(store)],
    ['memory.md', () => checkMemory(store)],
    ['notes', () => checkNotes(store)],
    ['facts', () => examineFacts(store)],
    ['waiting notes', () => checkWaiting(store, now)],
    ['background notes', () => checkBackground(store, now)],
    ['daily cap', () => checkCap(store, now)],
    ['search index', () => checkIndex(store)],
    ['embedder', () => checkEmbedder(store)],
    ['CLAUDE.md', () => checkClaudeMd(store)],
    ['vault', () => checkVault(store)],
    ['secrets', () => checkSecrets(store)],
    ['permissions', () => checkModes(store)],
    ['writable', () => checkWritable(store)],
    ['config', () => checkConfig(store)],
    ['lock', () => checkLock(store)],
    ['left behind', () => checkStrays(store, now)],
    ['gone projects', () => checkGone(store)],
    ['log', () => checkLog(store)],
    ['disk', () => checkDisk(store)],
    ['node', () => checkNode(world)],
  ]
  return all.map(([name, check]) => tryCheck(name, check))
}

/** A check that fails is a finding too: the doctor must not fall ill. */
export function tryCheck(name: string, check: () => Found): Check {
  try {
    return { name, ...check() }
  } catch (error) {
    return { name, ...bad((error as Error).message, 'make the file readable and writable for you, then look again') }
  }
}

/** Read once, by whoever needs it first: what cannot be read must fail in a check, not before. */
function later<T>(read: () => T): () => T {
  let value: { of: T } | null = null
  return () => {
    value ??= { of: read() }
    return value.of
  }
}

const AT_HOME = [
  CONFIG_FILE,
  MODEL_CALLS_FILE,
  HEADLESS_HEALTH_FILE,
  HEADLESS_LOCK,
  HEADLESS_CHILD_FILE,
  NOTICES_FILE,
  BUNDLE_KEY_FILE,
  path.join(LOGS_DIR, LOG_FILE),
]
/** Below a memory; every other directory stands in the place of a file. */
const DIRS = [
  SESSIONS_DIR,
  path.join(SESSIONS_DIR, ARCHIVE_DIR),
  path.join(SESSIONS_DIR, SETTLED_DIR),
  JOURNAL_DIR,
  path.join(JOURNAL_DIR, BRIEFINGS_DIR),
  path.join(JOURNAL_DIR, TOLD_RULES_DIR),
  LOGS_DIR,
]
/** What is in them is others', or a memory of its own. */
const LEFT_OUT = [SHARED_DIR, KEPT_DIR]

export function checkReadable(store: Store): Found {
  const found = [...new Set([store.dir, store.places.vault].flatMap((dir) => unreadBelow(dir, dir)))]
  const { keeperDir, trustRecord } = store.places
  const atHome = [...AT_HOME.map((file) => path.join(keeperDir, file)), trustRecord].filter(isUnread)
  const all = [...found, ...atHome]
  if (all.length === 0) return ok('every file')
  return bad(
    `no file that you can read: ${few(all)}`,
    'make it readable for you, or remove it: memory-keeper restore brings back what the vault has, and memory-keeper import what the transcripts have',
  )
}

function unreadBelow(root: string, dir: string): string[] {
  if (statOf(dir)?.kind !== 'dir') return []
  return list(dir).flatMap((name) => {
    const file = path.join(dir, name)
    const below = path.relative(root, file)
    if (LEFT_OUT.includes(below) || isSetAside(name) || name.endsWith('.tmp')) return []
    if (DIRS.includes(below)) return statOf(file)?.kind === 'dir' ? unreadBelow(root, file) : [file]
    return isUnread(file) ? [file] : []
  })
}

function isUnread(file: string): boolean {
  if (statOf(file) === null) return false
  try {
    const opened = openToRead(file)
    opened?.close()
    // Removed in between.
    return opened === null && statOf(file) !== null
  } catch (error) {
    if (codeOf(error) === '') throw error
    return true
  }
}

/** Of the state and of facts, their own checks say more. */
function checkSetAside(store: Store): Found {
  const isOthers = (file: string): boolean => [STATE_FILE, FACTS_FILE].some((one) => file.startsWith(`${one}.`))
  const inMemory = ['', ...DIRS].flatMap((folder) =>
    list(path.join(store.dir, folder)).map((one) => path.join(folder, one)),
  )
  const here = inMemory.filter((file) => isSetAside(file) && !isOthers(file)).map((file) => path.join(store.dir, file))
  const { keeperDir } = store.places
  const atHome = list(keeperDir).flatMap((file) => (isSetAside(file) ? [path.join(keeperDir, file)] : []))
  const all = [...here, ...atHome]
  if (all.length === 0) return ok('nothing')
  return warn(
    `${count(all.length, 'file')} that could not be read: ${few(all)}`,
    'take what you miss from there, then delete it',
  )
}

/** Against the watermarks: the vault may have lost a note, too. */
function checkNotes(store: Store): Found {
  const missing = missingNotes(store)
  if (missing.length === 0) return ok('every session that is told has its notes')
  const named = missing.map(({ id8, from, to }) => `${id8} (entries ${from} to ${to - 1})`)
  return warn(
    `told in memory.md by the state, and in no file: session ${few(named)}`,
    'memory-keeper restore brings the notes back, or has the newest of a session written again; memory-keeper restore --accept if they are meant to be gone',
  )
}
