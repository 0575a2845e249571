/** The lists of facts as one: finding a fact, replacing one, giving a new one its id, and reading only the newest ones. */
import { isObject, textOr } from '../platform/json.ts'
import { allFacts, type Fact, type Facts, type FactType, idOf, type NewFact, numberOf, parseFacts } from './fact.ts'
import type { Judged } from './permanent.ts'

export const LISTS = { decision: 'decisions', pattern: 'patterns', issue: 'issues' } as const

/** Ids are written as people type them: `D001` is `d001`. */
export function findFact(facts: Facts, given: string): Fact | null {
  const id = given.trim().toLowerCase()
  return allFacts(facts).find((one) => one.id.toLowerCase() === id) ?? null
}

export function factsOfType(facts: Facts, type: FactType): readonly Fact[] {
  return facts[LISTS[type]]
}

export function replaceFact(facts: Facts, before: Fact, after: Fact): Facts {
  const name = LISTS[before.type]
  return { ...facts, [name]: facts[name].map((one) => (one === before ? after : one)) }
}

/** The same object where nothing changes. */
export function mapFacts(facts: Facts, change: (fact: Fact) => Fact): Facts {
  let isChanged = false
  const each = (fact: Fact): Fact => {
    const after = change(fact)
    if (after !== fact) isChanged = true
    return after
  }
  const { decisions, patterns, issues } = facts
  const after = { ...facts, decisions: decisions.map(each), patterns: patterns.map(each), issues: issues.map(each) }
  return isChanged ? after : facts
}

/** Its number was never given before, also not to a fact that somebody took out by hand. */
export function appendFact(facts: Facts, fact: NewFact): { facts: Facts; fact: Fact } {
  const name = LISTS[fact.type]
  const number = Math.max(facts._meta.counter, highestNumber(facts[name])) + 1
  const added: Fact = { id: idOf(fact.type, number), ...fact }
  const after = { ...facts, _meta: { ...facts._meta, counter: number }, [name]: [...facts[name], added] }
  return { facts: after, fact: added }
}

export function highestNumber(list: readonly Fact[]): number {
  return list.reduce((most, { id }) => Math.max(most, numberOf(id)), 0)
}

/** It holds, as far as anybody knows. */
export function isLive({ state }: Pick<Fact, 'state'>): boolean {
  return state === 'fresh' || state === 'stale'
}

/** Claude saved it, and other words than the user's prove it: wherever it is told, it carries Claude's name. Earlier versions did not keep whose words they are. */
export function isClaudes({ author, evidence }: Pick<Fact, 'author' | 'evidence'>): boolean {
  return (author === 'agent' || author === 'headless') && (evidence.by ?? 'user') !== 'user'
}

/** What does not hold any more is not told, pinned or not; brought back, it is pinned again. */
export function isPinned({ pinned, state }: Pick<Fact, 'pinned' | 'state'>): boolean {
  return pinned === true && isLive({ state })
}

/** More is not read by anybody, and facts.json is read at every start. */
const MAX_PAST = 12

export interface Past {
  at: string
  by: string
  /** `rejected`, `text was "…"`. */
  what: string
}

/** Oldest first. */
export function pastOf(fact: Fact): Past[] {
  const { history } = fact as { history?: unknown }
  if (!Array.isArray(history)) return []
  return history.flatMap((one: unknown) => {
    if (!isObject(one) || typeof one.what !== 'string') return []
    return [{ at: textOr(one.at, ''), by: textOr(one.by, ''), what: one.what }]
  })
}

export function withPast(fact: Fact, { by, at }: Pick<Judged, 'by' | 'at'>, what: string): Fact {
  const history = [...pastOf(fact), { at, by, what }].slice(-MAX_PAST)
  return { ...fact, ...{ history } }
}

/** Below this, all of them are read: that takes no time. */
export const MANY_FACTS_CHARS = 300_000
/** More never fit into a briefing. */
const MAX_EACH = 250

export interface NewestFacts {
  facts: Facts
  /** How many live facts each concept has, by what the briefing counts; null: count the facts themselves. */
  tally: ReadonlyMap<string, FactTally> | null
}

export interface FactTally {
  decision: number
  pattern: number
  issue: number
}

const TYPES: Readonly<Record<string, keyof FactTally>> = { decisions: 'decision', patterns: 'pattern', issues: 'issue' }

/** Null: no JSON object. A file that is not written as we write it is read whole. */
export function newestFacts(text: string): NewestFacts | null {
  const chosen = text.length < MANY_FACTS_CHARS ? null : choose(text)
  const some = chosen === null ? null : parseFacts(chosen.text)
  if (some !== null && chosen !== null) return { facts: some, tally: chosen.tally }
  const all = parseFacts(text)
  return all === null ? null : { facts: all, tally: null }
}

/** The file without the facts that are too old to be told; null: it does not have our form. */
function choose(text: string): { text: string; tally: Map<string, FactTally> } | null {
  const lines = text.split('\n')
  const kept: string[] = []
  const tally = new Map<string, FactTally>()
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const type = TYPES[/^ {2}"(\w+)": \[$/.exec(line)?.[1] ?? '']
    if (type === undefined) {
      kept.push(line)
      continue
    }
    const end = lines.findIndex((one, i) => i > at && /^ {2}\],?$/.test(one))
    if (end < 0) return null
    const own = lines.slice(at + 1, end)
    if (own.some((one) => !one.startsWith('    {"id":"'))) return null
    kept.push(line, ...newestOf(own, type, tally), lines[end] ?? '')
    at = end
  }
  return kept.length === lines.length ? null : { text: kept.join('\n'), tally }
}

/** In their order. Commas as JSON wants them. */
function newestOf(lines: readonly string[], type: keyof FactTally, tally: Map<string, FactTally>): string[] {
  const holding = lines.filter((line) => !/"state":"(?:superseded|rejected)"/.test(line))
  const isOpen = (line: string): boolean => type !== 'issue' || line.includes('"status":"open"')
  const live = holding.filter((line) => isOpen(line) || isPinnedLine(line))
  for (const line of live) if (isOpen(line)) count(tally, /"concept":"(c\d+)"/.exec(line)?.[1], type)
  const days = live.map((line) => /"at":"([^"]{0,24})/.exec(line)?.[1] ?? '')
  const limit = days.toSorted().at(-MAX_EACH) ?? ''
  const chosen = live.filter((line, i) => (days[i] ?? '') >= limit || isPinnedLine(line))
  return chosen.map((line, i) => (i < chosen.length - 1 ? line.replace(/,?$/, ',') : line.replace(/,$/, '')))
}

/** However old. In a text the quotes would have a backslash. */
function isPinnedLine(line: string): boolean {
  return line.includes('"pinned":true')
}

function count(tally: Map<string, FactTally>, concept: string | undefined, type: keyof FactTally): void {
  if (concept === undefined) return
  const own = tally.get(concept) ?? { decision: 0, pattern: 0, issue: 0 }
  tally.set(concept, { ...own, [type]: own[type] + 1 })
}
