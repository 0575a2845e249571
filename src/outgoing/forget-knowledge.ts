/** Facts, what became permanent, concepts and a session's own facts without what is forgotten. */

import type { Forgetting, Gone, Outcome } from '../forget/forget-context.ts'
import { unchanged } from '../forget/forget-context.ts'
import { type Concept, type Concepts, formatConcepts, parseConcepts } from '../knowledge/concept.ts'
import { refreshConcepts } from '../knowledge/concept-refresh.ts'
import { allFacts, type Fact, type Facts, formatFacts, parseFacts } from '../knowledge/fact.ts'
import { withoutSettled } from '../knowledge/fact-list.ts'
import { PERMANENT_KINDS, type PermanentItem } from '../knowledge/permanent.ts'
import { formatSessionFacts, parseSessionFacts, type SessionFact } from '../knowledge/session-facts.ts'
import { isObject } from '../platform/json.ts'
import { extractFacts } from './fact-extract.ts'
import { cutJson, isSaidIn, textsIn } from './forget-cut.ts'

type Kept<T> = { left: T | null; gone: Gone[] }

/** facts.json. `concepts`: the text beside it; a fact must not name one that goes. */
export function forgetFacts(text: string, concepts: string | null, about: Forgetting): Outcome {
  const facts = parseFacts(text)
  if (facts === null) return unchanged(text)
  const { left, gone } = withoutForgotten(facts, lostConcepts(concepts, about), about)
  return left === facts ? unchanged(text) : { text: formatFacts(left), gone }
}

/** concepts.json, made anew from the facts that stay. `facts`: the text beside it, before or after. */
export function forgetConcepts(text: string, facts: string | null, about: Forgetting): Outcome {
  const concepts = parseConcepts(text)
  const known = facts === null ? null : parseFacts(facts)
  if (concepts === null || known === null) return unchanged(text)
  const lost = lostConcepts(text, about)
  const after = withoutForgotten(known, lost, about).left
  const named = new Set(allFacts(after).map(({ concept }) => concept))
  const had = new Set(allFacts(known).map(({ concept }) => concept))
  const isEmptied = ({ id }: Concept): boolean => had.has(id) && !named.has(id)
  const gone = concepts.concepts.filter((one) => lost.has(one.id) || isEmptied(one))
  const kept: Concepts = { ...concepts, concepts: concepts.concepts.filter((one) => !gone.includes(one)) }
  const isMade = gone.length > 0 || after !== known || kept.concepts.some((one) => isSaidIn(one, about.isSaid))
  if (!isMade) return unchanged(text)
  const refreshed = refreshConcepts(kept, after)
  const clean: Concepts = {
    ...refreshed,
    concepts: refreshed.concepts.map((one) => withoutPlaces(cutJson(one, about.isSaid).left as Concept, about)),
  }
  const next = formatConcepts(clean)
  const told = gone.map(({ id, name }) => ({ id, kind: 'concept', text: name }))
  return next === text ? unchanged(text) : { text: next, gone: told }
}

/** `sessions/….l2.json`. */
export function forgetSessionFacts(id8: string, text: string, about: Forgetting): Outcome {
  const known = parseSessionFacts(text)
  if (known === null) return unchanged(text)
  const isOut = (one: SessionFact): boolean =>
    about.isGone(id8, one.evidence.entry) || about.ids.has(one.id.toLowerCase()) || isSaidIn(one, about.isSaid)
  const gone = known.facts.filter(isOut).map((one) => ({ id: one.id, kind: one.type, text: one.text }))
  const uncovered = known.uncovered.filter((n) => !about.isGone(id8, n))
  if (gone.length === 0 && uncovered.length === known.uncovered.length) return unchanged(text)
  const facts = known.facts.filter((one) => !isOut(one))
  const isEmpty = facts.length === 0 && about.whole.has(id8)
  return { text: isEmpty ? null : formatSessionFacts({ ...known, facts, uncovered }), gone }
}

