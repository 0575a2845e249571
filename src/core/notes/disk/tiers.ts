/** Renders on disk: summaries of old sessions go into weeks, then into months, each made from its sessions and their notes; old sessions are compressed. */

import path from 'node:path'
import { COMMAND_WAIT_MS, type Store, sessionPath } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, type State, sessionIn } from '../../../kernel/memory/state.ts'
import { list, readOwnText, statOf, syncDir } from '../../../kernel/platform/disk/files.ts'
import { isAlive } from '../../../kernel/platform/disk/lock.ts'
import { id8OfFile, SESSIONS_DIR, sessionFactsFile, sessionSummaryFile } from '../../../kernel/platform/layout.ts'
import { parseStamp } from '../../../kernel/platform/time.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { allSessionFiles, canPack, packSessions } from '../../../kernel/sessions/disk/session-archive.ts'
import { inPieces, sessionFiles, sessionMark } from '../../../kernel/sessions/disk/sessions.ts'
import { compareText } from '../../../kernel/text/memory-words.ts'
import { once } from '../../../kernel/text/once.ts'
import { renderSessionFactFiles } from '../../knowledge/disk/facts.ts'
import { isOver } from '../pending.ts'
import { newestOf } from '../summary.ts'
import { blockOf, isRender, renderTier, type TierBlock } from '../tier.ts'
import { monthOf, type Period, periodOf, weekOf } from '../tier-period.ts'
import { modelNotes } from './memory.ts'
import { summariseSession } from './summaries.ts'

export interface AgeOptions {
  now: string
  /** Checked between files; the rest is done next time. */
  isLate: () => boolean
}

/** What was written: the names of weeks and months below `sessions/`, and of session files. */
export interface Aged {
  weeks: string[]
  months: string[]
  compressed: string[]
}

/** Does the due work file by file. A week or month is on disk before what it replaces is deleted; after a kill in between, it is made again. */
export function ageTiers(store: Store, { now, isLate }: AgeOptions): Aged {
  const around = { now, isAlive }
  const { tiers, weeks, compressed } = planTiers(store, around)
  const { written, done } = renderTiers(store, tiers, around, isLate)
  for (const { week, months } of weeks)
    if (months.every((file) => done.has(file)))
      store.whileLocked(COMMAND_WAIT_MS, () => removeRenders(store, [week.file]))
  const aged: Aged = { ...written, compressed: [] }
  const isStillOld = (file: string): boolean => isOldSession(store, file, 'monthly', around)
  for (const piece of inPieces(compressed)) {
    if (isLate()) return aged
    aged.compressed.push(...packSessions(store, piece, COMMAND_WAIT_MS, isStillOld))
  }
  return aged
}

/** `done`: whether or not the content was new. */
function renderTiers(
  store: Store,
  tiers: readonly DueTier[],
  around: TierAround,
  isLate: () => boolean,
): { written: Pick<Aged, 'weeks' | 'months'>; done: Set<string> } {
  const written: Pick<Aged, 'weeks' | 'months'> = { weeks: [], months: [] }
  const done = new Set<string>()
  const notes = once(() => modelNotes(store))
  for (const tier of tiers) {
    if (isLate()) break
    const held = renderTierFile(store, tier, around, notes)
    if (held === null) continue
    done.add(tier.period.file)
    if (held === 'new') written[tier.period.is === 'week' ? 'weeks' : 'months'].push(tier.period.file)
  }
  return { written, done }
}

