/** ISO weeks: they begin on Monday, and the first one of a year is that of the 4th of January. Always in UTC, as file names are. */

const DAY_MS = 24 * 60 * 60_000

export interface IsoWeek {
  /** Not always the calendar's: the 31st of December may belong to the first week of the next year. */
  year: number
  week: number
}

/** Null: no instant. */
export function isoWeekOf(at: string): IsoWeek | null {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return null
  // A week belongs to the year that its Thursday is in.
  const thursday = ms + (3 - daysSinceMonday(ms)) * DAY_MS
  const year = new Date(thursday).getUTCFullYear()
  const week = 1 + Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * DAY_MS))
  return { year, week }
}

/** The first instant of a week; one that its year does not have is the one that follows or precedes. */
export function mondayOf({ year, week }: IsoWeek): string {
  const fourth = Date.UTC(year, 0, 4)
  return new Date(fourth + (7 * (week - 1) - daysSinceMonday(fourth)) * DAY_MS).toISOString()
}

function daysSinceMonday(ms: number): number {
  return (new Date(ms).getUTCDay() + 6) % 7
}
