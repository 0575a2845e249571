/** The checks of files that cannot be read, that were set aside, and of notes that no file has. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { missingNotes } from '../../notes/disk/notes-missing.ts'
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
import { count } from '../../text/figures.ts'
import type { Check } from './check.ts'

/** Of a list as many as a person reads. */
const FEW = 5
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

export function checkReadable(store: Store): Check {
  const name = 'readable'
  const found = [...new Set([store.dir, store.places.vault].flatMap((dir) => unreadBelow(dir, dir)))]
  const { keeperDir, trustRecord } = store.places
  const atHome = [...AT_HOME.map((file) => path.join(keeperDir, file)), trustRecord].filter(isUnread)
  const all = [...found, ...atHome]
  if (all.length === 0) return { name, verdict: 'ok', finding: 'every file' }
  return {
    name,
    verdict: 'problem',
    finding: `no file that you can read: ${few(all)}`,
    fix: 'make it readable for you, or remove it: memory-keeper restore brings back what the vault has, and memory-keeper import what the transcripts have',
  }
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
export function checkSetAside(store: Store): Check {
  const name = 'set aside'
  const isOthers = (file: string): boolean => [STATE_FILE, FACTS_FILE].some((one) => file.startsWith(`${one}.`))
  const inMemory = ['', ...DIRS].flatMap((folder) =>
    list(path.join(store.dir, folder)).map((one) => path.join(folder, one)),
  )
  const here = inMemory.filter((file) => isSetAside(file) && !isOthers(file)).map((file) => path.join(store.dir, file))
  const { keeperDir } = store.places
  const atHome = list(keeperDir).flatMap((file) => (isSetAside(file) ? [path.join(keeperDir, file)] : []))
  const all = [...here, ...atHome]
  if (all.length === 0) return { name, verdict: 'ok', finding: 'nothing' }
  return {
    name,
    verdict: 'warning',
    finding: `${count(all.length, 'file')} that could not be read: ${few(all)}`,
    fix: 'take what you miss from there, then delete it',
  }
}

/** Against the watermarks: the vault may have lost a note, too. */
export function checkNotes(store: Store): Check {
  const name = 'notes'
  const missing = missingNotes(store)
  if (missing.length === 0) return { name, verdict: 'ok', finding: 'every session that is told has its notes' }
  const named = missing.map(({ id8, from, to }) => `${id8} (entries ${from} to ${to - 1})`)
  return {
    name,
    verdict: 'warning',
    finding: `told in memory.md by the state, and in no file: session ${few(named)}`,
    fix: 'memory-keeper restore brings the notes back, or has the newest of a session written again; memory-keeper restore --accept if they are meant to be gone',
  }
}

function few(all: readonly string[]): string {
  return `${all.slice(0, FEW).join(', ')}${all.length > FEW ? ` and ${all.length - FEW} more` : ''}`
}
