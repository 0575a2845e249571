/** What recurs: facts, instructions and corrections that several sessions have in common, found by code. */
import type { Fact, Facts } from '../knowledge/fact.ts'
import { sameAs } from '../knowledge/fact-similar.ts'
import { PERMANENT_KINDS, type PermanentKind } from '../knowledge/permanent.ts'
import { compareText } from '../text/memory-words.ts'
import { type Standing, standingPlaces } from './standing-list.ts'

/** Where something was said; the quote is known for the first place only. */
export interface Place {
  session: string
  entry: number
  quote: string
}

/** Something that recurs. */
export interface Recurring {
  /** The id of the fact (d001) or instruction (t001) it began with. */
  key: string
  kind: PermanentKind
  text: string
  /** All that say it. */
  facts: string[]
  places: Place[]
  /** So many sessions make it worth a question, or so many prompts of any. */
  askAfter: { sessions: number; prompts: number }
  concept: string | null
  /** When it was said last. */
  lastAt: string
}

/** The user corrects Claude the second time: worth a question. */
const CORRECTED_AFTER = 2
/** Everything that recurs, known or not, oldest key first. */
export function candidatesIn(facts: Facts, standing: readonly Standing[], promoteAfter: number): Recurring[] {
  const said = standing.flatMap((one) => fromStanding(one, promoteAfter))
  const learned = [
    ...groupsOf(facts).map((group) => candidateOf(group, promoteAfter)),
    ...fromSolved(facts, promoteAfter),
  ]
  const recurring = [...said, ...learned].filter((one) => recurs(one, one.places))
  const ofKind = PERMANENT_KINDS.map((kind) => recurring.filter((one) => one.kind === kind))
  return ofKind
    .flatMap((some) => grouped(some, ({ text }) => text).map(joined))
    .sort((a, b) => compareText(a.key, b.key))
}

/** Whether so many places make it worth a question. */
export function recurs({ askAfter }: Recurring, places: readonly { session: string }[]): boolean {
  return sessionsOf(places) >= askAfter.sessions || places.length >= askAfter.prompts
}

export function sessionsOf(places: readonly { session: string }[]): number {
  return new Set(places.map(({ session }) => session)).size
}

/** One thing said as a fact and as an instruction is one candidate. */
function joined(all: [Recurring, ...Recurring[]]): Recurring {
  const places = new Map(all.flatMap((one) => one.places).map((place) => [`${place.session}#${place.entry}`, place]))
  return {
    ...all[0],
    facts: [...new Set(all.flatMap((one) => one.facts))],
    places: [...places.values()],
    concept: all.find(({ concept }) => concept !== null)?.concept ?? null,
    askAfter: {
      sessions: Math.min(...all.map(({ askAfter }) => askAfter.sessions)),
      prompts: Math.min(...all.map(({ askAfter }) => askAfter.prompts)),
    },
    lastAt: newest(all.map(({ lastAt }) => lastAt)),
  }
}

/** What stands in the rules is told already, what was declined or taken back is over. */
function fromStanding(one: Standing, promoteAfter: number): Recurring[] {
  if (one.status !== 'candidate') return []
  const places = standingPlaces(one).map(({ session, entry }) => ({
    session,
    entry,
    quote: session === one.session && entry === one.entry ? one.text : '',
  }))
  const { id, text, at: lastAt } = one
  const prompts = one.kind === 'correction' ? CORRECTED_AFTER : Number.POSITIVE_INFINITY
  const askAfter = { sessions: promoteAfter, prompts }
  return [{ key: id, kind: 'rules', text, facts: [id], places, askAfter, concept: null, lastAt }]
}

function isLive({ state, contradictedBy }: Fact): boolean {
  return (state === 'fresh' || state === 'stale') && contradictedBy === undefined
}

type Group = [Fact, ...Fact[]]

/**
 * Decisions and patterns that say the same about one concept; without a concept each stands for itself. Adding facts joins those
 * of one type, so only the same words, and patterns with decisions, are left to be found.
 */
