/** Reflection on a memory: what recurs is verified in the sessions themselves, then promoted, proposed, or left. */

import type { Store } from '../../memory/disk/store.ts'
import { type Look, lookIn } from '../../outgoing/disk/proofs.ts'
import { readStanding } from '../../outgoing/disk/standing.ts'
import { endOrphans } from '../../outgoing/permanent-follow.ts'
import { candidatesIn, type Recurring, sessionsOf } from '../../outgoing/recurring.ts'
import {
  comparedMarks,
  markOfAll,
  reflectedIn,
  reflectionMark,
  sinceLast,
  withReflected,
} from '../../outgoing/reflection-marks.ts'
import { opposedIn, type Since } from '../../outgoing/reflection-review.ts'
import type { Standing } from '../../outgoing/standing-list.ts'
import { readRecalls } from '../../receipts/disk/recall-ledger.ts'
import { redactorFor } from '../../redact/redact.ts'
import { compareText } from '../../text/memory-words.ts'
import type { Facts } from '../fact.ts'
import { allPermanent, type PermanentItem, type PermanentKind, type Proof } from '../permanent.ts'
import { addPermanent, changePermanent, judgePermanent, useAgain } from '../permanent-change.ts'
import { unjudgedIn } from '../proposal.ts'
import { knownAs, type SaidAgain, type Verdict, weigh } from '../reflection.ts'
import { decideProposal, type RuleProposal } from '../rule-proposal.ts'
import { readFacts, writeFacts } from './knowledge.ts'

/** Ids (r001) of what changed. */
export interface Reflected {
  /** The user's own words in enough sessions: they hold from now on. */
  promoted: string[]
  /** They wait for the user's yes. */
  proposed: string[]
  /** The user decided otherwise since. */
  superseded: string[]
  /** False: there was no time for all of it, go on later. */
  isComplete: boolean
}

export interface ReflectOptions {
  isLate?: () => boolean
}

/** Nothing new costs nearly nothing: what was weighed is remembered in facts.json. Call it under the lock. */
export function reflect(store: Store, now: string, { isLate = () => false }: ReflectOptions = {}): Reflected {
  const before = readFacts(store)
  const { standing } = readStanding(store)
  const { facts, changed } = reflectOn(store, before, standing, now, isLate)
  writeFacts(store, before, facts, now)
  return changed
}

/** The same to its end, for instructions that nobody has written down yet; nothing is written. */
export function upcomingReflection(
  store: Store,
  now: string,
  standing: readonly Standing[],
): { changed: Reflected; facts: Facts } {
  return reflectOn(store, readFacts(store), standing, now, () => false)
}

/** Reads sessions and writes nothing. Whenever it is late: some candidates are weighed each time. */
export function reflectOn(
  store: Store,
  before: Facts,
  standing: readonly Standing[],
  now: string,
  isLate: () => boolean,
): { changed: Reflected; facts: Facts } {
  const promoteAfter = store.config.promoteAfterSessions
  const used = withRecalls(before, store)
  const marked = reflectedIn(before)
  if (marked.all === markOfAll(used, standing, promoteAfter))
    return { changed: { ...NOTHING, isComplete: true }, facts: used }
  const look = lookIn(store)
  const weighed = weighAll(used, standing, { look, isLate, now, promoteAfter })
  if (!weighed.isComplete) {
    const facts = withReflected(weighed.facts, { ...marked, ...weighed.marks, all: '' })
    return { changed: { ...changesBetween(before, facts), isComplete: false }, facts }
  }
  const superseded = supersede(weighed.facts, standing, sinceLast(marked, before), now)
  const reviewed = endOrphans(superseded, standing, now)
  const all = markOfAll(reviewed, standing, promoteAfter)
  const facts = withReflected(reviewed, { ...weighed.marks, ...comparedMarks(reviewed, standing), all })
  return { changed: { ...changesBetween(before, reviewed), isComplete: true }, facts }
}

const NOTHING = { promoted: [], proposed: [], superseded: [] }
/** However late it is: otherwise what takes long to find is found again and again, and never weighed. */
const AT_LEAST = 20

interface Weighing {
  look: Look
  isLate: () => boolean
  now: string
  promoteAfter: number
}

function weighAll(
  facts: Facts,
  standing: readonly Standing[],
  { look, isLate, now, promoteAfter }: Weighing,
): { facts: Facts; marks: Record<string, string>; isComplete: boolean } {
  const before = reflectedIn(facts)
  const marks: Record<string, string> = {}
  const candidates = candidatesIn(facts, standing, promoteAfter)
  let after = facts
  let weighed = 0
  for (const [i, candidate] of candidates.entries()) {
    marks[candidate.key] = reflectionMark(candidate)
    if (marks[candidate.key] === before[candidate.key]) continue
    if (weighed >= AT_LEAST && isLate()) {
      const rest = candidates.slice(i).map(({ key }) => [key, before[key] ?? ''])
      return { facts: after, marks: { ...marks, ...Object.fromEntries(rest) }, isComplete: false }
    }
    weighed++
    after = settle(after, candidate, saidAbout(candidate, look), promoteAfter, now)
  }
  return { facts: after, marks, isComplete: true }
}

