/** The search index of one memory: the engine over its files, and what is read from them for a hit. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { realPath } from '../../../kernel/platform/disk/files.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import { LOCK } from './index/disk.ts'
import { type DocumentIndex, type IndexState, openDocuments, removeDocuments, stateOfIndex } from './index/index.ts'
import type { UpkeepOptions } from './index/upkeep.ts'
import { memorySources, sessionAbout } from './source-documents.ts'
import { createUnitReader, type UnitReader } from './unit-reader.ts'

export type { MayLag } from './index/documents.ts'

export interface SearchIndex extends UnitReader, Omit<DocumentIndex, 'sourceOf' | 'rowOf' | 'distrust'> {
  /** Without reading its text: the session that it is about, its number in its source, and the source's path below the memory. */
  placeOf(doc: number): { source: string; session: string | null; n: number }
}

export interface IndexOptions extends UpkeepOptions {
  /** Our directory in the user's cache; empty: nothing is written. */
  cacheDir: string
}

export function openIndex(store: Store, options: IndexOptions): SearchIndex {
  const index = openDocuments(memorySources(store), indexDir(store, options.cacheDir) || null, options)
  const { again, ...reader } = createUnitReader(store, index)
  const { refresh } = index
  return Object.assign(index, reader, {
    placeOf: (doc: number) => {
      const source = index.sourceOf(doc)
      const row = index.rowOf(doc)
      return { source, session: sessionAbout(source, row), n: row.n }
    },
    refresh: () => {
      again()
      return refresh()
    },
  })
}

/** Deletes the whole index; the next search rebuilds it. */
export function removeIndex(store: Store, cacheDir: string): void {
  const dir = indexDir(store, cacheDir)
  if (dir !== '') removeDocuments(dir)
}

/** Empty: nothing is written. */
export function indexDir(store: Store, cacheDir: string): string {
  return cacheDir === '' ? '' : path.join(cacheDir, 'index', fingerprint(realPath(store.dir)))
}

export function indexLock(store: Store, cacheDir: string): string {
  return path.join(indexDir(store, cacheDir), LOCK)
}

/** The state of the index on disk; `nowhere`, with an empty `dir`: there is no cache directory, each search builds its own. */
export interface IndexLook extends Omit<IndexState, 'is'> {
  is: IndexState['is'] | 'nowhere'
  dir: string
}

/** Does not build, repair or update the index. */
export function lookAtIndex(store: Store): IndexLook {
  const dir = indexDir(store, store.places.cacheDir)
  return dir === '' ? { is: 'nowhere', dir, documents: 0, bytes: 0 } : { dir, ...stateOfIndex(dir) }
}
