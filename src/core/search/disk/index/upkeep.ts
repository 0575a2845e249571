/** Keeps the index up to date: one writer at a time, in steps. A process that may not write keeps the rest in memory. */
import path from 'node:path'
import { growBy } from '../../../../kernel/platform/disk/compiled.ts'
import { codeOf, makeDir } from '../../../../kernel/platform/disk/files.ts'
import { withLock } from '../../../../kernel/platform/disk/lock.ts'
import { type Base, isDamaged, knownSource, newBase, sealDraft } from './base.ts'
import {
  closeSegments,
  commit,
  type IndexDisk,
  indexDisk,
  isTidy,
  LOCK,
  loadBase,
  manifestText,
  tidyUp,
} from './disk.ts'
import type { MayLag, Seen, Sources } from './documents.ts'
import { newDraft } from './segment.ts'
import { type Changes, findChanges, forgetSource, takeIn } from './update.ts'

export interface UpkeepOptions {
  now: () => string
  /** The time limit for updating; without it, no limit. */
  budgetMs?: number
  /** In bytes. */
  onProgress?: (done: number, all: number) => void
  disk?: IndexDisk
  mayLag?: MayLag
}

export interface Upkeep {
  readonly sources: Sources
  readonly options: UpkeepOptions
  /** Null: nothing is written. */
  dir: string | null
  base: Base
  /** The manifest that the base was read from; undefined: nothing has been read yet. */
  text: string | null | undefined
  canWrite: boolean
  news: string[]
  /** How often the files were found damaged. */
  damages: number
  isFresh: boolean
}

/** The length of one step under the lock: no one waits longer, and no owner is taken for dead. */
const STEP_MS = 1_500
const STEP_TOKENS = 300_000
/** An update that reads more takes seconds, and memory that is worth saving. */
const MUCH_BYTES = 4 * 1024 * 1024
/** Longer than a step: two processes that build at once take turns. */
const WAIT_MS = 3_000
/** Files that are repeatedly damaged while they are written are not worth more attempts. */
const MOST_DAMAGES = 3
/** Documents merged per millisecond, on a slow machine. */
const MERGED_PER_MS = 20
/** If there are more segments, they are merged before everything is read. */
const MANY_SEGMENTS = 64

const WHY = {
  missing: 'The search index was deleted and is rebuilt.',
  older: 'The search index was built by another version and is rebuilt.',
  damaged: 'The search index was damaged and is rebuilt.',
  newer: 'The search index was built by a newer version: it is not changed, and this search works in memory.',
} as const

export function createUpkeep(sources: Sources, dir: string | null, options: UpkeepOptions): Upkeep {
  const upkeep: Upkeep = {
    sources,
    options,
    dir,
    base: newBase(null),
    text: undefined,
    canWrite: dir !== null,
    news: [],
    damages: 0,
    isFresh: true,
  }
  load(upkeep)
  return upkeep
}

/** Updates the index from the sources; false: the budget is used up before the end. */
export function refresh(upkeep: Upkeep): boolean {
  const { now, budgetMs } = upkeep.options
  // News from opening the index are reported with the first search.
  if (!upkeep.isFresh) upkeep.news = []
  upkeep.isFresh = false
  const isOver = timer(now, budgetMs)
  load(upkeep)
  const progress: Progress = { done: 0, all: 0, unreadable: new Set() }
  const work = findWork(upkeep, progress)
  if (!isWorth(upkeep, work)) return true
  const isMuch = (work?.bytes ?? 0) > MUCH_BYTES
  if (isMuch) growBy(1)
  try {
    return update(upkeep, work, progress, isOver)
  } finally {
    if (isMuch) growBy(2)
  }
}

function update(upkeep: Upkeep, found: Work | null, progress: Progress, isOver: () => boolean): boolean {
  const { now } = upkeep.options
  let work = found
  while (!isOver()) {
    const written = locked(upkeep, () => {
      // Searched after the index was loaded: otherwise a file that another process has added meanwhile would count as deleted.
      if (load(upkeep)) work = findWork(upkeep, progress)
      const isStepOver = timer(now, STEP_MS)
      const isFull = (): boolean => upkeep.base.draft.inverter.tokens >= STEP_TOKENS
      const isAll = step(upkeep, work, progress, () => isFull() || isStepOver() || isOver())
      save(upkeep, isAll)
      return isAll && !isDamaged(upkeep.base)
    })
    if (written === null) return refreshInMemory(upkeep, progress, isOver)
    if (written.value) return releaseMemory(upkeep)
  }
  return false
}

/** Frees memory that only building needs: the process may live for hours. */
function releaseMemory({ base }: Upkeep): true {
  if (!base.isChanged) base.draft = newDraft()
  return true
}

/** Repairs damage that queries found: the next user may be another process. */
export function closeUpkeep(upkeep: Upkeep): void {
  if (upkeep.canWrite && isDamaged(upkeep.base)) refresh(upkeep)
  closeSegments(upkeep.base.segments, [])
}

/** Loads changes of other processes; an unreadable index counts as missing. True: it changed. */
function load(upkeep: Upkeep): boolean {
  const { dir } = upkeep
  if (dir === null) return false
  try {
    return loadFrom(upkeep, dir)
  } catch (error) {
    if (codeOf(error) === '') throw error
    upkeep.news.push(`The search index could not be read (${codeOf(error)} in ${dir}); this search works in memory.`)
    Object.assign(upkeep, { dir: null, canWrite: false })
    return use(upkeep, newBase(null))
  }
}

