/** `stats`: one line per series over the last days: sessions, prompts, tool uses, growth of memory.md. */

import { type Context, wholeNumber } from '../../../kernel/memory/commands/context.ts'
import { accent, bold, dim } from '../../../kernel/memory/commands/output.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { clockOf, dayIn } from '../../../kernel/platform/time.ts'
import { sessionRows } from '../../../kernel/sessions/disk/sessions.ts'
import { daysIn } from '../../../kernel/sessions/session-row.ts'
import { count, total } from '../../../kernel/text/figures.ts'
import { memoryGrowth, memoryTokens } from '../disk/numbers.ts'
import { dayAfter, daysOf, everyDay } from '../series.ts'

const DAYS = 30
const MOST_DAYS = 3660
const LABELS = 13
const NOTES_ROOM = 34
const LEAST_SPARKS = 10

type Stats = ReturnType<typeof statsOf>

export function runStats({ store, out, world }: Context, options: { days?: string }): number {
  const days = options.days === undefined ? DAYS : wholeNumber('--days', options.days)
  if (days < 1 || days > MOST_DAYS)
    throw new KeeperError('usage', `--days takes a number from 1 to ${MOST_DAYS}, like --days 90.`)
  const stats = statsOf(store, world.now(), days)
  const { zone } = clockOf(store.config.timezone)
  out.json({ ...stats, timezone: zone })
  out.say(...renderStats(stats, world.columns, zone))
  return 0
}

function statsOf(store: Store, now: string, length: number) {
  const dayOf = dayIn(store.config.timezone)
  const to = dayOf(now)
  const rows = sessionRows(store).map((row) => ({ ...row, days: daysIn(row, dayOf) }))
  const worked = rows.flatMap((row) => row.days.map(({ day }) => day)).toSorted()
  const earliest = dayAfter(to, 1 - length)
  const isIn = (day: string): boolean => day >= earliest && day <= to
  // Days before the first session are left out, unless there was no session recently.
  const [first = earliest] = worked
  const from = first > earliest && worked.some(isIn) ? first : earliest
  const shown = rows.map((row) => ({ ...row, days: row.days.filter(({ day }) => isIn(day)) }))
  const known = new Map(daysOf(shown).map((day) => [day.day, day]))
  const growth = memoryGrowth(store)
  let memory = growth.filter(({ at }) => dayOf(at) < from).at(-1)?.tokens ?? 0
  return {
    project: store.places.project.root,
    from,
    to,
    sessions: shown.filter((row) => row.days.length > 0).length,
    lastDay: worked.at(-1) ?? null,
    memoryTokens: memoryTokens(store),
    days: everyDay([from, to]).map((day) => {
      // The size of memory.md at the end of the day.
      memory = growth.filter(({ at }) => dayOf(at) === day).at(-1)?.tokens ?? memory
      return { ...(known.get(day) ?? { day, sessions: 0, prompts: 0, tools: 0 }), memory }
    }),
  }
}

type Day = Stats['days'][number]

function renderStats(
  { project, from, to, days, sessions, lastDay, ...stats }: Stats,
  columns: number,
  zone: string,
): string[] {
  const title = `${bold(project)}  ${dim(`${count(days.length, 'day')}, ${from} to ${to} (${zone})`)}`
  if (lastDay === null)
    return [
      title,
      'Nothing to count yet. Sessions are captured as you work; memory-keeper import imports earlier ones.',
    ]
  if (sessions === 0)
    return [
      title,
      `No session in these days; the last one was on ${lastDay}. Look further back: memory-keeper stats --days ${everyDay([lastDay, to]).length}`,
    ]
  const sum = (of: (day: Day) => number): string => total(days, of).toLocaleString('en-US')
  const busy = days.filter((day) => day.sessions > 0).length
  const lines: [label: string, of: (day: Day) => number, note: string][] = [
    ['sessions', (day) => day.sessions, `${sessions.toLocaleString('en-US')} on ${count(busy, 'day')}`],
    ['prompts', (day) => day.prompts, sum((day) => day.prompts)],
    ['tool uses', (day) => day.tools, sum((day) => day.tools)],
    ['memory.md', (day) => day.memory, count(stats.memoryTokens, 'token')],
  ]
  const room = Math.max(LEAST_SPARKS, columns - LABELS - NOTES_ROOM)
  return [
    title,
    '',
    ...lines.map(([label, of, note]) => {
      const sparks = sparkline(squeezed(days.map(of), room))
      return `  ${label.padEnd(LABELS - 3)} ${accent(sparks)}  ${note}`.trimEnd()
    }),
  ]
}

const LEVELS = '▁▂▃▄▅▆▇█'
const NONE = '·'

/** One character per value; zero is a dot, and the smallest positive value is visible. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(0, ...values)
  return values
    .map((value) => (value <= 0 ? NONE : (LEVELS[Math.ceil((value / most) * LEVELS.length) - 1] ?? LEVELS[0])))
    .join('')
}

/** At most `room` values: the maximum of each group of neighbours. Grouped from the end, so that the newest group is complete. */
export function squeezed(values: readonly number[], room: number): number[] {
  const each = Math.ceil(values.length / room)
  const groups: number[] = []
  for (let to = values.length; to > 0; to -= each) groups.unshift(Math.max(...values.slice(Math.max(0, to - each), to)))
  return groups
}
