/** Finds again what a text announces once: a password that is repeated, passed to a command, sent back by a server. */
import { isCertain, isIdentifier, isRandom, isStrong, UUID } from './redact-judge.ts'
import type { Span } from './redact-scan.ts'

const KINDS = new Set(['password', 'secret', 'url-password'])
/** Each value is searched for in the whole text. */
const MOST_VALUES = 50
const INSIDE = /[\p{L}\d_]/u

export function findRepeats(text: string, spans: readonly Span[]): Span[] {
  const values = new Map<string, string>()
  for (const { start, end, kind } of spans) {
    const value = text.slice(start, Math.min(end, start + MOST_CHARS))
    if (KINDS.has(kind) && values.size < MOST_VALUES && isUnlikelyTwice(value)) values.set(value, kind)
  }
  return [...values].flatMap(([value, kind]) =>
    placesOf(text, value).map((start) => ({ start, end: start + value.length, kind })),
  )
}

const MOST_CHARS = 200

/** A word that happens to be a password is found elsewhere as a word, and an id as an id. */
function isUnlikelyTwice(value: string): boolean {
  return !isIdentifier(value) && !UUID.test(value) && (isStrong(value) || isCertain(value) || isRandom(value))
}

function placesOf(text: string, value: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
    if (!INSIDE.test(text.charAt(at - 1)) && !INSIDE.test(text.charAt(at + value.length))) places.push(at)
  return places
}