/** Unsaved changes are dropped if the index is writable: they are found again. */
function loadFrom(upkeep: Upkeep, dir: string): boolean {
  const { base } = upkeep
  const text = manifestText(dir)
  const isAhead = base.isChanged && upkeep.canWrite
  if (text === upkeep.text && !isAhead && !isDamaged(base)) return false
  const loaded = isDamaged(base) && text === upkeep.text ? DAMAGED : loadBase(dir, base)
  const isNews = loaded.is === 'missing' ? base.segments.length > 0 : text !== upkeep.text || loaded.is === 'damaged'
  upkeep.text = loaded.is === 'sound' ? loaded.text : text
  if (loaded.is === 'sound') return use(upkeep, loaded.base)
  if (isNews) upkeep.news.push(WHY[loaded.is])
  if (loaded.is === 'damaged') upkeep.damages++
  if (loaded.is === 'newer') upkeep.dir = null
  if (loaded.is === 'newer' || upkeep.damages > MOST_DAMAGES) upkeep.canWrite = false
  return use(upkeep, newBase(loaded.is === 'newer' ? null : dir))
}

const DAMAGED = { is: 'damaged' } as const

function use(upkeep: Upkeep, next: Base): true {
  closeSegments(upkeep.base.segments, next.segments)
  upkeep.base = next
  return true
}

/** Null: another process holds the lock, or nothing can be written. */
function locked<T>(upkeep: Upkeep, work: () => T): { value: T } | null {
  const { dir, options } = upkeep
  if (dir === null || !upkeep.canWrite) return null
  const { budgetMs = WAIT_MS * 4 } = options
  try {
    makeDir(dir)
    return withLock(path.join(dir, LOCK), Math.min(WAIT_MS, budgetMs / 4), work)
  } catch (error) {
    if (codeOf(error) === '') throw error
    upkeep.canWrite = false
    upkeep.news.push(`The search index could not be written (${codeOf(error)} in ${dir}); this search works in memory.`)
    return null
  }
}

interface Progress {
  /** In bytes. */
  done: number
  all: number
  unreadable: Set<string>
}

/** The sources to read; `seen`: their state afterwards. */
interface Work extends Changes {
  seen: Seen
}

/** Null: nothing changed. */
function findWork({ base, sources, options }: Upkeep, progress: Progress): Work | null {
  const look = sources.look(base.seen)
  if (look === null) return null
  const changes = findChanges(base, look, progress.unreadable, options.mayLag)
  progress.all = Math.max(progress.all, progress.done + changes.bytes)
  // Content that may wait is named in the state and is checked again.
  return { ...changes, seen: changes.isLagging ? { ...look.seen, print: '' } : look.seen }
}

/** Whether something should be written. Changed files without new content are worth it if that saves listing them again. */
function isWorth({ base, options }: Upkeep, work: Work | null): boolean {
  if (work === null) return !isTidy(base, mostMerged(options))
  if (work.changed.length + work.gone.length > 0) return true
  const isListed = base.segments.length > 0 && work.seen.dirs !== '' && work.seen.dirs !== base.seen.dirs
  base.seen = work.seen
  return isListed
}

/** Reads at least one piece, then as much as time and room allow; false: there is more. */
function step(upkeep: Upkeep, work: Work | null, progress: Progress, isOver: () => boolean): boolean {
  const { base, sources, options, news } = upkeep
  if (work === null) return true
  for (const group of work.gone.splice(0)) forgetSource(base, group)
  for (let source = work.changed[0]; source !== undefined; source = work.changed[0]) {
    const { offset } = knownSource(base, source.path)
    const taken = takeIn(base, sources, source)
    progress.done +=
      taken === 'all' ? Math.max(0, source.size - offset) : knownSource(base, source.path).offset - offset
    options.onProgress?.(Math.min(progress.done, progress.all), progress.all)
    if (taken === 'unreadable') {
      progress.unreadable.add(source.path)
      news.push(`${source.path} cannot be read, and is not searched.`)
    }
    if (taken !== 'more') work.changed.shift()
    if (isOver()) break
  }
  if (work.changed.length > 0) return false
  // Unreadable files are tried again with the next search.
  if (progress.unreadable.size === 0) base.seen = work.seen
  base.isChanged = true
  return true
}

/** Nothing is saved: the next process that may write reads it again. */
function refreshInMemory(upkeep: Upkeep, progress: Progress, isOver: () => boolean): boolean {
  load(upkeep)
  const work = findWork(upkeep, progress)
  let isDone = false
  while (!isDone && !isOver()) isDone = step(upkeep, work, progress, isOver)
  sealDraft(upkeep.base)
  tidyUp(upkeep.base, mostMerged(upkeep.options))
  return isDone
}

/** Under the lock. During a full build, segments are merged only at the end. */
function save(upkeep: Upkeep, isAll: boolean): void {
  const { base, dir, options } = upkeep
  const most = isAll || base.segments.length > MANY_SEGMENTS ? mostMerged(options) : 0
  if (dir === null || (!base.isChanged && isTidy(base, most))) return
  const text = commit(base, options.disk ?? indexDisk, options.now(), most)
  if (text !== null) upkeep.text = text
}

function mostMerged({ budgetMs }: UpkeepOptions): number {
  return budgetMs === undefined ? Number.POSITIVE_INFINITY : budgetMs * MERGED_PER_MS
}

function timer(now: () => string, ms: number | undefined): () => boolean {
  if (ms === undefined) return () => false
  const end = Date.parse(now()) + ms
  return () => Date.parse(now()) >= end
}
