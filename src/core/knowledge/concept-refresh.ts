/** Derives a concept's summary, files, keywords and sources from its facts. */

import { compareText, shortenTo } from '../../kernel/text/memory-words.ts'
import { stem } from '../../kernel/text/stem.ts'
import { wordsOf } from '../../kernel/text/words.ts'
import type { Concepts } from './concept.ts'
import { type Fact, isLive, isOpenIssue } from './item.ts'
import { allFacts, type Items } from './items.ts'

const MAX_FILES = 12
const MAX_KEYWORDS = 8
const MAX_EXCHANGES = 40
const MAX_SENTENCES = 2
const MAX_SENTENCE = 160
const TYPES = { decision: 0, pattern: 1, issue: 2 } as const

/** Uses no clock and no dates: the same facts give the same result. A concept that never had a fact stays unchanged. */
export function refreshConcepts(concepts: Concepts, facts: Items): Concepts {
  const live = allFacts(facts).filter(isLive)
  const times = new Map<string, number>()
  for (const { text } of live)
    for (const key of new Set(wordsOf(text).map(stem))) times.set(key, (times.get(key) ?? 0) + 1)
  const rarity = (key: string): number => Math.log(1 + live.length / (times.get(key) ?? 1))
  return {
    ...concepts,
    concepts: concepts.concepts.map((concept) => {
      const own = live.filter((fact) => fact.concept === concept.id)
      if (own.length === 0 && (concept.facts ?? 0) === 0) return concept
      return {
        ...concept,
        summary: summaryOf(own),
        files: mostFrequent(own.flatMap((fact) => [...new Set(fact.files)])).slice(0, MAX_FILES),
        keywords: keywordsOf(own, rarity),
        exchanges: exchangesOf(own),
        facts: own.length,
      }
    }),
  }
}

/** One or two sentences of the best facts, and the number of open issues. */
function summaryOf(facts: readonly Fact[]): string {
  const open = facts.filter(isOpenIssue).length
  const sentences = facts
    .toSorted(byWorth)
    .slice(0, MAX_SENTENCES)
    .map(({ text, status }) => (status === 'resolved' ? `${sentence(text)} (resolved)` : sentence(text)))
  return [...sentences, ...(open === 0 ? [] : [open === 1 ? '1 open issue.' : `${open} open issues.`])].join(' ')
}

/** Current facts first, then decisions, then facts said more often, then those said last. */
function byWorth(a: Fact, b: Fact): number {
  return (
    Number(isPast(a)) - Number(isPast(b)) ||
    TYPES[a.kind] - TYPES[b.kind] ||
    Math.min(b.also?.length ?? 0, 5) - Math.min(a.also?.length ?? 0, 5) ||
    compareText(lastOf(b), lastOf(a)) ||
    compareText(b.id, a.id)
  )
}

/** Stale or resolved. */
function isPast({ state, status }: Fact): boolean {
  return state === 'stale' || status === 'resolved'
}

function lastOf({ at, lastAt }: Fact): string {
  return lastAt ?? at
}

function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const short = shortenTo(line, MAX_SENTENCE) ?? line.slice(0, MAX_SENTENCE)
  return /[.!?…。]$/.test(short) ? short : `${short}.`
}

/** Newest last. */
function exchangesOf(facts: readonly Fact[]): string[] {
  const places = facts
    .filter(({ session, evidence }) => session !== '' && evidence.entry >= 0)
    .toSorted(
      (a, b) => compareText(a.at, b.at) || compareText(a.session, b.session) || a.evidence.entry - b.evidence.entry,
    )
    .map(({ session, evidence }) => `${session}#${evidence.entry}`)
  return [...new Set(places)].slice(-MAX_EXCHANGES)
}

/** Stems that are frequent in these facts and rare in the others, each in its most frequent form. */
function keywordsOf(facts: readonly Fact[], rarity: (key: string) => number): string[] {
  const written = new Map<string, string[]>()
  for (const { text } of facts)
    for (const word of new Set(wordsOf(text))) written.set(stem(word), [...(written.get(stem(word)) ?? []), word])
  return [...written]
    .map(([key, forms]) => ({ key, forms, worth: forms.length * rarity(key) }))
    .sort((a, b) => b.worth - a.worth || compareText(a.key, b.key))
    .slice(0, MAX_KEYWORDS)
    .map(({ key, forms }) => mostFrequent(forms)[0] ?? key)
}

/** Ties are in alphabetical order. */
function mostFrequent(values: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0])).map(([value]) => value)
}