/** Reads the sessions before taking the lock. Null: something changed meanwhile; the next time makes it. On return, the content is synced to disk. */
function renderTierFile(
  store: Store,
  { period, sessions, summaries }: DueTier,
  around: TierAround,
  notes: () => ReadonlyMap<string, readonly string[]>,
): 'new' | 'same' | null {
  const room = store.config.summaryMaxTokens
  const read = sessions.map((session) => ({
    session,
    mark: sessionMark(store, session),
    block: blockOfSession(store, session, newestOf(notes().get(id8OfFile(session) ?? '') ?? [], room)),
  }))
  const text = renderTier(
    period,
    read.flatMap(({ block }) => block ?? []),
    room,
  )
  const isSame = ({ session, mark }: { session: string; mark: string }): boolean =>
    sessionMark(store, session) === mark && isOldSession(store, session, 'weekly', around)
  const held = store.whileLocked(COMMAND_WAIT_MS, () => {
    if (!read.every(isSame) || !isFree(store, period.file)) return null
    const file = path.join(store.dir, sessionPath(period.file))
    const isTold = read.some(({ block }) => block !== null)
    const isNew = isTold && readOwnText(file) !== text
    if (isNew) store.perform([{ do: 'write', path: sessionPath(period.file), text }])
    syncDir(path.dirname(file))
    removeRenders(store, isTold ? summaries : [...summaries, period.file])
    return isNew ? 'new' : 'same'
  })
  return held?.value ?? null
}

function blockOfSession(store: Store, session: string, notes: readonly string[]): TierBlock | null {
  const entries = readSession(store, session).slice(0, sessionOf(store, session)?.entries)
  return blockOf({ id8: id8OfFile(session) ?? '', at: beganAt(session) ?? '', entries, notes })
}

/** Deletes summaries, weeks and months that can be made again. Names below `sessions/`. Call it under the lock. */
function removeRenders(store: Store, names: readonly string[]): void {
  const present = names.filter((name) => statOf(path.join(store.dir, SESSIONS_DIR, name)) !== null)
  store.perform(
    present.filter((name) => isFree(store, name)).map((name) => ({ do: 'remove', path: sessionPath(name) })),
  )
}

/** Before memory.md becomes this text: deletes what is made from the notes that change. Returns its names, for `renderAgain`. Call it under the lock. */
export function dropRenders(store: Store, memory: string): Set<string> {
  const [was, willBe] = [modelNotes(store), modelNotes(store, memory)]
  const isSame = (id8: string): boolean => was.get(id8)?.join('\n') === willBe.get(id8)?.join('\n')
  const names = allSessionFiles(store.dir).flatMap((file) => (isSame(id8OfFile(file) ?? '') ? [] : rendersOf(file)))
  const present = names.filter((name) => statOf(path.join(store.dir, SESSIONS_DIR, name)) !== null)
  removeRenders(store, present)
  return new Set(present)
}

/** Those of these files that are missing. Call it without the lock. */
export function renderAgain(store: Store, names: ReadonlySet<string>, now: string): void {
  if (names.size === 0) return
  const around = { now, isAlive }
  const summaries = unsummarised(store, around).filter((id) =>
    names.has(sessionSummaryFile(sessionIn(store.readState(), id)?.file ?? '')),
  )
  for (const id of summaries) store.whileLocked(COMMAND_WAIT_MS, () => summariseSession(store, id))
  const facts = allSessionFiles(store.dir).filter((file) => names.has(sessionFactsFile(file)))
  const ids = new Set(facts.map(id8OfFile))
  store.whileLocked(COMMAND_WAIT_MS, () => renderSessionFactFiles(store, (id8) => ids.has(id8)))
  const tiers = planTiers(store, around).tiers.filter(({ period }) => names.has(period.file))
  renderTiers(store, tiers, around, () => false)
}

/** The names below `sessions/` of all that tells of a session. */
export function rendersOf(session: string): string[] {
  const at = beganAt(session) ?? ''
  return [
    sessionSummaryFile(session),
    sessionFactsFile(session),
    ...[weekOf(at), monthOf(at)].flatMap((period) => period?.file ?? []),
  ]
}

/** Whether the file may be replaced or deleted: it is missing, or every line is ours and its sessions are here. */
function isFree(store: Store, name: string): boolean {
  const file = path.join(store.dir, SESSIONS_DIR, name)
  const text = readOwnText(file)
  const ids = once(() => idsIn(store))
  return text === null ? statOf(file) === null : isRender(name, text, (id8) => ids().has(id8))
}

export interface TierAround {
  now: string
  isAlive: (pid: number) => boolean
  /** Session files whose summaries are about to be written. */
  upcoming?: ReadonlySet<string>
}

