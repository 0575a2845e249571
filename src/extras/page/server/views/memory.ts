/** The memory as the server reads it for all views: files are checked again with each request, expensive results are cached. */

import path from 'node:path'
import { readFacts } from '../../../../core/knowledge/disk/knowledge.ts'
import type { Items } from '../../../../core/knowledge/items.ts'
import { listArchives } from '../../../../core/notes/disk/memory.ts'
import { listNotes } from '../../../../core/notes/disk/note-list.ts'
import { listReceipts } from '../../../../core/receipts/disk/receipts.ts'
import type { ReceiptRow } from '../../../../core/receipts/receipt.ts'
import { openSearcher, type Searcher } from '../../../../core/search/disk/search.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../../kernel/memory/disk/store.ts'
import { statOf } from '../../../../kernel/platform/disk/files.ts'
import {
  BRIEFINGS_DIR,
  FACTS_FILE,
  HOOK_TIMES_FILE,
  id8OfFile,
  JOURNAL_DIR,
  MEMORY_FILE,
  RECALLS_FILE,
} from '../../../../kernel/platform/layout.ts'
import { readSession } from '../../../../kernel/sessions/disk/lineage.ts'
import { countRows, sessionFiles, sessionMark, sessionRowsOf } from '../../../../kernel/sessions/disk/sessions.ts'
import { readForgotten } from '../../../../kernel/sessions/disk/tombstones.ts'
import type { Entry, Tombstone } from '../../../../kernel/transcript/session.ts'
import type { HealthView, NoteItem } from '../api.ts'

export interface MemoryWorld {
  version: string
  /** The system's time zone: an IANA name. */
  timezone: string
  now: () => string
  openStore: () => Store
  /** Started inside Claude Code: there it is unknown whether the user acts, so that nothing is changed. */
  isInside?: boolean
  /** How long an action waits for the lock; by default as long as a command. */
  waitMs?: number
  /** Reads every file of the memory; in another process, because it takes long. */
  examine: () => Promise<HealthView>
}

export interface Memory extends Required<Omit<MemoryWorld, 'openStore' | 'examine'>> {
  /** At most two seconds old: a project may be trusted, moved or configured meanwhile. */
  store(): Store
  /** The store, opened again: used before anything is changed. */
  freshStore(): Store
  /** Counts the rows of all sessions first. The first time takes long; other requests are answered meanwhile. */
  counted(): Promise<Store>
  /** At most some seconds old. */
  health(): Promise<HealthView>
  /** The doctor's last problems and warnings; null: it has not run yet, and is started now. */
  findings(): HealthView['checks'] | null
  /** What was injected into each session, newest first. */
  receipts(): readonly ReceiptRow[]
  search: WarmSearch
  /** Updates the index soon after the first view. */
  prepareSearch(): void
  entriesOf(file: string): readonly (Entry | Tombstone)[]
  /** Newest first. */
  notes(): readonly NoteItem[]
  facts(): Items
  close(): void
}

const STORE_MS = 2_000
const HEALTH_MS = 10_000
/** The first view comes before the doctor and the index. */
const EXAMINE_AFTER_MS = 700
const PREPARE_AFTER_MS = 1_500

export function openMemory(world: MemoryWorld): Memory {
  const { now, openStore, isInside = false, waitMs = COMMAND_WAIT_MS, examine, ...rest } = world
  const time = (): number => Date.parse(now())
  let seen: { at: number; store: Store } | null = null
  let health: { at: number; view: HealthView } | null = null
  let examining: NodeJS.Timeout | null = null
  let preparing: NodeJS.Timeout | null = null
  const store = (): Store => {
    const at = time()
    if (seen === null || at - seen.at > STORE_MS || at < seen.at) seen = { at, store: openStore() }
    return seen.store
  }
  const look = shared(async () => {
    const view = await examine()
    health = { at: time(), view }
    return view
  })
  const counted = shared(async () => {
    const counting = store()
    await inTurns(countRows(counting))
    return counting
  })
  const search = createWarmSearch(store, now)
  /** Errors are reported to the caller that asks for the result. */
  const later = (work: () => Promise<unknown>, ms: number): NodeJS.Timeout =>
    setTimeout(() => work().catch(() => null), ms).unref()
  return {
    ...rest,
    now,
    isInside,
    waitMs,
    store,
    freshStore: () => {
      seen = null
      return store()
    },
    counted,
    health: () => (health !== null && time() - health.at < HEALTH_MS ? Promise.resolve(health.view) : look()),
    findings: () => {
      if (health !== null)
        return health.view.checks.filter(({ verdict }) => verdict === 'problem' || verdict === 'warning')
      examining ??= later(look, EXAMINE_AFTER_MS)
      return null
    },
    search,
    prepareSearch: () => {
      preparing ??= later(() => counted().then(search.searcher), PREPARE_AFTER_MS)
    },
    // Somebody who reads one session asks for its next page.
    entriesOf: lastOf(
      (file) => `${store().dir}\n${file}\n${sessionMark(store(), file)}`,
      (file: string) => readSession(store(), file),
    ),
    receipts: lastOf(
      () => markOf(store(), RECEIPT_FILES),
      () => listReceipts(store()),
    ),
    notes: lastOf(
      () => markOf(store(), [MEMORY_FILE, ...listArchives(store())]),
      () => notesIn(store()),
    ),
    facts: lastOf(
      () => markOf(store(), [FACTS_FILE]),
      () => readFacts(store()),
    ),
    close: () => {
      for (const timer of [examining, preparing]) clearTimeout(timer ?? undefined)
      search.close()
    },
  }
}

