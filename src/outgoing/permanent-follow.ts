/** What holds for good follows the facts: it ends with what it grew from, and where a person says otherwise. */
import { allFacts, type Fact, type Facts } from '../knowledge/fact.ts'
import { isLive } from '../knowledge/fact-list.ts'
import { isSameFact, textIndex } from '../knowledge/fact-similar.ts'
import type { Judged } from '../knowledge/judged.ts'
import { allPermanent, type PermanentItem, type PermanentKind } from '../knowledge/permanent.ts'
import { judgePermanent } from '../knowledge/permanent-change.ts'
import { contradicts, SAME_SUBJECT } from './fact-contradict.ts'
import type { Standing } from './standing-list.ts'

/** A permanent memory, the fact that touches it, and how. */
export interface Touched {
  item: PermanentItem & { kind: PermanentKind }
  by: string
  is: 'orphan' | 'opposed'
}

export interface Followed {
  facts: Facts
  /** Hold no more, or wait no more. */
  ended: Touched[]
  /** Hold all the same: something else says so too, or it is not for Claude to end them. */
  left: Touched[]
  /** Ended with a fact that is back. */
  back: Touched[]
}

/** Facts were changed by somebody's hand. Only a person's ends what holds; anybody's what only waits. */
export function followFacts(
  before: Facts,
  after: Facts,
  standing: readonly Standing[],
  { by, at }: Pick<Judged, 'by' | 'at'>,
): Followed {
  const was = new Map(allFacts(before).map((fact) => [fact.id, fact]))
  const now = allFacts(after)
  const wasLive = ({ id }: Fact): boolean => isLive(was.get(id) ?? { state: 'rejected' })
  const isOver = overIn(after, standing)
  const touched = [
    ...now.filter((fact) => !isLive(fact) && wasLive(fact)).flatMap((fact) => grownFrom(after, fact)),
    ...opposedBy(
      after,
      after.decisions.filter((fact) => isLive(fact) && isSaidNow(fact, was.get(fact.id))),
    ),
  ]
  const isEnded = ({ item, is }: Touched): boolean =>
    (by === 'user' || item.status === 'proposed') && (is === 'opposed' || item.facts.every(isOver))
  const ended = eachOnce(touched.filter(isEnded))
  const left = eachOnce(touched.filter(({ item }) => !ended.some((one) => one.item.id === item.id)))
  const back = now
    .filter((fact) => isLive(fact) && was.has(fact.id) && !wasLive(fact))
    .flatMap(({ id }) => endedWith(after, id))
  const facts = ended.reduce((some, { item, by: other, is }) => {
    const why = is === 'orphan' ? `what it grew from is over: ${other}` : `${other} says otherwise`
    return judgePermanent(some, item.id, 'superseded', { by, at, why, other })
  }, after)
  return { facts, ended, left, back }
}

/** By code: what a person said yes to stays until a person takes it back. */
export function endOrphans(facts: Facts, standing: readonly Standing[], at: string): Facts {
  const isOver = overIn(facts, standing)
  const isPersons = ({ by, judged, status }: PermanentItem): boolean =>
    status === 'active' && (by === 'user' || judged?.by === 'user')
  return allPermanent(facts.permanent)
    .filter((item) => holdsOrWaits(item) && !isPersons(item) && item.facts.length > 0 && item.facts.every(isOver))
    .reduce((after, { id, facts: grown }) => {
      const other = grown[0] ?? null
      const why = `what it grew from is over: ${grown.join(', ')}`
      return judgePermanent(after, id, 'superseded', { by: 'code', at, why, other })
    }, facts)
}

/** Tells whether a fact or an instruction is known to hold no more; of what is not there any more nobody knows. */
function overIn(facts: Facts, standing: readonly Standing[]): (id: string) => boolean {
  const over = new Set([
    ...allFacts(facts).flatMap((fact) => (isLive(fact) ? [] : [fact.id])),
    ...standing.flatMap(({ id, status }) => (status === 'declined' || status === 'superseded' ? [id] : [])),
  ])
  return (id) => over.has(id)
}

function holdsOrWaits({ status }: PermanentItem): boolean {
  return status === 'active' || status === 'proposed'
}

/** Replaced by one that says the same as the permanent memory, the fact leaves it as it is. */
function grownFrom(facts: Facts, { id, judged }: Fact): Touched[] {
  const other = allFacts(facts).find((one) => one.id === judged?.other)
  return allPermanent(facts.permanent)
    .filter((item) => holdsOrWaits(item) && item.facts.includes(id))
    .filter((item) => other === undefined || !isSameFact(item.text, other.text))
    .map((item) => ({ item, by: id, is: 'orphan' }))
}

function opposedBy(facts: Facts, said: readonly Fact[]): Touched[] {
  const items = allPermanent(facts.permanent).filter(holdsOrWaits)
  if (items.length === 0 || said.length === 0) return []
  const index = textIndex(items.map(({ text }) => text))
  return said.flatMap(({ id, text }) =>
    index
      .near(text, SAME_SUBJECT)
      .flatMap((at) => items[at] ?? [])
      .filter((item) => !item.facts.includes(id) && contradicts(item.text, text))
      .map((item): Touched => ({ item, by: id, is: 'opposed' })),
  )
}

function isSaidNow(fact: Fact, was: Fact | undefined): boolean {
  return was === undefined || was.text !== fact.text || was.lastAt !== fact.lastAt
}

function endedWith(facts: Facts, id: string): Touched[] {
  return allPermanent(facts.permanent)
    .filter(({ status, judged, facts: grown }) => status === 'superseded' && judged?.other === id && grown.includes(id))
    .map((item) => ({ item, by: id, is: 'orphan' }))
}

function eachOnce(touched: readonly Touched[]): Touched[] {
  return [...new Map(touched.toReversed().map((one) => [one.item.id, one])).values()].reverse()
}