/** The same object where nothing changes. */
function withoutForgotten(facts: Facts, lost: ReadonlySet<string>, about: Forgetting): { left: Facts; gone: Gone[] } {
  const out = new Set(about.ids)
  const gone: Gone[] = []
  const keep = (list: readonly Fact[]): Fact[] =>
    list.flatMap((fact) => {
      const kept = keepFact(fact, about)
      gone.push(...kept.gone)
      if (kept.left === null) out.add(fact.id.toLowerCase())
      return kept.left ?? []
    })
  const lists = { decisions: keep(facts.decisions), patterns: keep(facts.patterns), issues: keep(facts.issues) }
  const settle = (fact: Fact): Fact => withoutNames(fact, out, lost)
  const [decisions, patterns, issues] = [
    lists.decisions.map(settle),
    lists.patterns.map(settle),
    lists.issues.map(settle),
  ]
  const permanent = { ...facts.permanent }
  for (const kind of PERMANENT_KINDS) {
    permanent[kind] = permanent[kind].flatMap((item) => {
      const kept = keepPermanent(item, out, lost, about)
      gone.push(...kept.gone)
      return kept.left ?? []
    })
  }
  if (permanent.kept !== undefined) permanent.kept = permanent.kept.filter((one) => !isSaidIn(one, about.isSaid))
  const { decisions: _, patterns: __, issues: ___, permanent: ____, ...rest } = facts
  const others = cutJson(rest, about.isSaid).left as Pick<Facts, '_meta'>
  const after = withoutSettled({ ...facts, ...others, decisions, patterns, issues, permanent })
  return formatFacts(after) === formatFacts(facts) ? { left: facts, gone: [] } : { left: after, gone }
}

/** Evidence elsewhere keeps a fact, in the words of that place. */
function keepFact(fact: Fact, about: Forgetting): Kept<Fact> {
  const out = { left: null, gone: [{ id: fact.id, kind: fact.type, text: fact.text }] }
  if (about.ids.has(fact.id.toLowerCase())) return out
  const also = fact.also?.filter((place) => !isGonePlace(place, about))
  const placed = withAlso(fact, also)
  const closed = isClosedThere(placed, about) ? reopened(placed) : placed
  const isProofGone = about.isGone(fact.session, fact.evidence.entry)
  if (!isProofGone && !isSaidIn(wordsOf(closed), about.isSaid)) return withoutDetails(closed, about)
  const other = otherWords(closed, about)
  return other === null ? out : { left: withoutDetails(other, about).left, gone: [] }
}

/** Its own words; details may go without it. */
function wordsOf({ text, evidence }: Fact): unknown {
  return [text, evidence.quote]
}

/** Reasons, resolutions, files and histories that say it. */
function withoutDetails(fact: Fact, about: Forgetting): { left: Fact; gone: Gone[] } {
  if (!isSaidIn(fact, about.isSaid)) return { left: fact, gone: [] }
  const { text, evidence, ...details } = fact
  const { left, gone } = cutJson({ ...details }, about.isSaid)
  const cut = left as Partial<Fact>
  const clean = { ...cut, reason: cut.reason ?? null, resolution: cut.resolution ?? null, files: cut.files ?? [] }
  const kept = { ...clean, id: fact.id, type: fact.type, text, evidence } as Fact
  return { left: kept, gone: gone.map((one) => ({ id: fact.id, kind: fact.type, text: one })) }
}

/** As one of its other places says it, by what was extracted there or by code. */
function otherWords(fact: Fact, about: Forgetting): Fact | null {
  const places = [...(fact.also ?? []), `${fact.session}#${fact.evidence.entry}`].filter(
    (place) => !isGonePlace(place, about),
  )
  for (const place of places.toReversed()) {
    const [session = '', entry = ''] = place.split('#')
    const said =
      about.factsOf(session).find((one) => one.id === fact.id && one.evidence.entry === Number(entry)) ??
      extractFacts(
        session,
        about.left(session).filter(({ n }) => n === Number(entry)),
        1,
      ).find(({ type }) => type === fact.type)
    if (said === undefined || isSaidIn([said.text, said.evidence.quote, said.reason], about.isSaid)) continue
    const { text, reason, evidence, author, at } = said
    const { lastAt: _, ...rest } = withAlso(
      fact,
      fact.also?.filter((one) => one !== place),
    )
    return { ...rest, text, reason, evidence, author, at, session }
  }
  return null
}

