/** The head of every view (whose memory, how much of it, is anything wrong), the first view, and the figures of the others. */

import path from 'node:path'
import { openWork } from '../../../../core/briefing/disk/briefing.ts'
import { listUndo } from '../../../../core/edit/disk/undo.ts'
import type { HealthWorld } from '../../../../core/health/disk/check.ts'
import { allFindings } from '../../../../core/health/disk/health.ts'
import {
  costOf,
  injectedTokens,
  memoryGrowth,
  modelPerDay,
  sizesOf,
  tokensPerDay,
} from '../../../../core/health/disk/numbers.ts'
import { daysOf, hooksPerDay, toolsOf } from '../../../../core/health/series.ts'
import { isLive } from '../../../../core/knowledge/item.ts'
import { allFacts, openIssues } from '../../../../core/knowledge/items.ts'
import { proposedIn } from '../../../../core/knowledge/permanent.ts'
import { type ModelCall, readCalls } from '../../../../core/model/disk/model-calls.ts'
import { readHookTimes } from '../../../../core/receipts/disk/journal.ts'
import { listReceipts, readReceipts } from '../../../../core/receipts/disk/receipts.ts'
import type { ReceiptRow } from '../../../../core/receipts/receipt.ts'
import type { Store } from '../../../../kernel/memory/disk/store.ts'
import { allSessions, allStored } from '../../../../kernel/memory/state.ts'
import { readPart, sizeOf } from '../../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../../kernel/platform/error.ts'
import {
  CONCEPTS_FILE,
  FACTS_FILE,
  id8OfFile,
  LOG_FILE,
  LOGS_DIR,
  MEMORY_FILE,
  RULES_FILE,
  STATE_FILE,
} from '../../../../kernel/platform/layout.ts'
import { dayIn, instantOf } from '../../../../kernel/platform/time.ts'
import { sessionRows, sessionRowsOf } from '../../../../kernel/sessions/disk/sessions.ts'
import { damagedFiles, transcriptsBehind } from '../../../../kernel/sessions/disk/verify.ts'
import { daysIn } from '../../../../kernel/sessions/session-row.ts'
import { total } from '../../../../kernel/text/figures.ts'
import { isBareCommand } from '../../../../kernel/transcript/session.ts'
import type {
  ChartsView,
  HealthView,
  InjectedList,
  InjectedPage,
  InjectedRow,
  Overview,
  Pulse,
  Spent,
  TodayView,
} from '../api.ts'
import { whyReadOnly } from './actions.ts'
import { type Asked, numberIn } from './asked.ts'
import { listedFiles, type Memory, markOf, zoneOf } from './memory.ts'
import { factItem, newestFirst, permanentRow } from './remembered.ts'
import { itemsOf, newestIds } from './sessions.ts'

export async function viewOverview(memory: Memory): Promise<Overview> {
  memory.prepareSearch()
  const store = memory.store()
  const files = listedFiles(store)
  const facts = memory.facts()
  const why = whyReadOnly(memory, store)
  const findings = memory.findings()
  return {
    version: memory.version,
    project: store.places.project.root,
    memory: store.dir,
    timezone: zoneOf(store, memory.timezone),
    standing: store.ownership,
    sessions: files.length,
    entries: await entriesIn(memory, files),
    notes: memory.notes().length,
    facts: allFacts(facts).filter(isLive).length,
    proposed: proposedIn(facts).length,
    findings: findings?.length ?? null,
    health: findings === null ? '' : (['good', 'fair', 'poor'] as const)[worstOf(findings)],
    isReadOnly: why !== null,
    readOnlyWhy: why ?? '',
    mark: viewPulse(memory).mark,
  }
}

/** 0: nothing was found; 2: a problem. */
function worstOf(findings: HealthView['checks']): 0 | 1 | 2 {
  if (findings.length === 0) return 0
  return findings.some(({ verdict }) => verdict === 'problem') ? 2 : 1
}

/** The browser asks for it every few seconds, so that it reads no files. The doctor's findings follow some time after the first view. */
export function viewPulse(memory: Memory): Pulse {
  return { mark: `${markOf(memory.store(), WATCHED)}\n${memory.findings()?.length}` }
}

/** The number of sessions that the first view has room for. */
const SHOWN = { sessions: 6, issues: 8 }
/** So many of the newest sessions are read, because sessions with nothing but a `/clear` are left out. */
const LOOKED_AT = 24
const DAY_MS = 86_400_000
const WEEK_DAYS = 7

export function viewToday(memory: Memory): TodayView {
  const store = memory.store()
  const known = memory.facts()
  const issues = openIssues(known)
  const [change] = listUndo(store)
  const zone = zoneOf(store, memory.timezone)
  const dayOf = dayIn(zone)
  const today = dayOf(memory.now())
  const first = dayOf(new Date(Date.parse(memory.now()) - (WEEK_DAYS - 1) * DAY_MS).toISOString())
  const calls = readCalls(store.places.homeDir).filter(({ project }) => project === store.places.project.key)
  const since = (day: string): Spent => {
    // Computing the day of every instant would take long.
    const begin = instantOf(`${day} 00:00:00`, zone)
    return spentIn(memory.receipts(), calls, (at) => at >= begin)
  }
  return {
    sessions: newestSessions(memory, store),
    issues: issues.map(factItem).sort(newestFirst).slice(0, SHOWN.issues),
    openIssues: issues.length,
    left: openWork(store).map(({ source, text }) => ({ source, text })),
    proposed: proposedIn(known).map(permanentRow),
    today: since(today),
    week: since(first),
    lastChange: change === undefined || change.files === null ? null : { at: change.at, what: change.what },
  }
}

