/** The periods of tiers: weeks and months in UTC, by the start of a session. */
import { ARCHIVE_DIR } from '../../kernel/platform/layout.ts'

export interface Period {
  /** Relative to `sessions/`, with slashes: `week-2026-03.md`, `archive/2026-01.md`. */
  file: string
  is: 'week' | 'month'
  /** As in the heading of its file. */
  title: string
  from: string
  /** Exclusive. */
  to: string
}

/** The summary of a session, by the time when it began. */
export const SESSION_SUMMARY = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_([0-9a-z]{8})\.md$/

const WEEK = /^week-(\d{4})-(\d\d)\.md$/
const MONTH = new RegExp(`^${ARCHIVE_DIR}/(\\d{4})-(\\d\\d)\\.md$`)

/** Null: not a valid instant. */
export function weekOf(at: string): Period | null {
  const iso = isoWeekOf(at)
  return iso === null ? null : weekPeriod(iso.year, iso.week)
}

/** Null: not a valid instant. */
export function monthOf(at: string): Period | null {
  const [, year, month] = /^(\d{4})-(\d\d)-\d\dT/.exec(at) ?? []
  return Number.isNaN(Date.parse(at)) || year === undefined ? null : monthPeriod(Number(year), Number(month))
}

/** By the file name below `sessions/`; null: not a tier of ours. */
export function periodOf(file: string): Period | null {
  const [, year, week] = WEEK.exec(file) ?? []
  if (year !== undefined) {
    const period = weekPeriod(Number(year), Number(week))
    return weekOf(period.from)?.file === file ? period : null
  }
  const [, ofYear, month = 0] = MONTH.exec(file) ?? []
  return ofYear === undefined || Number(month) < 1 || Number(month) > 12
    ? null
    : monthPeriod(Number(ofYear), Number(month))
}

function weekPeriod(year: number, week: number): Period {
  const from = mondayOf({ year, week })
  const to = mondayOf({ year, week: week + 1 })
  const name = `${padded(year, 4)}-${padded(week, 2)}`
  const sunday = new Date(Date.parse(to) - 1).toISOString().slice(0, 10)
  return { file: `week-${name}.md`, is: 'week', title: `Week ${name}, ${from.slice(0, 10)} to ${sunday}`, from, to }
}

function monthPeriod(year: number, month: number): Period {
  const name = `${padded(year, 4)}-${padded(month, 2)}`
  return {
    file: `${ARCHIVE_DIR}/${name}.md`,
    is: 'month',
    title: `Month ${name}`,
    from: `${name}-01T00:00:00.000Z`,
    to: new Date(Date.UTC(year, month, 1)).toISOString(),
  }
}

function padded(number: number, width: number): string {
  return String(number).padStart(width, '0')
}

const DAY_MS = 24 * 60 * 60_000

interface IsoWeek {
  /** Not always the calendar year: the 31st of December may belong to the first week of the next year. */
  year: number
  week: number
}

/** Null: not a valid instant. */
function isoWeekOf(at: string): IsoWeek | null {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return null
  // A week belongs to the year of its Thursday.
  const thursday = ms + (3 - daysSinceMonday(ms)) * DAY_MS
  const year = new Date(thursday).getUTCFullYear()
  const week = 1 + Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS))
  return { year, week }
}

/** The first instant of a week; a week number outside the year gives a week of the neighbouring year. */
export function mondayOf({ year, week }: IsoWeek): string {
  const fourth = Date.UTC(year, 0, 4)
  return new Date(fourth + (7 * (week - 1) - daysSinceMonday(fourth)) * DAY_MS).toISOString()
}

function daysSinceMonday(ms: number): number {
  return (new Date(ms).getUTCDay() + 6) % 7
}