function withAlso(fact: Fact, also: string[] | undefined): Fact {
  if (also === undefined || also.length === fact.also?.length) return fact
  const { also: _, ...rest } = fact
  return also.length === 0 ? rest : { ...rest, also }
}

function isGonePlace(place: string, about: Forgetting): boolean {
  const [session = '', entry = ''] = place.split('#')
  return about.isGone(session, Number(entry))
}

/** What solved it was said there: nobody knows any more that it is solved. */
function isClosedThere({ closedBy }: Fact, about: Forgetting): boolean {
  return closedBy !== undefined && about.isGone(closedBy.session, closedBy.entry)
}

function reopened({ closedBy: _, ...fact }: Fact): Fact {
  return { ...fact, status: 'open', resolution: null }
}

/** Names of what is not there any more. */
function withoutNames(fact: Fact, out: ReadonlySet<string>, lost: ReadonlySet<string>): Fact {
  const { contradictedBy, judged, ...rest } = fact
  const isNamed = (id: string | null | undefined): boolean => out.has((id ?? '').toLowerCase())
  if (!isNamed(contradictedBy) && !isNamed(judged?.other) && !lost.has(fact.concept ?? '')) return fact
  return {
    ...rest,
    concept: lost.has(fact.concept ?? '') ? null : fact.concept,
    ...(contradictedBy === undefined || isNamed(contradictedBy) ? {} : { contradictedBy }),
    ...(judged === undefined ? {} : { judged: isNamed(judged.other) ? { ...judged, other: null } : judged }),
  }
}

/** Without the proofs that go; where none is left of those it had, it goes. */
function keepPermanent(
  item: PermanentItem,
  out: ReadonlySet<string>,
  lost: ReadonlySet<string>,
  about: Forgetting,
): Kept<PermanentItem> {
  const gone = [{ id: item.id, kind: 'permanent', text: item.text }]
  if (out.has(item.id.toLowerCase()) || about.isSaid(item.text)) return { left: null, gone }
  const evidence = item.evidence.filter(
    ({ session, entry, quote }) => !about.isGone(session, entry) && !about.isSaid(quote),
  )
  const facts = item.facts.filter((id) => !out.has(id.toLowerCase()))
  const isProofless = evidence.length === 0 && item.evidence.length > 0
  if (isProofless || (item.evidence.length === 0 && facts.length === 0 && item.facts.length > 0))
    return { left: null, gone }
  const concept = lost.has(item.concept ?? '') ? null : item.concept
  const kept = { ...item, evidence, facts, concept }
  const isCut = isSaidIn(kept, about.isSaid)
  return { left: isCut ? ({ ...(cutJson(kept, about.isSaid).left as object) } as PermanentItem) : kept, gone: [] }
}

/** Concepts that are asked for by id, or whose very name says it. */
function lostConcepts(text: string | null, about: Forgetting): Set<string> {
  const concepts = text === null ? null : parseConcepts(text)
  return new Set(
    (concepts?.concepts ?? []).flatMap(({ id, name }) => (about.ids.has(id) || about.isSaid(name) ? [id] : [])),
  )
}

function withoutPlaces(concept: Concept, about: Forgetting): Concept {
  const texts = (value: unknown): string[] => (isObject(value) ? [] : textsIn(value))
  return {
    ...concept,
    summary: concept.summary ?? '',
    files: texts(concept.files),
    keywords: texts(concept.keywords),
    aliases: texts(concept.aliases),
    exchanges: texts(concept.exchanges).filter((place) => !isGonePlace(place, about)),
  }
}
