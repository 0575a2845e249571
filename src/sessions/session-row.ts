/** One session as a row of a list: when, what for, and how much of what was done in it. */

import { utcDay } from '../platform/time.ts'
import { cutMarked } from '../text/shorten.ts'
import type { Entry, Tombstone } from '../transcript/session.ts'

export interface RowOfSession {
  /** The first eight characters of the session's id. */
  id: string
  startedAt: string
  endedAt: string
  /** The first thing that was asked for, at most 300 characters of it. */
  goal: string
  prompts: number
  tools: number
  entries: number
  /** How many different ones. */
  subagents: number
  /** Uses of each tool, most first. */
  toolCounts: Counts
  /** What was changed most first, then what was read; at most 24. */
  fileCounts: Counts
  fileCount: number
  /** Nobody typed its prompts: a program sent them. */
  isSent: boolean
  /** What was done in each quarter of an hour, in their order: no time zone begins its day within one. */
  quarters: QuarterRow[]
}

/** A row with its days in one time zone. */
export type RowWithDays = RowOfSession & { days: DayRow[] }

type Counts = [name: string, uses: number][]

interface DayRow {
  day: string
  prompts: number
  toolCounts: Counts
}

interface QuarterRow {
  /** Its beginning: `2026-01-13T12:15Z`. */
  at: string
  prompts: number
  toolCounts: Counts
}

const GOAL_CHARS = 300
const MOST_FILES = 24
const CHANGING: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
const READING: ReadonlySet<string> = new Set(['Read', 'NotebookRead'])
/** A change is worth more than any number of looks. */
const CHANGE = 1_000_000

type Done = Extract<Entry, { name: string }>

export function rowOf(id: string, entries: readonly (Entry | Tombstone)[]): RowOfSession {
  const told = entries.filter((entry): entry is Entry => entry.role !== 'tombstone')
  const done = told.filter((entry): entry is Done => 'name' in entry)
  const prompts = told.filter((entry) => entry.role === 'user')
  const files = countFiles(done)
  return {
    id,
    startedAt: told[0]?.ts ?? '',
    endedAt: told.at(-1)?.ts ?? '',
    goal: goalOf(prompts),
    prompts: prompts.length,
    tools: done.length,
    entries: told.length,
    subagents: new Set(told.flatMap((entry) => (entry.role === 'subagent' ? [entry.agent] : []))).size,
    toolCounts: countsOf(done.map(({ name }) => name)),
    fileCounts: files.slice(0, MOST_FILES),
    fileCount: files.length,
    isSent: prompts.length > 0 && prompts.every((prompt) => prompt.sent === true),
    quarters: quartersOf(told),
  }
}

/** A command for the host tells less than a sentence. */
function goalOf(prompts: readonly Extract<Entry, { role: 'user' }>[]): string {
  const first = prompts.find(({ text }) => !text.startsWith('/')) ?? prompts[0]
  const text = (first?.text ?? '').replace(/\s+/g, ' ').trim()
  return cutMarked(text, GOAL_CHARS)
}

function countFiles(done: readonly Done[]): Counts {
  const uses = new Map<string, { changes: number; all: number }>()
  for (const { name, cmd } of done) {
    const isChange = CHANGING.has(name)
    if (cmd === '' || !(isChange || READING.has(name))) continue
    const known = uses.get(cmd) ?? { changes: 0, all: 0 }
    uses.set(cmd, { changes: known.changes + Number(isChange), all: known.all + 1 })
  }
  const rank = ([, { changes, all }]: [string, { changes: number; all: number }]): number => changes * CHANGE + all
  return [...uses].sort((a, b) => rank(b) - rank(a) || compare(a[0], b[0])).map(([file, { all }]) => [file, all])
}

function countsOf(names: readonly string[]): Counts {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return mostFirst(counts)
}

function mostFirst(counts: ReadonlyMap<string, number>): Counts {
  return [...counts].sort((a, b) => b[1] - a[1] || compare(a[0], b[0]))
}

/** The days of a session in UTC, or in the time zone of `dayOf`. */
export function daysIn({ quarters }: RowOfSession, dayOf: (at: string) => string = utcDay): DayRow[] {
  const days = new Map<string, { prompts: number; tools: Map<string, number> }>()
  for (const { at, prompts, toolCounts } of quarters) {
    const day = dayOf(at)
    const known = days.get(day) ?? { prompts: 0, tools: new Map<string, number>() }
    days.set(day, known)
    known.prompts += prompts
    for (const [name, uses] of toolCounts) known.tools.set(name, (known.tools.get(name) ?? 0) + uses)
  }
  return [...days]
    .sort((a, b) => compare(a[0], b[0]))
    .map(([day, { prompts, tools }]) => ({ day, prompts, toolCounts: mostFirst(tools) }))
}

/** An entry without a time belongs to no day. */
function quartersOf(told: readonly Entry[]): QuarterRow[] {
  const quarters = new Map<string, { prompts: number; tools: string[] }>()
  for (const entry of told) {
    if (!/^\d{4}-\d\d-\d\d$/.test(entry.ts.slice(0, 10))) continue
    const at = quarterOf(entry.ts)
    const known = quarters.get(at) ?? { prompts: 0, tools: [] }
    quarters.set(at, known)
    if (entry.role === 'user') known.prompts++
    if ('name' in entry) known.tools.push(entry.name)
  }
  return [...quarters]
    .sort((a, b) => compare(a[0], b[0]))
    .map(([at, { prompts, tools }]) => ({ at, prompts, toolCounts: countsOf(tools) }))
}

function quarterOf(at: string): string {
  const [, hour = '', minute = ''] = /^(\d{4}-\d\d-\d\dT\d\d):(\d\d)/.exec(at) ?? []
  const quarter = String(Math.floor(Number(minute) / 15) * 15).padStart(2, '0')
  return hour === '' ? `${at.slice(0, 10)}T00:00Z` : `${hour}:${quarter}Z`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
