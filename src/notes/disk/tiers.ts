/** Tiers on disk: summaries of old sessions are combined by week, then by month, and the entries of old sessions are compressed. */
import path from 'node:path'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Facts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import { COMMAND_WAIT_MS, type Store, sessionPath } from '../../memory/disk/store.ts'
import { entriesInSummary } from '../../outgoing/session-summary.ts'
import { type Choice, selectLines } from '../../outgoing/tier-select.ts'
import { blockOf } from '../../outgoing/tier-source.ts'
import { readOwnText, syncDir } from '../../platform/disk/files.ts'
import { isAlive } from '../../platform/disk/lock.ts'
import { SESSIONS_DIR } from '../../platform/layout.ts'
import { inPieces } from '../../sessions/disk/batches.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { packSessions } from '../../sessions/disk/session-archive.ts'
import { EMPTY_TIER, formatTier, mergeBlocks, mergeHand, parseTier, type Tier, type TierBlock } from '../tier.ts'
import { monthOf, type Period, periodOf } from '../tier-period.ts'
import { isOldSession, markOfSummary, type OldSummary, planTiers, type TierAround } from './tier-plan.ts'

export interface AgeOptions {
  now: string
  /** Asked between pieces; what is left is done the next time. */
  isLate: () => boolean
}

/** What was written: the names of weeks and months below `sessions/`, and of session files. */
export interface Aged {
  weeks: string[]
  months: string[]
  compressed: string[]
}

/** Summaries that are combined in one hold of the lock: a hook waits a quarter of a second for it, and each piece weighs the whole month. */
const COMBINED = 40
/** Of the room that a summary has, so much is left for the words of a session. */
const WEEK_SHARE = 0.4
const MONTH_SHARE = 0.16
const LEAST_TOKENS = 30

/**
 * Does what is due, piece by piece: a hook waits for one piece at most. The combination is on disk before what it was made
 * of goes; killed in between, it is made again from the same and says the same.
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
  const isDue = plan.rolls.length + plan.combinations.length > 0
  const quotes: Quotes = isDue ? quotesIn(readFacts(store)) : new Map()
  for (const { week } of plan.rolls) {
    if (isLate()) return aged
    note(store.whileLocked(COMMAND_WAIT_MS, () => rollWeek(store, week, quotes))?.value ?? [])
  }
  for (const { period, summaries } of plan.combinations) {
    for (const piece of inPieces(summaries, COMBINED)) {
      if (isLate()) return aged
      note(combine(store, period, piece, { ...around, quotes }))
    }
  }
  const isStillOld = (file: string): boolean => isOldSession(store, file, 'monthly', around)
  for (const piece of inPieces(plan.compressed)) {
    if (isLate()) return aged
    aged.compressed.push(...packSessions(store, piece, COMMAND_WAIT_MS, isStillOld))
  }
  return aged
}

/** The words that prove what holds, by session (id8). */
type Quotes = ReadonlyMap<string, readonly string[]>

function quotesIn(facts: Facts): Quotes {
  const quotes = new Map<string, string[]>()
  for (const { session, evidence } of allFacts(facts).filter(isLive)) {
    const known = quotes.get(session)
    if (known === undefined) quotes.set(session, [evidence.quote])
    else known.push(evidence.quote)
  }
  return quotes
}

/** Summaries and sessions are read before the lock is taken; what changed meanwhile waits for the next time. */
function combine(
  store: Store,
  period: Period,
  summaries: readonly OldSummary[],
  around: TierAround & { quotes: Quotes },
): string[] {
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
    const isWritten = putInto(store, period, { blocks: same.map(({ block }) => block), hand: [] }, around.quotes)
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

/** Each session goes to the month in which it began. Returns the months that were written. */
function rollWeek(store: Store, week: Period, quotes: Quotes): string[] {
  const tier = readTier(store, week)
  const home = monthOf(week.from)
  if (tier === null || home === null) return []
  const months = new Map<string, { period: Period; blocks: TierBlock[] }>([[home.file, { period: home, blocks: [] }]])
  for (const block of tier.blocks) {
    const period = monthOf(block.at) ?? home
    const month = months.get(period.file)
    if (month === undefined) months.set(period.file, { period, blocks: [block] })
    else month.blocks.push(block)
  }
  const written = [...months.values()].filter(({ period, blocks }) => {
    const hand = period === home ? tier.hand : []
    return (blocks.length > 0 || hand.length > 0) && putInto(store, period, { blocks, hand }, quotes)
  })
  store.perform([{ do: 'remove', path: sessionPath(week.file) }])
  return written.map(({ period }) => period.file)
}

/** False: it says that already. When this returns, what it says is on disk for good. */
function putInto(store: Store, period: Period, fresh: Tier, quotes: Quotes): boolean {
  const before = readTier(store, period) ?? EMPTY_TIER
  const isFresh = new Set(fresh.blocks.map(({ id8 }) => id8))
  const around = before.blocks.filter(({ id8 }) => !isFresh.has(id8))
  const room = store.config.summaryMaxTokens
  const tier: Tier = {
    blocks: mergeBlocks(before.blocks, shortened(period, room, fresh.blocks, around, quotes)),
    hand: mergeHand(before.hand, fresh.hand),
  }
  const file = path.join(store.dir, sessionPath(period.file))
  const text = formatTier(period, tier)
  const isNew = readOwnText(file) !== text
  if (isNew) store.perform([{ do: 'write', path: sessionPath(period.file), text }])
  syncDir(path.dirname(file))
  return isNew
}

/** What goes into a month was short enough for a week before, whether or not it stood in one. */
function shortened(
  period: Period,
  room: number,
  blocks: readonly TierBlock[],
  around: readonly Choice[],
  quotes: Quotes,
): TierBlock[] {
  const shorten = (all: readonly TierBlock[], share: number): TierBlock[] => {
    const choices = all.map(({ id8, lines }): Choice => ({ lines, quotes: quotes.get(id8) ?? [] }))
    const lines = selectLines(choices, around, Math.max(LEAST_TOKENS, Math.floor(room * share)))
    return all.map((block, i) => ({ ...block, lines: lines[i] ?? [] }))
  }
  const weekly = shorten(blocks, WEEK_SHARE)
  return period.is === 'week' ? weekly : shorten(weekly, MONTH_SHARE)
}

function readTier(store: Store, period: Period): Tier | null {
  const text = readOwnText(path.join(store.dir, SESSIONS_DIR, period.file))
  return text === null ? null : parseTier(period, text)
}
