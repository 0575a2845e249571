/** Recovers complete facts and concepts from a `facts.json` or `concepts.json` that was cut off, badly merged or wrongly edited. */

import { parseObject } from '../../kernel/platform/json.ts'
import { type Concepts, NO_CONCEPTS, parseConcepts } from './concept.ts'
import { parseItems } from './facts-file.ts'
import { FACT_KINDS, PERMANENT_KINDS } from './item.ts'
import { allFacts, highestNumber, type Items, NO_ITEMS } from './items.ts'

/** A longer object was never closed. */
const LONGEST = 100_000

/** Invents nothing: without a complete fact the result is empty. */
export function salvageFacts(text: string): Items {
  const found = objectsIn(text)
  const with_ = (letter: string): object[] => found.flatMap(({ id, value }) => (isId(id, letter) ? [value] : []))
  const kinds = Object.values(PERMANENT_KINDS).map(({ list }) => list)
  // A permanent item belongs to the last list that began before it.
  const listAt = (at: number): string =>
    kinds.toSorted((a, b) => text.lastIndexOf(`"${b}"`, at) - text.lastIndexOf(`"${a}"`, at))[0] ?? ''
  const lasting = found.filter(({ id }) => isId(id, 'r')).map(({ from, value }) => ({ list: listAt(from), value }))
  const permanent = kinds.map((list) => [list, lasting.flatMap((one) => (one.list === list ? [one.value] : []))])
  const _meta = { counter: counterIn(text) }
  const facts = Object.values(FACT_KINDS).map(({ letter, list }) => [list, with_(letter)])
  const lists = { ...Object.fromEntries(facts), permanent: Object.fromEntries(permanent) }
  const items = parseItems(JSON.stringify({ _meta, ...lists })) ?? NO_ITEMS
  return withCounter(items, highestNumber(allFacts(items)))
}

export function salvageConcepts(text: string): Concepts {
  const concepts = objectsIn(text).flatMap(({ id, value }) => (isId(id, 'c') ? [value] : []))
  return parseConcepts(JSON.stringify({ concepts, nextId: nextIdIn(text) })) ?? NO_CONCEPTS
}

/** All of the newer ones, and those of the older ones that are missing there. */
export function withSalvagedFacts(newer: Items, older: Items): Items {
  const known = new Set(newer.list.map(({ id }) => id))
  const permanent = { ...older.rest.permanent, ...newer.rest.permanent }
  const joined: Items = {
    _meta: { ...older._meta, ...newer._meta },
    list: [...newer.list, ...older.list.filter(({ id }) => !known.has(id))],
    rest: { ...older.rest, ...newer.rest, permanent },
  }
  return withCounter(joined, older._meta.counter)
}

export function withSalvagedConcepts(newer: Concepts, older: Concepts): Concepts {
  const known = new Set(newer.concepts.map(({ id }) => id))
  const concepts = [...newer.concepts, ...older.concepts.filter(({ id }) => !known.has(id))]
  return { ...older, ...newer, concepts, nextId: Math.max(newer.nextId, older.nextId) }
}

/** The highest number ever used must not decrease. */
export function withCounter(facts: Items, atLeast: number): Items {
  return facts._meta.counter >= atLeast ? facts : { ...facts, _meta: { ...facts._meta, counter: atLeast } }
}

/** The counter in a text of `facts.json`, complete or not. */
export function counterIn(text: string): number {
  return highest(text, /"counter"\s*:\s*(\d{1,9})(?!\d)/g)
}

/** The next id in a text of `concepts.json`. */
export function nextIdIn(text: string): number {
  return highest(text, /"nextId"\s*:\s*(\d{1,9})(?!\d)/g)
}

function highest(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((most, [, number]) => Math.max(most, Number(number)), 0)
}

function isId(id: string, letter: string): boolean {
  return id[0] === letter && /^.\d{1,9}$/.test(id)
}

interface Found {
  /** The position at which it begins. */
  from: number
  id: string
  value: Record<string, unknown>
}

/** Complete objects with an id, each once; including both sides of a bad merge. */
function objectsIn(text: string): Found[] {
  const found = new Map<string, Found>()
  const begun: number[] = []
  // Strings and braces. A string ends with its line at the latest, so that a missing quote affects one line only.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\\n]|\\.)*"?|[{}]/g)) {
    if (token === '{') begun.push(index)
    const from = token === '}' ? begun.pop() : undefined
    if (from === undefined || index - from > LONGEST) continue
    const raw = text.slice(from, index + 1)
    const value = raw.includes('"id"') ? parseObject(raw) : null
    if (typeof value?.id === 'string' && !found.has(raw)) found.set(raw, { from, id: value.id, value })
  }
  return [...found.values()]
}
