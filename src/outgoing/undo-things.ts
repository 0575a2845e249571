/** Facts, permanent memory, instructions and concepts as plain things with an id, each taken out of its list and put back. */
import type { Concept, Concepts } from '../knowledge/concept.ts'
import type { Fact, Facts } from '../knowledge/fact.ts'
import { PERMANENT_KINDS, type Permanent, type PermanentItem } from '../knowledge/permanent.ts'
import type { Standing, StandingList } from './standing-list.ts'

/** All that people change by hand. */
export interface HandMemory {
  facts: Facts
  concepts: Concepts
  standing: StandingList
  /** memory.md. */
  notes: string
  /** rules.md, the page of the lessons and the pages in question, by their names; null: there is none. */
  files: Readonly<Record<string, string | null>>
}

export const THING_KINDS = ['fact', 'permanent', 'standing', 'concept'] as const
export type ThingKind = (typeof THING_KINDS)[number]

export type Thing = Readonly<Record<string, unknown>>

const LISTS = { decision: 'decisions', pattern: 'patterns', issue: 'issues' } as const

/** Permanent memory with its kind, and its place there: it may move. Concepts with theirs: one that was merged comes back there. */
export function undoThings(kind: ThingKind, { facts, standing, concepts }: HandMemory): Map<string, Thing> {
  switch (kind) {
    case 'fact':
      return byId([...facts.decisions, ...facts.patterns, ...facts.issues])
    case 'permanent':
      return byId(
        PERMANENT_KINDS.flatMap((name) => facts.permanent[name].map((item, place) => ({ ...item, kind: name, place }))),
      )
    case 'standing':
      return byId(standing.standing)
    case 'concept':
      return byId(concepts.concepts.map((one, place) => ({ ...one, place })))
  }
}

/** In its place; null: without it. */
export function withThing(kind: ThingKind, memory: HandMemory, id: string, thing: Thing | null): HandMemory {
  const { facts, standing, concepts } = memory
  switch (kind) {
    case 'fact':
      return { ...memory, facts: withFact(facts, id, thing as Fact | null) }
    case 'permanent':
      return { ...memory, facts: { ...facts, permanent: withItem(facts.permanent, id, thing) } }
    case 'standing':
      return { ...memory, standing: { ...standing, standing: put(standing.standing, id, thing as Standing | null) } }
    case 'concept':
      return { ...memory, concepts: { ...concepts, concepts: withConcept(concepts.concepts, id, thing) } }
  }
}

function withFact(facts: Facts, id: string, fact: Fact | null): Facts {
  const name =
    LISTS[
      fact?.type ?? (Object.keys(LISTS) as Fact['type'][]).find((type) => has(facts[LISTS[type]], id)) ?? 'decision'
    ]
  return { ...facts, [name]: put(facts[name], id, fact) }
}

function withItem(permanent: Permanent, id: string, thing: Thing | null): Permanent {
  const from = PERMANENT_KINDS.find((name) => has(permanent[name], id))
  if (thing === null) return from === undefined ? permanent : { ...permanent, [from]: put(permanent[from], id, null) }
  const { kind, place, ...item } = thing
  const to = PERMANENT_KINDS.find((name) => name === kind) ?? 'rules'
  if (from === to) return { ...permanent, [to]: put(permanent[to], id, item as unknown as PermanentItem) }
  const left = from === undefined ? permanent : { ...permanent, [from]: put(permanent[from], id, null) }
  const at = typeof place === 'number' ? place : left[to].length
  return { ...left, [to]: left[to].toSpliced(at, 0, item as unknown as PermanentItem) }
}

function withConcept(concepts: readonly Concept[], id: string, thing: Thing | null): Concept[] {
  if (thing === null) return put(concepts, id, null)
  const { place, ...rest } = thing
  const concept = rest as unknown as Concept
  if (has(concepts, id)) return put(concepts, id, concept)
  return concepts.toSpliced(typeof place === 'number' ? place : concepts.length, 0, concept)
}

function has(list: readonly { id: string }[], id: string): boolean {
  return list.some((one) => one.id === id)
}

function put<T extends { id: string }>(list: readonly T[], id: string, thing: T | null): T[] {
  if (thing === null) return list.filter((one) => one.id !== id)
  return has(list, id) ? list.map((one) => (one.id === id ? thing : one)) : [...list, thing]
}

function byId(all: readonly { id: string }[]): Map<string, Thing> {
  return new Map(all.map((one) => [one.id, one as unknown as Thing]))
}
