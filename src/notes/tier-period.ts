/** The periods that tiers are made for: the weeks and months of UTC, by the instant at which a session began. */

import { ARCHIVE_DIR } from '../platform/layout.ts'
import { isoWeekOf, mondayOf } from './iso-week.ts'

export interface Period {
  /** Below `sessions/`, with slashes: `week-2026-03.md`, `archive/2026-01.md`. */
  file: string
  is: 'week' | 'month'
  /** As it stands in the heading of its file. */
  title: string
  from: string
  /** Up to and not including. */
  to: string
}

const WEEK = /^week-(\d{4})-(\d\d)\.md$/
const MONTH = new RegExp(`^${ARCHIVE_DIR}/(\\d{4})-(\\d\\d)\\.md$`)

/** Null: no instant. */
export function weekOf(at: string): Period | null {
  const iso = isoWeekOf(at)
  return iso === null ? null : weekPeriod(iso.year, iso.week)
}

/** Null: no instant. */
export function monthOf(at: string): Period | null {
  const [, year, month] = /^(\d{4})-(\d\d)-\d\dT/.exec(at) ?? []
  return Number.isNaN(Date.parse(at)) || year === undefined ? null : monthPeriod(Number(year), Number(month))
}

/** By the name of its file below `sessions/`; null: no tier of ours. */
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
