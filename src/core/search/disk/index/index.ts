/** The search index of one memory: opens, updates and queries it. Whatever happens to its files, a search is answered. */
import path from 'node:path'
import type { Store } from '../../../../kernel/memory/disk/store.ts'
import { codeOf, list, realPath, removeTree, sizeOf, statOf } from '../../../../kernel/platform/disk/files.ts'
import { withLock } from '../../../../kernel/platform/disk/lock.ts'
import { fingerprint } from '../../../../kernel/text/fingerprint.ts'
import type { Entry, Tombstone } from '../../../../kernel/transcript/session.ts'
import { senderOf } from '../../../others/disk/others.ts'
import type { Unit } from '../../corpus.ts'
import type { Columns, Engine } from '../../engine.ts'
import { entryUnit, sessionOf, sourceKindOf, unitHash, unitsIn } from '../../units.ts'
import { OTHERS_PREFIX } from '../../units-json.ts'
import { columnsOf, documentRow, isDamaged, sessionAbout, sourceTable } from './base.ts'
import { closeSegments, LOCK, loadBase, removeFiles } from './disk.ts'
import { findPlaces, look } from './look.ts'
import { wordsIn } from './segment.ts'
import { entriesBehind, fileOf, NEVER_SEEN, readLine, readSourceText } from './sources.ts'
import { closeUpkeep, createUpkeep, refresh, type Upkeep, type UpkeepOptions } from './upkeep.ts'

export type { MayLag } from './update.ts'

export interface SearchIndex {
  /** As of the last `refresh`; document numbers are valid until the next one. */
  readonly columns: Columns
  readonly engine: Engine
  /** One sentence per problem with the index: rebuilt because …, not written because …. */
  readonly news: readonly string[]
  /** Null: its source changed or was deleted since; after the next refresh it is found again. */
  unitOf(doc: number): Unit | null
  /** The entry of a session that the document is; null: it is none, or its source changed since. */
  entryOf(doc: number): Entry | null
  /** What stands near behind such an entry, also what is not indexed. */
  behind(doc: number): readonly (Entry | Tombstone)[]
  /** Without reading its text: the session that it is about, its number in its source, and the source's path below the memory. */
  placeOf(doc: number): { source: string; session: string | null; n: number }
  /** All words of the memory, some more than once. Slow: used only if nothing was found. */
  vocabulary(): Iterable<string>
  /** Updates the index from the files; false: incomplete, the budget is used up. */
  refresh(): boolean
  /** False: a damaged part could not be read. The next refresh rebuilds it. */
  isSound(): boolean
  close(): void
}

export interface IndexOptions extends UpkeepOptions {
  /** Our directory in the user's cache; empty: nothing is written. */
  cacheDir: string
}

export function openIndex(store: Store, options: IndexOptions): SearchIndex {
  const upkeep = createUpkeep(store, indexDir(store, options.cacheDir) || null, options)
  const units: UnitsOf = new Map()
  const lines: LinesOf = new Map()
  return {
    get columns() {
      return columnsOf(upkeep.base)
    },
    engine: engineOf(upkeep),
    get news() {
      return upkeep.news
    },
    unitOf: (doc) => readUnit(upkeep, doc, units, lines),
    entryOf: (doc) => readEntry(upkeep, doc),
    behind: (doc) => readBehind(upkeep, doc),
    placeOf: (doc) => {
      const { base } = upkeep
      const row = documentRow(base, doc)
      const source = sourceOf(upkeep, doc)
      return { source, session: sessionAbout(source, row), n: row.n }
    },
    vocabulary: function* () {
      for (const segment of upkeep.base.segments) yield* wordsIn(segment)
    },
    refresh: () => {
      for (const known of units.values()) known.isRead = false
      lines.clear()
      return refresh(upkeep)
    },
    isSound: () => !isDamaged(upkeep.base),
    close: () => closeUpkeep(upkeep),
  }
}

/** A process that builds the index holds its lock for at most one step. */
const REMOVE_WAIT_MS = 5_000

/** Deletes the whole index; the next search rebuilds it. The directory stays: others may be about to create their lock in it. */
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

/** A word that is requested twice counts once. */
function engineOf(upkeep: Upkeep): Engine {
  return {
    look: (stems, weights, limit, isWanted) => {
      const once = [...new Set(stems)]
      const { docs, found } = look(upkeep.base, { stems: once, weights, limit, isWanted })
      return { docs, found: stems.map((stem) => found[once.indexOf(stem)] ?? 0) }
    },
    placesOf: (doc, stems) => findPlaces(upkeep.base, doc, stems),
  }
}

