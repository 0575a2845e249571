/** Finds and reads memories of earlier versions, and records what was migrated before. Links are never followed. */
import path from 'node:path'
import { scrubText } from '../../../core/files.ts'
import { takenOver } from '../../../core/vault/disk/joined.ts'
import { pathsIn } from '../../../kernel/memory/disk/memory-paths.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { list, MOST_FILE_BYTES, readOwnText, readPart, realPath, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import {
  ARCHIVE_DIR,
  CONCEPTS_FILE,
  FACTS_FILE,
  hostSlug,
  id8OfFile,
  MEMORY_FILE,
  PROJECTS_DIR,
  SESSIONS_DIR,
  STATE_FILE,
  TRUST_DIR,
} from '../../../kernel/platform/layout.ts'
import { type Redactor, redactorFor } from '../../../kernel/redact/redact.ts'
import { isTrustRefused } from '../../../kernel/trust/disk/trust.ts'
import { earlierKind, FACTS_VERSION, isConverted, isOnlyInMemory, STATE_VERSION } from '../files.ts'
import { arrivingKind, arrivingName } from '../kinds.ts'
import { type LegacyFile, sessionStem } from '../legacy-convert.ts'

export interface MigrateOrigin {
  /** A directory; with `files` any name that identifies the source. */
  dir: string
  /** The memory itself: files are converted in place. Otherwise they are only read. */
  isInPlace: boolean
  /** It is where v3 and v4 kept their memories, and no other version did. */
  isOfV3?: boolean
  /** Files made from another program's memory. Without it the files are read from the directory. */
  files?: readonly LegacyFile[]
}

const HEAD_BYTES = 4096
/** The date format of v13's notes, which this version never writes. */
const OLD_NOTE = /^## \d{4}-\d\d-\d\d_\d{4}\b/m
const MAX_NAMES = 8

interface Origins {
  origins: MigrateOrigin[]
  /** Why a memory at home is not taken; null: none is left out. */
  clash: string | null
}

/** `from`: the directory that the user named. Without it: the memory itself, and what v3 and v4 stored at home under the project's name. */
export function findOrigins(store: Store, from: string | undefined): Origins {
  const { places, ownership, dir } = store
  if (from !== undefined) return { origins: [namedOrigin(store, from)], clash: null }
  if (ownership === 'foreign' && pathsIn(places.inProject).some((one) => arrivingName(one) !== 'own'))
    throw untrustedMemory(store)
  const own = statOf(dir)?.kind === 'dir' ? [{ dir, isInPlace: true }] : []
  const atHome = homeOrigin(store)
  if (atHome === null) return { origins: own, clash: null }
  const namesakes = projectsCalled(store)
  if (namesakes.length === 1 || takenOver(store, atHome) !== null)
    return { origins: [...own, { dir: atHome, isInPlace: false, isOfV3: true }], clash: null }
  const names = namesakes.slice(0, MAX_NAMES).join(', ')
  const clash = `${atHome} is not taken: ${namesakes.length} projects have the name it was kept under (${names}). If it is this one's: memory-keeper migrate --from ${atHome}`
  return { origins: own, clash }
}

/** Whole transcripts that an earlier version kept in this memory, with what it refined from them, and nothing else; null: there are none. */
export function rawOrigin(store: Store): MigrateOrigin | null {
  const { dir, config } = store
  if (store.ownership !== 'ours' || !pathsIn(dir).some((one) => earlierKind(one)?.name === 'raw')) return null
  const { files } = readLegacy({ dir, isInPlace: true }, redactorFor(config))
  const stems = new Set(files.flatMap((one) => (earlierKind(one.path)?.name === 'raw' ? [sessionStem(one.path)] : [])))
  return {
    dir,
    isInPlace: true,
    files: files.filter((one) => one.path.endsWith('.jsonl') && stems.has(sessionStem(one.path))),
  }
}

/** 13.5 kept sessions beside the memory. Null: there are none, or they are taken over. */
export function sessionsBeside(store: Store): string | null {
  const dir = realPath(path.join(path.dirname(store.places.inProject), SESSIONS_DIR))
  const isWaiting = statOf(dir)?.kind === 'dir' && isMemory(dir) && takenOver(store, dir) === null
  return store.ownership === 'ours' && isWaiting ? dir : null
}

function namedOrigin(store: Store, from: string): MigrateOrigin {
  const dir = realPath(from)
  const isWithin = (parent: string): boolean => dir === realPath(parent) || dir.startsWith(realPath(parent) + path.sep)
  if (store.ownership === 'foreign' && isWithin(store.places.inProject)) throw untrustedMemory(store)
  const isInPlace = dir === realPath(store.dir)
  if (statOf(dir)?.kind === 'dir' && (isInPlace || isMemory(dir))) {
    const isAtHome = path.dirname(dir) === realPath(path.join(store.places.homeDir, PROJECTS_DIR))
    return { dir, isInPlace, isOfV3: isAtHome && !isInPlace && !isOfToday(dir) }
  }
  throw new KeeperError(
    'no-origin',
    `${from} is not a memory of an earlier version. Give a directory that contains memory.md, facts.json or sessions with --from DIR.`,
  )
}

