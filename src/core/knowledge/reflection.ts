/** Reflection: recurring statements become active or proposed items of permanent memory. It depends on the speaker; a tool's words never count. */

import { isObject } from '../../kernel/platform/json.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { compareText, visibleLine } from '../../kernel/text/memory-words.ts'
import { tellingWords } from '../../kernel/text/words.ts'
import {
  type Fact,
  isLive,
  isTold,
  type Judged,
  type NewItem,
  type PermanentItem,
  type PermanentKind,
  type Proof,
  type Speaker,
} from './item.ts'
import { allFacts, allPermanent, byKind, type Items, isSameFact, similarity, textKey } from './items.ts'
import { addPermanent, changePermanent, sessionsOf, useAgain } from './permanent.ts'

/** An exact quote from its session, with its speaker. */
export interface SaidAgain extends Proof {
  by: Speaker
  at: string
}

interface Verdict {
  state: 'active' | 'proposed'
  kind: PermanentKind
  text: string
  proofs: SaidAgain[]
}

/** A quote with less similarity to a candidate is about something else. */
const ABOUT_SAME = 0.5
/** A text that shares fewer of its words with the quotes is made up. */
const GROUNDED = 0.6
const DAY_MS = 86_400_000
/** Never change it: by it `migrate/disk/rules-05.ts` distinguishes our verdicts from those of an earlier version. */
export const OWN_WORDS = 'the user said it in several sessions'

/** The permanent item that already says it; an active or proposed one before others. */
export function knownAs(known: Items, { facts, text }: Pick<Recurring, 'facts' | 'text'>): PermanentItem | null {
  const rank = { active: 0, proposed: 1, declined: 2, superseded: 3 } as const
  const items = allPermanent(known)
  const grown = items.filter((item) => item.facts.some((id) => facts.includes(id)))
  const same = grown.length > 0 ? grown : items.filter((item) => isSameFact(item.text, text))
  return same.sort((a, b) => rank[a.state] - rank[b.state] || compareText(b.id, a.id))[0] ?? null
}

/** Proposes a rule for the user's approval, unless an item already says the same: then that one is named. */
export function withProposed(
  facts: Items,
  text: string,
  { by, now: at }: { by: 'user' | 'agent'; now: string },
): { facts: Items; id: string; isNew: boolean } {
  const known = knownAs(facts, { text, facts: [] })
  if (known !== null) return { facts, id: known.id, isNew: false }
  const { items, item } = addPermanent(facts, {
    kind: 'rules',
    text,
    at,
    state: 'proposed',
    by,
    facts: [],
    evidence: [],
    concept: null,
    usedAt: at,
    ...(by === 'user' ? { askedAt: at } : {}),
  })
  return { facts: items, id: item.id, isNew: true }
}

/**
 * Active: the user said the same in enough sessions, and the newest of these sentences becomes the text. Otherwise it is
 * proposed. Null: too few sessions, or only tools, files and web pages said it.
 */
export function weigh(candidate: Recurring, said: readonly SaidAgain[], promoteAfter: number): Verdict | null {
  const proofs = said.filter(({ by }) => by !== 'tool').toSorted((a, b) => compareText(a.at, b.at))
  if (sessionsOf(proofs) < promoteAfter) return null
  const own = proofs.filter(({ by, quote }) => by === 'user' && similarity(quote, candidate.text) >= ABOUT_SAME)
  const agreed = own.findLast(
    ({ quote }) => sessionsOf(own.filter((other) => isSameFact(other.quote, quote))) >= promoteAfter,
  )
  if (agreed !== undefined)
    return { state: 'active', kind: candidate.kind, text: visibleLine(agreed.quote), proofs: own }
  const text = isGrounded(candidate.text, proofs) ? candidate.text : own.at(-1)?.quote
  if (text === undefined) return null
  return { state: 'proposed', kind: kindFor(candidate.kind, own), text: visibleLine(text), proofs }
}

