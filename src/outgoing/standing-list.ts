/** The standing instructions of a memory (`standing.json`): each once, the newest words for it, and what became of it. */
import type { Fact, Facts } from '../knowledge/fact.ts'
import { isObject, parseObject } from '../platform/json.ts'
import { compareText } from '../text/memory-words.ts'
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
  /** Where else, as `session#entry`; what was said before this was kept is missing. */
  also?: string[]
  status: StandingStatus
}

export interface StandingList {
  /** How many entries of each session (id8) have been looked at. */
  read: Readonly<Record<string, number>>
  standing: readonly Standing[]
}

const VERSION = 2

/** What can be read of it; null: nothing is known yet. Of a broken file the whole lines remain, and all sessions are read anew. */
export function parseStanding(text: string | null): StandingList {
  const raw = text === null ? {} : parseObject(text)
  if (raw === null) return recounted(salvaged(text ?? ''))
  const standing = Array.isArray(raw.standing) ? raw.standing.filter(isStanding) : []
  // Earlier versions kept neither where else something was said nor corrections.
  if (raw.version !== VERSION) return recounted(standing)
  const read = isObject(raw.read)
    ? Object.entries(raw.read).filter((one): one is [string, number] => isCount(one[1]))
    : []
  return { read: Object.fromEntries(read), standing }
}

/** Somebody edited it, or it was cut off. */
export function isBrokenStanding(text: string): boolean {
  return parseObject(text) === null
}

/** One instruction stands on a line. */
function salvaged(text: string): Standing[] {
  return text.split('\n').flatMap((line) => {
    const one: unknown = parseObject(line.trim().replace(/,$/, ''))
    return isStanding(one) ? [one] : []
  })
}

/** Verdicts stay; how often something was said is counted again as the sessions are read. */
function recounted(standing: readonly Standing[]): StandingList {
  return { read: {}, standing: standing.map(({ also: _, ...one }) => ({ ...one, times: 1 })) }
}

/** One instruction a line, for people who look into the file. */
export function formatStanding({ read, standing }: StandingList): string {
  const lines = standing.map((one) => JSON.stringify(one))
  return `{"version":${VERSION},"read":${JSON.stringify(read)},"standing":[${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`
}

/** Where it was said, as far as that is known: the newest first. */
export function standingPlaces({ session, entry, also = [] }: Standing): { session: string; entry: number }[] {
  const others = also.flatMap((name) => {
    const [, in8, n] = /^([0-9a-z]{8})#(\d{1,9})$/.exec(name) ?? []
    return in8 === undefined ? [] : [{ session: in8, entry: Number(n) }]
  })
  return [{ session, entry }, ...others.filter((one) => one.session !== session || one.entry !== entry)]
}

/** Said more than once, then the newest. A correction holds for its moment: it is proposed when it recurs, not told. */
export function standingToTell({ standing }: StandingList): Standing[] {
  return standing
    .filter(({ status, kind }) => status === 'candidate' && kind !== 'correction')
    .sort((a, b) => Number(b.times > 1) - Number(a.times > 1) || compareText(b.at, a.at) || compareText(b.id, a.id))
}

/** A person's verdict. Null: there is none of this id. */
export function judgeStanding(list: StandingList, id: string, status: 'accepted' | 'declined'): StandingList | null {
  if (!list.standing.some((one) => one.id === id)) return null
  return { ...list, standing: list.standing.map((one) => (one.id === id ? { ...one, status } : one)) }
}

/** Nearly every instruction is a decision too: what a person does not want to be told is not told as one either. */
export function withoutDeclined(facts: Facts, { standing }: StandingList): Facts {
  const declined = standing.filter(({ status }) => status === 'declined')
  if (declined.length === 0) return facts
  const isSaid = saysOneOf(declined.map(({ text }) => text))
  const isSaidThere = ({ session, evidence, text }: Fact): boolean =>
    declined.some(
      (one) => one.session === session && one.entry === evidence.entry && plainly(one.text).includes(plainly(text)),
    )
  return {
    ...facts,
    decisions: facts.decisions.filter(
      (fact) => fact.author === 'user' || fact.pinned === true || !(isSaid(fact.text) || isSaidThere(fact)),
    ),
  }
}

/** So many words in a row are no chance. */
const MANY_WORDS = 4

/** Tells whether a text says one of these word for word, perhaps with more around it. */
function saysOneOf(others: readonly string[]): (text: string) => boolean {
  const known = others.map(plainly)
  return (text) => {
    const plain = plainly(text)
    return known.some((one) => one === plain || (one.trim().split(' ').length >= MANY_WORDS && plain.includes(one)))
  }
}

/** Its words in lower case between blanks, so that whole words are compared; without what people say before an order. */
function plainly(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_+#]+/gu) ?? []
  while (/^(?:please|and|also|but|so|ok|okay)$/.test(words[0] ?? '')) words.shift()
  while (/^(?:please|thanks)$/.test(words.at(-1) ?? '')) words.pop()
  return ` ${words.join(' ')} `
}

const KINDS: readonly string[] = ['always', 'never', 'prefer', 'correction']
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
