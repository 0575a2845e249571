/** The search index of one memory: opened, brought up to date, asked. Whatever happens to its files, a search is answered. */
import path from 'node:path'
import type { Store } from '../../../memory/disk/store.ts'
import { codeOf, list, realPath, removeTree, sizeOf, statOf } from '../../../platform/disk/files.ts'
import { withLock } from '../../../platform/disk/lock.ts'
import { hasFts5 } from '../../../platform/disk/sqlite.ts'
import { fingerprint } from '../../../text/fingerprint.ts'
import type { Columns, Engine, Unit } from '../../corpus.ts'
import { entryUnit, sessionOf, sourceKindOf, unitHash, unitsIn } from '../../units.ts'
import { type Base, baseTokens, indexFile, readVocabulary } from './base.ts'
import { LOCK, loadBase, removeFiles } from './disk.ts'
import { scan } from './scan.ts'
import { fileOf, readLine, readSourceText } from './sources.ts'
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
      return upkeep.base.table.columns
    },
    engine: engineOf(upkeep),
    get news() {
      return upkeep.news
    },
    unitOf: (doc) => readUnit(store, upkeep.base, doc, units),
    placeOf: (doc) => {
      const { table, sources, sessions } = upkeep.base
      const row = table.row(doc)
      return { source: sources[row.group]?.path ?? '', session: sessions[row.session] ?? null, n: row.n }
    },
    vocabulary: () => readVocabulary(upkeep.base),
    refresh: () => {
      for (const known of units.values()) known.isRead = false
      return refresh(upkeep)
    },
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
    get name() {
      return upkeep.fts?.isInStep(upkeep.base) ? 'fts5' : 'scan'
    },
    look: (stems, weights, limit, isWanted) => {
      const base = upkeep.base
      const once = [...new Set(stems)]
      const asked = { stems: once, weights, limit, isWanted }
      const { docs, found } = upkeep.fts?.look(base, asked) ?? scan(base, asked)
      return { docs, found: stems.map((stem) => found[once.indexOf(stem)] ?? 0) }
    },
    tokensOf: (doc) => baseTokens(upkeep.base, doc),
  }
}

/** Of files that are read as a whole, by the hash of each unit. */
type UnitsOf = Map<string, { text: string; byHash: ReadonlyMap<number, Unit>; isRead: boolean }>

/** Most searches find something in the same few: facts, memory.md, an archive. */
const KEPT_FILES = 4

function readUnit(store: Store, base: Base, doc: number, units: UnitsOf): Unit | null {
  const row = base.table.row(doc)
  const source = base.sources[row.group]?.path ?? ''
  const file = fileOf(store, source)
  if (sourceKindOf(source) === 'session') {
    const entry = statOf(file)?.kind === 'file' ? readLine(file, row.at, row.size) : null
    const unit = entry === null ? null : entryUnit(entry, sessionOf(source) ?? '', row.n)
    return unit !== null && unitHash(unit) === row.hash ? unit : null
  }
  return unitsOf(units, source, file).get(row.hash) ?? null
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
  /** What a search with this Node works with. */
  engine: 'fts5' | 'scan'
  bytes: number
}

/** Neither builds, mends nor updates the index. */
export function lookAtIndex(store: Store): IndexLook {
  const dir = indexDir(store, store.places.cacheDir)
  const none = { dir, documents: 0, engine: 'scan', bytes: 0 } as const
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
  if (loaded.is !== 'sound') return { is: loaded.is, dir, documents: 0, engine: 'scan', bytes }
  const { base } = loaded
  base.file?.close()
  const isFts = statOf(indexFile(dir, 'fts', base.generation)) !== null && hasFts5()
  return { is: 'sound', dir, documents: base.table.columns.live, engine: isFts ? 'fts5' : 'scan', bytes }
}
