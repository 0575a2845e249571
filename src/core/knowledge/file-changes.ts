/** How files of facts and concepts change: what is left when something is forgotten, and two versions as one. */

import { type ChangedFile, type KindChanges, nameIn } from '../../kernel/memory/file-kind.ts'
import {
  type Forgetting,
  type Gone,
  leftPlaces,
  type Outcome,
  stringsIn,
  unchanged,
  withoutByForm,
} from '../../kernel/memory/forgetting.ts'
import { unfitFor } from '../../kernel/memory/loss.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { CONCEPTS_FILE, FACTS_FILE } from '../../kernel/platform/layout.ts'
import { lineSentences, repeatedWords } from '../../kernel/text/repeated.ts'
import { spokenIn } from '../../kernel/transcript/session.ts'
import { type Concept, formatConcepts, parseConcepts } from './concept.ts'
import { speakerOf } from './evidence.ts'
import { formatItems, parseItems } from './facts-file.ts'
import type { Fact, Item, PermanentItem } from './item.ts'
import { allFacts, allPermanent, type Items, NO_ITEMS } from './items.ts'
import { withSalvagedConcepts, withSalvagedFacts } from './salvage.ts'
import { isSessionFacts } from './session-facts.ts'

export const KNOWLEDGE_CHANGES: readonly KindChanges[] = [
  {
    name: 'facts',
    title: 'facts and permanent items',
    arriving: 'content',
    isSource: true,
    without: inFacts,
    join: (earlier, since) =>
      joined(FACTS_FILE, earlier, since, { parse: parseItems, join: withSalvagedFacts, format: formatItems }),
  },
  {
    name: 'concepts',
    title: 'the concepts of the facts',
    arriving: 'content',
    without: (text, { textOf }, about) => inConcepts(text, textOf(FACTS_FILE), about),
    join: (earlier, since) =>
      joined(CONCEPTS_FILE, earlier, since, {
        parse: parseConcepts,
        join: withSalvagedConcepts,
        format: formatConcepts,
      }),
  },
  {
    name: 'session-facts',
    without: inSessionFacts,
  },
]

interface Joined<T> {
  parse(text: string): T | null
  join(since: T, earlier: T): T
  format(all: T): string
}

/** If the newer text is garbled, the earlier one. */
function joined<T>(name: string, earlier: string, since: string, { parse, join, format }: Joined<T>): string {
  if (unfitFor(name, since, earlier) !== null) return earlier
  const [before, now] = [parse(earlier), parse(since)]
  return before === null || now === null ? earlier : format(join(now, before))
}

function inFacts(text: string, { textOf }: ChangedFile, about: Forgetting): Outcome {
  const concepts = textOf(CONCEPTS_FILE)
  const left = concepts === null ? null : parseConcepts(inConcepts(concepts, null, about).text ?? '')
  return cutFacts(text, about, left === null ? null : new Set(left.concepts.map(({ id }) => id)))
}

/** A concept is deleted with its name or with its last fact. Its derived fields are emptied and rebuilt afterwards. */
function inConcepts(text: string, factsText: string | null, about: Forgetting): Outcome {
  const concepts = parseConcepts(text)
  if (concepts === null) return unchanged(text)
  const named = (facts: string | null): Set<string | null> =>
    new Set(allFacts(parseItems(facts ?? '') ?? NO_ITEMS).map(({ concept }) => concept))
  const [had, left] = [named(factsText), named(factsText === null ? null : cutFacts(factsText, about, null).text)]
  const gone: Gone[] = []
  const kept = concepts.concepts.flatMap((one): Concept[] => {
    const isOut = about.ids.has(one.id) || about.traces(one.name) || (had.has(one.id) && !left.has(one.id))
    if (isOut) gone.push({ id: one.id, kind: 'concept', text: one.name })
    return isOut ? [] : [keptConcept(one, about)]
  })
  const next = formatConcepts({ ...concepts, concepts: kept })
  return next === formatConcepts(concepts) ? unchanged(text) : { text: next, gone }
}

function keptConcept(one: Concept, about: Forgetting): Concept {
  const exchanges = leftPlaces(one.exchanges, about)
  if (exchanges.length === one.exchanges.length && !stringsIn(one).some(about.traces)) return one
  const aliases = one.aliases.filter((name) => !about.traces(name))
  return { ...one, summary: '', files: [], keywords: [], exchanges, aliases }
}