/** The files that record what was injected. A directory changes with each new file in it. */
const RECEIPT_FILES = [BRIEFINGS_DIR, HOOK_TIMES_FILE, RECALLS_FILE].map((name) => path.join(JOURNAL_DIR, name))

/** The last result, while its mark is unchanged. */
function lastOf<A extends unknown[], T>(markFor: (...args: A) => string, read: (...args: A) => T): (...args: A) => T {
  let last: { mark: string; value: T } | null = null
  return (...args) => {
    const mark = markFor(...args)
    if (last?.mark !== mark) last = { mark, value: read(...args) }
    return last.value
  }
}

/** All callers wait for the same run while it lasts. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}

/** Changes when one of these files changes. */
export function markOf({ dir }: Store, files: readonly string[]): string {
  const marks = files.map((file) => {
    const stat = statOf(path.join(dir, file))
    return `${file} ${stat?.size} ${stat?.mtimeMs} ${stat?.ino}`
  })
  return [dir, ...marks].join('\n')
}

function notesIn(store: Store): NoteItem[] {
  return listNotes(store).notes.map(({ id, at, text, author, file, session, from, to }) => {
    return { id, at, text, author, file, source: session === null ? null : { session, from, to } }
  })
}

/** The time zone of the page: the user's setting, else the system's. */
export function zoneOf({ config }: Store, system: string): string {
  return config.timezone || system
}

/** The shown sessions, oldest first: a completely forgotten session is left out. */
export function listedFiles(store: Store): string[] {
  const files = sessionFiles(store)
  const { raw: touched } = readForgotten(store)
  if (touched.size === 0) return files
  const rows = [...sessionRowsOf(store, touched).values()]
  const emptied = new Set(rows.filter(({ startedAt }) => startedAt === '').map(({ id }) => id))
  return files.filter((file) => !emptied.has(id8OfFile(file) ?? ''))
}

/** During long work, other requests are answered at least this often. */
const TURN_MS = 60

async function inTurns(pieces: Iterable<void>): Promise<void> {
  let began = performance.now()
  for (const _ of pieces) {
    if (performance.now() - began < TURN_MS) continue
    await othersAreHeard()
    began = performance.now()
  }
}

function othersAreHeard(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export interface WarmSearch {
  /** Not complete: a large memory is being read for the first time, and the answer comes from the part already read. */
  searcher(): Promise<{ searcher: Searcher; isComplete: boolean }>
  /** The next call opens a new searcher. */
  forget(): void
  close(): void
}

/** Each step first lists all files: its budget must be larger than that takes. */
const STEP_MS = 250
const STEP_MS_PER_FILE = 0.15
/** Enough for a million entries; then the answer comes from what was read. */
const MOST_STEPS = 2_000
/** A first answer takes at most this long. */
const ANSWER_MS = 700
/** While somebody types, the index is not compared with the files for every letter: each search checks for new entries itself. */
const COMPLETE_MS = 2_000

function createWarmSearch(storeNow: () => Store, now: () => string): WarmSearch {
  let warm: { of: string; searcher: Searcher; completeAt: number } | null = null
  let isReading = false
  let isClosed = false
  const forget = (): void => {
    warm?.searcher.close()
    warm = null
  }
  const warmUp = (): NonNullable<typeof warm> => {
    const store = storeNow()
    // Compares the inode too: a directory that was deleted and created again is another one.
    const of = JSON.stringify([store.dir, statOf(store.dir)?.ino ?? null, store.ownership, store.config])
    if (warm?.of === of) return warm
    forget()
    const budgetMs = STEP_MS + STEP_MS_PER_FILE * sessionFiles(store).length
    const searcher = openSearcher(store, { cacheDir: store.places.cacheDir, now, budgetMs })
    warm = { of, searcher, completeAt: Number.NEGATIVE_INFINITY }
    return warm
  }
  /** Continues after ANSWER_MS for the next search. */
  const read = shared(async () => {
    isReading = true
    try {
      for (let step = 0; step < MOST_STEPS; step++) {
        if (isClosed || warmUp().searcher.index.refresh()) return true
        await othersAreHeard()
      }
      return false
    } catch (error) {
      forget()
      throw error
    } finally {
      isReading = false
    }
  })
  return {
    searcher: async () => {
      const at = Date.parse(now())
      const { completeAt } = warmUp()
      const isFresh = !isReading && at >= completeAt && at - completeAt < COMPLETE_MS
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

function waited(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ANSWER_MS).unref())
}
