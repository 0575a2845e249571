/** The memory as the MCP server uses it: files are read again with every call, the index stays open between calls. */

import type { Store } from '../../../kernel/memory/disk/store.ts'
import { statOf } from '../../../kernel/platform/disk/files.ts'
import { openReorder, type Reorder } from '../../extra.ts'
import { openSearcher, type Searcher } from '../disk/search.ts'

export interface ServedMemory {
  now: () => string
  /** Opened for each call: a project may be trusted, moved or configured while the server runs. */
  store(): Store
  searcher(): Searcher
  /** The same after updating the index. */
  freshSearcher(): Promise<Searcher>
  /** Null: hits stay as words order them. */
  reorder(): Reorder | null
  /** Closes the searcher; the next call opens another one. */
  forgetSearcher(): void
}

export interface ServedWorld {
  now: () => string
  /** Updates the index in a separate process, whose memory is freed when it ends. Never fails. */
  build: () => Promise<void>
  /** The key for the embedder's endpoint, or empty. */
  embedderKey: string
  fetch: typeof fetch
}

/** An additional turn or session needs only a part of this. */
const BUDGET_MS = 1_000
/** If no index can be written, everything is read here, one budget at a time. */
const MOST_STEPS = 200

export function openServedMemory(openStore: () => Store, world: ServedWorld): ServedMemory {
  const { now, embedderKey: key, fetch } = world
  let warm: { of: string; searcher: Searcher; reorder: Reorder | null } | null = null
  let building: Promise<void> | null = null
  /** Only one build at a time. */
  const build = (): Promise<void> => {
    building ??= world.build().finally(() => {
      building = null
    })
    return building
  }
  const warmUp = (): NonNullable<typeof warm> => {
    const store = openStore()
    // The inode shows that a directory was deleted and created again.
    const of = JSON.stringify([store.dir, statOf(store.dir)?.ino ?? null, store.ownership, store.config])
    if (warm?.of === of) return warm
    memory.forgetSearcher()
    const searcher = openSearcher(store, { cacheDir: store.places.cacheDir, now, budgetMs: BUDGET_MS })
    warm = { of, searcher, reorder: openReorder(store.config, { key, fetch, now }) }
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
        // If all documents are read, at most segments are merged: the answer does not wait for that.
        if (!isAll) await built
        for (let step = 0; !isAll && step < MOST_STEPS && !refresh(); step++) await othersHeard()
      }
      return memory.searcher()
    },
    reorder: () => warmUp().reorder,
    forgetSearcher: () => {
      warm?.searcher.close()
      warm = null
    },
  }
  return memory
}

/** Lets the server handle the end of its input, or a ping. */
function othersHeard(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