/** For facts.json. `concepts`: the ids of the concepts that stay; null: all of them. */
export function cutFacts(text: string, about: Forgetting, concepts: ReadonlySet<string> | null): Outcome {
  const facts = parseItems(text)
  if (facts === null) return unchanged(text)
  const gone: Gone[] = []
  const lost = new Set(about.ids)
  // Facts first: a permanent item may have grown from one that is gone.
  const kept = new Map<Item, Item>()
  const keep = <T extends Item>(item: T, left: T | null, kind: string): void => {
    if (left !== null) kept.set(item, left)
    else gone.push({ id: item.id, kind, text: item.text })
  }
  for (const fact of allFacts(facts)) {
    const left = keptFact(fact, about)
    if (left === null) lost.add(fact.id.toLowerCase())
    const isConceptGone = left !== null && left.concept !== null && concepts?.has(left.concept) === false
    keep(fact, isConceptGone ? { ...left, concept: null } : left, fact.kind)
  }
  for (const item of allPermanent(facts)) keep(item, keptPermanent(item, lost, about), 'permanent')
  const { kept: unread } = facts.rest.permanent
  const left = Array.isArray(unread) ? { kept: unread.filter((one) => !stringsIn(one).some(about.repeats)) } : {}
  const after: Items = {
    ...facts,
    list: facts.list.flatMap((item) => kept.get(item) ?? []),
    rest: { ...facts.rest, permanent: { ...facts.rest.permanent, ...left } },
  }
  return formatItems(after) === formatItems(facts) ? unchanged(text) : { text: formatItems(after), gone }
}

/** A fact with evidence elsewhere stays, in the words of that place. */
function keptFact(fact: Fact, about: Forgetting): Fact | null {
  if (about.ids.has(fact.id.toLowerCase())) return null
  const also = leftPlaces(fact.also ?? [], about)
  const { also: _, closing, ...rest } = isClosedThere(fact, about) ? reopened(fact) : fact
  const isClosing = closing !== undefined && !about.isGone(closing.session, closing.entry)
  const places = also.length === 0 ? {} : { also }
  const placed: Fact = { ...rest, ...places, ...(isClosing ? { closing } : {}) }
  const { session: own, evidence: proof } = fact
  if (![proof.entry, ...(proof.more ?? [])].some((n) => about.isGone(own, n)))
    return stringsIn(placed).some(about.from(own).repeats) ? null : placed
  for (const place of also) {
    const [session = '', n = ''] = place.split('#')
    const entry = about.entryAt(session, Number(n))
    const said = entry === null ? null : sentenceAbout(fact, spokenIn(entry), about.from(session).repeats)
    if (entry === null || said === null) continue
    const others = also.filter((one) => one !== place)
    const evidence = { entry: Number(n), quote: said, by: speakerOf(entry, said) }
    const words = { text: said, reason: null, evidence, by: 'extractive', at: entry.ts, session } as const
    return { ...rest, ...words, ...(others.length === 0 ? {} : { also: others }) }
  }
  return null
}

/** The sentence that has the most words of the fact; null: none has any. */
function sentenceAbout(fact: Fact, text: string, isHit: (text: string) => boolean): string | null {
  const words = new Set(repeatedWords(`${fact.text} ${fact.evidence.quote}`))
  const common = (sentence: string): number => repeatedWords(sentence).filter((word) => words.has(word)).length
  const sentences = lineSentences(text).filter((one) => common(one) > 0 && !isHit(one))
  return sentences.toSorted((a, b) => common(b) - common(a))[0] ?? null
}

function isClosedThere({ closedBy }: Fact, about: Forgetting): boolean {
  return closedBy !== undefined && about.isGone(closedBy.session, closedBy.entry)
}

function reopened({ closedBy: _, ...fact }: Fact): Fact {
  return { ...fact, status: 'open', resolution: null }
}

function keptPermanent(item: PermanentItem, lost: ReadonlySet<string>, about: Forgetting): PermanentItem | null {
  const evidence = item.evidence.filter(
    ({ session, entry, quote }) => !about.isGone(session, entry) && !about.from(session).repeats(quote),
  )
  const { repeats } = about.from(evidence[0]?.session ?? null)
  const isUnproved = evidence.length === 0 && item.evidence.length > 0
  if (lost.has(item.id.toLowerCase()) || isUnproved || stringsIn({ ...item, evidence }).some(repeats)) return null
  return { ...item, evidence, facts: item.facts.filter((id) => !lost.has(id.toLowerCase())) }
}

/** The file goes whole and is made again from facts.json; what 0.6 extracted, or what has no session here, only loses what is forgotten. */
function inSessionFacts(text: string, { path }: ChangedFile, about: Forgetting): Outcome {
  const id8 = /_([0-9a-z]{8})\.l2\.json$/.exec(path)?.[1] ?? ''
  if (!isSessionFacts(text) || !about.isHere(id8)) return withoutByForm(path, text, about)
  const isOut = about.sessions.has(id8) || stringsIn(parseObject(text)).some(about.from(id8).traces)
  return isOut ? { text: null, gone: [{ id: nameIn(path), kind: 'made anew', text: '' }] } : unchanged(text)
}
