/** The day, month or year that a question mentions, and how close a date is to it. */

/** Null: not mentioned. Months count from 0. */
export interface DateMention {
  year: number | null
  month: number | null
  day: number | null
  /** The month as written: a common word of the memory ("may") is not a date. */
  word: string
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH =
  '(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\.?'
const ORDINAL = '(?:st|nd|rd|th)?'
const YEAR = '((?:19|20)\\d\\d)'

const month = (name: string): number => MONTHS.indexOf(name.slice(0, 3))

/** Which groups of a form are the year, the month (by number or by name) and the day. The most precise form first. */
type Part = 'year' | 'month' | 'name' | 'day'
const FORMS: readonly (readonly [RegExp, ...Part[]])[] = [
  [new RegExp(`\\b${YEAR}-(\\d{2})(?:-(\\d{2}))?\\b`, 'g'), 'year', 'month', 'day'],
  [new RegExp(`\\b${MONTH} (\\d{1,2})${ORDINAL}\\b(?:,? ${YEAR})?`, 'g'), 'name', 'day', 'year'],
  [new RegExp(`\\b(\\d{1,2})${ORDINAL}(?: of)? ${MONTH}(?![a-z])(?:,? ${YEAR})?`, 'g'), 'day', 'name', 'year'],
  [new RegExp(`\\b${MONTH}(?:,| of)? ${YEAR}\\b`, 'g'), 'name', 'year'],
  [new RegExp(`\\b(?:in|of|during|since|early|late|mid|last|this) ${MONTH}(?![a-z])`, 'g'), 'name'],
  [/(?:(\d{4})\s?[년年]\s?)?(?<!\d)(\d{1,2})\s?[월月](?:\s?(\d{1,2})\s?[일日])?/g, 'year', 'month', 'day'],
  [/(?<!\d)(\d{4})\s?[년年]/g, 'year'],
  [new RegExp(`\\b(?:in|of|during|since|last|this) ${YEAR}\\b`, 'g'), 'year'],
]

function mentionIn(found: RegExpMatchArray, parts: readonly Part[]): DateMention {
  const of = (part: Part): string | undefined => (parts.includes(part) ? found[parts.indexOf(part) + 1] : undefined)
  const [year, number, name, day] = [of('year'), of('month'), of('name'), of('day')]
  return {
    year: year === undefined ? null : Number(year),
    month: name !== undefined ? month(name) : number === undefined ? null : Number(number) - 1,
    day: day === undefined ? null : Number(day),
    word: name ?? '',
  }
}

export function findDate(text: string): DateMention | null {
  const lower = text.toLowerCase()
  for (const [form, ...parts] of FORMS) {
    for (const found of lower.matchAll(form)) {
      const mention = mentionIn(found, parts)
      const isWord =
        mention.word === 'may' && !isMonthOfMay(text.slice(found.index, found.index + found[0].length), mention)
      if (isReal(mention) && !isWord) return mention
    }
  }
  return null
}

/** "May" is usually a verb. It is a month with a capital, a year, or a preceding word that is used only with months. */
function isMonthOfMay(written: string, { year }: DateMention): boolean {
  return (
    /\bMay\b/.test(written) ||
    year !== null ||
    /^(?:in|during|since|last|early|late|mid)\b|\d(?:st|nd|rd|th)|\bof\b/i.test(written)
  )
}

function isReal({ year, month: monthOf, day }: DateMention): boolean {
  if (monthOf === null) return true
  if (monthOf < 0 || monthOf > 11) return false
  // Uses a leap year if none is mentioned.
  return day === null || (day >= 1 && day <= new Date(Date.UTC(year ?? 2024, monthOf + 1, 0)).getUTCDate())
}

/** How close a time is to the mention. */
export type Closeness = 'day' | 'week' | 'month' | 'monthOfDay' | 'shortlyAfter' | 'year' | 'apart'

const DAY = 86_400

export function closenessOf(mention: DateMention, seconds: number): Closeness {
  if (seconds === 0) return 'apart'
  const own = new Date(seconds * 1000).getUTCFullYear()
  if (mention.month === null) return mention.year === own ? 'year' : 'apart'
  // Without a year, any year matches; around the turn of the year there are two candidates.
  const years = mention.year === null ? [own - 1, own, own + 1] : [mention.year]
  let best: Closeness = 'apart'
  for (const year of years) best = closer(best, closenessIn(year, mention.month, mention.day, seconds))
  return best
}

function closenessIn(year: number, monthOf: number, day: number | null, seconds: number): Closeness {
  if (day !== null) {
    const noon = Date.UTC(year, monthOf, day, 12) / 1000
    const days = Math.abs(seconds - noon) / DAY
    if (days <= 1.5) return 'day'
    if (days <= 7.5) return 'week'
  }
  const from = Date.UTC(year, monthOf, 1) / 1000
  const to = Date.UTC(year, monthOf + 1, 1) / 1000
  if (seconds >= from && seconds < to) return day === null ? 'month' : 'monthOfDay'
  return seconds >= to && seconds < to + 10 * DAY ? 'shortlyAfter' : 'apart'
}

const ORDER: readonly Closeness[] = ['day', 'week', 'month', 'monthOfDay', 'shortlyAfter', 'year', 'apart']

function closer(one: Closeness, other: Closeness): Closeness {
  return ORDER.indexOf(one) <= ORDER.indexOf(other) ? one : other
}
