/** What `stats` shows: a line for each series, bars for what there is most of. */

import { accent, bold, dim, fitted, harmless, table, width } from '../../memory/commands/output.ts'
import { count, ms, short } from '../../text/figures.ts'
import type { Growth, ModelDay, ToldDay } from '../disk/numbers.ts'
import type { Day, EventTimes, FileUse } from '../series.ts'
import { bar, sparkline, squeezed } from './bars.ts'

export interface Stats {
  project: string
  from: string
  to: string
  /** Each day, also those without a session. */
  days: Day[]
  /** Sessions that anything happened in. */
  sessions: number
  /** Of all time, to say when there was nothing lately. */
  lastDay: string | null
  tools: [name: string, uses: number][]
  files: FileUse[]
  memory: Growth[]
  /** What memory.md has now, which `status` says, too. */
  memoryTokens: number
  /** Tokens of memory.md before the first of these days. */
  memoryBefore: number
  told: ToldDay[]
  models: ModelDay[]
  hooks: EventTimes[]
}

const LABELS = 13
const NOTES_ROOM = 34
const LEAST_SPARKS = 10
const MOST_BAR = 30

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const most = (values: readonly number[]): number => Math.max(0, ...values)

export function renderStats(stats: Stats, columns: number): string[] {
  const { from, to, days, sessions, lastDay } = stats
  const title = `${bold(stats.project)}  ${dim(`${count(days.length, 'day')}, ${from} to ${to} (UTC)`)}`
  if (sessions === 0) return [title, ...nothing(stats, lastDay)]
  return [
    title,
    '',
    ...series(stats, columns),
    ...barsOf('tools', stats.tools, columns),
    ...barsOf(
      'files',
      stats.files.map(({ file, uses, sessions: n }) => [file, uses, `in ${count(n, 'session')}`] as const),
      columns,
    ),
    ...hooks(stats, columns),
  ]
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
}

function nothing({ days, to }: Stats, lastDay: string | null): string[] {
  if (lastDay === null)
    return ['Nothing to count yet. Sessions are captured as you work; memory-keeper import takes in earlier ones.']
  return [
    `No session in ${days.length === 1 ? 'this day' : `these ${days.length} days`}; the last one was on ${lastDay}. Look further back: memory-keeper stats --days ${1 + daysBetween(lastDay, to)}`,
  ]
}

function series(stats: Stats, columns: number): string[] {
  const { days, models } = stats
  const lines: [label: string, values: number[], join: Join, note: string][] = [
    ['sessions', days.map((day) => day.sessions), most, sessionsNote(stats)],
    ['prompts', days.map((day) => day.prompts), sum, sum(days.map((day) => day.prompts)).toLocaleString('en-US')],
    ['tool uses', days.map((day) => day.tools), sum, sum(days.map((day) => day.tools)).toLocaleString('en-US')],
    ['memory.md', memoryPerDay(stats), last, memoryNote(stats)],
    ['told', days.map(({ day }) => toldOn(stats, day)), sum, toldNote(stats)],
    ...(models.length === 0
      ? []
      : [
          ['models', days.map(({ day }) => tokensOn(stats, day)), sum, modelsNote(stats)] as [
            string,
            number[],
            Join,
            string,
          ],
        ]),
  ]
  const room = Math.max(LEAST_SPARKS, columns - LABELS - NOTES_ROOM)
  return lines.map(([label, values, join, note]) => {
    const sparks = sparkline(squeezed(values, room, join))
    return `  ${label.padEnd(LABELS - 3)} ${accent(sparks)}  ${note}`.trimEnd()
  })
}

type Join = (some: readonly number[]) => number
const last: Join = (some) => some.at(-1) ?? 0

function sessionsNote({ sessions, days }: Stats): string {
  const busy = days.filter((day) => day.sessions > 0).length
  return `${sessions.toLocaleString('en-US')} on ${count(busy, 'day')}`
}

/** What it held at the end of each day. */
function memoryPerDay({ days, memory, memoryBefore }: Stats): number[] {
  let tokens = memoryBefore
  return days.map(({ day }) => {
    tokens = memory.filter(({ at }) => at.slice(0, 10) === day).at(-1)?.tokens ?? tokens
    return tokens
  })
}

function memoryNote(stats: Stats): string {
  const rotations = stats.memory.filter(({ isRotation }) => isRotation).length
  const now = count(stats.memoryTokens, 'token')
  return rotations === 0 ? now : `${now}, ${count(rotations, 'rotation')}`
}

function toldOn({ told }: Stats, day: string): number {
  return sum(
    told
      .filter((one) => one.day === day)
      .map(({ briefing, rules, recall, request }) => briefing + rules + recall + request),
  )
}

function toldNote({ told }: Stats): string {
  const parts = (['briefing', 'rules', 'recall', 'request'] as const)
    .map((part) => [part, sum(told.map((day) => day[part]))] as const)
    .filter(([, tokens]) => tokens > 0)
  if (parts.length === 0) return 'nothing'
  return fitted(
    [
      `${short(sum(parts.map(([, tokens]) => tokens)))} tokens`,
      parts.map(([part, tokens]) => `${part} ${short(tokens)}`).join(', '),
    ],
    NOTES_ROOM + 6,
    ': ',
  )
}

function tokensOn({ models }: Stats, day: string): number {
  return sum(models.filter((one) => one.day === day).map(({ tokens }) => tokens))
}

function modelsNote({ models }: Stats): string {
  const cost = sum(models.map(({ costUsd }) => costUsd))
  return `${count(sum(models.map(({ calls }) => calls)), 'call')}, ${short(sum(models.map(({ tokens }) => tokens)))} tokens, $${cost.toFixed(cost < 0.1 ? 3 : 2)}`
}

/** Nothing where there is nothing. */
function barsOf(
  title: string,
  rows: readonly (readonly [name: string, uses: number, note?: string])[],
  columns: number,
): string[] {
  if (rows.length === 0) return []
  const nameRoom = Math.max(12, Math.floor(columns / 2) - 4)
  const greatest = most(rows.map(([, uses]) => uses))
  const lines = rows.map(([name, uses, note = '']) => [
    `  ${shortened(harmless(name), nameRoom)}`,
    uses.toLocaleString('en-US').padStart(greatest.toLocaleString('en-US').length),
    accent(bar(uses, greatest, Math.min(MOST_BAR, columns - nameRoom - 26))),
    dim(note),
  ])
  return ['', bold(title), ...table(lines)]
}

/** The end of a path tells more than its beginning. */
function shortened(text: string, room: number): string {
  if (width(text) <= room) return text
  let end = ''
  for (const character of Array.from(text).reverse()) {
    if (width(character + end) > room - 1) break
    end = character + end
  }
  return `…${end}`
}

function hooks({ hooks: events }: Stats, columns: number): string[] {
  if (events.length === 0) return []
  const slowest = most(events.map(({ p95 }) => p95))
  const room = Math.min(MOST_BAR, Math.max(8, columns - 58))
  const lines = events.map(({ event, calls, p50, p95 }) => [
    `  ${event}`,
    `p50 ${ms(p50)}`,
    `p95 ${ms(p95)}`,
    accent(bar(p95, slowest, room)),
    dim(count(calls, 'call')),
  ])
  return ['', bold('hooks'), ...table(lines)]
}