function saidAbout({ places, text }: Pick<Recurring, 'places' | 'text'>, look: Look): SaidAgain[] {
  return places.flatMap((place) => look(place, text) ?? [])
}

function settle(
  facts: Facts,
  candidate: Recurring,
  said: readonly SaidAgain[],
  promoteAfter: number,
  now: string,
): Facts {
  const known = knownAs(facts.permanent, candidate)
  // The user's no stays a no; a model's is not the last word.
  if (known?.status === 'declined' && known.judged?.by !== 'agent' && known.judged?.by !== 'headless') return facts
  const since = known?.status === 'superseded' ? (known.judged?.at ?? known.at) : ''
  const verdict = weigh(
    candidate,
    said.filter(({ at }) => compareText(at, since) > 0),
    promoteAfter,
  )
  if (verdict === null) return facts
  if (known === null || known.status === 'superseded') return add(facts, candidate, verdict, now)
  const change = useAgain(known, candidate.lastAt, verdict.proofs, candidate.facts)
  const again = changePermanent(facts, known.id, change)
  if (known.status === 'active' || verdict.status !== 'active') return again
  return judgePermanent(again, known.id, 'active', byCode(now), { text: verdict.text, kind: verdict.kind })
}

function add(facts: Facts, candidate: Recurring, { status, kind, text, proofs }: Verdict, now: string): Facts {
  return addPermanent(facts, kind, {
    text,
    at: now,
    status,
    by: 'code',
    facts: candidate.facts,
    evidence: proofs,
    concept: candidate.concept,
    usedAt: candidate.lastAt || now,
    ...(status === 'active' ? { judged: byCode(now) } : {}),
  })
}

function byCode(at: string): NonNullable<PermanentItem['judged']> {
  return { by: 'code', at, why: 'said by the user in several sessions', other: null }
}

/** A decision that the user wrote by hand ends a permanent item that it contradicts. What was only said ends nothing. */
function supersede(facts: Facts, standing: readonly Standing[], since: Since, now: string): Facts {
  return opposedIn(facts, standing, since).reduce((after, { item, by, text, isByHand }) => {
    const judged = { by: 'code' as const, at: now, why: `the user wrote otherwise: ${text}`, other: by }
    return isByHand ? judgePermanent(after, item.id, 'superseded', judged) : after
  }, facts)
}

/** Recalled is used. */
function withRecalls(facts: Facts, store: Store): Facts {
  const active = allPermanent(facts.permanent).filter(({ status }) => status === 'active')
  if (active.length === 0) return facts
  const usedAt = new Map(readRecalls(store).flatMap(({ at, shown }) => shown.map(({ id }) => [id, at] as const)))
  return active.reduce((after, { id, usedAt: known }) => {
    const at = usedAt.get(id)
    return at === undefined || compareText(at, known) <= 0 ? after : changePermanent(after, id, { usedAt: at })
  }, facts)
}

function changesBetween(before: Facts, after: Facts): Omit<Reflected, 'isComplete'> {
  const was = new Map(allPermanent(before.permanent).map(({ id, status }) => [id, status]))
  const become = (wanted: PermanentItem['status']): string[] =>
    allPermanent(after.permanent).flatMap(({ id, status }) => (status === wanted && was.get(id) !== wanted ? [id] : []))
  return { promoted: become('active'), proposed: become('proposed'), superseded: become('superseded') }
}

/** What a model may judge: proposed by code, and the user was not asked yet. */
export interface OpenCandidate {
  /** r001: `proposeRule` takes it as `candidate`. */
  key: string
  kind: PermanentKind
  text: string
  facts: string[]
  sessions: number
  proofs: Proof[]
}

export function openCandidates(store: Store): OpenCandidate[] {
  return unjudgedIn(readFacts(store)).map(({ id: key, kind, text, facts, evidence: proofs }) => ({
    key,
    kind,
    text,
    facts,
    sessions: sessionsOf(proofs),
    proofs,
  }))
}

/** A model proposes something for good, or judges what code proposed; `text` is a sentence for it. Call it under the lock. */
export function proposeRule(
  store: Store,
  given: RuleProposal,
  by: 'agent' | 'headless',
  now: string,
): { isKept: boolean; id: string | null; text: string } {
  const before = readFacts(store)
  const redact = redactorFor(store.config)
  const clean = { ...given, text: redact(given.text ?? '').text, why: redact(given.why ?? '').text }
  const done = decideProposal(before, clean, (candidate) => saidAbout(candidate, lookIn(store)), by, now)
  if ('refused' in done) return { isKept: false, id: null, text: done.refused }
  writeFacts(store, before, done.facts, now)
  return { isKept: true, id: done.id, text: done.said }
}
