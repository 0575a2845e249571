/** The ledger of model calls over all projects of this machine (their cost, and the daily cap), and the health of the headless child. */
import path from 'node:path'
import { disk, makeDir, readPart, readText, sizeOf } from '../../../kernel/platform/disk/files.ts'
import { withLock } from '../../../kernel/platform/disk/lock.ts'
import { isObject, parseObject } from '../../../kernel/platform/json.ts'
import { HEADLESS_HEALTH_FILE, MODEL_CALLS_FILE } from '../../../kernel/platform/layout.ts'
import { formatStamp } from '../../../kernel/platform/time.ts'
import type { ChildFailure, TokenCount } from '../headless.ts'

export interface ModelCall {
  id: string
  at: string
  project: string
  /** What was requested: a note, a summary. */
  kind: string
  /** About an imported session: such calls have only a share of the day's cap. */
  history?: true
  estimatedTokens: number
  /** Null: still running, or killed together with its caller. */
  ok: boolean | null
  why: ChildFailure | null
  tokens: TokenCount
  costUsd: number | null
  ms: number | null
}

/** `{ ...result, ms }` of a child's result has this type. */
interface CallOutcome extends Pick<ModelCall, 'tokens' | 'costUsd'> {
  ok: boolean
  why?: ChildFailure
  ms: number
}

export interface Health {
  failuresInRow: number
  last: { at: string; why: ChildFailure; message: string } | null
  /** Ignored once it is past; failures are then counted from the beginning. */
  pausedUntil: string | null
}

const MAX_BYTES = 512 * 1024
const WAIT_MS = 5_000
const FAILURES_UNTIL_PAUSE = 2
/** The first pause; each further failure doubles it, up to the longest. */
const FIRST_PAUSE_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 4 * 60 * 60_000
/** Failures that only a person can fix: the pause lasts until the next session start, at most a day. */
const UNTIL_START: ReadonlySet<ChildFailure> = new Set(['login', 'not-found'])
const DAY_MS = 24 * 60 * 60_000
/** The share of the day's calls and tokens for history from before the installation; one call at least. */
const HISTORY_SHARE = 0.3

/** The used part of the day's cap, and how many of these calls are missing in the ledger (it was emptied, deleted or damaged). */
export interface UsedToday {
  calls: number
  tokens: number
  lost: number
}

/** Written before the call, so that a killed call counts too. */
export function reserveCall(
  homeDir: string,
  call: Pick<ModelCall, 'at' | 'project' | 'kind' | 'history' | 'estimatedTokens'>,
  limits: { callsPerDay: number; tokensPerDay: number },
): { id: string } | { refusedBecause: string } {
  const done = whileLocked(homeDir, () => {
    const calls = readCalls(homeDir)
    const { calls: made, tokens } = usedToday(homeDir, call.at)
    if (made >= limits.callsPerDay)
      return { refusedBecause: `${made} model calls were made today; modelCallsPerDay is ${limits.callsPerDay}` }
    if (tokens + call.estimatedTokens > limits.tokensPerDay)
      return {
        refusedBecause: `${tokens} tokens were used today and this takes about ${call.estimatedTokens}; modelTokensPerDay is ${limits.tokensPerDay}`,
      }
    const old = calls.filter((one) => one.history === true && dayOf(one.at) === dayOf(call.at))
    const used = tokensOfCalls(old)
    const isFull =
      old.length + 1 > Math.max(1, limits.callsPerDay * HISTORY_SHARE) ||
      used + call.estimatedTokens > limits.tokensPerDay * HISTORY_SHARE
    if (call.history === true && isFull) return { refusedBecause: 'the share of history in the day is used up' }
    trim(homeDir, calls, dayOf(call.at))
    const stem = `${formatStamp(call.at)}-${process.pid}`
    const id = `${stem}-${calls.filter((one) => one.id.startsWith(`${stem}-`)).length}`
    const { at, project, kind, history, estimatedTokens } = call
    appendCounted(homeDir, { id, at, project, kind, ...(history && { history }), estimatedTokens }, dayOf(at))
    return { id }
  })
  return done?.value ?? { refusedBecause: 'the ledger of model calls is busy' }
}

/** Stores only numbers and kinds, never any text of the request or the answer. */
export function settleCall(homeDir: string, id: string, outcome: CallOutcome): void {
  const { ok, why = null, tokens, costUsd, ms } = outcome
  const line = { id, ok, why, tokens, costUsd, ms }
  const day = readDay(homeDir)?.day ?? ''
  if (whileLocked(homeDir, () => appendCounted(homeDir, line, day)) === null) append(homeDir, line)
}

