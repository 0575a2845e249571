/** `stats`: a line for each series, bars for what there is most of. */

import { type Context, wholeNumber } from '../../memory/commands/context.ts'
import { accent, bold, dim, fitted, harmless, table, width } from '../../memory/commands/output.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readCalls } from '../../model/disk/model-calls.ts'
import { KeeperError } from '../../platform/error.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { listReceipts } from '../../receipts/disk/receipts.ts'
import { sessionRows } from '../../sessions/disk/session-rows.ts'
import type { RowOfSession } from '../../sessions/session-row.ts'
import { count, ms, short } from '../../text/figures.ts'
import { memoryGrowth, memoryTokens, modelPerDay, tokensPerDay } from '../disk/numbers.ts'
import { commonest, dayAfter, daysOf, everyDay, seriesFiles, timesByEvent } from '../series.ts'

type Stats = ReturnType<typeof statsOf>

const LABELS = 13
const NOTES_ROOM = 34
const LEAST_SPARKS = 10
const MOST_BAR = 30

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const most = (values: readonly number[]): number => Math.max(0, ...values)

function renderStats(stats: Stats, columns: number): string[] {
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

const LEVELS = '▁▂▃▄▅▆▇█'
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
const NONE = '·'

/** One character for each value; zero is a dot, the least of anything is seen. Negative values count as zero. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(0, ...values)
  return values
    .map((value) => (value <= 0 ? NONE : (LEVELS[Math.ceil((value / most) * LEVELS.length) - 1] ?? LEVELS[0])))
    .join('')
}

/** As many values as there is room for: neighbours are joined, all of them equally many but the first. */
export function squeezed(values: readonly number[], room: number, join: (some: readonly number[]) => number): number[] {
  if (values.length <= room) return [...values]
  const each = Math.ceil(values.length / room)
  const groups: number[] = []
  // From the end: the newest days are whole.
  for (let to = values.length; to > 0; to -= each) groups.unshift(join(values.slice(Math.max(0, to - each), to)))
  return groups
}

/** At most `room` columns, for the share of `most`; anything above zero is seen. */
export function bar(value: number, most: number, room: number): string {
  if (value <= 0 || most <= 0 || room <= 0) return ''
  const eighths = Math.max(1, Math.round((Math.min(value, most) / most) * room * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}

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

function statsOf(store: Store, to: string, length: number) {
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
