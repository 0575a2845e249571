/** The search index of one memory: opened, brought up to date, asked. Whatever happens to its files, a search is answered. */
import path from 'node:path'
import type { Store } from '../../../memory/disk/store.ts'
import { codeOf, list, realPath, removeTree, sizeOf, statOf } from '../../../platform/disk/files.ts'
import { withLock } from '../../../platform/disk/lock.ts'
import { fingerprint } from '../../../text/fingerprint.ts'
import type { Columns, Engine, Unit } from '../../corpus.ts'
import { entryUnit, sessionOf, sourceKindOf, unitHash, unitsIn } from '../../units.ts'
import { columnsOf, isDamaged, knownOf, rowOf, sessionAbout } from './base.ts'
import { closeSegments, LOCK, loadBase, removeFiles } from './disk.ts'
import { look, placesOf } from './look.ts'
import { wordsIn } from './segment.ts'
import { fileOf, NEVER_SEEN, readLine, readSourceText } from './sources.ts'
import { closeUpkeep, createUpkeep, refresh, type Upkeep, type UpkeepOptions } from './upkeep.ts'

export type { MayLag } from './update.ts'

export interface SearchIndex {
  /** As of the last `refresh`; numbers of documents hold until the next one. */
  readonly columns: Columns
  readonly engine: Engine
  /** One sentence per thing that had to be done about the index: rebuilt because …, not written because …. */
  readonly news: readonly string[]
  /** Null: its source changed or went away since; it is found again after the next refresh. */
  unitOf(doc: number): Unit | null
  /** Without reading its text: the session that it is about, its number in its source, and that below the memory directory. */
  placeOf(doc: number): { source: string; session: string | null; n: number }
  /** All words of the store, some more than once: slow, for the case that nothing was found. */
  vocabulary(): Iterable<string>
  /** Brings it up to date with the files; false: not all of it, the budget is spent. */
  refresh(): boolean
  /** False: something that was read of it was damaged and is missing. The next refresh makes it anew. */
  isSound(): boolean
  close(): void
}

export interface IndexOptions extends UpkeepOptions {
  /** The user's cache directory for us; empty: nothing is written. */
  cacheDir: string
}

export function openIndex(store: Store, options: IndexOptions): SearchIndex {
  const upkeep = createUpkeep(store, indexDir(store, options.cacheDir) || null, options)
  const units: UnitsOf = new Map()
  return {
    get columns() {
      return columnsOf(upkeep.base)
    },
    engine: engineOf(upkeep),
    get news() {
      return upkeep.news
    },
    unitOf: (doc) => readUnit(upkeep, doc, units),
    placeOf: (doc) => {
      const { base } = upkeep
      const row = rowOf(base, doc)
      const source = sourceOf(upkeep, doc)
      return { source, session: sessionAbout(source, row), n: row.n }
    },
    vocabulary: function* () {
      for (const segment of upkeep.base.segments) yield* wordsIn(segment)
    },
    refresh: () => {
      for (const known of units.values()) known.isRead = false
      return refresh(upkeep)
    },
    isSound: () => !isDamaged(upkeep.base),
    close: () => closeUpkeep(upkeep),
  }
}

/** Somebody who builds the index holds its lock for at most a step. */
const REMOVE_WAIT_MS = 5_000

/** All of it; the next search makes it anew. The directory stays: others may be about to create their lock in it. */
export function removeIndex(store: Store, cacheDir: string): void {
  const dir = indexDir(store, cacheDir)
  const kind = dir === '' ? undefined : statOf(dir)?.kind
  if (kind !== 'dir') return kind === undefined ? undefined : removeTree(dir)
  const work = (): void => removeFiles(dir)
  if (withLock(indexLock(store, cacheDir), REMOVE_WAIT_MS, work) === null) work()
}

/** Empty: nothing is written. */
export function indexDir(store: Store, cacheDir: string): string {
  return cacheDir === '' ? '' : path.join(cacheDir, 'index', fingerprint(realPath(store.dir)))
}

