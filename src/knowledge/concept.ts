/** Concepts: named groups of facts (`concepts.json`). */

import { isObject, numberOr, parseObject, textOr, texts } from '../platform/json.ts'
import type { Facts } from './fact.ts'
import { mapFacts } from './fact-list.ts'
import type { PermanentItem } from './permanent.ts'

export interface Concept {
  /** c001. */
  id: string
  name: string
  /** What its facts say, in a sentence or two; kept current by code. */
  summary: string
  /** Files its facts are about, most often named first. */
  files: string[]
  /** What tells it from others, the most telling first. */
  keywords: string[]
  /** Where its facts were said, as `session#entry`. */
  exchanges: string[]
  /** Names it had, or of concepts that were merged into it: they find it, and never begin another one. */
  aliases: string[]
}

export interface Concepts {
  version: number
  concepts: Concept[]
  nextId: number
}

export const NO_CONCEPTS: Concepts = { version: 1, concepts: [], nextId: 1 }

/** More than anybody ever gives. */
const MAX_NUMBER = 999_999_999

/** Null: no JSON object. Unknown fields stay. */
export function parseConcepts(text: string): Concepts | null {
  const raw = parseObject(text)
  if (raw === null) return null
  const listed = Array.isArray(raw.concepts) ? raw.concepts : []
  const last = Math.max(0, ...listed.map((one) => (isObject(one) ? numberOf(one.id) : 0)))
  const given = numberOr(raw.nextId, 1)
  let next = Math.max(last + 1, Number.isInteger(given) && given <= MAX_NUMBER ? given : 1)
  const concepts = listed.flatMap((one): Concept[] => {
    const concept = parseConcept(one)
    if (concept === null) return []
    return [concept.id === '' ? { ...concept, id: conceptId(next++) } : concept]
  })
  return { ...raw, version: numberOr(raw.version, 1), concepts, nextId: next }
}

/** One concept on a line. */
export function formatConcepts({ version, concepts, nextId, ...rest }: Concepts): string {
  const lines = concepts.map((one) => `  ${JSON.stringify(one)}`)
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
  const others = Object.entries(rest).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
  return `{"version": ${version},\n${others.join('')}"concepts": ${list},\n"nextId": ${nextId}}\n`
}

export function conceptId(number: number): string {
  return `c${String(number).padStart(3, '0')}`
}

function parseConcept(value: unknown): Concept | null {
  if (!isObject(value)) return null
  const name = textOr(value.name, '').trim()
  if (name === '') return null
  // Ids of concepts that were merged into it, where code has written them.
  const { merged, ...kept } = value
  return {
    ...kept,
    ...(Array.isArray(merged) ? { merged: texts(merged) } : {}),
    id: numberOf(value.id) > 0 ? String(value.id) : '',
    name,
    summary: textOr(value.summary, ''),
    files: texts(value.files),
    keywords: texts(value.keywords),
    exchanges: texts(value.exchanges),
    aliases: texts(value.aliases),
  }
}

function numberOf(id: unknown): number {
  return typeof id === 'string' ? Number(/^c(\d{1,9})$/.exec(id)?.[1] ?? 0) : 0
}

/** More than every concept has. */
export interface Founded extends Concept {
  /** Code founded it: code may take it back, until a person renames it or takes another into it. */
  founded?: 'code'
  /** Ids that were merged into it: what still names them finds it. */
  merged?: string[]
  /** How many facts it had when it was last refreshed. */
  facts?: number
}

/** All facts move, names become aliases. Nothing changes where one of them is not there. */
export function mergeConcepts(
  concepts: Concepts,
  facts: Facts,
  from: string,
  into: string,
): { concepts: Concepts; facts: Facts } {
  const gone: Founded | undefined = concepts.concepts.find(({ id }) => id === from)
  const kept: Founded | undefined = concepts.concepts.find(({ id }) => id === into)
  if (gone === undefined || kept === undefined || gone === kept) return { concepts, facts }
  const merged: Founded = {
    ...kept,
    aliases: withoutName(kept.name, [...kept.aliases, gone.name, ...gone.aliases]),
    files: [...new Set([...kept.files, ...gone.files])],
    exchanges: [...new Set([...kept.exchanges, ...gone.exchanges])],
    merged: [...new Set([...(kept.merged ?? []), from, ...(gone.merged ?? [])])],
  }
  const rest = concepts.concepts.filter((one) => one !== gone)
  return {
    concepts: { ...concepts, concepts: rest.map((one) => (one === kept ? merged : one)) },
    facts: moveFacts(facts, new Map([[from, into]])),
  }
}

/** The old name keeps finding it. */
export function renameConcept(concepts: Concepts, id: string, name: string): Concepts {
  return {
    ...concepts,
    concepts: concepts.concepts.map((one) =>
      one.id === id ? { ...ownedByPeople(one), name, aliases: withoutName(name, [...one.aliases, one.name]) } : one,
    ),
  }
}

/** Somebody chose it: code does not take it back any more. */
export function ownedByPeople(concept: Concept): Concept {
  const { founded: _, ...rest }: Founded = concept
  return rest
}

/** From the old id to the new one, and on from there; permanent memory too. */
export function moveFacts(facts: Facts, moves: ReadonlyMap<string, string>): Facts {
  if (moves.size === 0) return facts
  const move = <T extends { concept: string | null }>(one: T): T => {
    let to = one.concept ?? ''
    // Each id is gone once it was merged: this ends.
    for (let next = moves.get(to); next !== undefined; next = moves.get(to)) to = next
    return one.concept === null || to === one.concept ? one : { ...one, concept: to }
  }
  const { rules, solutions, core_logic } = facts.permanent
  const permanent = {
    ...facts.permanent,
    rules: rules.map<PermanentItem>(move),
    solutions: solutions.map<PermanentItem>(move),
    core_logic: core_logic.map<PermanentItem>(move),
  }
  return { ...mapFacts(facts, move), permanent }
}

function withoutName(name: string, aliases: readonly string[]): string[] {
  return [...new Set(aliases)].filter((one) => one !== name)
}