function groupsOf(facts: Facts): Group[] {
  const groups = new Map<string, Group>()
  for (const fact of [...facts.decisions, ...facts.patterns].filter(isLive)) {
    const key = fact.concept === null ? fact.id : `${fact.concept} ${fact.text.toLowerCase()}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [fact])
    else known.push(fact)
  }
  const byConcept = new Map<string | null, Group[]>()
  for (const group of groups.values()) {
    const { concept } = group[0]
    byConcept.set(concept, [...(byConcept.get(concept) ?? []), group])
  }
  return [...byConcept].flatMap(([concept, some]) => (concept === null ? some : withPatterns(some)))
}

/** Each pattern joins the decision that says the same. */
function withPatterns(groups: readonly Group[]): Group[] {
  const [decided, others] = [groups.filter(isDecided), groups.filter((group) => !isDecided(group))]
  if (decided.length === 0 || others.length === 0) return [...groups]
  const same = sameAs(decided.map(([{ text }]) => text))
  const alone = others.filter((group) => {
    const decision = decided[same(group[0].text)[0] ?? -1]
    decision?.push(...group)
    return decision === undefined
  })
  return [...decided, ...alone]
}

function isDecided([{ type }]: Group): boolean {
  return type === 'decision'
}

/** Each joins the first that says the same. */
function grouped<T>(some: readonly T[], textOf: (one: T) => string): [T, ...T[]][] {
  const same = sameAs(some.map(textOf))
  const groups: [T, ...T[]][] = []
  const groupAt: number[] = []
  for (const [i, one] of some.entries()) {
    const first = same(textOf(one)).filter((at) => at < i)[0]
    const known = first === undefined ? undefined : groupAt[first]
    groupAt.push(known ?? groups.length)
    if (known === undefined) groups.push([one])
    else groups[known]?.push(one)
  }
  return groups
}

/** Of facts that say the same: the first gives it its name and its words. */
export function candidateOf(group: Group, sessions = 1): Recurring {
  const [first] = group
  return {
    key: first.id,
    kind: isDecided(group) ? 'rules' : 'solutions',
    text: first.text,
    facts: group.map(({ id }) => id),
    places: group.flatMap(placesOfFact),
    askAfter: { sessions, prompts: Number.POSITIVE_INFINITY },
    concept: first.concept,
    lastAt: newest(group.map(({ at, lastAt }) => lastAt ?? at)),
  }
}

export function placesOfFact({ session, evidence, also = [] }: Fact): Place[] {
  const places = [{ session, entry: evidence.entry, quote: evidence.quote }, ...also.flatMap(placeNamed)]
  return places.filter((place) => place.session !== '')
}

function placeNamed(name: string): Place[] {
  const [, session, entry] = /^([0-9a-z]{8})#(\d{1,9})$/.exec(name) ?? []
  return session === undefined ? [] : [{ session, entry: Number(entry), quote: '' }]
}

/** Issues that the same thing solved, again and again. Where code found them, only that they are solved is known, not by what. */
function fromSolved(facts: Facts, sessions: number): Recurring[] {
  const solved = facts.issues.filter(
    (issue) => isLive(issue) && issue.status === 'resolved' && issue.resolution && issue.author !== 'extractive',
  )
  return grouped(solved, ({ resolution }) => resolution ?? '').map((group) => ({
    ...candidateOf(group, sessions),
    kind: 'solutions',
    text: solutionOf(group[0]),
    places: group.map(({ closedBy, session, evidence }) => ({
      session: closedBy?.session ?? session,
      entry: closedBy?.entry ?? evidence.entry,
      quote: '',
    })),
  }))
}

function solutionOf({ text, resolution }: Fact): string {
  return text === resolution ? text : `${text} → ${resolution}`
}

function newest(times: readonly string[]): string {
  return times.reduce((last, at) => (compareText(last, at) < 0 ? at : last), '')
}
