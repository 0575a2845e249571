/** Series for charts: what happened per day, with which tools, and how long hooks took. Days are UTC, unless they are given otherwise. */

import { utcDay } from '../../kernel/platform/time.ts'
import type { RowWithDays } from '../../kernel/sessions/session-row.ts'
import { grouped, quantile, total } from '../../kernel/text/figures.ts'

const DAY_MS = 24 * 60 * 60_000
/** A clock was wrong: a chart of a century of empty days is useless. */
const MOST_DAYS = 3660

/** Every day from the first to the last with a session. A session over midnight counts once, on its first day; its prompts on theirs. */
export function daysOf(rows: readonly RowWithDays[]) {
  const worked = rows.flatMap((row) => row.days.map((day, i) => ({ ...day, sessions: Number(i === 0) })))
  return perDay(worked, (day, all) => ({
    day,
    sessions: total(all, ({ sessions }) => sessions),
    prompts: total(all, ({ prompts }) => prompts),
    tools: total(all, ({ toolCounts }) => total(toolCounts, ([, n]) => n)),
  }))
}

/** Also for the days between them on which nothing happened. */
function perDay<T extends { day: string }, D>(worked: readonly T[], make: (day: string, all: readonly T[]) => D): D[] {
  const days = grouped(worked, ({ day }) => day)
  return everyDay([...days.keys()]).map((day) => make(day, days.get(day) ?? []))
}

/** All days from the first to the last of these. */
export function everyDay(days: readonly string[]): string[] {
  const sorted = days.filter((day) => !Number.isNaN(Date.parse(day))).toSorted()
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return []
  const length = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1
  return length > MOST_DAYS ? [...new Set(sorted)] : Array.from({ length }, (_, i) => dayAfter(first, i))
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Uses per day of the most used tools; `other` is last if there are more. */
export function toolsOf(rows: readonly RowWithDays[], most = 6) {
  const uses = grouped(
    rows.flatMap(({ toolCounts }) => toolCounts),
    ([name]) => name,
  )
  const names = [...uses]
    .map(([name, all]) => ({ name, n: total(all, ([, n]) => n) }))
    .sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
  const own = names.slice(0, names.length > most + 1 ? most : names.length)
  const toolNames = own.length < names.length ? [...own, 'other'] : own
  const worked = rows.flatMap((row) => row.days)
  const toolsPerDay = perDay(worked, (day, all) => {
    const counts = toolNames.map(() => 0)
    for (const [name, n] of all.flatMap(({ toolCounts }) => toolCounts)) {
      const at = own.includes(name) ? own.indexOf(name) : toolNames.length - 1
      counts[at] = (counts[at] ?? 0) + n
    }
    return { day, counts }
  })
  return { toolNames, toolsPerDay }
}

/** Runs of hooks, per day and event. */
export function hooksPerDay(runs: readonly { at: string; event: string; ms: number }[], dayOf = utcDay) {
  return [...grouped(runs, ({ at, event }) => `${dayOf(at).padEnd(10)} ${event}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, all]) => {
      const times = all.map(({ ms }) => ms)
      const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)]
      return { day: key.slice(0, 10).trim(), event: key.slice(11), calls: all.length, p50, p95 }
    })
}
