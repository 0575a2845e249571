/** Concepts: named groups of facts (`concepts.json`). */
import { isObject, numberOr, parseObject, textOr, texts } from '../platform/json.ts'

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
