/** What whoever extracts facts must know of those that are there: concepts by id, and the issues and decisions this may be about. */

import { shortenTo, textOnOneLine } from '../text/memory-words.ts'
import type { Concepts } from './concept.ts'
import type { Fact, Facts } from './fact.ts'
import { factWords } from './fact-similar.ts'

/** More names than a reader compares. */
const MAX_CONCEPTS = 40
const MAX_EACH = 6
const MAX_CHARS = 160

/** One line each, the ids first. Empty: nothing is known yet. */
export function knownLines(facts: Facts, concepts: Concepts, about: string): string[] {
  const words = factWords(about)
  const isLive = ({ state }: Fact): boolean => state === 'fresh' || state === 'stale'
  const open = facts.issues.filter((fact) => isLive(fact) && fact.status === 'open')
  return [
    ...conceptLines(facts, concepts, words),
    ...nearest(open, words).map((fact) => `${textOnOneLine(fact.id)} open issue: ${short(fact.text)}`),
    ...nearest(facts.decisions.filter(isLive), words).map(
      (fact) => `${textOnOneLine(fact.id)} decision${conceptOf(fact)}: ${short(fact.text)}`,
    ),
  ]
}

/** Those this piece is most about, in the order of their ids, so that the same state gives the same text. */
function conceptLines(facts: Facts, { concepts }: Concepts, words: ReadonlySet<string>): string[] {
  const used = new Map<string, number>()
  for (const { concept } of [...facts.decisions, ...facts.patterns, ...facts.issues])
    if (concept !== null) used.set(concept, (used.get(concept) ?? 0) + 1)
  const shared = (text: string): number => [...factWords(text)].filter((word) => words.has(word)).length
  const ranked = concepts
    .map((concept, i) => ({ concept, i, near: shared(`${concept.name} ${concept.keywords.join(' ')}`) }))
    .sort((a, b) => b.near - a.near || (used.get(b.concept.id) ?? 0) - (used.get(a.concept.id) ?? 0) || a.i - b.i)
  return ranked
    .slice(0, MAX_CONCEPTS)
    .sort((a, b) => a.i - b.i)
    .map(({ concept }) => `${textOnOneLine(concept.id)} concept: ${short(concept.name)}`)
}

/** By the words they share with the piece; those that share none are not about it. */
function nearest(facts: readonly Fact[], words: ReadonlySet<string>): Fact[] {
  return facts
    .map((fact, i) => {
      const own = [...factWords(fact.text)]
      return { fact, i, near: own.filter((word) => words.has(word)).length / Math.max(4, own.length) }
    })
    .filter(({ near }) => near >= LEAST)
    .sort((a, b) => b.near - a.near || a.i - b.i)
    .slice(0, MAX_EACH)
    .map(({ fact }) => fact)
}

const LEAST = 0.3

function conceptOf({ concept }: Fact): string {
  return concept === null ? '' : ` of ${textOnOneLine(concept)}`
}

function short(text: string): string {
  const line = textOnOneLine(text)
  return shortenTo(line, MAX_CHARS) ?? line.slice(0, MAX_CHARS)
}
