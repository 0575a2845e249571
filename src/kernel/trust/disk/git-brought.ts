/** Finds files in a memory that git tracks and the user has not accepted. While there are any, the memory is foreign. */

import path from 'node:path'
import {
  disk,
  type FileStat,
  makeDir,
  readBelow,
  readOwnText,
  replaceQuickly,
  statOf,
  unlessFails,
} from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { parseObject } from '../../platform/json.ts'
import { GITATTRIBUTES_FILE, GITIGNORE_FILE, SHARED_DIR } from '../../platform/layout.ts'
import { isOurIgnore } from '../share-files.ts'
import { commonDirOf, gitDirIn } from './git-head.ts'
import { type IndexQuestion, readTracked, type TrackedFile } from './git-index.ts'
import { foldedPath } from './git-path.ts'

export type { TrackedFile } from './git-index.ts'

export interface BroughtByGit {
  /** Tracked now. */
  tracked: readonly TrackedFile[]
  /** Tracked at the last check, no longer tracked, and still on disk: `git rm --cached` and `git reset` leave files behind. */
  left: readonly TrackedFile[]
  /** An index could not be read; the last known result is used. */
  isUnknown: boolean
}

const NOTHING: BroughtByGit = { tracked: [], left: [], isUnknown: false }

/** Without changes this costs one stat per index and the read of the last result. */
export function broughtByGit(places: Places): BroughtByGit {
  const indexes = indexesOver(places)
  const record = statOf(beside(places.trustRecord, ANSWERS))
  const seen = readSeen(places)
  if (indexes.length === 0 && seen === null) return NOTHING
  const mark = [...indexes.map(({ file, facts }) => `${file} ${markOf(facts)}`), markOf(record)].join('\n')
  if (seen?.mark === mark) return known(places, seen)
  const found = indexes.map((index) => readTracked({ ...index, isSha256: isSha256(index.file) }))
  const isUnknown = found.includes(null)
  const now = isUnknown ? (seen?.tracked ?? []) : found.flatMap((files) => files ?? [])
  const brought = judge(places, now, seen)
  if (!isUnknown) keepSeen(places, { mark, ...brought })
  return { ...brought, left: stillThere(places, brought.left), isUnknown }
}

/** A deleted file is dropped from the list: the user may create an own file in its place. */
function known(places: Places, seen: Seen): BroughtByGit {
  const left = stillThere(places, seen.left)
  if (left.length < seen.left.length) keepSeen(places, { ...seen, left })
  return { tracked: seen.tracked, left, isUnknown: false }
}

/** The last result, which this process has just computed by opening the memory. Reads nothing else. */
export function lastBrought(places: Places): Pick<BroughtByGit, 'tracked' | 'left'> {
  const seen = readSeen(places)
  return seen === null ? NOTHING : { tracked: seen.tracked, left: stillThere(places, seen.left) }
}

export function isForeignByGit(places: Places): boolean {
  const { tracked, left } = broughtByGit(places)
  return tracked.length > 0 || left.length > 0
}

/** From now on these contents count as the user's own. Each file has one accepted content, the last one. */
export function acceptBrought(places: Places, { tracked, left }: BroughtByGit): void {
  const fresh = [...tracked, ...left]
  const kept = readAccepted(places).filter((one) => !fresh.some((other) => other.path === one.path))
  const answers = { version: 1, yes: [...kept, ...fresh].map(pairOf) }
  disk.replace(beside(places.trustRecord, ANSWERS), `${JSON.stringify(answers)}\n`)
}

/** Deletes the answers about a directory: they must not apply to the next directory in its place. */
export function forgetBrought(places: Places): void {
  disk.remove(beside(places.trustRecord, ANSWERS))
  disk.remove(beside(places.trustRecord, SEEN))
}

/** For a project that was moved here: moves the files beside its old trust record. */
export function moveBrought(places: Places, record: string): void {
  for (const suffix of [ANSWERS, SEEN, SHARING]) {
    const from = beside(record, suffix)
    const text = readOwnText(from)
    if (text !== null) disk.replace(beside(places.trustRecord, suffix), text)
    disk.remove(from)
  }
}

function judge(places: Places, now: readonly TrackedFile[], seen: Seen | null): Omit<BroughtByGit, 'isUnknown'> {
  const yes = new Set(readAccepted(places).map(keyOf))
  const tracked = now.filter((one) => !yes.has(keyOf(one)) && !isHarmless(places, one))
  const here = new Set(now.map((one) => one.path))
  const before = new Map([...(seen?.tracked ?? []), ...(seen?.left ?? [])].map((one) => [one.path, one]))
  const left = [...before.values()].filter((one) => !here.has(one.path) && !yes.has(keyOf(one)))
  return { tracked, left: stillThere(places, left) }
}