export function indexLock(store: Store, cacheDir: string): string {
  return path.join(indexDir(store, cacheDir), LOCK)
}

/** Words that are asked for twice count once. */
function engineOf(upkeep: Upkeep): Engine {
  return {
    look: (stems, weights, limit, isWanted) => {
      const once = [...new Set(stems)]
      const { docs, found } = look(upkeep.base, { stems: once, weights, limit, isWanted })
      return { docs, found: stems.map((stem) => found[once.indexOf(stem)] ?? 0) }
    },
    placesOf: (doc, stems) => placesOf(upkeep.base, doc, stems),
  }
}

function sourceOf({ base }: Upkeep, doc: number): string {
  return knownOf(base).sources[columnsOf(base).group[doc] ?? -1]?.path ?? ''
}

/** Of files that are read as a whole, by the hash of each unit. */
type UnitsOf = Map<string, { text: string; byHash: ReadonlyMap<number, Unit>; isRead: boolean }>

/** Most searches find something in the same few: facts, memory.md, an archive. */
const KEPT_FILES = 4

function readUnit(upkeep: Upkeep, doc: number, units: UnitsOf): Unit | null {
  const { store, base } = upkeep
  const row = rowOf(base, doc)
  const source = sourceOf(upkeep, doc)
  if (sourceKindOf(source) !== 'session') return unitsOf(units, source, fileOf(store, source)).get(row.hash) ?? null
  // Mostly it is not compressed.
  const plain = path.join(store.dir, source)
  const entry = readLine(plain, row) ?? readLine(fileOf(store, source), row)
  const unit = entry === null ? null : entryUnit(entry, sessionOf(source) ?? '', row.n)
  if (unit !== null) return unit
  // It changed unnoticed: all sources are looked at with the next refresh.
  base.seen = NEVER_SEEN
  return null
}

/** Read once between two refreshes. The same text has the same units: thousands of facts are not parsed for every search. */
function unitsOf(units: UnitsOf, source: string, file: string): ReadonlyMap<number, Unit> {
  const known = units.get(source)
  if (known?.isRead) return known.byHash
  const text = (statOf(file)?.kind === 'file' ? readSourceText(file) : null) ?? ''
  const byHash = known?.text === text ? known.byHash : hashed(unitsIn(source, text))
  units.delete(source)
  units.set(source, { text, byHash, isRead: true })
  for (const [old, { isRead }] of units) if (units.size > KEPT_FILES && !isRead) units.delete(old)
  return byHash
}

/** The first of two that are alike. */
function hashed(all: readonly Unit[]): ReadonlyMap<number, Unit> {
  return new Map(all.toReversed().map((unit) => [unitHash(unit), unit]))
}

/** The index as it lies on disk. */
export interface IndexLook {
  /** `nowhere`: there is no cache directory, each search makes its own. `newer`: another version's, left alone. */
  is: 'sound' | 'missing' | 'older' | 'newer' | 'damaged' | 'unreadable' | 'nowhere'
  /** Empty: nowhere. */
  dir: string
  documents: number
  bytes: number
}

/** Neither builds, mends nor updates the index. */
export function lookAtIndex(store: Store): IndexLook {
  const dir = indexDir(store, store.places.cacheDir)
  const none = { dir, documents: 0, bytes: 0 }
  if (dir === '') return { is: 'nowhere', ...none }
  try {
    return lookInto(dir)
  } catch (error) {
    if (codeOf(error) === '') throw error
    return { is: 'unreadable', ...none }
  }
}

function lookInto(dir: string): IndexLook {
  const bytes = list(dir).reduce((sum, name) => sum + (sizeOf(path.join(dir, name)) ?? 0), 0)
  const loaded = loadBase(dir, null)
  if (loaded.is !== 'sound') return { is: loaded.is, dir, documents: 0, bytes }
  closeSegments(loaded.base.segments, [])
  return { is: 'sound', dir, documents: loaded.base.live, bytes }
}
