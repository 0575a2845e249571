/** Where earlier versions left a memory of this project, what is in it, and what was taken over before. Links are never followed. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { list, MOST_FILE_BYTES, readOwnText, readPart, realPath, statOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { KeeperError } from '../../platform/error.ts'
import { isObject, parseObject } from '../../platform/json.ts'
import {
  CONCEPTS_FILE,
  FACTS_FILE,
  hostSlug,
  JOURNAL_DIR,
  MEMORY_FILE,
  PROJECTS_DIR,
  SESSIONS_DIR,
  STATE_FILE,
  TRUST_DIR,
} from '../../platform/layout.ts'
import type { Redactor } from '../../redact/redact.ts'
import { scrubByName } from '../../sessions/scrub.ts'
import { isTrustRefused } from '../../trust/disk/trust.ts'
import { FACTS_VERSION, fileKindOf, kindRow, STATE_VERSION } from '../file-kind.ts'
import type { LegacyFile } from '../legacy-convert.ts'

export interface MigrateOrigin {
  /** A directory; with `files` any name by which it is known again. */
  dir: string
  /** The memory itself: files are converted where they are. Else they are only read. */
  isInPlace: boolean
  /** This version kept it there for this project. */
  isOurs?: boolean
  /** What was made of another program's memory. Without it the files are read from the directory. */
  files?: readonly LegacyFile[]
}

const FOLDERS = ['', 'sessions', 'sessions/archive', 'archive']
const RECORD_FILE = `${JOURNAL_DIR}/migrated.json`
const HEAD_BYTES = 4096
/** As v13 dated a note, and this version never does. */
const OLD_NOTE = /^## \d{4}-\d\d-\d\d_\d{4}\b/m
const MAX_NAMES = 8

/** `from`: what the user named. Without it the memory itself, and what v3 and v4 kept at home under the project's name. */
export function findOrigins(store: Store, from: string | undefined): MigrateOrigin[] {
  const { places, ownership, dir } = store
  if (from !== undefined) return [namedOrigin(store, from)]
  if (ownership === 'foreign' && pathsIn(places.inProject).some((one) => fileKindOf(one) !== 'own'))
    throw notTrusted(store)
  const own = statOf(dir)?.kind === 'dir' ? [{ dir, isInPlace: true }] : []
  const atHome = homeOrigin(store)
  if (atHome === null) return own
  const namesakes = projectsCalled(store)
  if (namesakes.length > 1)
    throw new KeeperError(
      'ambiguous',
      `${atHome} was kept under a name that ${namesakes.length} projects have (${namesakes.slice(0, MAX_NAMES).join(', ')}). If it is this one's: memory-keeper migrate --from ${atHome}`,
    )
  return [...own, { dir: atHome, isInPlace: false }]
}

function namedOrigin(store: Store, from: string): MigrateOrigin {
  const dir = realPath(from)
  const isWithin = (parent: string): boolean => dir === realPath(parent) || dir.startsWith(realPath(parent) + path.sep)
  if (store.ownership === 'foreign' && isWithin(store.places.inProject)) throw notTrusted(store)
  const isInPlace = dir === realPath(store.dir)
  if (statOf(dir)?.kind === 'dir' && (isInPlace || isMemory(dir))) return { dir, isInPlace }
  throw new KeeperError(
    'no-origin',
    `${from} is no memory of an earlier version. Give a directory that contains memory.md, facts.json or sessions with --from DIR.`,
  )
}

/** By files that only a memory has; daily notes, counters and facts.json are found elsewhere, too. */
function isMemory(dir: string): boolean {
  const isTold = (file: string): boolean => fileKindOf(file) === 'prose' && /_\d{4}(?:\d\d)?\.md$|\.raw\.md$/.test(file)
  return pathsIn(dir).some((file) => kindRow(fileKindOf(file)).isTelling === true || isTold(file))
}

function notTrusted({ places }: Store): KeeperError {
  return new KeeperError(
    'foreign',
    `${places.inProject} is not trusted, so nothing of it is read. If you know where it comes from: memory-keeper trust, then memory-keeper migrate.`,
  )
}

/** v3 and v4 named it after the project's directory alone. Null: there is none, or it is one of ours. */
function homeOrigin({ places }: Store): string | null {
  const name = path.basename(places.project.root)
  const dir = path.join(places.keeperDir, PROJECTS_DIR, name)
  if (name === '' || name === places.project.key || statOf(dir)?.kind !== 'dir') return null
  const isOurs = statOf(path.join(dir, STATE_FILE)) !== null && !isBelow(dir, STATE_FILE, STATE_VERSION)
  return isOurs || !isMemory(dir) ? null : dir
}

/** The host knows projects by their paths, we those that are trusted: v3 and v4 put all projects of one name together. */
function projectsCalled({ places }: Store): string[] {
  const { root } = places.project
  const name = path.basename(root)
  const slugs = list(path.join(places.hostDir, 'projects')).filter((slug) => slug.endsWith(hostSlug(`/${name}`)))
  const others = list(path.join(places.keeperDir, TRUST_DIR)).flatMap((file) => {
    const trusted = parseObject(readOwnText(path.join(places.keeperDir, TRUST_DIR, file)) ?? '')?.path
    const project = typeof trusted === 'string' ? path.dirname(path.dirname(trusted)) : ''
    return path.basename(project) === name ? [hostSlug(project)] : []
  })
  return [...new Set([hostSlug(root), ...slugs, ...others])]
}

