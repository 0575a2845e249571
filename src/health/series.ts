/** Series for charts: what happened per day, with which tools, and how long hooks took. Days are UTC, unless they are given otherwise. */

import { utcDay } from '../platform/time.ts'
import type { RowWithDays } from '../sessions/session-row.ts'
import { grouped, quantile, total } from '../text/figures.ts'

export interface Day {
  day: string
  sessions: number
  prompts: number
  tools: number
}

const DAY_MS = 24 * 60 * 60_000
/** A clock was wrong: a chart of a century of empty days is useless. */
const MOST_DAYS = 3660

/** Every day from the first to the last with a session. A session over midnight counts once, on its first day; its prompts on theirs. */
export function daysOf(rows: readonly RowWithDays[]): Day[] {
  const worked = rows.flatMap((row) => row.days.map((day, i) => ({ ...day, sessions: Number(i === 0) })))
  const days = grouped(worked, ({ day }) => day)
  return everyDay([...days.keys()]).map((day) => {
    const all = days.get(day) ?? []
    const uses = all.flatMap(({ toolCounts }) => toolCounts)
    return {
      day,
      sessions: total(all, ({ sessions }) => sessions),
      prompts: total(all, ({ prompts }) => prompts),
      tools: total(uses, ([, n]) => n),
    }
  })
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

export interface ToolSeries {
  /** The most used ones; `other` is last if there are more. */
  toolNames: string[]
  toolsPerDay: { day: string; counts: number[] }[]
}

const OTHER = 'other'

export function toolsOf(rows: readonly RowWithDays[], most = 6): ToolSeries {
  const names = commonest(rows.flatMap(({ toolCounts }) => toolCounts)).map(([name]) => name)
  const own = names.slice(0, names.length > most + 1 ? most : names.length)
  const toolNames = own.length < names.length ? [...own, OTHER] : own
  const place = new Map(own.map((name, i) => [name, i]))
  const perDay = new Map<string, number[]>()
  for (const { day, toolCounts } of rows.flatMap((row) => row.days)) {
    const counts = perDay.get(day) ?? toolNames.map(() => 0)
    for (const [name, uses] of toolCounts) {
      const at = place.get(name) ?? toolNames.length - 1
      counts[at] = (counts[at] ?? 0) + uses
    }
    perDay.set(day, counts)
  }
  const toolsPerDay = everyDay([...perDay.keys()]).map((day) => ({
    day,
    counts: perDay.get(day) ?? toolNames.map(() => 0),
  }))
  return { toolNames, toolsPerDay }
}

/** Added up by name, highest first. */
function commonest(counts: readonly (readonly [name: string, uses: number])[]): [name: string, uses: number][] {
  const all = new Map<string, number>()
  for (const [name, uses] of counts) all.set(name, (all.get(name) ?? 0) + uses)
  return [...all].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}

/** One run of a hook. */
export interface Run {
  at: string
  event: string
  ms: number
}

export interface EventTimes {
  event: string
  calls: number
  p50: number
  p95: number
}

export function hooksPerDay(runs: readonly Run[], dayOf = utcDay): ({ day: string } & EventTimes)[] {
  return [...grouped(runs, ({ at, event }) => `${dayOf(at).padEnd(10)} ${event}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, all]) => ({ day: key.slice(0, 10).trim(), ...timesOf(key.slice(11), all) }))
}

function timesOf(event: string, runs: readonly Run[]): EventTimes {
  const times = runs.map(({ ms }) => ms)
  return { event, calls: runs.length, p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
}
