/** The standing instructions of a memory (`standing.json`): each once, the newest words for it, and what became of it. */
import { compareText } from './memory-words.ts'
import type { Stated } from './standing.ts'

/** `candidate`: nobody has judged it. `superseded`: the opposite was said later. */
export type StandingStatus = 'candidate' | 'accepted' | 'declined' | 'superseded'

export interface Standing extends Stated {
  /** `t001` … */
  id: string
  /** The session's id8: with `entry` it leads to the words themselves. */
  session: string
  /** How often it was said. */
  times: number
  status: StandingStatus
}

export interface StandingList {
  /** How many entries of each session (id8) have been looked at. */
  read: Readonly<Record<string, number>>
  standing: readonly Standing[]
}

const EMPTY: StandingList = { read: {}, standing: [] }
const VERSION = 1
/** What can be read of it; null or anything broken: nothing is known yet. */
export function parseStanding(text: string | null): StandingList {
  let raw: unknown
  try {
    raw = text === null ? null : JSON.parse(text)
  } catch {
    return EMPTY
  }
  if (typeof raw !== 'object' || raw === null) return EMPTY
  const { read, standing } = raw as { read?: unknown; standing?: unknown }
  return {
    read: Object.fromEntries(
      Object.entries(typeof read === 'object' && read !== null ? read : {}).filter(([, count]) => isCount(count)),
    ) as Record<string, number>,
    standing: Array.isArray(standing) ? standing.filter(isStanding) : [],
  }
}

/** One instruction a line, for people who look into the file. */
export function formatStanding({ read, standing }: StandingList): string {
  const lines = standing.map((one) => JSON.stringify(one))
  return `{"version":${VERSION},"read":${JSON.stringify(read)},"standing":[${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`
}

/** Said more than once, then the newest. */
export function standingToTell({ standing }: StandingList): Standing[] {
  return standing
    .filter(({ status }) => status === 'candidate')
    .sort((a, b) => Number(b.times > 1) - Number(a.times > 1) || compareText(b.at, a.at) || compareText(b.id, a.id))
}

/** A person's verdict. Null: there is none of this id. */
export function judgeStanding(list: StandingList, id: string, status: 'accepted' | 'declined'): StandingList | null {
  if (!list.standing.some((one) => one.id === id)) return null
  return { ...list, standing: list.standing.map((one) => (one.id === id ? { ...one, status } : one)) }
}

const KINDS: readonly string[] = ['always', 'never', 'prefer']
const STATUSES: readonly string[] = ['candidate', 'accepted', 'declined', 'superseded']

function isStanding(value: unknown): value is Standing {
  if (typeof value !== 'object' || value === null) return false
  const { id, kind, text, at, session, entry, times, status } = value as Partial<Record<keyof Standing, unknown>>
  return (
    typeof id === 'string' &&
    /^t\d{3,9}$/.test(id) &&
    typeof text === 'string' &&
    typeof at === 'string' &&
    typeof session === 'string' &&
    KINDS.includes(String(kind)) &&
    STATUSES.includes(String(status)) &&
    isCount(entry) &&
    isCount(times)
  )
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
