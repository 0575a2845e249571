/** The words of something that another version or another program wrote: where they stand, whatever their field is called. */
import { isObject } from '../platform/json.ts'

/** Where words stand, the best first. */
const WORDS =
  'text content fact statement decision pattern issue rule solution logic problem description summary title'.split(' ')
/** What such words are about. */
const NAMES = ['name', 'title', 'topic']
/** They say when, who and where, not what. */
const BESIDE =
  /^(?:id|date|at|type|kind|by|author|session\w*|status|state|concept\w*|usedAt|askedAt|evidence|facts|judged)$/
/** Deeper than anybody writes by hand. */
const MAX_DEPTH = 4

/** Null: it says nothing. Of an object without a field that we know, all that it says. */
export function wordedIn(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (!isObject(value)) return Array.isArray(value) ? allWords(value, 0) : null
  const { problem, solution } = value
  if (isSaid(problem) && isSaid(solution) && !isSaid(value.text)) return `${problem}: ${solution}`
  const field = WORDS.find((name) => isSaid(value[name]))
  if (field === undefined) return allWords(value, 0)
  const words = String(value[field])
  const name = NAMES.map((one) => value[one]).find(isSaid)
  const isNamed = field === 'text' || name === undefined || words.toLowerCase().includes(name.toLowerCase())
  return isNamed ? words : `${name}: ${words}`
}

function allWords(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return null
  const parts = Object.entries(value).flatMap(([name, one]) => {
    const words = BESIDE.test(name) ? null : allWords(one, depth + 1)
    return words === null ? [] : [Array.isArray(value) ? words : `${name}: ${words}`]
  })
  return parts.length === 0 ? null : parts.join('; ')
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
