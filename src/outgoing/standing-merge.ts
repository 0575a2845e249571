/** New standing instructions among the known ones: the same is said once more, the opposite takes the older one back. */

import { isSameFact } from '../knowledge/fact-similar.ts'
import { compareText } from '../text/memory-words.ts'
import { isOvertaken } from './digest-overtaken.ts'
import { contradicts } from './fact-contradict.ts'
import type { Stated } from './standing.ts'
import { signOf } from './standing-kind.ts'
import { type Standing, type StandingList, type StandingStatus, standingPlaces } from './standing-list.ts'
import { isSameSubject, subjects } from './standing-same.ts'

/** Nobody gives more; what was said once and long ago goes first. */
const MAX_KEPT = 300
/** How many places one remembers: enough to see that it recurs. */
const MAX_ALSO = 64

/** What was stated in the entries up to `upTo` of a session (id8). */
export interface SessionStated {
  session: string
  stated: readonly Stated[]
  upTo: number
}

/** `stated` in entries up to `upTo` of this session; what was said before is said once more. */
export function addStated(list: StandingList, session: string, stated: readonly Stated[], upTo: number): StandingList {
  return addAllStated(list, [{ session, stated, upTo }])
}

/** The same for many sessions at once, in this order. */
export function addAllStated(list: StandingList, sessions: readonly SessionStated[]): StandingList {
  if (sessions.length === 0) return list
  const isAboutSame = comparison()
  const read = { ...list.read }
  let { standing } = list
  for (const { session, stated, upTo } of sessions) {
    for (const one of stated) standing = addOne(standing, session, one, isAboutSame)
    standing = bounded(standing)
    read[session] = upTo
  }
  return { read, standing }
}

type Comparison = (a: Stated, b: Stated) => boolean

function comparison(): Comparison {
  const subjectOf = subjects()
  return (a, b) =>
    isSameSubject(subjectOf(a), subjectOf(b)) || (isOfMoment(a) && isOfMoment(b) && isSameFact(a.text, b.text))
}

/** Nobody repeats a correction word for word. */
function isOfMoment({ kind }: Stated): boolean {
  return kind === 'correction'
}

function addOne(all: readonly Standing[], session: string, one: Stated, isAboutSame: Comparison): readonly Standing[] {
  const same = all.find((known) => isNo(known) === isNo(one) && isAboutSame(known, one))
  if (same !== undefined && isTakenIn(same, session, one)) return all
  const overrules = (later: Stated, earlier: Stated): boolean => isTakenBack(earlier, later, isAboutSame)
  const isNewest = (than: Stated): boolean => compareText(one.at, than.at) >= 0
  const added: Standing =
    same === undefined
      ? { id: nextId(all), ...one, session, times: 1, status: 'candidate' }
      : isNewest(same) && (!isOfMoment(one) || isOfMoment(same))
        ? {
            ...same,
            ...one,
            session,
            ...saidAgain(same, `${same.session}#${same.entry}`),
            status: revived(same.status),
          }
        : { ...same, kind: isOfMoment(same) ? one.kind : same.kind, ...saidAgain(same, `${session}#${one.entry}`) }
  const others = all.filter((known) => known !== same)
  const isOverruled = others.some((known) => !isNewest(known) && known.status !== 'declined' && overrules(known, added))
  const judged = others.map((known) =>
    known.status === 'candidate' && isNewest(known) && overrules(added, known)
      ? { ...known, status: 'superseded' as const }
      : known,
  )
  const status = isOverruled && added.status === 'candidate' ? 'superseded' : added.status
  return [...judged, { ...added, status }].sort((a, b) => compareText(a.id, b.id) || a.id.length - b.id.length)
}

function saidAgain({ times, also = [] }: Standing, place: string): Pick<Standing, 'times' | 'also'> {
  return { times: times + 1, also: [...also.filter((known) => known !== place), place].slice(-MAX_ALSO) }
}

/** The same entry is looked at again. */
function isTakenIn(known: Standing, session: string, { entry }: Stated): boolean {
  return standingPlaces(known).some((place) => place.session === session && place.entry === entry)
}

/** Said again after its opposite, it holds again; a person's verdict stays. */
function revived(status: StandingStatus): StandingStatus {
  return status === 'superseded' ? 'candidate' : status
}

/** The same with yes and no exchanged, or two that exclude each other: whichever was said last holds. */
function isTakenBack(earlier: Stated, later: Stated, isAboutSame: Comparison): boolean {
  // What was right for a moment takes nothing back that was said for good.
  if (isOfMoment(later) !== isOfMoment(earlier)) return false
  if (isNo(later) !== isNo(earlier)) return isAboutSame(later, earlier) || contradicts(earlier.text, later.text)
  return isOvertaken(earlier.text, later.text) || isOvertaken(later.text, earlier.text)
}

function isNo({ kind, text }: Stated): boolean {
  return (kind === 'correction' ? signOf(text.toLowerCase()) : kind) === 'never'
}

function nextId(all: readonly Standing[]): string {
  const last = Math.max(0, ...all.map(({ id }) => Number(/^t(\d+)$/.exec(id)?.[1] ?? 0)))
  return `t${String(last + 1).padStart(3, '0')}`
}

/** A person's verdicts stay. */
function bounded(all: readonly Standing[]): readonly Standing[] {
  if (all.length <= MAX_KEPT) return all
  const worth = ({ status, times, kind }: Standing): number =>
    status === 'superseded' ? 0 : status !== 'candidate' ? 4 : times > 1 ? 3 : kind === 'correction' ? 1 : 2
  const kept = new Set(all.toSorted((a, b) => worth(b) - worth(a) || compareText(b.at, a.at)).slice(0, MAX_KEPT))
  return all.filter((one) => kept.has(one))
}
