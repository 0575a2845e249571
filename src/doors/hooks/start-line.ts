/** The line that a person sees at a start. Its day is put into words when it is printed: a start is prepared in advance. */

import type { Standing } from '../../core/briefing/standing.ts'
import { dayIn } from '../../kernel/platform/time.ts'
import { count } from '../../kernel/text/figures.ts'

export interface StartLine extends Standing {
  /** How many sessions are remembered. */
  sessions: number
  /** How many rules wait for the user's yes. */
  toAccept: number
}

const DAY_MS = 24 * 60 * 60_000
const WEEK_DAYS = 7
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** For example `Memory Keeper: 9 sessions · 2 open · yesterday: deploy.sh is missing, stopped · 1 rule to accept`. An empty time zone means the system's. */
export function renderStartLine(line: StartLine, now: string, timezone: string): string {
  const { sessions, open, stands, toAccept } = line
  const parts = [
    count(sessions, 'session'),
    ...(open === 0 ? [] : [`${open} open`]),
    ...(stands === null || stands.text === '' ? [] : [withDay(stands, now, timezone)]),
    ...(toAccept === 0 ? [] : [`${count(toAccept, 'rule')} to accept`]),
  ]
  return `Memory Keeper: ${parts.join(' · ')}`
}

function withDay({ at, text }: { at: string; text: string }, now: string, timezone: string): string {
  const dayOf = dayIn(timezone)
  const day = dayOf(at)
  return day === '' ? text : `${dayInWords(day, dayOf(now))}: ${text}`
}

/** Days of the last week by name, earlier ones of the same year as `01-12`. */
function dayInWords(day: string, today: string): string {
  const noon = Date.parse(`${day}T12:00:00.000Z`)
  const ago = Math.round((Date.parse(`${today}T12:00:00.000Z`) - noon) / DAY_MS)
  if (ago === 0) return 'today'
  if (ago === 1) return 'yesterday'
  if (ago > 1 && ago < WEEK_DAYS) return WEEKDAYS[new Date(noon).getUTCDay()] ?? day
  return day.slice(0, 4) === today.slice(0, 4) ? day.slice(5) : day
}