export function usedToday(homeDir: string, at: string): UsedToday {
  const { calls, tokens, lost } = dayIn(homeDir, dayOf(at))
  return { calls, tokens, lost: lost.calls }
}

/** Oldest first. Broken lines are skipped. */
export function readCalls(homeDir: string): ModelCall[] {
  const calls = new Map<string, ModelCall>()
  for (const line of (readText(path.join(homeDir, MODEL_CALLS_FILE)) ?? '').split('\n')) {
    const record = parseObject(line)
    if (typeof record?.id !== 'string') continue
    const known = calls.get(record.id) ?? startedBy(record)
    if (known !== null) calls.set(record.id, settledBy(known, record))
  }
  return [...calls.values()]
}

export function readHealth(homeDir: string): Health {
  const value = parseObject(readText(path.join(homeDir, HEADLESS_HEALTH_FILE)) ?? '') ?? {}
  const { failuresInRow, pausedUntil } = value
  return {
    failuresInRow: countOf(failuresInRow) ?? 0,
    last: lastIn(value.last),
    pausedUntil: typeof pausedUntil === 'string' && !Number.isNaN(Date.parse(pausedUntil)) ? pausedUntil : null,
  }
}

/** Two failures in a row cause a pause. An oversized piece or a killed child does not indicate a problem of the model. */
export function noteOutcome(
  homeDir: string,
  at: string,
  outcome: { ok: true } | { ok: false; why: ChildFailure; message: string },
): void {
  if (!outcome.ok && (outcome.why === 'too-long' || outcome.why === 'killed')) return
  whileLocked(homeDir, () => {
    const seen = readHealth(homeDir)
    const health = outcome.ok ? HEALTHY : afterFailure(seen, { at, why: outcome.why, message: outcome.message })
    if (outcome.ok && seen.last === null && seen.failuresInRow === 0) return
    writeHealthFile(homeDir, health, readDay(homeDir))
  })
}

/** A second record of the day's use: if the ledger is emptied, the cap must not start again. */
interface Day {
  day: string
  calls: number
  tokens: number
  /** The part that is no longer in the ledger. */
  lost: { calls: number; tokens: number }
}

/** The current ledger, plus what it contained in addition when the day was last stored. */
function dayIn(homeDir: string, day: string): Day {
  const kept = readDay(homeDir)
  const known = kept?.day === day ? kept : { calls: 0, tokens: 0, lost: { calls: 0, tokens: 0 } }
  const now = inLedger(homeDir, day)
  return together(day, now, {
    calls: Math.max(known.lost.calls, known.calls - now.calls),
    tokens: Math.max(known.lost.tokens, known.tokens - now.tokens),
  })
}

function together(day: string, now: Day['lost'], lost: Day['lost']): Day {
  return { day, calls: now.calls + lost.calls, tokens: now.tokens + lost.tokens, lost }
}

function inLedger(homeDir: string, day: string): Day['lost'] {
  const today = readCalls(homeDir).filter(({ at }) => dayOf(at) === day)
  return { calls: today.length, tokens: tokensOfCalls(today) }
}

/** Appends the record and stores the day. Losses are computed first: the new line must not replace a lost one. */
function appendCounted(homeDir: string, record: object, day: string): void {
  const { lost } = dayIn(homeDir, day)
  append(homeDir, record)
  writeHealthFile(homeDir, readHealth(homeDir), together(day, inLedger(homeDir, day), lost))
}

function readDay(homeDir: string): Day | null {
  const value = parseObject(readText(path.join(homeDir, HEADLESS_HEALTH_FILE)) ?? '')?.today as Partial<Day> | null
  const numbers = [value?.calls, value?.tokens, value?.lost?.calls, value?.lost?.tokens]
  return typeof value?.day === 'string' && numbers.every(isCount) ? (value as Day) : null
}

function writeHealthFile(homeDir: string, health: Health, today: Day | null): void {
  const file = { version: 1, ...health, ...(today === null ? {} : { today }) }
  disk.replace(path.join(homeDir, HEADLESS_HEALTH_FILE), `${JSON.stringify(file)}\n`)
}

const HEALTHY: Health = { failuresInRow: 0, last: null, pausedUntil: null }

