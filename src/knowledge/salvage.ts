/** What is left of a `facts.json` or `concepts.json` that was cut off, merged badly or edited wrongly: whole facts, whole concepts. */

import { parseObject } from '../platform/json.ts'
import { type Concepts, NO_CONCEPTS, parseConcepts } from './concept.ts'
import { allFacts, type Fact, type Facts, NO_FACTS, parseFacts } from './fact.ts'
import { allPermanent, PERMANENT_KINDS, type Permanent, type PermanentItem } from './permanent.ts'

type Json = Record<string, unknown>

/** No fact is longer: what is was never closed. */
const LONGEST = 100_000

/** Nothing of it is made up: without a whole fact it is empty. */
export function salvageFacts(text: string): Facts {
  const found = objectsIn(text)
  const withId = (letter: string): Json[] => found.filter(({ id }) => isId(id, letter)).map(({ value }) => value)
  const lasting = found.filter(({ id }) => isId(id, 'r'))
  const kinds = PERMANENT_KINDS.map((kind) => [
    kind,
    lasting.filter(({ from }) => kindAt(text, from) === kind).map(({ value }) => value),
  ])
  const lists = { decisions: withId('d'), patterns: withId('p'), issues: withId('i') }
  // As parseFacts reads it: a file of 0.5.
  const _meta = { counter: counterIn(text), ...(/"version"\s*:\s*4\b/.test(text) ? { version: 4 } : {}) }
  const facts = parseFacts(JSON.stringify({ _meta, ...lists, permanent: Object.fromEntries(kinds) })) ?? NO_FACTS
  return withCounter(facts, highestOf(facts))
}

export function salvageConcepts(text: string): Concepts {
  const concepts = objectsIn(text).flatMap(({ id, value }) => (isId(id, 'c') ? [value] : []))
  return parseConcepts(JSON.stringify({ concepts, nextId: nextIdIn(text) })) ?? NO_CONCEPTS
}

/** All of the newer ones, and of the older ones those it does not have. */
export function withSalvagedFacts(newer: Facts, older: Facts): Facts {
  const known = new Set(allFacts(newer).map(({ id }) => id))
  const both = (a: readonly Fact[], b: readonly Fact[]): Fact[] => [...a, ...b.filter(({ id }) => !known.has(id))]
  const joined = {
    ...older,
    ...newer,
    _meta: { ...older._meta, ...newer._meta },
    decisions: both(newer.decisions, older.decisions),
    patterns: both(newer.patterns, older.patterns),
    issues: both(newer.issues, older.issues),
    permanent: joinPermanent(newer.permanent, older.permanent),
  }
  return withCounter(joined, older._meta.counter)
}

export function withSalvagedConcepts(newer: Concepts, older: Concepts): Concepts {
  const known = new Set(newer.concepts.map(({ id }) => id))
  const concepts = [...newer.concepts, ...older.concepts.filter(({ id }) => !known.has(id))]
  return { ...older, ...newer, concepts, nextId: Math.max(newer.nextId, older.nextId) }
}

/** The highest number ever given does not go back. */
export function withCounter(facts: Facts, atLeast: number): Facts {
  return facts._meta.counter >= atLeast ? facts : { ...facts, _meta: { ...facts._meta, counter: atLeast } }
}

/** As a text of `facts.json` says it, whole or not. */
export function counterIn(text: string): number {
  return highest(text, /"counter"\s*:\s*(\d{1,9})(?!\d)/g)
}

/** As a text of `concepts.json` says it. */
export function nextIdIn(text: string): number {
  return highest(text, /"nextId"\s*:\s*(\d{1,9})(?!\d)/g)
}

export function isEmptyFacts(facts: Facts): boolean {
  return facts._meta.counter === 0 && allFacts(facts).length === 0 && allPermanent(facts.permanent).length === 0
}

function joinPermanent(newer: Permanent, older: Permanent): Permanent {
  const known = new Set(allPermanent(newer).map(({ id }) => id))
  const both = (a: readonly PermanentItem[], b: readonly PermanentItem[]): PermanentItem[] => [
    ...a,
    ...b.filter(({ id }) => !known.has(id)),
  ]
  return {
    ...older,
    ...newer,
    rules: both(newer.rules, older.rules),
    solutions: both(newer.solutions, older.solutions),
    core_logic: both(newer.core_logic, older.core_logic),
  }
}

function highest(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((most, [, number]) => Math.max(most, Number(number)), 0)
}

function highestOf(facts: Facts): number {
  return allFacts(facts).reduce((most, { id }) => Math.max(most, Number(/^[dpi](\d{1,9})$/.exec(id)?.[1] ?? 0)), 0)
}

function isId(id: string, letter: string): boolean {
  return id[0] === letter && /^.\d{1,9}$/.test(id)
}

/** The list in which a permanent memory stands: the last one that was begun before it. */
function kindAt(text: string, at: number): string {
  const before = PERMANENT_KINDS.map((kind) => ({ kind, from: text.lastIndexOf(`"${kind}"`, at) }))
  return before.reduce((last, one) => (one.from > last.from ? one : last)).kind
}

interface Found {
  /** Where it begins. */
  from: number
  id: string
  value: Json
}

/** Whole objects that have an id, each once; both sides of a bad merge. */
function objectsIn(text: string): Found[] {
  const found: Found[] = []
  const begun: number[] = []
  const seen = new Set<string>()
  for (const { at, is } of bracesIn(text)) {
    if (is === '{') {
      begun.push(at)
      continue
    }
    const from = begun.pop()
    if (from === undefined || at - from > LONGEST) continue
    const raw = text.slice(from, at + 1)
    const value = raw.includes('"id"') ? parseObject(raw) : null
    if (value === null || typeof value.id !== 'string' || seen.has(raw)) continue
    seen.add(raw)
    found.push({ from, id: value.id, value })
  }
  return found
}

/** Outside of strings. A string ends with its line at the latest: a quote that is missing costs one line. */
function bracesIn(text: string): { at: number; is: string }[] {
  const braces: { at: number; is: string }[] = []
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const is = text[at]
    if (is === '\n') isString = false
    else if (isString && is === '\\') at++
    else if (is === '"') isString = !isString
    else if (!isString && (is === '{' || is === '}')) braces.push({ at, is })
  }
  return braces
}
