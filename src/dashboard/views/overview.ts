/** What stands above every view: whose memory, how much of it, and whether anything is wrong. */

import { memoryGrowth } from '../../health/disk/numbers.ts'
import { daysOf, seriesFiles, toolsOf } from '../../health/series.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import { proposedIn } from '../../knowledge/permanent.ts'
import type { Store } from '../../memory/disk/store.ts'
import { allSessions } from '../../memory/state.ts'
import { KeeperError } from '../../platform/error.ts'
import { CONCEPTS_FILE, FACTS_FILE, id8OfFile, MEMORY_FILE, RULES_FILE, STATE_FILE } from '../../platform/layout.ts'
import { dayIn } from '../../platform/time.ts'
import { listReceipts, readReceipts, type ToldRow } from '../../receipts/disk/receipts.ts'
import { sessionRows, sessionRowsOf } from '../../sessions/disk/sessions.ts'
import { daysIn } from '../../sessions/session-row.ts'
import type { ChartsView, InjectedList, InjectedPage, InjectedRow, Overview } from '../api.ts'
import { type Asked, numberIn } from '../asked.ts'
import { whyReadOnly } from './actions.ts'
import { listedFiles, type Memory, markOf, zoneOf } from './memory.ts'

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
