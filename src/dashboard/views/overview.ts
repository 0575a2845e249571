/** What stands above every view: whose memory, how much of it, and whether anything is wrong. */
import path from 'node:path'
import type { HealthWorld } from '../../health/disk/check.ts'
import { checkHealth } from '../../health/disk/health.ts'
import { memoryGrowth, modelPerDay, sizesOf, tokensPerDay } from '../../health/disk/numbers.ts'
import { daysOf, distributionOf, hooksPerDay, seriesFiles, toolsOf } from '../../health/series.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import { proposedIn } from '../../knowledge/permanent.ts'
import type { Store } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { readCalls } from '../../model/disk/model-calls.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import {
  CONCEPTS_FILE,
  FACTS_FILE,
  id8OfFile,
  LOG_FILE,
  LOGS_DIR,
  MEMORY_FILE,
  RULES_FILE,
  STATE_FILE,
} from '../../platform/layout.ts'
import { dayIn } from '../../platform/time.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { listReceipts, readReceipts } from '../../receipts/disk/receipts.ts'
import type { ToldRow } from '../../receipts/receipt.ts'
import { sessionRows, sessionRowsOf } from '../../sessions/disk/sessions.ts'
import { damagedFiles, transcriptsBehind } from '../../sessions/disk/verify.ts'
import { daysIn } from '../../sessions/session-row.ts'
import type { ChartsView, HealthView, InjectedList, InjectedPage, InjectedRow, Overview } from '../api.ts'
import { whyReadOnly } from './actions.ts'
import { type Asked, listedFiles, type Memory, markOf, numberIn, zoneOf } from './memory.ts'

export async function viewOverview(memory: Memory): Promise<Overview> {
  memory.prepareSearch()
  const store = memory.store()
  const files = listedFiles(store)
  const facts = readFacts(store)
  const why = whyReadOnly(memory, store)
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
    findings: memory.findings(),
    isReadOnly: why !== null,
    readOnlyWhy: why ?? '',
    mark: markOf(store, WATCHED),
  }
}

/** What the views are made of, besides sessions, whose entries are counted. */
const WATCHED = [STATE_FILE, FACTS_FILE, CONCEPTS_FILE, MEMORY_FILE, RULES_FILE]

/** As the state counts them; a session that it does not know is counted in its file. */
async function entriesIn(memory: Memory, files: readonly string[]): Promise<number> {
  const settled = new Map(allSessions(memory.store().readState()).map(([, { file, entries }]) => [file, entries]))
  const unknown = new Set(files.filter((file) => !settled.has(file)).map(id8OfFile))
  const counted = files.reduce((sum, file) => sum + (settled.get(file) ?? 0), 0)
  if (unknown.size === 0) return counted
  const rows = sessionRows(await memory.counted())
  return rows.reduce((sum, { id, entries }) => sum + (unknown.has(id) ? entries : 0), counted)
}

export async function viewCharts(memory: Memory): Promise<ChartsView> {
  const store = await memory.counted()
  // As the page speaks of them: in the zone of whoever looks.
  const dayOf = dayIn(zoneOf(store, memory.timezone))
  const rows = sessionRows(store).map((row) => ({ ...row, days: daysIn(row, dayOf) }))
  return {
    days: daysOf(rows),
    ...toolsOf(rows),
    files: seriesFiles(rows, store.places.project.root),
    memory: memoryGrowth(store),
  }
}

const LIST = { usual: 100, most: 500 }

export function viewInjected(memory: Memory, { query }: Asked): InjectedList {
  const store = memory.store()
  const told = listReceipts(store)
  const offset = numberIn(query, 'offset', { usual: 0, most: Number.MAX_SAFE_INTEGER })
  const shown = told.slice(offset, offset + numberIn(query, 'limit', LIST))
  return { total: told.length, sessions: withGoals(store, shown) }
}

export function viewInjectedOne(memory: Memory, { name }: Asked): InjectedPage {
  const store = memory.store()
  const told = readReceipts(store, name)
  if (told === null) throw new KeeperError('not-found', 'It is not known what this session was told.')
  const [row = { ...told.row, goal: '' }] = withGoals(store, [told.row])
  return { ...told, row }
}

function withGoals(store: Store, told: readonly ToldRow[]): InjectedRow[] {
  const rows = sessionRowsOf(store, new Set(told.map(({ id }) => id)))
  return told.map(({ session: _, ...row }) => ({ ...row, goal: rows.get(row.id)?.goal ?? '' }))
}

/** The view of health: what the doctor finds, how long hooks took, what was told and what models cost. */

const LOG_LINES = 50
const LOG_BYTES = 64 * 1024

/** Reads every file of the memory, looking for secrets: seconds for a large one. */
export function lookAtHealth(store: Store, world: HealthWorld): HealthView {
  const sessions = allSessions(store.readState()).map(([, session]) => session)
  const times = readHookTimes(store.dir)
  const { keeperDir, project } = store.places
  const dayOf = dayIn(store.config.timezone)
  return {
    checks: checkHealth(store, world).map(({ name, verdict, finding, fix = '' }) => ({ name, verdict, finding, fix })),
    coverage: {
      transcripts: sessions.filter(({ transcript }) => sizeOf(transcript) !== null).length,
      behind: transcriptsBehind(store).length,
      damaged: damagedFiles(store).length,
    },
    hooks: hooksPerDay(times, dayOf),
    distribution: distributionOf(times),
    tokensPerDay: tokensPerDay(listReceipts(store), dayOf),
    modelPerDay: modelPerDay(
      readCalls(keeperDir).filter((call) => call.project === project.key),
      dayOf,
    ),
    redactions: sessions.reduce((sum, { redactions }) => sum + redactions, 0),
    badLines: sessions.reduce((sum, { badLines }) => sum + badLines, 0),
    errors: lastErrors(keeperDir),
    bytes: sizesOf(store),
  }
}

/** Newest first. */
function lastErrors(keeperDir: string): string[] {
  const file = path.join(keeperDir, LOGS_DIR, LOG_FILE)
  const size = sizeOf(file) ?? 0
  const end = readPart(file, Math.max(0, size - LOG_BYTES), LOG_BYTES)?.toString('utf8') ?? ''
  const lines = end.split('\n').filter((line) => line !== '')
  return (size > LOG_BYTES ? lines.slice(1) : lines).slice(-LOG_LINES).toReversed()
}
