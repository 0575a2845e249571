/** Tiers on disk: combines summaries of old sessions by week, then by month, and compresses the entries of old sessions. */

import path from 'node:path'
import { COMMAND_WAIT_MS, type Store, sessionPath } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, type State } from '../../../kernel/memory/state.ts'
import { list, readOwnText, statOf, syncDir } from '../../../kernel/platform/disk/files.ts'
import { isAlive } from '../../../kernel/platform/disk/lock.ts'
import { ARCHIVE_DIR, id8OfFile, SESSIONS_DIR, sessionSummaryFile } from '../../../kernel/platform/layout.ts'
import { parseStamp } from '../../../kernel/platform/time.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { canPack, packSessions } from '../../../kernel/sessions/disk/session-archive.ts'
import { inPieces } from '../../../kernel/sessions/disk/sessions.ts'
import { grouped } from '../../../kernel/text/figures.ts'
import { compareText } from '../../../kernel/text/memory-words.ts'
import { isOver } from '../pending.ts'
import { entriesInSummary } from '../summary.ts'
import {
  blockOf,
  EMPTY_TIER,
  formatTier,
  mergeBlocks,
  mergeHand,
  parseTier,
  sessionsIn,
  shortenBlock,
  type Tier,
  type TierBlock,
} from '../tier.ts'
import { monthOf, type Period, periodOf, weekOf } from '../tier-period.ts'

export interface AgeOptions {
  now: string
  /** Checked between pieces; the rest is done next time. */
  isLate: () => boolean
}

/** What was written: the names of weeks and months below `sessions/`, and of session files. */
export interface Aged {
  weeks: string[]
  months: string[]
  compressed: string[]
}

/** The number of summaries per hold of the lock: a hook waits a quarter of a second for it, and each piece rewrites the whole month. */
const COMBINED = 40
/** The share of a summary's room that a session gets in a week or month. */
const WEEK_SHARE = 0.4
const MONTH_SHARE = 0.16
const LEAST_TOKENS = 30

/**
 * Does the due work piece by piece: a hook waits for one piece at most. The combination is on disk before its sources are deleted;
 * after a kill in between, it is rebuilt from the same sources with the same result.
 */
export function ageTiers(store: Store, { now, isLate }: AgeOptions): Aged {
  const aged: Aged = { weeks: [], months: [], compressed: [] }
  const note = (files: readonly string[]): void => {
    for (const file of files) {
      const names = periodOf(file)?.is === 'week' ? aged.weeks : aged.months
      if (!names.includes(file)) names.push(file)
    }
  }
  const around = { now, isAlive }
  const plan = planTiers(store, around)
  for (const { week } of plan.rolls) {
    if (isLate()) return aged
    note(store.whileLocked(COMMAND_WAIT_MS, () => rollWeek(store, week))?.value ?? [])
  }
  for (const { period, summaries } of plan.combinations) {
    for (const piece of inPieces(summaries, COMBINED)) {
      if (isLate()) return aged
      note(combine(store, period, piece, around))
    }
  }
  const isStillOld = (file: string): boolean => isOldSession(store, file, 'monthly', around)
  for (const piece of inPieces(plan.compressed)) {
    if (isLate()) return aged
    aged.compressed.push(...packSessions(store, piece, COMMAND_WAIT_MS, isStillOld))
  }
  return aged
}

/** Reads summaries and sessions before taking the lock; those that changed meanwhile wait for the next time. */
function combine(store: Store, period: Period, summaries: readonly OldSummary[], around: TierAround): string[] {
  const read = summaries.flatMap((summary) => {
    const block = blockOfSummary(store, summary)
    return block === null ? [] : [{ summary, block }]
  })
  const held = store.whileLocked(COMMAND_WAIT_MS, () => {
    const same = read.filter(
      ({ summary }) =>
        markOfSummary(store, summary.file) === summary.mark && isOldSession(store, summary.session, 'weekly', around),
    )
    if (same.length === 0) return []
    const isWritten = putInto(store, period, { blocks: same.map(({ block }) => block), hand: [] })
    store.perform(same.map(({ summary }) => ({ do: 'remove', path: sessionPath(summary.file) })))
    return isWritten ? [period.file] : []
  })
  return held?.value ?? []
}

