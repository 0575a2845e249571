/** Days, or weeks where there are too many days to tell bars apart. */
import { sayFullDay, sayShortDay } from '../say.ts'

/** About what 700 pixels show as bars. */
const MOST_BARS = 120
const DAY_MS = 86_400_000

export interface Buckets {
  per: 'day' | 'week'
  /** The first day of each. */
  days: string[]
  /** Sums of a figure per bucket. */
  sum(values: readonly number[]): number[]
  sayTick(index: number): string
  sayX(index: number): string
}

export function bucketsOf(days: readonly string[]): Buckets {
  const per = days.length > MOST_BARS ? 'week' : 'day'
  const keys = per === 'day' ? [...days] : days.map(mondayOf)
  const starts = [...new Set(keys)]
  const at = new Map(starts.map((start, i) => [start, i]))
  return {
    per,
    days: starts,
    sum: (values) => {
      const sums = starts.map(() => 0)
      for (const [i, key] of keys.entries()) {
        const n = at.get(key) ?? 0
        sums[n] = (sums[n] ?? 0) + (values[i] ?? 0)
      }
      return sums
    },
    sayTick: (index) => sayShortDay(starts[index] ?? ''),
    sayX: (index) => `${per === 'week' ? 'Week of ' : ''}${sayFullDay(starts[index] ?? '')}`,
  }
}

function mondayOf(day: string): string {
  const at = new Date(`${day}T12:00:00Z`)
  const since = (at.getUTCDay() + 6) % 7
  return new Date(at.getTime() - since * DAY_MS).toISOString().slice(0, 10)
}

/** Every day from the first to the last: a day without anything is a gap one should see. */
export function bucketsOfDays(days: readonly string[]): string[] {
  const sorted = [...days].sort()
  const first = sorted[0]
  const last = sorted.at(-1)
  if (first === undefined || last === undefined) return []
  const all: string[] = []
  for (let at = Date.parse(`${first}T12:00:00Z`); at <= Date.parse(`${last}T12:00:00Z`); at += DAY_MS) {
    all.push(new Date(at).toISOString().slice(0, 10))
  }
  return all
}

/** How many sessions are newer than this day's: the list is newest first. */
export function indexOfDay(days: readonly { day: string; sessions: number }[], day: string): number {
  return days.filter((one) => one.day > day).reduce((sum, one) => sum + one.sessions, 0)
}