/** A week or month that is missing, or that replaces other files. */
export interface DueTier {
  period: Period
  /** Its session files. */
  sessions: string[]
  /** The summaries that it replaces, by their names in `sessions/`. */
  summaries: string[]
}

export interface TierPlan {
  /** Oldest first. */
  tiers: DueTier[]
  /** Weeks that are replaced by the months in which their sessions began. */
  weeks: { week: Period; months: string[] }[]
  /** The session files to compress. */
  compressed: string[]
}

/** Which sessions a week or month contains follows from the times at which they began. */
export function planTiers(store: Store, around: TierAround): TierPlan {
  const limit = limitOf(store, around.now, 'monthly')
  const isOldWeek = (week: Period | null): week is Period => week?.is === 'week' && Date.parse(week.to) <= limit
  const present = new Set(namesIn(store))
  const tiers = new Map<string, DueTier>()
  const months = new Map<string, Set<string>>()
  for (const session of allSessionFiles(store.dir)) {
    if (!isOldSession(store, session, 'weekly', around)) continue
    const at = beganAt(session) ?? ''
    const week = weekOf(at)
    const period = isOldWeek(week) ? monthOf(at) : week
    if (week === null || period === null) continue
    const tier = tiers.get(period.file) ?? { period, sessions: [], summaries: [] }
    tiers.set(period.file, tier)
    tier.sessions.push(session)
    const summary = sessionSummaryFile(session)
    if (around.upcoming?.has(session) === true || (present.has(summary) && isFree(store, summary)))
      tier.summaries.push(summary)
    if (period !== week) months.set(week.file, (months.get(week.file) ?? new Set()).add(period.file))
  }
  const weeks = [...months].flatMap(([file, into]) => {
    const week = present.has(file) && isFree(store, file) ? periodOf(file) : null
    return week === null ? [] : [{ week, months: [...into].sort() }]
  })
  const rolled = new Set(weeks.flatMap((one) => one.months))
  const told = once(() => new Set(sessionFiles(store)))
  const isMissing = ({ period, sessions }: DueTier): boolean =>
    statOf(path.join(store.dir, SESSIONS_DIR, period.file)) === null && sessions.some((file) => told().has(file))
  return {
    tiers: [...tiers.values()]
      .filter((tier) => tier.summaries.length > 0 || rolled.has(tier.period.file) || isMissing(tier))
      .filter(({ period }) => isFree(store, period.file))
      .sort((a, b) => compareText(a.period.from, b.period.from)),
    weeks,
    compressed: namesIn(store).filter(
      (file) => isOldSession(store, file, 'monthly', around) && canPack(store.dir, file),
    ),
  }
}

/** Sessions that are over and have no summary yet, an outdated one, or none any more; those in weeks and months are left out. */
export function unsummarised(store: Store, around: TierAround): string[] {
  const present = new Set(namesIn(store))
  const told = once(() => new Set(sessionFiles(store)))
  const isMissing = ({ file, entries, summed }: SessionState): boolean =>
    entries > summed ||
    (summed > 0 &&
      !present.has(sessionSummaryFile(file)) &&
      !isOldSession(store, file, 'weekly', around) &&
      told().has(file))
  return allSessions(store.readState()).flatMap(([id, session]) =>
    session.file !== '' && isMissing(session) && isOver(session, around.now, around.isAlive) ? [id] : [],
  )
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

function namesIn(store: Store): string[] {
  return list(path.join(store.dir, SESSIONS_DIR))
}

/** Of all sessions whose entries are here. */
function idsIn(store: Store): Set<string> {
  return new Set(allSessionFiles(store.dir).flatMap((file) => id8OfFile(file) ?? []))
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

const DAY_MS = 24 * 60 * 60_000

/** Sessions older than this time are due. */
function limitOf(store: Store, now: string, age: Age): number {
  const { weeklyAfterDays, monthlyAfterDays } = store.config
  return Date.parse(now) - Number(age === 'weekly' ? weeklyAfterDays : monthlyAfterDays) * DAY_MS
}
