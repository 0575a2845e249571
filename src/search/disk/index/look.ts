/** A look at the search index as it lies on disk: nothing is made, mended or brought up to date. */
import path from 'node:path'
import type { Store } from '../../../memory/disk/store.ts'
import { codeOf, list, sizeOf, statOf } from '../../../platform/disk/files.ts'
import { hasFts5 } from '../../../platform/disk/sqlite.ts'
import { indexFile } from './base.ts'
import { loadBase } from './disk.ts'
import { indexDir } from './index.ts'

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
