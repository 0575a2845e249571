/** The memory as the server holds it: the files are looked at anew with every call, the index stays open between them. */

import type { Store } from '../../memory/disk/store.ts'
import { statOf } from '../../platform/disk/files.ts'
import { openEmbedder } from '../disk/embedder.ts'
import type { SearchIndex } from '../disk/index/index.ts'
import { openSearcher, type Searcher } from '../disk/search.ts'
import type { Embedder } from '../embedding.ts'

export interface ServedMemory {
  now: () => string
  /** As it is now: a project may be trusted, moved or configured while the server runs. */
  store(): Store
  /** Warm; another one when the memory is another one. */
  searcher(): Searcher
  /** The same, knowing all that is in the files now. */
  freshSearcher(): Promise<Searcher>
  /** Null: the user has configured none. */
  embedder(): Embedder | null
  /** The next searcher is a new one. */
  forgetSearcher(): void
}

export interface ServedWorld {
  now: () => string
  /** Brings the index up to date in a process of its own; the memory that a long build takes goes with it. Never fails. */
  build: () => Promise<void>
  /** For the embedder's endpoint, or empty. */
  embedderKey: string
  fetch: typeof fetch
}

interface Warm {
  of: string
  searcher: Searcher
  embedder: Embedder | null
}

export function openServedMemory(openStore: () => Store, world: ServedWorld): ServedMemory {
  const { now, embedderKey: key, fetch } = world
  let warm: Warm | null = null
  let building: Promise<void> | null = null
  /** One at a time, however many ask. */
  const build = (): Promise<void> => {
    building ??= world.build().finally(() => {
      building = null
    })
    return building
  }
  const warmUp = (): Warm => {
    const store = openStore()
    const of = identityOf(store)
    if (warm?.of === of) return warm
    memory.forgetSearcher()
    const searcher = openSearcher(store, { cacheDir: store.places.cacheDir, now, budgetMs: BUDGET_MS })
    warm = { of, searcher, embedder: openEmbedder(store.config, { key, fetch, now }) }
    return warm
  }
  const memory: ServedMemory = {
    now,
    store: openStore,
    searcher: () => warmUp().searcher,
    freshSearcher: async () => {
      await bringUpToDate(() => memory.searcher().index, now, build)
      return memory.searcher()
    },
    embedder: () => warmUp().embedder,
    forgetSearcher: () => {
      const old = warm
      warm = null
      old?.searcher.close()
    },
  }
  return memory
}

/** What a turn or a session added takes a part of it. */
const BUDGET_MS = 1_000
/** Where nothing can be written, all of it is read here, a second at a time: about a million entries. */
const MOST_STEPS = 200

async function bringUpToDate(index: () => SearchIndex, now: () => string, build: () => Promise<void>): Promise<void> {
  const began = Date.parse(now())
  const isAll = index().refresh()
  if (Date.parse(now()) - began < BUDGET_MS) return
  const built = build()
  // Only the accelerator is behind: the answer does not wait for it.
  if (isAll) return
  await built
  for (let step = 0; step < MOST_STEPS && !index().refresh(); step++) await hearOthers()
}

/** Between two steps: the end of the input, a ping. */
function hearOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The directory itself, not its name: one that was removed and made again is another one. */
function identityOf(store: Store): string {
  return JSON.stringify([store.dir, statOf(store.dir)?.ino ?? null, store.ownership, store.config])
}
