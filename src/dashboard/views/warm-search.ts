/** The searcher that stays open between two requests, and knows what is in the files now. */

import type { Store } from '../../memory/disk/store.ts'
import { statOf } from '../../platform/disk/files.ts'
import { openSearcher, type Searcher } from '../../search/disk/search.ts'
import { sessionFiles } from '../../sessions/disk/sessions.ts'
import { othersAreHeard } from './turns.ts'

export interface WarmSearch {
  /** Not complete: a large memory is read for the first time, what people keep first; it is answered from what is read. */
  searcher(): Promise<{ searcher: Searcher; isComplete: boolean }>
  /** The next searcher is a new one. */
  forget(): void
  close(): void
}

/** A step of reading pays for listing all files before: it must be longer than that. */
const STEP_MS = 250
const STEP_MS_PER_FILE = 0.15
/** A million entries; where it never comes to an end, it is answered from what was read. */
const MOST_STEPS = 2_000
/** Whoever types does not wait longer for a first answer. */
const ANSWER_MS = 700
/** As one types, not every letter makes sure that nothing large has come: a search looks for what is new by itself. */
const COMPLETE_MS = 2_000

export function createWarmSearch(storeNow: () => Store, now: () => string): WarmSearch {
  let warm: { of: string; searcher: Searcher; completeAt: number } | null = null
  let reading: Promise<boolean> | null = null
  let isClosed = false
  const forget = (): void => {
    warm?.searcher.close()
    warm = null
  }
  const warmUp = (): NonNullable<typeof warm> => {
    const store = storeNow()
    const of = identityOf(store)
    if (warm?.of === of) return warm
    forget()
    const budgetMs = STEP_MS + STEP_MS_PER_FILE * sessionFiles(store).length
    const searcher = openSearcher(store, { cacheDir: store.places.cacheDir, now, budgetMs })
    warm = { of, searcher, completeAt: Number.NEGATIVE_INFINITY }
    return warm
  }
  const read = (): Promise<boolean> => {
    reading ??= bringUpToDate(() => isClosed || warmUp().searcher.index.refresh()).finally(() => {
      reading = null
    })
    // It may fail after the answer was given: then the next one tells.
    reading.catch(forget)
    return reading
  }
  return {
    searcher: async () => {
      const at = Date.parse(now())
      const { completeAt } = warmUp()
      const isFresh = reading === null && at >= completeAt && at - completeAt < COMPLETE_MS
      const isComplete = isFresh || (await Promise.race([read(), waited()]))
      const known = warmUp()
      if (isComplete && !isFresh) known.completeAt = at
      return { searcher: known.searcher, isComplete }
    },
    forget,
    close: () => {
      isClosed = true
      forget()
    },
  }
}

/** Goes on after who waits for it has gone. */
async function bringUpToDate(refresh: () => boolean): Promise<boolean> {
  for (let step = 0; step < MOST_STEPS; step++) {
    if (refresh()) return true
    await othersAreHeard()
  }
  return false
}

function waited(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ANSWER_MS).unref())
}

/** The directory itself, not its name: one that was removed and made again is another one. */
function identityOf(store: Store): string {
  return JSON.stringify([store.dir, statOf(store.dir)?.ino ?? null, store.ownership, store.config])
}