/** A rule is an instruction of the user. What only Claude said describes how the project works. */
export function kindFor(kind: PermanentKind, said: readonly Pick<SaidAgain, 'by'>[]): PermanentKind {
  return kind === 'rules' && !said.some(({ by }) => by === 'user') ? 'core_logic' : kind
}

/** Whether enough of its words occur in the quotes. */
export function isGrounded(text: string, said: readonly Pick<Proof, 'quote'>[]): boolean {
  const words = [...tellingWords(text)]
  const known = tellingWords(said.map(({ quote }) => quote).join('\n'))
  return words.length > 0 && words.filter((word) => known.has(word)).length / words.length >= GROUNDED
}

/** Returns the facts with the candidate updated by its evidence. */
export function settleCandidate(
  facts: Items,
  candidate: Recurring,
  said: readonly SaidAgain[],
  promoteAfter: number,
  now: string,
): Items {
  const known = knownAs(facts, candidate)
  // The user's refusal is final; a model's is not.
  if (known?.state === 'declined' && known.judged?.by !== 'agent' && known.judged?.by !== 'headless') return facts
  const since = known?.state === 'superseded' ? (known.judged?.at ?? known.at) : ''
  const later = said.filter(({ at }) => compareText(at, since) > 0)
  const verdict = weigh(candidate, later, promoteAfter)
  if (verdict === null) return facts
  const { state, kind, text, proofs } = verdict
  if (known === null || known.state === 'superseded') {
    const judged = state === 'active' ? { judged: byCode(now) } : {}
    const proposal = proposalOf({ ...candidate, kind }, text, proofs, 'code', now)
    return addPermanent(facts, { ...proposal, state, ...judged }).items
  }
  const again = changePermanent(facts, known.id, useAgain(known, candidate.lastAt, proofs, candidate.facts))
  if (known.state === 'active' || state !== 'active') return again
  return changePermanent(again, known.id, { text, kind, state, judged: byCode(now) })
}

/** A proposed item derived from a recurring statement. */
export function proposalOf(
  { kind, facts, concept, lastAt }: Pick<Recurring, 'kind' | 'facts' | 'concept' | 'lastAt'>,
  text: string,
  evidence: Proof[],
  by: PermanentItem['by'],
  now: string,
): NewItem<PermanentItem> {
  return { kind, text, at: now, state: 'proposed', by, facts, evidence, concept, usedAt: lastAt || now }
}

/** The verdict of code: the user's own words in enough sessions. */
export function byCode(at: string): Judged {
  return { by: 'code', at, why: OWN_WORDS, other: null }
}

/** By candidate key: a mark of what reflection last judged, stored in facts.json. */
type ReflectionMarks = Readonly<Record<string, string>>

export function reflectedIn({ _meta }: Items): ReflectionMarks {
  const { reflected } = _meta as { reflected?: unknown }
  return isObject(reflected) ? (reflected as ReflectionMarks) : {}
}

export function withReflected(facts: Items, marks: ReflectionMarks): Items {
  if (JSON.stringify(marks) === JSON.stringify(reflectedIn(facts))) return facts
  return { ...facts, _meta: { ...facts._meta, reflected: marks } as Items['_meta'] }
}

/** Changes when the candidate is said again, or in other words. */
export function reflectionMark({ text, places }: Recurring, promoteAfter: number): string {
  return fingerprint([text, promoteAfter, ...places.map(({ session, entry }) => `${session}#${entry}`)].join('\n'))
}

/** Retires an item if all its facts are superseded or rejected, unless the user made it active. */
export function endOrphans(facts: Items, at: string): Items {
  const over = new Set(allFacts(facts).flatMap((fact) => (isLive(fact) ? [] : [fact.id])))
  const ends = ({ state, by, judged, facts: grown }: PermanentItem): boolean =>
    (state === 'proposed' || (state === 'active' && by !== 'user' && judged?.by !== 'user')) &&
    grown.length > 0 &&
    grown.every((id) => over.has(id))
  return allPermanent(facts)
    .filter(ends)
    .reduce((some, { id, facts: grown }) => {
      const why = `the facts it grew from are over: ${grown.join(', ')}`
      const judged = { by: 'code', at, why, other: grown[0] ?? null } as const
      return changePermanent(some, id, { state: 'superseded', judged })
    }, facts)
}