function isMemory(dir: string): boolean {
  return pathsIn(dir).some(isOnlyInMemory)
}

export function untrustedMemory({ places }: Store): KeeperError {
  return new KeeperError(
    'foreign',
    `${places.inProject} is not trusted, so nothing of it is read. If you know where it comes from: memory-keeper trust, then memory-keeper migrate.`,
  )
}

/** v3 and v4 named it after the project's directory only. Null: there is none, or it is one of ours. */
function homeOrigin({ places }: Store): string | null {
  const name = path.basename(places.project.root)
  const dir = path.join(places.homeDir, PROJECTS_DIR, name)
  if (name === '' || name === places.project.key || statOf(dir)?.kind !== 'dir') return null
  return isOfToday(dir) || !isMemory(dir) ? null : dir
}

/** This version keeps a memory there, or did. */
function isOfToday(dir: string): boolean {
  return statOf(path.join(dir, STATE_FILE)) !== null && !isBelow(dir, STATE_FILE, STATE_VERSION)
}

/** All projects of this name, from the host's directories and our trust records: v3 and v4 mixed projects of the same name. */
function projectsCalled({ places }: Store): string[] {
  const { root } = places.project
  const name = path.basename(root)
  const slugs = list(path.join(places.hostDir, 'projects')).filter((slug) => slug.endsWith(hostSlug(`/${name}`)))
  const others = list(path.join(places.homeDir, TRUST_DIR)).flatMap((file) => {
    const trusted = parseObject(readOwnText(path.join(places.homeDir, TRUST_DIR, file)) ?? '')?.path
    const project = typeof trusted === 'string' ? path.dirname(path.dirname(trusted)) : ''
    return path.basename(project) === name ? [hostSlug(project)] : []
  })
  return [...new Set([hostSlug(root), ...slugs, ...others])]
}

/** Secrets are redacted before the texts are used. `left`: files that could not be read, or of an unknown kind. */
export function readLegacy(
  { dir, isInPlace, files: given }: MigrateOrigin,
  redact: Redactor,
): { files: LegacyFile[]; left: string[] } {
  const clean = (one: LegacyFile): LegacyFile => ({ ...one, text: scrubText(one.path, one.text, redact).text })
  if (given !== undefined) return { files: given.map(clean), left: [] }
  const files: LegacyFile[] = []
  const left: string[] = []
  for (const one of pathsIn(dir)) {
    const kind = arrivingKind(one)
    // Converting in place does not change these files.
    const isToday = kind?.at !== undefined && kind.arriving !== 'content'
    if (isInPlace && (arrivingName(one) === 'own' || one.endsWith('.gz') || isToday)) continue
    const text = kind !== null && kind.isPacked !== true ? readOwnText(path.join(dir, one), MOST_FILE_BYTES) : null
    if (text === null) left.push(one)
    else files.push(clean({ path: one, text, written: '' }))
  }
  return { files, left }
}

/** The directory of a memory to migrate; null: none, already migrated, or not trusted. */
export function earlierMemory(store: Store): string | null {
  if (store.ownership === 'foreign') return null
  const atHome = homeOrigin(store)
  if (atHome !== null && takenOver(store, atHome) === null) return atHome
  return isEarlier(store.dir) ? store.dir : null
}

/** Whether it contains files in the format of versions before 0.5, even if this version has written beside them since. */
export function isEarlier(dir: string): boolean {
  try {
    if (statOf(dir)?.kind !== 'dir') return false
    return (
      ['', SESSIONS_DIR].flatMap((folder) => list(path.join(dir, folder))).some(isConverted) ||
      (isBelow(dir, STATE_FILE, STATE_VERSION) && !hasSessionsOfToday(dir)) ||
      isBelow(dir, FACTS_FILE, FACTS_VERSION) ||
      isBelow(dir, CONCEPTS_FILE, 1) ||
      OLD_NOTE.test(readOwnText(path.join(dir, MEMORY_FILE)) ?? '')
    )
  } catch (error) {
    if (isTrustRefused(error)) return false
    throw error
  }
}

/** An earlier version may have written the state anew since: it is rebuilt, not migrated. */
function hasSessionsOfToday(dir: string): boolean {
  const names = [SESSIONS_DIR, path.join(SESSIONS_DIR, ARCHIVE_DIR)].flatMap((folder) => list(path.join(dir, folder)))
  return names.some((name) => id8OfFile(name.replace(/\.gz$/, '')) !== null)
}

function isBelow(dir: string, file: string, version: number): boolean {
  return statOf(path.join(dir, file))?.kind === 'file' && versionIn(dir, file) < version
}

/** This version writes it at the beginning. 0: there is none; a broken file does not count as an earlier version. */
function versionIn(dir: string, file: string): number {
  const digits = /"version"\s*:\s*(\d+)/.exec(readPart(path.join(dir, file), 0, HEAD_BYTES)?.toString() ?? '')?.[1]
  if (digits !== undefined) return Number(digits)
  return parseObject(readOwnText(path.join(dir, file)) ?? '') === null ? Number.POSITIVE_INFINITY : 0
}
