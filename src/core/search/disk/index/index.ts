/** The index of all documents in a list of sources: opens, updates and queries it. Whatever happens to its files, a search is answered. */
import path from 'node:path'
import { codeOf, list, removeTree, sizeOf, statOf } from '../../../../kernel/platform/disk/files.ts'
import { withLock } from '../../../../kernel/platform/disk/lock.ts'
import type { Columns, Engine } from '../../engine.ts'
import { columnsOf, documentRow, isDamaged, sourceTable } from './base.ts'
import { closeSegments, LOCK, loadBase, removeFiles } from './disk.ts'
import { NEVER_SEEN, type Row, type Sources } from './documents.ts'
import { findPlaces, look } from './look.ts'
import { wordsIn } from './segment.ts'
import { closeUpkeep, createUpkeep, refresh, type Upkeep, type UpkeepOptions } from './upkeep.ts'

export interface DocumentIndex {
  /** As of the last `refresh`; document numbers are valid until the next one. */
  readonly columns: Columns
  readonly engine: Engine
  /** One sentence per problem with the index: rebuilt because …, not written because …. */
  readonly news: readonly string[]
  /** The path of its source. */
  sourceOf(doc: number): string
  /** Where in it the document was read. */
  rowOf(doc: number): Row
  /** All words of the documents, some more than once. Slow: used only if nothing was found. */
  vocabulary(): Iterable<string>
  /** Updates the index from the sources; false: incomplete, the budget is used up. */
  refresh(): boolean
  /** A document was not where it should be: its source changed unnoticed, and the next refresh checks all. */
  distrust(): void
  /** False: a damaged part could not be read. The next refresh rebuilds it. */
  isSound(): boolean
  close(): void
}

/** `dir` null: nothing is written. */
export function openDocuments(sources: Sources, dir: string | null, options: UpkeepOptions): DocumentIndex {
  const upkeep = createUpkeep(sources, dir, options)
  return {
    get columns() {
      return columnsOf(upkeep.base)
    },
    engine: engineOf(upkeep),
    get news() {
      return upkeep.news
    },
    sourceOf: (doc) => {
      const { base } = upkeep
      return sourceTable(base).sources[columnsOf(base).group[doc] ?? -1]?.path ?? ''
    },
    rowOf: (doc) => documentRow(upkeep.base, doc),
    vocabulary: function* () {
      for (const segment of upkeep.base.segments) yield* wordsIn(segment)
    },
    refresh: () => refresh(upkeep),
    distrust: () => {
      upkeep.base.seen = NEVER_SEEN
    },
    isSound: () => !isDamaged(upkeep.base),
    close: () => closeUpkeep(upkeep),
  }
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

/** A process that builds the index holds its lock for at most one step. */
const REMOVE_WAIT_MS = 5_000

/** Deletes the whole index; the next search rebuilds it. The directory stays: others may be about to create their lock in it. */
export function removeDocuments(dir: string): void {
  const kind = statOf(dir)?.kind
  if (kind !== 'dir') return kind === undefined ? undefined : removeTree(dir)
  const work = (): void => removeFiles(dir)
  if (withLock(path.join(dir, LOCK), REMOVE_WAIT_MS, work) === null) work()
}

/** The state of an index on disk. */
export interface IndexState {
  /** `newer`: written by a newer version, not touched. */
  is: 'sound' | 'missing' | 'older' | 'newer' | 'damaged' | 'unreadable'
  documents: number
  bytes: number
}

/** Does not build, repair or update the index. */
export function stateOfIndex(dir: string): IndexState {
  try {
    return stateIn(dir)
  } catch (error) {
    if (codeOf(error) === '') throw error
    return { is: 'unreadable', documents: 0, bytes: 0 }
  }
}

function stateIn(dir: string): IndexState {
  const bytes = list(dir).reduce((sum, name) => sum + (sizeOf(path.join(dir, name)) ?? 0), 0)
  const loaded = loadBase(dir, null)
  if (loaded.is !== 'sound') return { is: loaded.is, documents: 0, bytes }
  closeSegments(loaded.base.segments, [])
  return { is: 'sound', documents: loaded.base.live, bytes }
}
