/** One session as a row of a list: its time, its goal, and counts of what was done. */

import { utcDay } from '../platform/time.ts'
import { cutMarked, shorten } from '../text/shorten.ts'
import { type Entry, isHostLine, isPlan, type Numbered, type Tombstone } from '../transcript/session.ts'

export interface RowOfSession {
  /** The first eight characters of the session's id. */
  id: string
  startedAt: string
  endedAt: string
  /** What it was about, at most 300 characters; empty only where nothing was said and done. */
  goal: string
  prompts: number
  tools: number
  entries: number
  /** The number of distinct subagents. */
  subagents: number
  /** Uses of each tool, most first. */
  toolCounts: Counts
  /** At most 24 files: the most changed first, then those only read. */
  fileCounts: Counts
  fileCount: number
  /** A program sent the prompts; nobody typed them. */
  isSent: boolean
  /** The activity per quarter of an hour, in order: in every time zone a day begins at such a boundary. */
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
  /** The start of the quarter: `2026-01-13T12:15Z`. */
  at: string
  prompts: number
  toolCounts: Counts
}

const GOAL_CHARS = 300
/** The state of every session is read at every event: its goal is shorter there. */
const KEPT_GOAL_CHARS = 160
const MOST_FILES = 24
const CHANGING: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
const READING: ReadonlySet<string> = new Set(['Read', 'NotebookRead'])
/** One change ranks above any number of reads. */
const CHANGE = 1_000_000

type Done = Extract<Entry, { name: string }>

export function rowOf(id: string, entries: readonly (Entry | Tombstone)[]): RowOfSession {
  const present = entries.filter((entry): entry is Entry => entry.role !== 'tombstone')
  const done = present.filter((entry): entry is Done => 'name' in entry)
  const prompts = present.filter((entry) => entry.role === 'user' && !isHostLine(entry))
  const files = countFiles(done)
  return {
    id,
    startedAt: present[0]?.ts ?? '',
    endedAt: present.at(-1)?.ts ?? '',
    goal: goalOf(present),
    prompts: prompts.length,
    tools: done.length,
    entries: present.length,
    subagents: new Set(present.flatMap((entry) => (entry.role === 'subagent' ? [entry.agent] : []))).size,
    toolCounts: countsOf(done.map(({ name }) => name)),
    fileCounts: files.slice(0, MOST_FILES),
    fileCount: files.length,
    isSent: prompts.length > 0 && prompts.every((prompt) => 'sent' in prompt && prompt.sent === true),
    quarters: quartersOf(present),
  }
}

/** As many bytes of UTF-8 as "looks good, go ahead" has: a text that is not longer answers something that is not in it. */
const TELLING_BYTES = 20

/**
 * What a session was about: the first prompt that is more than a short answer, else the heading of a plan, else what Claude said last.
 * A session that has none of these is told by a short prompt of several words, its first tool use, or a single word.
 */
export function goalOf(all: readonly Entry[]): string {
  const withoutHost = all.filter((entry) => !isHostLine(entry))
  const prompts = withoutHost.flatMap((entry) => (entry.role === 'user' ? [entry] : []))
  const typed = prompts.filter(
    (prompt) => isPlan(prompt) || ((prompt.via === undefined || prompt.via === 'queue') && prompt.by !== 'machine'),
  )
  const plans = withoutHost.flatMap((entry) =>
    entry.role === 'tool' && entry.name === 'ExitPlanMode' ? [entry.cmd] : [],
  )
  const said = withoutHost.flatMap((entry) => (entry.role === 'assistant' ? [entry.text] : [])).reverse()
  const others = withoutHost.flatMap((entry) => ('text' in entry && entry.role !== 'assistant' ? [entry.text] : []))
  const goal =
    firstOf(typed.map(({ text }) => askedIn(text))) ??
    firstOf(plans.map(headOf)) ??
    firstOf([...said, ...others].map(firstLine)) ??
    prompts.find(({ text }) => /\S\s+\S/.test(text))?.text ??
    withoutHost.flatMap((entry) => ('name' in entry ? [`${entry.name} ${entry.cmd}`] : []))[0] ??
    prompts[0]?.text ??
    ''
  return cutMarked(goal.replace(/\s+/g, ' ').trim(), GOAL_CHARS)
}

/** Empty for a command for the host and for a short answer. A plan or a document that follows "…:" is told by its heading. */
function askedIn(text: string): string {
  if (/^\/[\w:-]+(?:\s|$)/.test(text)) return ''
  const [first = ''] = text.trim().split('\n', 1)
  return (first.endsWith(':') ? headOf(text) : '') || (isTelling(text) ? text : '')
}

/** The first heading of a markdown text. */
function headOf(text: string): string {
  return /^#+ +(\S.*)$/m.exec(text)?.[1] ?? ''
}

/** The first line that is more than a word or two and announces nothing, without the marks of markdown. */
function firstLine(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^[\s#>*-]+|\*\*/g, ''))
  return lines.find((line) => isTelling(line) && !/[:：]\s*$/.test(line)) ?? ''
}

function isTelling(text: string): boolean {
  return Buffer.byteLength(text) > TELLING_BYTES
}

/** The goal of a session as its state keeps it. */
export function keptGoal(numbered: readonly Numbered[]): string {
  const entries = numbered.flatMap(({ entry }) => (entry.role === 'tombstone' ? [] : [entry]))
  return shorten(goalOf(entries), KEPT_GOAL_CHARS)
}

function firstOf(texts: readonly string[]): string | undefined {
  return texts.find((text) => text !== '')
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

/** An entry without a time is left out. */
function quartersOf(present: readonly Entry[]): QuarterRow[] {
  const quarters = new Map<string, { prompts: number; tools: string[] }>()
  for (const entry of present) {
    if (!/^\d{4}-\d\d-\d\d$/.test(entry.ts.slice(0, 10))) continue
    const at = quarterOf(entry.ts)
    const known = quarters.get(at) ?? { prompts: 0, tools: [] }
    quarters.set(at, known)
    if (entry.role === 'user' && !isHostLine(entry)) known.prompts++
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
