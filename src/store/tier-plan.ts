/** What is due: which summaries are old enough for which week or month, which weeks for their months, which sessions to be compressed. */
import path from 'node:path'
import { id8OfFile, SESSIONS_DIR } from '../core/layout.ts'
import { compareText } from '../core/memory-words.ts'
import { isOver } from '../core/pending.ts'
import { type SessionState, sessionIn } from '../core/state.ts'
import { sessionsIn } from '../core/tier.ts'
import { ARCHIVE_DIR, monthOf, type Period, periodOf, weekOf } from '../core/tier-period.ts'
import { factsOf, list, readOwnText } from './files.ts'
import { canPack } from './session-archive.ts'
import type { Store } from './store.ts'

const DAY_MS = 24 * 60 * 60_000

type IsAlive = (pid: number) => boolean
type Age = 'weekly' | 'monthly'

/** A summary that is old enough to be combined with others. */
export interface OldSummary {
  /** In `sessions/`. */
  file: string
  /** The session file that it is about. */
  session: string
  id8: string
  at: string
  /** Changes whenever the file does. */
  mark: string
}

export interface TierPlan {
  /** Weeks that go into their months. */
  rolls: { week: Period; sessions: string[] }[]
  combinations: { period: Period; summaries: OldSummary[] }[]
  /** Session files. */
  compressed: string[]
}

export function planTiers(store: Store, now: string, isAlive: IsAlive): TierPlan {
  const tiers = readTiers(store)
  const monthsHold = new Map(
    tiers
      .filter(({ period }) => period.is === 'month')
      .flatMap(({ period, held }) => [...held.keys()].map((id8) => [id8, period])),
  )
  const limit = before(store, now, 'monthly')
  const isOldWeek = (week: Period): boolean => Date.parse(week.to) <= limit
  const combinations = new Map<string, TierPlan['combinations'][number]>()
  for (const summary of oldSummaries(store, now, isAlive)) {
    const week = weekOf(summary.at)
    const period = monthsHold.get(summary.id8) ?? (week !== null && isOldWeek(week) ? monthOf(summary.at) : week)
    if (period === null) continue
    const known = combinations.get(period.file)
    if (known === undefined) combinations.set(period.file, { period, summaries: [summary] })
    else known.summaries.push(summary)
  }
  return {
    rolls: tiers
      .filter(({ period }) => period.is === 'week' && isOldWeek(period))
      .map(({ period, held }) => ({ week: period, sessions: [...held.keys()] })),
    combinations: [...combinations.values()].sort((a, b) => compareText(a.period.from, b.period.from)),
    compressed: namesIn(store).filter(
      (name) => SESSION.test(name) && isOldSession(store, name, now, isAlive) && canPack(store.dir, name),
    ),
  }
}

/** Sessions that a week or month tells of, and of how many of their entries. */
export function sessionsInTiers(store: Store): Map<string, number> {
  return new Map(readTiers(store).flatMap(({ held }) => [...held]))
}

/**
 * Nothing came for long: one that is running, or whose summary does not tell of all of it, is left alone. The age counts
 * from the last entry, so that what goes on again and again stays as it is.
 */
export function isOldSession(store: Store, file: string, now: string, isAlive: IsAlive, age: Age = 'monthly'): boolean {
  const began = beganAt(file)
  if (began === null) return false
  const limit = before(store, now, age)
  const session = sessionOf(store, file)
  if (session === null) return Date.parse(began) < limit
  const lastAt = Math.max(Date.parse(began), Date.parse(session.refine.ts) || 0)
  return lastAt < limit && session.summed >= session.entries && isOver(session, now, isAlive)
}

const SESSION = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_([0-9a-z]{8})\.l1\.jsonl$/
const SUMMARY = /^\d{8}_\d{6}_[0-9a-z]{8}\.md$/

function oldSummaries(store: Store, now: string, isAlive: IsAlive): OldSummary[] {
  return namesIn(store).flatMap((file): OldSummary[] => {
    if (!SUMMARY.test(file)) return []
    const session = file.replace(/\.md$/, '.l1.jsonl')
    const at = beganAt(session)
    const mark = markOfSummary(store, file)
    if (at === null || mark === null || !isOldSession(store, session, now, isAlive, 'weekly')) return []
    return [{ file, session, id8: id8OfFile(session) ?? '', at, mark }]
  })
}

/** Null: no file of ours. */
export function markOfSummary(store: Store, file: string): string | null {
  const facts = factsOf(path.join(store.dir, SESSIONS_DIR, file))
  return facts?.kind === 'file' ? `${facts.size} ${facts.mtimeMs} ${facts.ino}` : null
}

interface HeldTier {
  period: Period
  held: Map<string, number>
}

function readTiers(store: Store): HeldTier[] {
  const names = [
    ...namesIn(store),
    ...list(path.join(store.dir, SESSIONS_DIR, ARCHIVE_DIR)).map((name) => `${ARCHIVE_DIR}/${name}`),
  ]
  return names.flatMap((name): HeldTier[] => {
    const period = periodOf(name)
    const text = period === null ? null : readOwnText(path.join(store.dir, SESSIONS_DIR, name))
    return period === null || text === null ? [] : [{ period, held: sessionsIn(text) }]
  })
}

function namesIn(store: Store): string[] {
  return list(path.join(store.dir, SESSIONS_DIR))
}

/** Only one of a thousand is read. */
function sessionOf(store: Store, file: string): SessionState | null {
  const state = store.readState()
  for (const id in state.sessions) if (state.sessions[id]?.file === file) return sessionIn(state, id) ?? null
  return null
}

/** As its name says; null: that is no time. */
function beganAt(file: string): string | null {
  const [, year, month, day, hour, minute, second] = SESSION.exec(file) ?? []
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  // A day that its month does not have would be told as another one.
  return new Date(Date.parse(at) || 0).toISOString() === at ? at : null
}

/** What is older is due. */
function before(store: Store, now: string, age: Age): number {
  return (
    Date.parse(now) - Number(age === 'weekly' ? store.config.weeklyAfterDays : store.config.monthlyAfterDays) * DAY_MS
  )
}