function blockOfSummary(store: Store, { file, session, id8, at }: OldSummary): TierBlock | null {
  const text = readOwnText(path.join(store.dir, sessionPath(file)))
  if (text === null) return null
  const entries = readSession(store, session)
  return blockOf({ id8, at, entries: entriesInSummary(text) ?? entries.length, text }, entries)
}

/** Each session goes to the month in which it began. Returns the written months. */
function rollWeek(store: Store, week: Period): string[] {
  const tier = readTier(store, week)
  const home = monthOf(week.from)
  if (tier === null || home === null) return []
  const months = grouped(tier.blocks, ({ at }) => (monthOf(at) ?? home).file)
  const written = [...new Set([home.file, ...months.keys()])].filter((file) => {
    const [blocks, hand] = [months.get(file) ?? [], file === home.file ? tier.hand : []]
    return blocks.length + hand.length > 0 && putInto(store, periodOf(file) ?? home, { blocks, hand })
  })
  store.perform([{ do: 'remove', path: sessionPath(week.file) }])
  return written
}

/** False: the content is unchanged. On return, the content is synced to disk. */
function putInto(store: Store, period: Period, fresh: Tier): boolean {
  const before = readTier(store, period) ?? EMPTY_TIER
  const room = store.config.summaryMaxTokens
  const tier: Tier = {
    blocks: mergeBlocks(before.blocks, shortened(period, room, fresh.blocks)),
    hand: mergeHand(before.hand, fresh.hand),
  }
  const file = path.join(store.dir, sessionPath(period.file))
  const text = formatTier(period, tier)
  const isNew = readOwnText(file) !== text
  if (isNew) store.perform([{ do: 'write', path: sessionPath(period.file), text }])
  syncDir(path.dirname(file))
  return isNew
}

/** A block for a month is first shortened as for a week, whether or not it was in one. */
function shortened(period: Period, room: number, blocks: readonly TierBlock[]): TierBlock[] {
  const within = (share: number) => (block: TierBlock) =>
    shortenBlock(block, Math.max(LEAST_TOKENS, Math.floor(room * share)))
  const weekly = blocks.map(within(WEEK_SHARE))
  return period.is === 'week' ? weekly : weekly.map(within(MONTH_SHARE))
}

function readTier(store: Store, period: Period): Tier | null {
  const text = readOwnText(path.join(store.dir, SESSIONS_DIR, period.file))
  return text === null ? null : parseTier(period, text)
}

const DAY_MS = 24 * 60 * 60_000

export interface TierAround {
  now: string
  isAlive: (pid: number) => boolean
  /** Session files whose summaries are about to be written. */
  upcoming?: ReadonlySet<string>
}

/** A summary that is old enough to be combined with others. */
export interface OldSummary {
  /** Its name in `sessions/`. */
  file: string
  /** The session file it belongs to. */
  session: string
  id8: string
  at: string
  /** Changes whenever the file changes; empty: not written yet. */
  mark: string
}

export interface TierPlan {
  /** Weeks to be moved into the months in which their sessions began. */
  rolls: { week: Period; months: string[] }[]
  combinations: { period: Period; summaries: OldSummary[] }[]
  /** The session files to compress. */
  compressed: string[]
}

/** Oldest first. */
export function planTiers(store: Store, around: TierAround): TierPlan {
  const tiers = readTiers(store)
  const limit = limitOf(store, around.now, 'monthly')
  const isOldWeek = (week: Period): boolean => week.is === 'week' && Date.parse(week.to) <= limit
  const inMonth = new Map(
    tiers.flatMap(({ period, held }) => (period.is === 'month' ? [...held.keys()].map((id8) => [id8, period]) : [])),
  )
  const combinations = new Map<string, TierPlan['combinations'][number]>()
  for (const summary of oldSummaries(store, around)) {
    const week = weekOf(summary.at)
    const period = inMonth.get(summary.id8) ?? (week !== null && isOldWeek(week) ? monthOf(summary.at) : week)
    if (period === null) continue
    const known = combinations.get(period.file)
    if (known === undefined) combinations.set(period.file, { period, summaries: [summary] })
    else known.summaries.push(summary)
  }
  return {
    rolls: tiers
      .filter(({ period }) => isOldWeek(period))
      .map(({ period, held }) => ({ week: period, months: monthsOf(held) })),
    combinations: [...combinations.values()].sort((a, b) => compareText(a.period.from, b.period.from)),
    compressed: namesIn(store).filter(
      (file) => isOldSession(store, file, 'monthly', around) && canPack(store.dir, file),
    ),
  }
}

