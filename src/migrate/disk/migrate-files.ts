/** Where earlier versions left a memory of this project, and reading what lies there. Links are never followed. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { list, MOST_FILE_BYTES, readOwnText, realPath, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { hostSlug, MEMORY_DIR, PROJECTS_DIR, SESSIONS_DIR, STATE_FILE, TRUST_DIR } from '../../platform/layout.ts'
import type { Redactor } from '../../redact/redact.ts'
import { type Layout, type LegacyFile, type LegacyKind, layoutOf, legacyKindOf } from '../legacy.ts'

export interface MigrateOrigin {
  dir: string
  /** The memory itself: files are converted where they are. Else they are only read. */
  isInPlace: boolean
  /** This version kept it there for this project. */
  isOurs?: boolean
}

/** Kinds that need no change where they are: they are not even read. */
const STAY: ReadonlySet<LegacyKind> = new Set(['page', 'current', 'month', 'archive-summary', 'own', 'config'])
/** As many names as a message bears. */
const MAX_NAMES = 8
const FOLDERS = ['', 'sessions', 'sessions/archive', 'archive']

/** `from`: what the user named. Without it the memory itself, and what v3 and v4 kept at home under the project's name. */
export function findOrigins(store: Store, from: string | undefined): MigrateOrigin[] {
  const { places, ownership, dir } = store
  if (from !== undefined) return [namedOrigin(store, from)]
  if (ownership === 'foreign' && pathsIn(places.inProject).some((one) => legacyKindOf(one) !== 'own'))
    throw notTrusted(store)
  const own = statOf(dir)?.kind === 'dir' ? [{ dir, isInPlace: true }] : []
  const atHome = homeOrigin(store)
  if (atHome === null) return own
  const namesakes = projectsCalled(store)
  if (namesakes.length > 1) throw ambiguous(atHome, namesakes)
  return [...own, { dir: atHome, isInPlace: false }]
}

function namedOrigin(store: Store, from: string): MigrateOrigin {
  const dir = realPath(from)
  if (statOf(dir)?.kind !== 'dir')
    throw new KeeperError(
      'no-origin',
      `${from} is not a directory. Give the memory of an earlier version with --from DIR.`,
    )
  const isWithin = (parent: string): boolean => dir === realPath(parent) || dir.startsWith(realPath(parent) + path.sep)
  if (store.ownership === 'foreign' && isWithin(store.places.inProject)) throw notTrusted(store)
  const isInPlace = dir === realPath(store.dir)
  if (!isInPlace && !isMemory(dir)) throw noMemory(dir)
  return { dir, isInPlace }
}

/** Other people have daily notes and counters, too. */
const OTHERS_TOO: ReadonlySet<LegacyKind> = new Set([
  'counter',
  'delta',
  'marker',
  'session-summary',
  'week',
  'month',
  'page',
  'config',
  'own',
  'unknown',
])

/** A memory of any version, or a directory of its sessions. */
function isMemory(dir: string): boolean {
  return pathsIn(dir).some((one) => {
    const kind = legacyKindOf(one)
    if (kind === 'session-summary') return /_\d{4}(?:\d\d)?\.md$/.test(one) || one.includes('/')
    if (kind === 'facts' || kind === 'concepts' || kind === 'state') return isOfMemory(readOwnText(path.join(dir, one)))
    return !OTHERS_TOO.has(kind)
  })
}

/** Broken, it may still be one. */
function isOfMemory(text: string | null): boolean {
  return /"(?:decisions|patterns|issues|permanent|concepts|rotatedFiles|counter|sessions)"\s*:/.test(text ?? '')
}

function noMemory(dir: string): KeeperError {
  const below = [path.join(dir, ...MEMORY_DIR), path.join(dir, MEMORY_DIR[1])].find(
    (one) => statOf(one)?.kind === 'dir' && isMemory(one),
  )
  return new KeeperError(
    'no-origin',
    `${dir} is no memory of an earlier version: there is no memory.md in it, no facts.json, no sessions. ${below === undefined ? 'Give the directory that has them with --from DIR.' : `Did you mean --from ${below}?`}`,
  )
}