/** Active items that were neither said again nor recalled for this many days, the longest unused first. */
export function unusedIn(facts: Items, now: string, days: number): PermanentItem[] {
  const limit = Date.parse(now) - days * DAY_MS
  return allPermanent(facts)
    .filter((item) => isLive(item) && Date.parse(item.usedAt || item.at) < limit)
    .sort((a, b) => compareText(a.usedAt, b.usedAt) || compareText(a.id, b.id))
}

export interface Recurring {
  /** The id (d001) of the first fact of the group. */
  key: string
  kind: PermanentKind
  text: string
  /** The ids of all facts of the group. */
  facts: string[]
  /** Where it was said. The quote is empty if only the place is known. */
  places: Proof[]
  concept: string | null
  /** When it was last said. */
  lastAt: string
}

type Group = [Fact, ...Fact[]]

/** Every group that was said in enough sessions, ordered by key. */
export function candidatesIn(facts: Items, promoteAfter: number): Recurring[] {
  const { decisions, patterns, issues } = byKind(facts)
  const said = [...decisions, ...patterns].filter((one) => isLive(one) && isTold(one))
  // Facts without a concept that say the same were merged when they were added.
  const groups = grouped(said, ({ id, concept, text }) => (concept === null ? id : `${concept} ${textKey(text)}`))
  return [...groups.map(candidateOf), ...solvedIn(issues)]
    .filter(({ places }) => sessionsOf(places) >= promoteAfter)
    .sort((a, b) => compareText(a.key, b.key))
}

function grouped(some: readonly Fact[], keyOf: (one: Fact) => string): Group[] {
  const groups = new Map<string, Group>()
  for (const one of some) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one] as Group)
  return [...groups.values()]
}

/** The first fact of the group gives its key and text. */
export function candidateOf(group: Group): Recurring {
  const [first] = group
  return {
    key: first.id,
    kind: first.kind === 'decision' ? 'rules' : 'solutions',
    text: first.text,
    facts: group.map(({ id }) => id),
    places: group.flatMap(placesOfFact),
    concept: first.concept,
    lastAt: group.map(({ at, lastAt }) => lastAt ?? at).reduce((last, at) => (compareText(last, at) < 0 ? at : last)),
  }
}

function placesOfFact({ session, evidence, also = [] }: Fact): Proof[] {
  const others = also.flatMap((name): Proof[] => {
    const [, in8, entry] = /^([0-9a-z]{8})#(\d{1,9})$/.exec(name) ?? []
    return in8 === undefined ? [] : [{ session: in8, entry: Number(entry), quote: '' }]
  })
  const own = { session, entry: evidence.entry, quote: evidence.quote }
  return [own, ...others].filter((place) => place.session !== '')
}

/** Issues with the same resolution. Issues closed by code are left out: their resolution is unknown. */
function solvedIn(issues: readonly Fact[]): Recurring[] {
  const solved = issues.filter(
    (issue) => isLive(issue) && issue.status === 'resolved' && issue.resolution && issue.by !== 'extractive',
  )
  return grouped(solved, ({ resolution }) => textKey(resolution ?? '')).map((group) => {
    const [{ text, resolution }] = group
    const places = group.map(({ closedBy, session, evidence }) => ({
      session: closedBy?.session ?? session,
      entry: closedBy?.entry ?? evidence.entry,
      quote: '',
    }))
    const said = text === resolution ? text : `${text} → ${resolution}`
    return { ...candidateOf(group), kind: 'solutions', text: said, places }
  })
}