function afterFailure(seen: Health, last: NonNullable<Health['last']>): Health {
  const failuresInRow = seen.failuresInRow + 1
  const doubled = FIRST_PAUSE_MS * 2 ** Math.min(20, failuresInRow - FAILURES_UNTIL_PAUSE)
  const pauseMs = UNTIL_START.has(last.why) ? DAY_MS : Math.min(LONGEST_PAUSE_MS, doubled)
  const isPaused = failuresInRow >= FAILURES_UNTIL_PAUSE || UNTIL_START.has(last.why)
  const pausedUntil = isPaused ? new Date(Date.parse(last.at) + pauseMs).toISOString() : null
  return { failuresInRow, last, pausedUntil }
}

/** At a session start: the user may have logged in since. */
export function endPauseAtStart(homeDir: string): void {
  const { last, pausedUntil } = readHealth(homeDir)
  if (pausedUntil === null || last === null || !UNTIL_START.has(last.why)) return
  whileLocked(homeDir, () => {
    const health = readHealth(homeDir)
    writeHealthFile(homeDir, { ...health, pausedUntil: null }, readDay(homeDir))
  })
}

function whileLocked<T>(homeDir: string, work: () => T): { value: T } | null {
  makeDir(homeDir)
  return withLock(path.join(homeDir, `${MODEL_CALLS_FILE}.lock`), WAIT_MS, work)
}

/** An interrupted call that reported no tokens may still have been charged. */
function tokensOf(call: ModelCall): number {
  const reported = call.tokens.input + call.tokens.output
  const isCutOff = call.ok === null || call.why === 'killed' || call.why === 'timeout' || call.why === 'unreadable'
  return isCutOff ? Math.max(reported, call.estimatedTokens) : reported
}

/** An incomplete line of a killed writer must not swallow this line. */
function append(homeDir: string, record: object): void {
  const file = path.join(homeDir, MODEL_CALLS_FILE)
  const size = sizeOf(file) ?? 0
  const isCut = size > 0 && readPart(file, size - 1, 1)?.[0] !== 0x0a
  disk.append(file, `${isCut ? '\n' : ''}${JSON.stringify(record)}\n`)
}

/** Keeps the newest calls, at half the size. All calls of today stay, since the cap counts them. */
function trim(homeDir: string, calls: readonly ModelCall[], today: string): void {
  const file = path.join(homeDir, MODEL_CALLS_FILE)
  if ((sizeOf(file) ?? 0) <= MAX_BYTES) return
  let bytes = 0
  const kept = calls.toReversed().flatMap((call) => {
    const line = JSON.stringify(call)
    bytes += Buffer.byteLength(line) + 1
    return bytes <= MAX_BYTES / 2 || dayOf(call.at) === today ? [line] : []
  })
  disk.replace(file, `${kept.reverse().join('\n')}\n`)
}

function startedBy(record: Readonly<Record<string, unknown>>): ModelCall | null {
  const { id, at, project, kind, history, estimatedTokens } = record
  if (typeof id !== 'string' || typeof at !== 'string' || typeof project !== 'string' || typeof kind !== 'string')
    return null
  return {
    id,
    at,
    project,
    kind,
    ...(history === true && { history }),
    estimatedTokens: countOf(estimatedTokens) ?? 0,
    ok: null,
    why: null,
    tokens: { input: 0, output: 0 },
    costUsd: null,
    ms: null,
  }
}

function settledBy(call: ModelCall, record: Readonly<Record<string, unknown>>): ModelCall {
  const { ok, why, tokens, costUsd, ms } = record
  if (typeof ok !== 'boolean') return call
  const { input, output } = isObject(tokens) ? tokens : {}
  return {
    ...call,
    ok,
    why: typeof why === 'string' ? (why as ChildFailure) : null,
    tokens: { input: countOf(input) ?? 0, output: countOf(output) ?? 0 },
    costUsd: countOf(costUsd),
    ms: countOf(ms),
  }
}

function lastIn(value: unknown): Health['last'] {
  const { at, why, message } = isObject(value) ? value : {}
  if (typeof at !== 'string' || typeof why !== 'string' || typeof message !== 'string') return null
  return { at, why: why as ChildFailure, message }
}

function countOf(value: unknown): number | null {
  return isCount(value) ? value : null
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function dayOf(at: string): string {
  return at.slice(0, 10)
}

/** The charged tokens, as far as known. */
export function tokensOfCalls(calls: readonly ModelCall[]): number {
  return calls.reduce((sum, call) => sum + tokensOf(call), 0)
}