/** v3 and v4 named it after the project's directory alone. Null: there is none, or it is one of ours. */
export function homeOrigin({ places }: Store): string | null {
  const name = path.basename(places.project.root)
  const dir = path.join(places.keeperDir, PROJECTS_DIR, name)
  if (name === '' || name === places.project.key || statOf(dir)?.kind !== 'dir') return null
  const layout = layoutIn(dir)
  return layout === null || layout === 'current' ? null : dir
}

export function layoutIn(dir: string): Layout | null {
  const version = /"version"\s*:\s*(\d+)/.exec(readOwnText(path.join(dir, STATE_FILE)) ?? '')?.[1]
  return layoutOf(pathsIn(dir), version === undefined ? null : Number(version))
}

/** 13.5 kept sessions beside the memory, where a repository may have put anything: read only if the user names it. */
export function sessionsBeside({ places, dir }: Store): string | null {
  const beside = path.join(places.project.root, '.claude', SESSIONS_DIR)
  if (dir !== places.inProject || statOf(beside)?.kind !== 'dir') return null
  const isSession = (name: string): boolean =>
    ['lines', 'talk', 'session-facts', 'session-summary', 'current'].includes(legacyKindOf(name))
  return list(beside).some(isSession) ? beside : null
}

/** The host knows projects by their paths, we those that are trusted: v3 and v4 threw all of one name together. */
function projectsCalled({ places }: Store): string[] {
  const { root } = places.project
  const name = path.basename(root)
  const ending = hostSlug(`/${name}`)
  const slugs = list(path.join(places.hostDir, 'projects')).filter((slug) => slug.endsWith(ending))
  const others = list(path.join(places.keeperDir, TRUST_DIR)).flatMap((file) => {
    const told = /"path":"((?:[^"\\]|\\.)*)"/.exec(readOwnText(path.join(places.keeperDir, TRUST_DIR, file)) ?? '')?.[1]
    const project = told === undefined ? '' : path.dirname(path.dirname(told))
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

/** Secrets are gone before anything is made of them. `left`: what could not be read, or is of no kind that is read. */
export function readLegacy(
  { dir, isInPlace }: MigrateOrigin,
  redact: Redactor,
): { files: LegacyFile[]; left: string[] } {
  const files: LegacyFile[] = []
  const left: string[] = []
  for (const one of pathsIn(dir)) {
    const kind = legacyKindOf(one)
    if (isInPlace && STAY.has(kind)) continue
    const text = kind === 'unknown' ? null : readOwnText(path.join(dir, one), MOST_FILE_BYTES)
    const facts = statOf(path.join(dir, one))
    if (text === null || facts === null) left.push(one)
    else files.push({ path: one, text: cleaned(text, one, redact), written: new Date(facts.mtimeMs).toISOString() })
  }
  return { files, left }
}

/** Words are redacted as they were said, not as JSON escapes them. What holds no secret stays as it is, byte for byte. */
function cleaned(text: string, file: string, redact: Redactor): string {
  if (file.endsWith('.jsonl'))
    return text
      .split('\n')
      .map((line) => cleanedJson(line, redact))
      .join('\n')
  return file.endsWith('.json') ? cleanedJson(text, redact) : redact(text).text
}

function cleanedJson(text: string, redact: Redactor): string {
  let count = 0
  const clean = (_: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    const done = redact(value)
    count += done.count
    return done.text
  }
  try {
    const value: unknown = JSON.parse(text, clean)
    return count === 0 ? text : JSON.stringify(value)
  } catch {
    return redact(text).text
  }
}

function notTrusted({ places }: Store): KeeperError {
  return new KeeperError(
    'foreign',
    `${places.inProject} is not trusted, so nothing of it is read. If you know where it comes from: memory-keeper trust, then memory-keeper migrate.`,
  )
}

function ambiguous(dir: string, namesakes: readonly string[]): KeeperError {
  return new KeeperError(
    'ambiguous',
    `${dir} was kept under a name that ${namesakes.length} projects have (${firstOf(namesakes)}). If it is this one's: memory-keeper migrate --from ${dir}`,
  )
}

function firstOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