/** The sessions that a week or month contains. */
export function sessionsInTiers(store: Store): Set<string> {
  return new Set(readTiers(store).flatMap(({ held }) => [...held.keys()]))
}

type Age = 'weekly' | 'monthly'

/**
 * The session has had no entry for long. A running session, or one whose summary is incomplete, is not old. The age counts
 * from the last entry, so that a session that keeps continuing stays as it is.
 */
function isOldSession(store: Store, file: string, age: Age, { now, isAlive, upcoming }: TierAround): boolean {
  const began = beganAt(file)
  if (began === null) return false
  const limit = limitOf(store, now, age)
  if (Date.parse(began) >= limit) return false
  const session = sessionOf(store, file)
  if (session === null) return true
  const isSummed = session.summed >= session.entries || upcoming?.has(file) === true
  return (Date.parse(session.refine.ts) || 0) < limit && isSummed && isOver(session, now, isAlive)
}

/** Null: not a file of ours. */
function markOfSummary(store: Store, file: string): string | null {
  const stat = statOf(path.join(store.dir, SESSIONS_DIR, file))
  return stat?.kind === 'file' ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : null
}

const SUMMARY = /^\d{8}_\d{6}_[0-9a-z]{8}\.md$/

function oldSummaries(store: Store, around: TierAround): OldSummary[] {
  const upcoming = [...(around.upcoming ?? [])].map(sessionSummaryFile)
  const names = new Set([...namesIn(store).filter((name) => SUMMARY.test(name)), ...upcoming])
  return [...names].sort().flatMap((file): OldSummary[] => {
    const session = file.replace(/\.md$/, '.l1.jsonl')
    const at = beganAt(session)
    const mark = markOfSummary(store, file) ?? (upcoming.includes(file) ? '' : null)
    if (at === null || mark === null || !isOldSession(store, session, 'weekly', around)) return []
    return [{ file, session, id8: id8OfFile(session) ?? '', at, mark }]
  })
}

interface HeldTier {
  period: Period
  /** Session ids, with the start of each session. */
  held: ReadonlyMap<string, string>
}

function readTiers(store: Store): HeldTier[] {
  const months = list(path.join(store.dir, SESSIONS_DIR, ARCHIVE_DIR)).map((name) => `${ARCHIVE_DIR}/${name}`)
  return [...namesIn(store), ...months].flatMap((name): HeldTier[] => {
    const period = periodOf(name)
    const text = period === null ? null : readOwnText(path.join(store.dir, SESSIONS_DIR, name))
    return period === null || text === null ? [] : [{ period, held: sessionsIn(text) }]
  })
}

function monthsOf(held: ReadonlyMap<string, string>): string[] {
  return [...new Set([...held.values()].flatMap((at) => monthOf(at)?.file ?? []))].sort()
}

function namesIn(store: Store): string[] {
  return list(path.join(store.dir, SESSIONS_DIR))
}

/** By session file, cached per reading of the state: a thousand of them are looked up. */
const byFile = new WeakMap<State, ReadonlyMap<string, SessionState>>()

function sessionOf(store: Store, file: string): SessionState | null {
  const state = store.readState()
  const known = byFile.get(state) ?? new Map(allSessions(state).map(([, session]) => [session.file, session]))
  byFile.set(state, known)
  return known.get(file) ?? null
}

/** The start time in the name of a session file; null: not a session file. */
function beganAt(file: string): string | null {
  return id8OfFile(file) === null ? null : parseStamp(file)
}

/** Sessions older than this time are due. */
function limitOf(store: Store, now: string, age: Age): number {
  const { weeklyAfterDays, monthlyAfterDays } = store.config
  return Date.parse(now) - Number(age === 'weekly' ? weeklyAfterDays : monthlyAfterDays) * DAY_MS
}