/** All files of a memory, below it and with slashes. */
export function pathsIn(dir: string): string[] {
  return FOLDERS.flatMap((folder) => {
    // Each on the way to it, by a name without a slash behind it: with one, a link would be followed.
    const steps = folder.split('/').map((_, i, all) => path.join(dir, ...all.slice(0, i + 1)))
    if (folder !== '' && steps.some((step) => statOf(step)?.kind !== 'dir')) return []
    const below = path.join(dir, folder)
    return list(below)
      .filter((name) => statOf(path.join(below, name))?.kind === 'file')
      .map((name) => (folder === '' ? name : `${folder}/${name}`))
  })
}

/** Secrets are redacted before anything is made of the texts. `left`: files that could not be read, or are of no known kind. */
export function readLegacy(
  { dir, isInPlace, files: given }: MigrateOrigin,
  redact: Redactor,
): { files: LegacyFile[]; left: string[] } {
  const clean = (one: LegacyFile): LegacyFile => ({ ...one, text: scrubByName(one.path, one.text, redact).text })
  if (given !== undefined) return { files: given.map(clean), left: [] }
  const files: LegacyFile[] = []
  const left: string[] = []
  for (const one of pathsIn(dir)) {
    const kind = fileKindOf(one)
    const { at, join } = kindRow(kind)
    // Nothing changes in it where it is.
    if (isInPlace && (kind === 'own' || one.endsWith('.gz') || (at !== undefined && join !== 'content'))) continue
    const isText = kind !== 'unknown' && kind !== 'packed'
    const text = isText ? readOwnText(path.join(dir, one), MOST_FILE_BYTES) : null
    const stat = statOf(path.join(dir, one))
    if (text === null || stat === null) left.push(one)
    else files.push(clean({ path: one, text, written: new Date(stat.mtimeMs).toISOString() }))
  }
  return { files, left }
}

/** The line that a user is told once; null: nothing waits. Asked at every start: it looks at names and beginnings of files. */
export function waitsForMigration(store: Store): string | null {
  const dir = earlierMemory(store)
  if (dir === null) return null
  return `Memory Keeper: an earlier version kept a memory of this project (${dir}). To see what would be taken over, type: /memory-keeper:run migrate --dry-run`
}

/** The directory of a memory to migrate; null: there is none, it is taken over, or it is not trusted. */
export function earlierMemory(store: Store): string | null {
  if (store.ownership === 'foreign') return null
  const atHome = homeOrigin(store)
  if (atHome !== null && takenOver(store, atHome) === null) return atHome
  return isEarlier(store.dir) ? store.dir : null
}

/** Whether files in it are as versions before 0.5 wrote them; also where this version has written beside them since. */
export function isEarlier(dir: string): boolean {
  try {
    if (statOf(dir)?.kind !== 'dir') return false
    return (
      ['', SESSIONS_DIR]
        .flatMap((folder) => list(path.join(dir, folder)))
        .some((name) => kindRow(fileKindOf(name)).isOld === true) ||
      isBelow(dir, STATE_FILE, STATE_VERSION) ||
      isBelow(dir, FACTS_FILE, FACTS_VERSION) ||
      isBelow(dir, CONCEPTS_FILE, 1) ||
      OLD_NOTE.test(readOwnText(path.join(dir, MEMORY_FILE)) ?? '')
    )
  } catch (error) {
    if (isTrustRefused(error)) return false
    throw error
  }
}

function isBelow(dir: string, file: string, version: number): boolean {
  return statOf(path.join(dir, file))?.kind === 'file' && versionIn(dir, file) < version
}

/** This version writes it at the beginning. 0: there is none; broken files are none of an earlier version. */
function versionIn(dir: string, file: string): number {
  const told = /"version"\s*:\s*(\d+)/.exec(readPart(path.join(dir, file), 0, HEAD_BYTES)?.toString() ?? '')?.[1]
  if (told !== undefined) return Number(told)
  return parseObject(readOwnText(path.join(dir, file)) ?? '') === null ? Number.POSITIVE_INFINITY : 0
}

/** The fingerprint under which this source was last taken over; null: never. */
export function takenOver(store: Store, source: string): string | null {
  const mark = readRecord(store)[source]
  return typeof mark === 'string' ? mark : null
}

/** So that a second time nothing comes again, not even what was deleted since. */
export function recordEffect(store: Store, source: string, mark: string): Effect {
  const sources = { ...readRecord(store), [source]: mark }
  return { do: 'write', path: RECORD_FILE, text: `${JSON.stringify({ version: 1, sources })}\n` }
}

function readRecord(store: Store): Record<string, unknown> {
  const sources = parseObject(readOwnText(path.join(store.dir, RECORD_FILE)) ?? '')?.sources
  return isObject(sources) ? sources : {}
}