function sourceOf({ base }: Upkeep, doc: number): string {
  return sourceTable(base).sources[columnsOf(base).group[doc] ?? -1]?.path ?? ''
}

/** For files that are read as a whole: the units by hash. */
type UnitsOf = Map<string, { text: string; byHash: ReadonlyMap<number, Unit>; isRead: boolean }>

/** Most searches find something in the same few files: facts, memory.md, an archive. */
const KEPT_FILES = 4

function readUnit(upkeep: Upkeep, doc: number, units: UnitsOf, lines: LinesOf): Unit | null {
  const { store, base } = upkeep
  const row = documentRow(base, doc)
  const source = sourceOf(upkeep, doc)
  const ofOthers = source.startsWith(OTHERS_PREFIX) ? readRow(lines, source, fileOf(store, source), row) : null
  if (ofOthers !== null) return ofOthers
  if (sourceKindOf(source) !== 'session') return unitsOf(units, source, fileOf(store, source)).get(row.hash) ?? null
  const unitIn = (file: string): Unit | null => {
    const entry = readLine(file, row)
    return entry === null ? null : entryUnit(entry, sessionOf(source) ?? '', row.n)
  }
  // Usually it is neither compressed nor of another machine.
  const unit = unitIn(path.join(store.dir, source)) ?? ofSender(store, source, unitIn)
  if (unit !== null) return unit
  // The file changed unnoticed: the next refresh checks all sources.
  base.seen = NEVER_SEEN
  return null
}

function readEntry(upkeep: Upkeep, doc: number): Entry | null {
  const { store, base } = upkeep
  const source = sourceOf(upkeep, doc)
  if (doc < 0 || sourceKindOf(source) !== 'session') return null
  const row = documentRow(base, doc)
  const entry = readLine(path.join(store.dir, source), row) ?? readLine(fileOf(store, source), row)
  return entry === null || entry.role === 'tombstone' ? null : entry
}

function readBehind(upkeep: Upkeep, doc: number): (Entry | Tombstone)[] {
  const { store, base } = upkeep
  const source = sourceOf(upkeep, doc)
  if (doc < 0 || sourceKindOf(source) !== 'session') return []
  const row = documentRow(base, doc)
  const file = [path.join(store.dir, source), fileOf(store, source)].find((one) => readLine(one, row) !== null)
  return file === undefined ? [] : entriesBehind(file, row)
}

/** An entry of a session that another machine of the user's sent names the machine. */
function ofSender(store: Store, source: string, unitIn: (file: string) => Unit | null): Unit | null {
  const file = fileOf(store, source)
  const unit = unitIn(file)
  const who = file.startsWith(store.places.others) ? senderOf(store.places, path.basename(source)) : ''
  return unit === null || who === ''
    ? unit
    : { ...unit, state: unit.state === '' ? `of ${who}` : `${unit.state}, of ${who}` }
}

/** Lines of files of others, read once between two refreshes. */
type LinesOf = Map<string, readonly string[]>

/** Lines that were corrected or deleted later in the file stand before it, too. */
const LINES_BEFORE = 32

/** Rows of others may be many, in many files: only the lines where it may stand are parsed. Null: it stands elsewhere. */
function readRow(lines: LinesOf, source: string, file: string, { n, hash }: { n: number; hash: number }): Unit | null {
  const known = lines.get(source) ?? (readSourceText(file) ?? '').split('\n')
  lines.set(source, known)
  for (let at = n; at <= n + LINES_BEFORE && at < known.length; at++) {
    const [unit, ...more] = unitsIn(source, known[at] ?? '')
    if (unit !== undefined && more.length === 0 && unitHash(unit) === hash) return { ...unit, n }
  }
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

/** Of two equal units the first is used. */
function hashed(all: readonly Unit[]): ReadonlyMap<number, Unit> {
  return new Map(all.toReversed().map((unit) => [unitHash(unit), unit]))
}

/** The state of the index on disk. */
export interface IndexLook {
  /** `nowhere`: there is no cache directory, each search builds its own. `newer`: written by a newer version, not touched. */
  is: 'sound' | 'missing' | 'older' | 'newer' | 'damaged' | 'unreadable' | 'nowhere'
  /** Empty: nowhere. */
  dir: string
  documents: number
  bytes: number
}

/** Does not build, repair or update the index. */
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