/** A file that was shared on purpose: it is read as foreign, and only after it was accepted separately. */
function isHarmless({ inProject }: Places, { path: name, isLink }: TrackedFile): boolean {
  // The repository chose the target of a link.
  if (isLink) return false
  const [first = '', ...rest] = name.split('/').map(foldedPath)
  if (first === SHARED_DIR) return rest.length > 0
  if (rest.length > 0) return false
  // Another .gitignore could make git track the whole memory.
  if (first === GITIGNORE_FILE) return isOurIgnore(readOwnText(path.join(inProject, GITIGNORE_FILE)) ?? '')
  return first === GITATTRIBUTES_FILE
}

function stillThere({ inProject }: Places, files: readonly TrackedFile[]): TrackedFile[] {
  return files.filter((one) => statOf(path.join(inProject, one.path)) !== null)
}

interface Seen {
  /** A mark of the indexes and the answers at the time of the check. */
  mark: string
  tracked: readonly TrackedFile[]
  left: readonly TrackedFile[]
}

const SEEN = '.git.json'
const ANSWERS = '.answers.json'
/** Written by copies/disk/shared. */
const SHARING = '.shared.json'

function beside(record: string, suffix: string): string {
  return record.replace(/\.json$/, suffix)
}

function readSeen(places: Places): Seen | null {
  const raw = parseObject(readOwnText(beside(places.trustRecord, SEEN)) ?? '')
  if (raw === null || typeof raw.mark !== 'string') return null
  return { mark: raw.mark, tracked: filesIn(raw.tracked), left: filesIn(raw.left) }
}

/** If it cannot be saved, every process checks again. */
function keepSeen(places: Places, { mark, tracked, left }: Seen): void {
  unlessFails(() => {
    makeDir(path.dirname(places.trustRecord))
    const seen = { version: 1, mark, tracked: tracked.map(pairOf), left: left.map(pairOf) }
    replaceQuickly(beside(places.trustRecord, SEEN), `${JSON.stringify(seen)}\n`)
  }, undefined)
}

function readAccepted(places: Places): TrackedFile[] {
  return filesIn(parseObject(readOwnText(beside(places.trustRecord, ANSWERS)) ?? '')?.yes)
}

function filesIn(value: unknown): TrackedFile[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown) => {
    const [name, id, kind] = Array.isArray(one) ? one : []
    if (typeof name !== 'string' || typeof id !== 'string') return []
    return [{ path: name, id, ...(kind === 'link' ? { isLink: true } : {}) }]
  })
}

function pairOf({ path: name, id, isLink }: TrackedFile): string[] {
  return isLink ? [name, id, 'link'] : [name, id]
}

/** Accepting a file does not accept a link with the same bytes. */
function keyOf({ path: name, id, isLink }: TrackedFile): string {
  return `${isLink ? 'link ' : ''}${id} ${name}`
}

function markOf(facts: FileStat | null): string {
  return facts === null ? '-' : `${facts.size} ${facts.mtimeMs} ${facts.ino}`
}

const MOST_CONFIG = 65_536

interface GitIndex extends Omit<IndexQuestion, 'isSha256'> {
  facts: FileStat | null
}

/** The index of every repository whose working tree contains the memory: its own, those around it, one that begins inside `.claude`. */
function indexesOver({ inProject, project }: Places): GitIndex[] {
  const found: GitIndex[] = []
  for (let dir = inProject; ; dir = path.dirname(dir)) {
    const gitDir = gitDirIn(dir)
    if (gitDir !== null) {
      const file = path.join(gitDir, 'index')
      const below = namesFrom(dir, inProject)
      const outside = namesFrom(dir, project.root).length
      found.push({ file, below, outside, facts: statOf(file) })
    }
    if (dir === path.dirname(dir)) return found
  }
}

function namesFrom(dir: string, below: string): string[] {
  const way = path.relative(dir, below)
  return way === '' || way.startsWith('..') ? [] : way.split(path.sep)
}

/** The configuration of a worktree is in its main repository. */
function isSha256(indexFile: string): boolean {
  const config = readBelow(commonDirOf(path.dirname(indexFile)), 'config', MOST_CONFIG) ?? ''
  return /^[^\S\n]*objectformat\s*=\s*"?sha256/im.test(config)
}
