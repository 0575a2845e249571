/** The memory as the server holds it between two requests: its files are looked at anew, what is costly stays warm. */

import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { statOf } from '../../platform/disk/files.ts'
import { openSearcher, type Searcher } from '../../search/disk/search.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { countRows, sessionMark } from '../../sessions/disk/session-rows.ts'
import { sessionFiles } from '../../sessions/disk/sessions.ts'
import type { Entry, Tombstone } from '../../transcript/session.ts'
import type { HealthView } from '../api.ts'
import { inTurns, othersAreHeard } from './turns.ts'

export interface Memory {
  version: string
  /** The system's. */
  timezone: string
  now: () => string
  /** Nothing is changed from here, whoever asks. */
  isInside: boolean
  /** So long an action waits for whoever else writes. */
  waitMs: number
  /** As it was at most two seconds ago: a project may be trusted, moved or configured meanwhile. */
  store(): Store
  /** As it is now: before anything is changed. */
  freshStore(): Store
  /** All rows of sessions are counted; the first time takes long, and others are answered meanwhile. */
  counted(): Promise<Store>
  examined: Examined
  search: WarmSearch
  /** Somebody may search soon: what has to be read for it is read behind the first view. */
  prepareSearch(): void
  entriesOf(file: string): readonly (Entry | Tombstone)[]
  close(): void
}

export interface MemoryWorld {
  version: string
  /** The system's: an IANA name. */
  timezone: string
  now: () => string
  openStore: () => Store
  /** Started by what runs inside Claude Code: nobody can tell there whether it is the user who asks. */
  isInside?: boolean
  /** As long as a command waits, without this. */
  waitMs?: number
  /** All about its health; in another process, where it takes long. */
  examine: () => Promise<HealthView>
}

const STORE_MS = 2_000
/** Somebody else is heard at least so often. */
const TURN_MS = 60
const PREPARE_MS = 1_500
/** Whoever reads one session asks for its next page. */
const KEPT_SESSIONS = 3

export function openMemory(world: MemoryWorld): Memory {
  const { version, timezone, now, openStore, isInside = false, waitMs = COMMAND_WAIT_MS, examine } = world
  let seen: { at: number; store: Store } | null = null
  let counting: Promise<Store> | null = null
  let preparing: NodeJS.Timeout | null = null
  const sessions: KeptSessions = new Map()
  const store = (): Store => {
    const at = Date.parse(now())
    if (seen === null || at - seen.at > STORE_MS || at < seen.at) seen = { at, store: openStore() }
    return seen.store
  }
  const search = createWarmSearch(store, now)
  const counted = (): Promise<Store> => {
    counting ??= countAll(store()).finally(() => {
      counting = null
    })
    return counting
  }
  return {
    version,
    timezone,
    now,
    isInside,
    waitMs,
    store,
    freshStore: () => {
      seen = null
      return store()
    },
    counted,
    examined: createExamined(examine, () => Date.parse(now())),
    search,
    prepareSearch: () => {
      // What goes wrong is told to whoever searches.
      const prepare = (): unknown =>
        counted()
          .then(search.searcher)
          .catch(() => null)
      preparing ??= setTimeout(prepare, PREPARE_MS).unref()
    },
    entriesOf: (file) => entriesIn(store(), sessions, file),
    close: () => {
      clearTimeout(preparing ?? undefined)
      search.close()
    },
  }
}

/** Which days and times the page tells: as the user has set it, else the system's. */
export function zoneOf({ config }: Store, system: string): string {
  return config.timezone || system
}

async function countAll(store: Store): Promise<Store> {
  await inTurns(countRows(store), TURN_MS)
  return store
}

type KeptSessions = Map<string, { mark: string; entries: readonly (Entry | Tombstone)[] }>

function entriesIn(store: Store, kept: KeptSessions, file: string): readonly (Entry | Tombstone)[] {
  const key = `${store.dir}\n${file}`
  const mark = sessionMark(store, file)
  const known = kept.get(key)
  if (known?.mark === mark) return known.entries
  const entries = readSession(store, file)
  kept.delete(key)
  kept.set(key, { mark, entries })
  for (const old of kept.keys()) if (kept.size > KEPT_SESSIONS) kept.delete(old)
  return entries
}

export interface Examined {
  /** At most some seconds old. */
  health(): Promise<HealthView>
  /** Findings that are no `ok`; null: nobody has looked yet, and somebody does now. */
  findings(): number | null
}

/** For so long the same is told. */
const FRESH_MS = 10_000
/** The first view comes first. */
const LATER_MS = 700

function createExamined(examine: () => Promise<HealthView>, now: () => number): Examined {
  let last: { at: number; health: HealthView } | null = null
  let looking: Promise<HealthView> | null = null
  let isPlanned = false
  const look = (): Promise<HealthView> => {
    looking ??= examine()
      .then((health) => {
        last = { at: now(), health }
        return health
      })
      .finally(() => {
        looking = null
      })
    return looking
  }
  return {
    health: () => (last !== null && now() - last.at < FRESH_MS ? Promise.resolve(last.health) : look()),
    findings: () => {
      if (last !== null) return last.health.checks.filter(({ verdict }) => verdict !== 'ok').length
      // What goes wrong is told where health is asked for.
      if (!isPlanned) setTimeout(() => look().catch(() => null), LATER_MS).unref()
      isPlanned = true
      return null
    },
  }
}

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

function createWarmSearch(storeNow: () => Store, now: () => string): WarmSearch {
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