/** Parses only the sessions that are shown. */
function newestSessions(memory: Memory, store: Store): TodayView['sessions'] {
  const shown = itemsOf(memory, newestIds(memory).slice(0, LOOKED_AT))
    .filter(({ goal }) => !isBareCommand(goal))
    .slice(0, SHOWN.sessions)
  const ids = new Set(shown.map(({ id }) => id))
  const stored = Object.entries(allStored(store.readState())).filter(
    ([, { file }]) => typeof file === 'string' && ids.has(id8OfFile(file) ?? ''),
  )
  const stands = new Map(
    allSessions({ sessions: Object.fromEntries(stored) }).map(([, { file, stands: end }]) => [
      id8OfFile(file),
      end?.text,
    ]),
  )
  return shown.map((session) => ({ ...session, stands: stands.get(session.id) ?? '' }))
}

function spentIn(receipts: readonly ReceiptRow[], all: readonly ModelCall[], isIn: (at: string) => boolean): Spent {
  const injected = total(
    receipts.filter(({ at }) => isIn(at)),
    injectedTokens,
  )
  return { injected, ...costOf(all.filter(({ at }) => isIn(at))) }
}

/** The files behind the views, besides sessions, whose entries are counted. */
const WATCHED = [STATE_FILE, FACTS_FILE, CONCEPTS_FILE, MEMORY_FILE, RULES_FILE]

/** The number of entries from the state; a session that the state does not know is counted in its file. */
async function entriesIn(memory: Memory, files: readonly string[]): Promise<number> {
  const stored = Object.values(allStored(memory.store().readState()))
  const settled = new Map(stored.map(({ file, entries }) => [file, typeof entries === 'number' ? entries : 0]))
  const unknown = new Set(files.filter((file) => !settled.has(file)).map(id8OfFile))
  const counted = files.reduce((sum, file) => sum + (settled.get(file) ?? 0), 0)
  if (unknown.size === 0) return counted
  const rows = sessionRows(await memory.counted())
  return rows.reduce((sum, { id, entries }) => sum + (unknown.has(id) ? entries : 0), counted)
}

export async function viewCharts(memory: Memory): Promise<ChartsView> {
  const store = await memory.counted()
  // In the time zone of the page.
  const dayOf = dayIn(zoneOf(store, memory.timezone))
  const rows = sessionRows(store).map((row) => ({ ...row, days: daysIn(row, dayOf) }))
  return { days: daysOf(rows), ...toolsOf(rows), memory: memoryGrowth(store) }
}

const LIST = { usual: 100, most: 500 }

export function viewInjected(memory: Memory, { query }: Asked): InjectedList {
  const store = memory.store()
  const receipts = memory.receipts()
  const offset = numberIn(query, 'offset', { usual: 0, most: Number.MAX_SAFE_INTEGER })
  const shown = receipts.slice(offset, offset + numberIn(query, 'limit', LIST))
  return { total: receipts.length, sessions: withGoals(store, shown) }
}

export function viewInjectedOne(memory: Memory, { name }: Asked): InjectedPage {
  const store = memory.store()
  const receipts = readReceipts(store, name)
  if (receipts === null)
    throw new KeeperError('not-found', 'There is no record of what was injected into this session.')
  const [row = { ...receipts.row, goal: '' }] = withGoals(store, [receipts.row])
  return { ...receipts, row }
}

function withGoals(store: Store, receipts: readonly ReceiptRow[]): InjectedRow[] {
  const rows = sessionRowsOf(store, new Set(receipts.map(({ id }) => id)))
  return receipts.map(({ session: _, ...row }) => ({ ...row, goal: rows.get(row.id)?.goal ?? '' }))
}

/** The health view: findings of the doctor, hook times, injected tokens and model cost. */

const LOG_LINES = 50
const LOG_BYTES = 64 * 1024

/** Reads every file of the memory to find secrets: takes seconds for a large one. */
export function lookAtHealth(store: Store, world: HealthWorld): HealthView {
  const sessions = allSessions(store.readState()).map(([, session]) => session)
  const times = readHookTimes(store.dir)
  const { homeDir, project } = store.places
  const dayOf = dayIn(store.config.timezone)
  return {
    checks: allFindings(store, world).map(({ name, verdict, finding, fix = '' }) => ({
      name,
      verdict,
      finding,
      fix,
    })),
    coverage: {
      transcripts: sessions.filter(({ transcript }) => sizeOf(transcript) !== null).length,
      behind: transcriptsBehind(store).length,
      damaged: damagedFiles(store).length,
    },
    hooks: hooksPerDay(times, dayOf),
    tokensPerDay: tokensPerDay(listReceipts(store), dayOf),
    modelPerDay: modelPerDay(
      readCalls(homeDir).filter((call) => call.project === project.key),
      dayOf,
    ),
    redactions: total(sessions, ({ redactions }) => redactions),
    badLines: total(sessions, ({ badLines }) => badLines),
    errors: lastErrors(homeDir),
    bytes: sizesOf(store),
  }
}

/** Newest first. */
function lastErrors(homeDir: string): string[] {
  const file = path.join(homeDir, LOGS_DIR, LOG_FILE)
  const size = sizeOf(file) ?? 0
  const end = readPart(file, Math.max(0, size - LOG_BYTES), LOG_BYTES)?.toString('utf8') ?? ''
  const lines = end.split('\n').filter((line) => line !== '')
  return (size > LOG_BYTES ? lines.slice(1) : lines).slice(-LOG_LINES).toReversed()
}
