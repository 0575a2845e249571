/** The memory as the server reads it for all views: files are looked at again with each request, expensive results are kept. */
import path from 'node:path'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { listArchives } from '../../notes/disk/memory.ts'
import { listNotes } from '../../notes/disk/note-list.ts'
import { statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { id8OfFile, MEMORY_FILE } from '../../platform/layout.ts'
import { openSearcher, type Searcher } from '../../search/disk/search.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { countRows, sessionFiles, sessionMark, sessionRowsOf } from '../../sessions/disk/sessions.ts'
import { readForgotten } from '../../sessions/disk/tombstones.ts'
import type { Entry, Tombstone } from '../../transcript/session.ts'
import type { HealthView, NoteItem } from '../api.ts'

export interface MemoryWorld {
  version: string
  /** Of the system: an IANA name. */
  timezone: string
  now: () => string
  openStore: () => Store
  /** Started inside Claude Code: nobody can tell there whether it is the user who asks, so nothing is changed. */
  isInside?: boolean
  /** So long an action waits for the lock; as long as a command waits, without this. */
  waitMs?: number
  /** Reads every file of the memory; in another process, since it takes long. */
  examine: () => Promise<HealthView>
}

export interface Memory extends Required<Omit<MemoryWorld, 'openStore' | 'examine'>> {
  /** At most two seconds old: a project may be trusted, moved or configured meanwhile. */
  store(): Store
  /** As it is now: before anything is changed. */
  freshStore(): Store
  /** Counts the rows of all sessions first; the first time takes long, and other requests are answered meanwhile. */
  counted(): Promise<Store>
  /** At most some seconds old. */
  health(): Promise<HealthView>
  /** How many checks of the doctor are not `ok`; null: it has not run yet, and is started now. */
  findings(): number | null
  search: WarmSearch
  /** Brings the index up to date soon after the first view. */
  prepareSearch(): void
  entriesOf(file: string): readonly (Entry | Tombstone)[]
  /** Newest first. */
  notes(): readonly NoteItem[]
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
  /** What goes wrong is reported to whoever asks for the result. */
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
      if (health !== null) return health.view.checks.filter(({ verdict }) => verdict !== 'ok').length
      examining ??= later(look, EXAMINE_AFTER_MS)
      return null
    },
    search,
    prepareSearch: () => {
      preparing ??= later(() => counted().then(search.searcher), PREPARE_AFTER_MS)
    },
    // Whoever reads one session asks for its next page.
    entriesOf: lastOf(
      (file) => `${store().dir}\n${file}\n${sessionMark(store(), file)}`,
      (file: string) => readSession(store(), file),
    ),
    notes: lastOf(
      () => markOf(store(), [MEMORY_FILE, ...listArchives(store())]),
      () => notesIn(store()),
    ),
    close: () => {
      for (const timer of [examining, preparing]) clearTimeout(timer ?? undefined)
      search.close()
    },
  }
}

/** The last result, as long as its mark is the same. */
function lastOf<A extends unknown[], T>(markFor: (...args: A) => string, read: (...args: A) => T): (...args: A) => T {
  let last: { mark: string; value: T } | null = null
  return (...args) => {
    const mark = markFor(...args)
    if (last?.mark !== mark) last = { mark, value: read(...args) }
    return last.value
  }
}

/** While it runs, everybody who asks waits for the same run. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}

/** Changes when one of these files does. */
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

/** The time zone of the page: as the user has set it, else the system's. */
export function zoneOf({ config }: Store, system: string): string {
  return config.timezone || system
}

/** Sessions that are shown, oldest first: one of which every entry was forgotten is left out. */
export function listedFiles(store: Store): string[] {
  const files = sessionFiles(store)
  const { raw: touched } = readForgotten(store)
  if (touched.size === 0) return files
  const rows = [...sessionRowsOf(store, touched).values()]
  const emptied = new Set(rows.filter(({ startedAt }) => startedAt === '').map(({ id }) => id))
  return files.filter((file) => !emptied.has(id8OfFile(file) ?? ''))
}

/** Other requests are answered at least so often during long work. */
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
  /** Not complete: a large memory is read for the first time, and the answer comes from what is read. */
  searcher(): Promise<{ searcher: Searcher; isComplete: boolean }>
  /** The next searcher is a new one. */
  forget(): void
  close(): void
}

/** A step of reading lists all files before: it must take longer than that. */
const STEP_MS = 250
const STEP_MS_PER_FILE = 0.15
/** Enough for a million entries; then the answer comes from what was read. */
const MOST_STEPS = 2_000
/** Somebody who types waits no longer for a first answer. */
const ANSWER_MS = 700
/** While somebody types, the index is not compared with the files for every letter: a search looks for what is new by itself. */
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
    // The directory itself, not its name: one that was removed and made again is another one.
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

/** What a request asks for, behind the name of its view. */

export interface Asked {
  /** What stands behind the view's name in the path, decoded; empty: nothing. */
  name: string
  query: URLSearchParams
}

/** `session/1a2b3c4d` is the view `session` of that one; null: no path of ours. */
export function parseAsked(path: string, query: string): { view: string; asked: Asked } | null {
  const [view = '', ...rest] = path.split('/')
  try {
    const name = rest.map(decodeURIComponent).join('/')
    return { view: rest.length === 0 ? view : `${view}/`, asked: { name, query: new URLSearchParams(query) } }
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

/** Never more than `most`, whatever is asked for. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { usual, most }: { usual: number; most: number },
): number {
  const given = query.get(name)
  if (given === null || given === '') return usual
  if (!/^\d{1,15}$/.test(given)) throw new KeeperError('usage', `${name} takes a whole number.`)
  return Math.min(Number(given), most)
}

/** Undefined: it is not asked for. */
export function textIn(query: URLSearchParams, name: string): string | undefined {
  return query.get(name)?.trim() || undefined
}
