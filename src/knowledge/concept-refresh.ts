/** What is told about a concept, made anew from its facts: summary, files, keywords, and where they were said. */

import { type ConceptTerm, termsOf } from '../outgoing/concept-terms.ts'
import type { Concept, Concepts, Founded } from './concept.ts'
import { allFacts, type Fact, type Facts } from './fact.ts'
import { isLive } from './fact-list.ts'

const MAX_FILES = 12
const MAX_KEYWORDS = 8
const MAX_EXCHANGES = 40
const MAX_SENTENCES = 2
const MAX_SENTENCE = 160
const TYPES = { decision: 0, pattern: 1, issue: 2 } as const

/** No clock and no dates in it: the same facts give the same words. A concept nobody ever put a fact into stays as it is. */
export function refreshConcepts(concepts: Concepts, facts: Facts): Concepts {
  const live = allFacts(facts).filter(isLive)
  const members = new Map<string, Fact[]>()
  for (const fact of live) {
    if (fact.concept === null) continue
    const own = members.get(fact.concept)
    if (own === undefined) members.set(fact.concept, [fact])
    else own.push(fact)
  }
  const words = wordsOfFacts(live)
  return {
    ...concepts,
    concepts: concepts.concepts.map((one) => refreshOne(one, members.get(one.id) ?? [], words)),
  }
}

function refreshOne(concept: Concept, facts: readonly Fact[], words: Words): Concept {
  const { facts: before = 0 }: Founded = concept
  if (facts.length === 0 && before === 0) return concept
  const refreshed: Founded = {
    ...concept,
    summary: summaryOf(facts),
    files: mostFrequent(facts.flatMap((fact) => [...new Set(fact.files)])).slice(0, MAX_FILES),
    keywords: keywordsOf(facts, words),
    exchanges: exchangesOf(facts),
    facts: facts.length,
  }
  return refreshed
}

/** One or two sentences of the best facts, and how much is open. */
function summaryOf(facts: readonly Fact[]): string {
  const open = facts.filter(({ status }) => status === 'open').length
  const told = facts
    .toSorted(byWorth)
    .slice(0, MAX_SENTENCES)
    .map(({ text, status }) => (status === 'resolved' ? `${sentence(text)} (resolved)` : sentence(text)))
  return [...told, ...(open === 0 ? [] : [open === 1 ? '1 open issue.' : `${open} open issues.`])].join(' ')
}

/** What holds before what may not; decisions first; what was said more often, then what was said last. */
function byWorth(a: Fact, b: Fact): number {
  return (
    Number(isPast(a)) - Number(isPast(b)) ||
    TYPES[a.type] - TYPES[b.type] ||
    Math.min(b.also?.length ?? 0, 5) - Math.min(a.also?.length ?? 0, 5) ||
    compare(lastOf(b), lastOf(a)) ||
    compare(b.id, a.id)
  )
}

/** It may not hold any more, or is solved. */
function isPast({ state, status }: Fact): boolean {
  return state === 'stale' || status === 'resolved'
}

function lastOf({ at, lastAt }: Fact): string {
  return lastAt ?? at
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const short =
    [...line].length <= MAX_SENTENCE
      ? line
      : `${[...line]
          .slice(0, MAX_SENTENCE - 1)
          .join('')
          .trimEnd()}…`
  return /[.!?…。]$/.test(short) ? short : `${short}.`
}

/** Newest last. */
function exchangesOf(facts: readonly Fact[]): string[] {
  const places = facts
    .filter(({ session, evidence }) => session !== '' && evidence.entry >= 0)
    .toSorted((a, b) => compare(a.at, b.at) || compare(a.session, b.session) || a.evidence.entry - b.evidence.entry)
    .map(({ session, evidence }) => `${session}#${evidence.entry}`)
  return [...new Set(places)].slice(-MAX_EXCHANGES)
}

interface Words {
  terms: Map<Fact, readonly ConceptTerm[]>
  /** In how many facts each key stands. */
  times: Map<string, number>
  facts: number
}

function wordsOfFacts(facts: readonly Fact[]): Words {
  const terms = new Map(facts.map((fact) => [fact, termsOf(fact)]))
  const times = new Map<string, number>()
  for (const own of terms.values()) for (const { key } of own) times.set(key, (times.get(key) ?? 0) + 1)
  return { terms, times, facts: facts.length }
}

/** Often here and seldom elsewhere. */
function keywordsOf(facts: readonly Fact[], { terms, times, facts: all }: Words): string[] {
  const written = new Map<string, string[]>()
  for (const fact of facts) {
    for (const { key, name } of terms.get(fact) ?? []) {
      if (name === null) continue
      const forms = written.get(key)
      if (forms === undefined) written.set(key, [name])
      else forms.push(name)
    }
  }
  return [...written]
    .map(([key, forms]) => ({ key, forms, worth: forms.length * Math.log((all + 1) / (times.get(key) ?? 1)) }))
    .sort((a, b) => b.worth - a.worth || compare(a.key, b.key))
    .slice(0, MAX_KEYWORDS)
    .map(({ key, forms }) => mostFrequent(forms)[0] ?? key)
}

/** By the alphabet where two are as frequent. */
function mostFrequent(values: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || compare(a[0], b[0])).map(([value]) => value)
}
