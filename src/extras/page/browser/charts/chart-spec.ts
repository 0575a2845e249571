/** A chart as data: its axes, its series, and the format of its figures; also days and weeks as x axis. */
import { sayFullDay, sayShortDay } from '../say.ts'

export interface Series {
  label: string
  values: readonly (number | null)[]
  /** The name of a colour in the style sheet: `--c1`. */
  colour: string
  /** Dashed lines can be distinguished without colour. */
  isDashed?: boolean
}

export interface XAxis {
  /** `days` are side by side; `instants` are on a true time axis. */
  x: 'days' | 'instants'
  /** The number of points. */
  length: number
  /** For instants, in seconds. */
  at?: readonly number[]
  sayX: (index: number) => string
  /** Short, for the axis; for instants by their seconds. */
  sayTick: (index: number) => string
}

export interface ChartSpec extends XAxis {
  title: string
  /** The unit, for axis, tooltip and table: `tokens`, `ms`. */
  unit: string
  kind: 'bars' | 'lines' | 'steps'
  series: readonly Series[]
  /** One on top of the other. */
  isStacked?: boolean
  sayY: (n: number) => string
  /** Highlighted points: rotations. */
  marks?: readonly { index: number; label: string }[]
  /** A limit that is drawn as a line. */
  line?: { y: number; label: string }
  height?: number
}

/** Bars are drawn from the top down: each is as high as all below it together. */
export function stacked(series: readonly Series[]): number[][] {
  let below: number[] = []
  return series.map(({ values }) => {
    below = values.map((value, i) => (below[i] ?? 0) + (value ?? 0))
    return below
  })
}

/** The rows of the table with the same figures as the chart. */
export function rowsOf(spec: ChartSpec): { x: string; cells: string[] }[] {
  return Array.from({ length: spec.length }, (_, i) => ({
    x: spec.sayX(i),
    cells: spec.series.map(({ values }) => {
      const value = values[i]
      return value === null || value === undefined ? '–' : spec.sayY(value)
    }),
  }))
}

/** `more`: text for the tooltip of a day besides its date. */
export function dayAxis(days: readonly string[], more: (day: string) => string = () => ''): XAxis {
  return {
    x: 'days',
    length: days.length,
    sayX: (index) => `${sayFullDay(days[index] ?? '')}${more(days[index] ?? '')}`,
    sayTick: (index) => sayShortDay(days[index] ?? ''),
  }
}

/** About the number of bars that fit into 700 pixels. */
const MOST_BARS = 120
const DAY_MS = 86_400_000

export interface Buckets {
  per: 'day' | 'week'
  /** The first day of each. */
  days: string[]
  axis: XAxis
  /** Sums of a figure per bucket. */
  sum(values: readonly number[]): number[]
}

/** Days, or weeks if there are too many days for separate bars. */
export function bucketsOf(days: readonly string[]): Buckets {
  const per = days.length > MOST_BARS ? 'week' : 'day'
  const keys = per === 'day' ? days : days.map(mondayOf)
  const starts = [...new Set(keys)]
  const axis = dayAxis(starts)
  return {
    per,
    days: starts,
    axis: per === 'day' ? axis : { ...axis, sayX: (index) => `Week of ${axis.sayX(index)}` },
    sum: (values) => {
      const sums = new Map(starts.map((start) => [start, 0]))
      for (const [i, key] of keys.entries()) sums.set(key, (sums.get(key) ?? 0) + (values[i] ?? 0))
      return [...sums.values()]
    },
  }
}

function mondayOf(day: string): string {
  const at = new Date(`${day}T12:00:00Z`)
  return new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
}

/** Every day from the first to the last: a day without activity should be visible as a gap. */
export function bucketsOfDays(days: Iterable<string>): string[] {
  const sorted = [...days].sort()
  const all: string[] = []
  const last = Date.parse(`${sorted.at(-1)}T12:00:00Z`)
  for (let at = Date.parse(`${sorted[0]}T12:00:00Z`); at <= last; at += DAY_MS)
    all.push(new Date(at).toISOString().slice(0, 10))
  return all
}

/** How many sessions are newer than those of this day: the list is newest first. */
export function indexOfDay(days: readonly { day: string; sessions: number }[], day: string): number {
  return days.filter((one) => one.day > day).reduce((sum, one) => sum + one.sessions, 0)
}
