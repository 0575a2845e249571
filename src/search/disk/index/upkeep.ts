/** Keeping the index up to date: one writer at a time, in steps; who may not write has the rest in memory. */
import path from 'node:path'
import type { Store } from '../../../memory/disk/store.ts'
import { codeOf, makeDir } from '../../../platform/disk/files.ts'
import { withLock } from '../../../platform/disk/lock.ts'
import { type Base, newBase, releaseMemory } from './base.ts'
import { commit, compact, type IndexDisk, indexDisk, LOCK, loadBase, manifestText, nextGeneration } from './disk.ts'
import { type Fts, openFts } from './fts.ts'
import { type IndexSource, listSources } from './sources.ts'
import { type Changes, findChanges, forgetSource, type MayLag, takeIn } from './update.ts'

export interface UpkeepOptions {
  now: () => string
  /** The most time for bringing it up to date; as long as it takes where there is none. */
  budgetMs?: number
  /** For tests and benchmarks; by default the faster one. */
  engine?: 'auto' | 'scan' | 'fts5'
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
  fts: Fts | null
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
/** Fewer dead documents cost nothing. */
const FEW_DEAD = 200

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
    base: newBase(null, 0),
    fts: null,
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
  const changes = findAll(upkeep, new Set())
  const progress: Progress = { done: 0, all: changes.bytes, unreadable: new Set() }
  let isDone = isEmpty(changes)
  while (!isDone && !isOver()) {
    const written = locked(upkeep, () => {
      load(upkeep)
      const isStepOver = timer(now, STEP_MS)
      const isFull = (): boolean => upkeep.base.pendingCount >= STEP_TOKENS
      const isAll = step(upkeep, progress, () => isFull() || isStepOver() || isOver())
      save(upkeep)
      return isAll && !upkeep.base.isDamaged
    })
    if (written === null) return refreshInMemory(upkeep, progress, isOver)
    isDone = written.value
  }
  releaseMemory(upkeep.base)
  catchUpFts(upkeep, isOver)
  return isDone
}

/** Looked up after the index was read: a file that somebody else has added meanwhile would be taken for gone. */
function findAll(upkeep: Upkeep, unreadable: ReadonlySet<string>): Changes {
  const { base, store, options } = upkeep
  return findChanges(base, listSources(store), unreadable, options.mayLag)
}

/** What was found wrong while it was asked is put right first: the next one may be another process. */
export function closeUpkeep(upkeep: Upkeep): void {
  if (upkeep.canWrite && upkeep.base.isDamaged) refresh(upkeep)
  closeFiles(upkeep)
}

function closeFiles({ base, fts }: Upkeep): void {
  base.file?.close()
  base.file = null
  fts?.close()
}

/** Reads what others have written; what cannot be read is not there for us. */
function load(upkeep: Upkeep): void {
  const { dir } = upkeep
  if (dir === null) return
  try {
    loadFrom(upkeep, dir)
  } catch (error) {
    if (codeOf(error) === '') throw error
    upkeep.news.push(`The search index could not be read (${codeOf(error)} in ${dir}); this search works in memory.`)
    Object.assign(upkeep, { dir: null, canWrite: false })
    use(upkeep, newBase(null, 0))
  }
}

/** What is in memory only goes, as long as it can be written: it is found again. */
function loadFrom(upkeep: Upkeep, dir: string): void {
  const { base } = upkeep
  const text = manifestText(dir)
  const isAhead = base.isChanged && upkeep.canWrite
  if (text === upkeep.text && !isAhead && !base.isDamaged) return
  const loaded = base.isDamaged && text === upkeep.text ? DAMAGED : loadBase(dir, base.isChanged ? null : base)
  const isNews = loaded.is === 'missing' ? base.saved.documents > 0 : text !== upkeep.text || loaded.is === 'damaged'
  upkeep.text = loaded.is === 'sound' ? loaded.text : text
  if (loaded.is === 'sound') return use(upkeep, loaded.base)
  if (isNews) upkeep.news.push(WHY[loaded.is])
  if (loaded.is === 'damaged') upkeep.damages++
  if (loaded.is === 'newer') upkeep.dir = null
  if (loaded.is === 'newer' || upkeep.damages > MOST_DAMAGES) upkeep.canWrite = false
  use(upkeep, loaded.is === 'newer' ? newBase(null, 0) : newBase(dir, nextGeneration(dir, upkeep.options.now())))
}

