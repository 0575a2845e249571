/** `stats`: growth, sessions per day, tools, files, what was told and how long hooks took, as bars in the terminal. */

import { type Context, wholeNumber } from '../../memory/commands/context.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readCalls } from '../../model/disk/model-calls.ts'
import { KeeperError } from '../../platform/error.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { listReceipts } from '../../receipts/disk/receipts.ts'
import { sessionRows } from '../../sessions/disk/session-rows.ts'
import type { RowOfSession } from '../../sessions/session-row.ts'
import { memoryGrowth, memoryTokens, modelPerDay, tokensPerDay } from '../disk/numbers.ts'
import { commonest, dayAfter, daysOf, everyDay, seriesFiles, timesByEvent } from '../series.ts'
import { renderStats, type Stats } from './stats-text.ts'

const DAYS = 30
const MOST_DAYS = 3660
const MOST_TOOLS = 6
const MOST_FILES = 5

export function runStats(context: Context, options: { days?: string }): number {
  const { store, out, world } = context
  const days = options.days === undefined ? DAYS : wholeNumber('--days', options.days)
  if (days < 1 || days > MOST_DAYS)
    throw new KeeperError('usage', `--days takes a number from 1 to ${MOST_DAYS}, like --days 90.`)
  const stats = statsOf(store, world.now().slice(0, 10), days)
  out.json(stats)
  out.say(...renderStats(stats, world.columns))
  return 0
}

function statsOf(store: Store, to: string, length: number): Stats {
  const all = sessionRows(store)
  const worked = all.flatMap((row) => row.days.map(({ day }) => day)).toSorted()
  const earliest = dayAfter(to, 1 - length)
  // Days before the first session say nothing; where there was none lately, the whole time did not.
  const isLate = worked.some((day) => day >= earliest && day <= to)
  const from = isLate && (worked[0] ?? earliest) > earliest ? (worked[0] ?? earliest) : earliest
  const isIn = (at: string): boolean => at.slice(0, 10) >= from && at.slice(0, 10) <= to
  const rows = all.map((row) => within(row, isIn)).filter((row) => row.days.length > 0)
  const known = new Map(daysOf(rows).map((day) => [day.day, day]))
  const growth = memoryGrowth(store)
  const calls = readCalls(store.places.keeperDir).filter(({ project }) => project === store.places.project.key)
  return {
    project: store.places.project.root,
    from,
    to,
    days: everyDay([from, to]).map((day) => known.get(day) ?? { day, sessions: 0, prompts: 0, tools: 0 }),
    sessions: rows.length,
    lastDay: worked.at(-1) ?? null,
    tools: commonest(rows.flatMap((row) => row.days.flatMap(({ toolCounts }) => toolCounts))).slice(0, MOST_TOOLS),
    files: seriesFiles(rows, store.places.project.root, MOST_FILES),
    memory: growth.filter(({ at }) => isIn(at)),
    memoryTokens: memoryTokens(store),
    memoryBefore: growth.filter(({ at }) => at.slice(0, 10) < from).at(-1)?.tokens ?? 0,
    told: tokensPerDay(listReceipts(store)).filter(({ day }) => isIn(day)),
    models: modelPerDay(calls).filter(({ day }) => isIn(day)),
    hooks: timesByEvent(readHookTimes(store.dir).filter(({ at }) => isIn(at))),
  }
}

function within(row: RowOfSession, isIn: (day: string) => boolean): RowOfSession {
  return { ...row, days: row.days.filter(({ day }) => isIn(day)) }
}
