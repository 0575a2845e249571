/** The memory as the MCP server holds it: files are read anew with every call, the index stays open between calls. */

import type { Store } from '../../memory/disk/store.ts'
import { statOf } from '../../platform/disk/files.ts'
import { openEmbedder } from '../disk/embedder.ts'
import { openSearcher, type Searcher } from '../disk/search.ts'
import type { Embedder } from '../embedding.ts'

export interface ServedMemory {
  now: () => string
  /** As it is now: a project may be trusted, moved or configured while the server runs. */
  store(): Store
  searcher(): Searcher
  /** The same after the index was brought up to date. */
  freshSearcher(): Promise<Searcher>
  /** Null: the user has configured none. */
  embedder(): Embedder | null
  /** The next call opens another searcher. */
  forgetSearcher(): void
}

export interface ServedWorld {
  now: () => string
  /** Brings the index up to date in a process of its own, which takes its memory with it. Never fails. */
  build: () => Promise<void>
  /** For the embedder's endpoint, or empty. */
  embedderKey: string
  fetch: typeof fetch
}

/** A turn or a session more needs only a part of it. */
const BUDGET_MS = 1_000
/** Where no index can be written, all of it is read here, one budget at a time. */
const MOST_STEPS = 200

export function openServedMemory(openStore: () => Store, world: ServedWorld): ServedMemory {
  const { now, embedderKey: key, fetch } = world
  let warm: { of: string; searcher: Searcher; embedder: Embedder | null } | null = null
  let building: Promise<void> | null = null
  /** One build at a time. */
  const build = (): Promise<void> => {
    building ??= world.build().finally(() => {
      building = null
    })
    return building
  }
  const warmUp = (): NonNullable<typeof warm> => {
    const store = openStore()
    // The inode tells a directory that was removed and created again from the old one.
    const of = JSON.stringify([store.dir, statOf(store.dir)?.ino ?? null, store.ownership, store.config])
    if (warm?.of === of) return warm
    memory.forgetSearcher()
    const searcher = openSearcher(store, { cacheDir: store.places.cacheDir, now, budgetMs: BUDGET_MS })
    warm = { of, searcher, embedder: openEmbedder(store.config, { key, fetch, now }) }
    return warm
  }
  const refresh = (): boolean => memory.searcher().index.refresh()
  const memory: ServedMemory = {
    now,
    store: openStore,
    searcher: () => warmUp().searcher,
    freshSearcher: async () => {
      const began = Date.parse(now())
      const isAll = refresh()
      if (Date.parse(now()) - began >= BUDGET_MS) {
        const built = build()
        // With all documents read, segments are merged at most: the answer does not wait for it.
        if (!isAll) await built
        for (let step = 0; !isAll && step < MOST_STEPS && !refresh(); step++) await othersHeard()
      }
      return memory.searcher()
    },
    embedder: () => warmUp().embedder,
    forgetSearcher: () => {
      warm?.searcher.close()
      warm = null
    },
  }
  return memory
}

/** Lets the server take the end of its input, or a ping. */
function othersHeard(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