const DAMAGED = { is: 'damaged' } as const

function use(upkeep: Upkeep, next: Base): void {
  const { base, options } = upkeep
  if (next === base) return
  closeFiles(upkeep)
  upkeep.base = next
  const { engine = 'auto' } = options
  upkeep.fts = engine === 'scan' ? null : openFts(next, engine)
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
  done: number
  all: number
  unreadable: Set<string>
}

/** At least one piece, then as much as there is time and room for; false: there is more. */
function step(upkeep: Upkeep, progress: Progress, isOver: () => boolean): boolean {
  const { base, options, news } = upkeep
  const { changed, gone } = findAll(upkeep, progress.unreadable)
  for (const group of gone) forgetSource(base, group)
  for (const source of changed) {
    for (let isAll = false; !isAll; ) {
      const before = readUpTo(base, source)
      const taken = takeIn(base, source)
      isAll = taken !== 'more'
      progress.done += taken === 'all' ? Math.max(0, source.size - before) : readUpTo(base, source) - before
      options.onProgress?.(Math.min(progress.done, progress.all), progress.all)
      if (taken === 'unreadable') {
        progress.unreadable.add(source.path)
        news.push(`${source.path} cannot be read, and is not searched.`)
      }
      if (isOver()) return isAll && source === changed.at(-1)
    }
  }
  return true
}

function readUpTo(base: Base, { path: source }: IndexSource): number {
  return base.sources[base.groups.get(source) ?? -1]?.offset ?? 0
}

/** Without being kept: the next one who may write reads it again. */
function refreshInMemory(upkeep: Upkeep, progress: Progress, isOver: () => boolean): boolean {
  load(upkeep)
  const { count, live } = upkeep.base.table.columns
  if (upkeep.dir === null && count - live > Math.max(FEW_DEAD, live)) use(upkeep, newBase(null, 0))
  let isDone = false
  while (!isDone && !isOver()) isDone = step(upkeep, progress, isOver)
  return isDone
}

/** Under the lock. */
function save(upkeep: Upkeep): void {
  const { base, dir, options } = upkeep
  const { disk: to = indexDisk } = options
  if (!base.isChanged || dir === null) return
  const text = commit(base, to)
  if (text === null) return
  upkeep.text = text
  if (base.dead.length < FEW_DEAD || base.dead.length * 3 < base.table.columns.count) return
  const compacted = compact(base, to, options.now())
  if (compacted === null) base.isDamaged = true
  else {
    use(upkeep, compacted)
    upkeep.text = manifestText(dir)
  }
}

/** The accelerator follows; while it is behind, everything is walked through. */
function catchUpFts(upkeep: Upkeep, isOver: () => boolean): void {
  for (;;) {
    const { base, fts, options } = upkeep
    if (fts === null || base.saved.documents === 0 || base.isChanged || isOver() || fts.isInStep(base)) return
    const isStepOver = timer(options.now, STEP_MS)
    const done = locked(upkeep, () => {
      load(upkeep)
      return upkeep.fts?.catchUp(upkeep.base, () => isStepOver() || isOver()) ?? 'failed'
    })
    if (done === null || done.value === 'failed') return
  }
}

function isEmpty({ changed, gone }: Changes): boolean {
  return changed.length === 0 && gone.length === 0
}

function timer(now: () => string, ms: number | undefined): () => boolean {
  if (ms === undefined) return () => false
  const end = Date.parse(now()) + ms
  return () => Date.parse(now()) >= end
}
