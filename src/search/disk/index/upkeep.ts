/** Keeping the index up to date: one writer at a time, in steps; who may not write has the rest in memory. */
import path from 'node:path'
import type { Store } from '../../../memory/disk/store.ts'
import { codeOf, makeDir } from '../../../platform/disk/files.ts'
import { withLock } from '../../../platform/disk/lock.ts'
import { type Base, isDamaged, knownOf, newBase, sealDraft } from './base.ts'
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
import { newDraft } from './segment.ts'
import { type IndexSource, lookAround, type Seen } from './sources.ts'
import { type Changes, findChanges, forgetSource, type MayLag, takeIn } from './update.ts'

export interface UpkeepOptions {
  now: () => string
  /** The most time for bringing it up to date; as long as it takes where there is none. */
  budgetMs?: number
  /** In bytes. */
  onProgress?: (done: number, all: number) => void
  disk?: IndexDisk
  mayLag?: MayLag
}

export interface Upkeep {
  readonly store: Store
  readonly options: UpkeepOptions
  /** Null: nothing is written. */
  dir: string | null
  base: Base
  /** The manifest that the base was read from; undefined: nothing is read yet. */
  text: string | null | undefined
  canWrite: boolean
  news: string[]
  /** How often the files were found damaged. */
  damages: number
  isFresh: boolean
}

/** One step under the lock: nobody waits longer for it, and no owner is taken for dead. */
const STEP_MS = 1_500
const STEP_TOKENS = 1_000_000
/** Longer than a step: two who build at once take turns. */
const WAIT_MS = 3_000
/** Files that are cut again and again while they are written are not worth more tries. */
const MOST_DAMAGES = 3
/** Documents that are merged in a millisecond, on a slow machine. */
const MERGED_PER_MS = 20
/** More segments than this are merged before all is read. */
const MANY_SEGMENTS = 64

const WHY = {
  missing: 'The search index was removed and is made anew.',
  older: 'The search index was made by another version and is made anew.',
  damaged: 'The search index was damaged and is made anew.',
  newer: 'The search index was made by a newer version: it is left alone, and this search works in memory.',
} as const

export function createUpkeep(store: Store, dir: string | null, options: UpkeepOptions): Upkeep {
  const upkeep: Upkeep = {
    store,
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

/** Brings it up to date with the files; false: the budget is spent before the end. */
export function refresh(upkeep: Upkeep): boolean {
  const { now, budgetMs } = upkeep.options
  // What opening it had to tell is told with the first search.
  if (!upkeep.isFresh) upkeep.news = []
  upkeep.isFresh = false
  const isOver = timer(now, budgetMs)
  load(upkeep)
  const progress: Progress = { done: 0, all: 0, unreadable: new Set() }
  let work = findWork(upkeep, progress)
  if (!isWorth(upkeep, work)) return true
  while (!isOver()) {
    const written = locked(upkeep, () => {
      // Looked for after the index was read: a file that somebody else has added meanwhile would be taken for gone.
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

/** What only building needs: whoever built it may live for hours. */
function releaseMemory({ base }: Upkeep): true {
  if (!base.isChanged) base.draft = newDraft()
  return true
}

/** What was found wrong while it was asked is put right first: the next one may be another process. */
export function closeUpkeep(upkeep: Upkeep): void {
  if (upkeep.canWrite && isDamaged(upkeep.base)) refresh(upkeep)
  closeSegments(upkeep.base.segments, [])
}

/** Reads what others have written; what cannot be read is not there for us. True: it is not what it was. */
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

/** What is in memory only goes, as long as it can be written: it is found again. */
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

/** Null: somebody else is at it, or nothing can be written. */
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
  /** Bytes. */
  done: number
  all: number
  unreadable: Set<string>
}

/** What is to be read; `seen`: how the sources look then. */
interface Work extends Changes {
  seen: Seen
}

/** Null: everything is as it was. */
function findWork({ base, store, options }: Upkeep, progress: Progress): Work | null {
  const look = lookAround(store, base.seen)
  if (look === null) return null
  const { mayLag } = options
  let isLagging = false
  const changes = findChanges(base, look, progress.unreadable, (source, from) => {
    const mayWait = mayLag?.(source, from) === true
    isLagging ||= mayWait
    return mayWait
  })
  progress.all = Math.max(progress.all, progress.done + changes.bytes)
  // What may wait is in the state, and is looked at again.
  return { ...changes, seen: isLagging ? { ...look.seen, print: '' } : look.seen }
}

/** Whether something is to be written. That files look otherwise, and contain nothing new, is worth it when it saves listing them. */
function isWorth({ base, options }: Upkeep, work: Work | null): boolean {
  if (work === null) return !isTidy(base, mostMerged(options))
  if (work.changed.length + work.gone.length > 0) return true
  const isListed = base.segments.length > 0 && work.seen.dirs !== '' && work.seen.dirs !== base.seen.dirs
  base.seen = work.seen
  return isListed
}

/** At least one piece, then as much as there is time and room for; false: there is more. */
function step(upkeep: Upkeep, work: Work | null, progress: Progress, isOver: () => boolean): boolean {
  const { base, options, news } = upkeep
  if (work === null) return true
  for (const group of work.gone.splice(0)) forgetSource(base, group)
  for (let source = work.changed[0]; source !== undefined; source = work.changed[0]) {
    const before = readUpTo(base, source)
    const taken = takeIn(base, source)
    progress.done += taken === 'all' ? Math.max(0, source.size - before) : readUpTo(base, source) - before
    options.onProgress?.(Math.min(progress.done, progress.all), progress.all)
    if (taken === 'unreadable') {
      progress.unreadable.add(source.path)
      news.push(`${source.path} cannot be read, and is not searched.`)
    }
    if (taken !== 'more') work.changed.shift()
    if (isOver()) break
  }
  if (work.changed.length > 0) return false
  // What could not be read is tried again with the next search.
  if (progress.unreadable.size === 0) base.seen = work.seen
  base.isChanged = true
  return true
}

function readUpTo(base: Base, { path: source }: IndexSource): number {
  const { sources, groups } = knownOf(base)
  return sources[groups.get(source) ?? -1]?.offset ?? 0
}

/** Without being kept: the next one who may write reads it again. */
function refreshInMemory(upkeep: Upkeep, progress: Progress, isOver: () => boolean): boolean {
  load(upkeep)
  const work = findWork(upkeep, progress)
  let isDone = false
  while (!isDone && !isOver()) isDone = step(upkeep, work, progress, isOver)
  sealDraft(upkeep.base)
  tidyUp(upkeep.base, mostMerged(upkeep.options))
  return isDone
}

/** Under the lock. While all of it is made, segments are merged at the end only. */
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
