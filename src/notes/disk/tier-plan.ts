/** What is due: which summaries are old enough for which week or month, which weeks for their months, which sessions to be compressed. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions, type State } from '../../memory/state.ts'
import { list, readOwnText, statOf } from '../../platform/disk/files.ts'
import { ARCHIVE_DIR, id8OfFile, SESSIONS_DIR, sessionSummaryFile } from '../../platform/layout.ts'
import { canPack } from '../../sessions/disk/session-archive.ts'
import { compareText } from '../../text/memory-words.ts'
import { isOver } from '../pending.ts'
import { sessionsIn } from '../tier.ts'
import { monthOf, type Period, periodOf, weekOf } from '../tier-period.ts'

const DAY_MS = 24 * 60 * 60_000

export interface TierAround {
  now: string
  isAlive: (pid: number) => boolean
  /** Session files whose summaries are about to be written. */
  upcoming?: ReadonlySet<string>
}

/** A summary that is old enough to be combined with others. */
export interface OldSummary {
  /** In `sessions/`. */
  file: string
  /** The session file that it is about. */
  session: string
  id8: string
  at: string
  /** Changes whenever the file does; empty: it is not written yet. */
  mark: string
}

export interface TierPlan {
  /** Weeks that go into the months in which their sessions began. */
  rolls: { week: Period; months: string[] }[]
  combinations: { period: Period; summaries: OldSummary[] }[]
  /** Session files. */
  compressed: string[]
}

/** The oldest first. */
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

/** Sessions that a week or month tells of. */
export function sessionsInTiers(store: Store): Set<string> {
  return new Set(readTiers(store).flatMap(({ held }) => [...held.keys()]))
}

type Age = 'weekly' | 'monthly'

/**
 * Nothing came for long: one that is running, or whose summary does not tell of all of it, is left alone. The age counts
 * from the last entry, so that what goes on again and again stays as it is.
 */
export function isOldSession(store: Store, file: string, age: Age, { now, isAlive, upcoming }: TierAround): boolean {
  const began = beganAt(file)
  if (began === null) return false
  const limit = limitOf(store, now, age)
  if (Date.parse(began) >= limit) return false
  const session = sessionOf(store, file)
  if (session === null) return true
  const isSummed = session.summed >= session.entries || upcoming?.has(file) === true
  return (Date.parse(session.refine.ts) || 0) < limit && isSummed && isOver(session, now, isAlive)
}

/** Null: no file of ours. */
export function markOfSummary(store: Store, file: string): string | null {
  const facts = statOf(path.join(store.dir, SESSIONS_DIR, file))
  return facts?.kind === 'file' ? `${facts.size} ${facts.mtimeMs} ${facts.ino}` : null
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
  /** When its sessions began. */
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

/** By session file, for one reading of the state: a thousand of them are asked for. */
const byFile = new WeakMap<State, ReadonlyMap<string, SessionState>>()

function sessionOf(store: Store, file: string): SessionState | null {
  const state = store.readState()
  const known = byFile.get(state) ?? new Map(allSessions(state).map(([, session]) => [session.file, session]))
  byFile.set(state, known)
  return known.get(file) ?? null
}

const SESSION = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_[0-9a-z]{8}\.l1\.jsonl$/

/** As its name says; null: that is no time. */
function beganAt(file: string): string | null {
  const [, year, month, day, hour, minute, second] = SESSION.exec(file) ?? []
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  // A day that its month does not have would be told as another one.
  return new Date(Date.parse(at) || 0).toISOString() === at ? at : null
}

/** What is older is due. */
function limitOf(store: Store, now: string, age: Age): number {
  const { weeklyAfterDays, monthlyAfterDays } = store.config
  return Date.parse(now) - Number(age === 'weekly' ? weeklyAfterDays : monthlyAfterDays) * DAY_MS
}
