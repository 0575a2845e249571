/** The lists of facts as one: finding a fact, replacing one, giving a new one its id, comparing them, and reading only the newest ones. */
import { isObject, textOr } from '../platform/json.ts'
import { once } from '../text/once.ts'
import { tellingWords } from '../text/words.ts'
import { allFacts, type Fact, type Facts, type FactType, idOf, type NewFact, numberOf, parseFacts } from './fact.ts'
import type { Judged } from './permanent.ts'

export const LISTS = { decision: 'decisions', pattern: 'patterns', issue: 'issues' } as const

/** Ids are written as people type them: `D001` is `d001`. */
export function findFact(facts: Facts, given: string): Fact | null {
  const id = given.trim().toLowerCase()
  return allFacts(facts).find((one) => one.id.toLowerCase() === id) ?? null
}

export function replaceFact(facts: Facts, before: Fact, after: Fact): Facts {
  const name = LISTS[before.type]
  return { ...facts, [name]: facts[name].map((one) => (one === before ? after : one)) }
}

/** The same object where nothing changes. */
export function mapFacts(facts: Facts, change: (fact: Fact) => Fact): Facts {
  const { decisions, patterns, issues } = facts
  const after = { decisions: decisions.map(change), patterns: patterns.map(change), issues: issues.map(change) }
  const isSame = (name: keyof typeof after): boolean => after[name].every((fact, i) => fact === facts[name][i])
  return Object.values(LISTS).every(isSame) ? facts : { ...facts, ...after }
}

export function withoutFacts(facts: Facts, gone: (fact: Fact) => boolean): Facts {
  const rest = (list: readonly Fact[]): Fact[] => list.filter((fact) => !gone(fact))
  return { ...facts, decisions: rest(facts.decisions), patterns: rest(facts.patterns), issues: rest(facts.issues) }
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

const WORD = once(() => /[\p{L}\p{N}_]+(?:[.'’-][\p{L}\p{N}_]+)*/gu)
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the'])

/** The same words in the same order. Anything looser joins "use tabs" with "never use tabs". */
export function isSameFact(a: string, b: string): boolean {
  return a === b || textKey(a) === textKey(b)
}

/** The same for texts that say the same. */
export function textKey(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().match(WORD()) ?? []
  return words.filter((word) => !ARTICLES.has(word)).join(' ')
}

/** Twice the common words over all telling words of both, where somebody else decides. */
export function similarity(a: string, b: string): number {
  return shareOfWords(tellingWords(a), tellingWords(b))
}

export function shareOfWords<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0
  const common = [...a].filter((word) => b.has(word)).length
  return (2 * common) / (a.size + b.size)
}

/** It holds, as far as anybody knows. */
export function isLive({ state }: Pick<Fact, 'state'>): boolean {
  return state === 'fresh' || state === 'stale'
}

export function isOpenIssue(fact: Fact): boolean {
  return fact.type === 'issue' && fact.status === 'open' && isLive(fact)
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
/** A briefing has no room for more. */
const MAX_EACH = 250

export interface NewestFacts {
  facts: Facts
  /** How many live facts each concept has, by what the briefing counts; null: count the facts themselves. */
  tally: ReadonlyMap<string, FactTally> | null
}

export type FactTally = Record<FactType, number>

const TYPES: Readonly<Record<string, FactType>> = { decisions: 'decision', patterns: 'pattern', issues: 'issue' }

/** Null: no JSON object. A file that is not written as we write it is read whole. */
export function newestFacts(text: string): NewestFacts | null {
  const tally = new Map<string, FactTally>()
  const chosen = text.length < MANY_FACTS_CHARS ? null : choose(text.split('\n'), tally)
  const some = chosen === null ? null : parseFacts(chosen)
  if (some !== null) return { facts: some, tally }
  const all = parseFacts(text)
  return all === null ? null : { facts: all, tally: null }
}

/** The file without the facts that are too old to be told; null: it does not have our form. */
function choose(lines: readonly string[], tally: Map<string, FactTally>): string | null {
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    kept.push(line)
    const type = TYPES[/^ {2}"(\w+)": \[$/.exec(line)?.[1] ?? '']
    if (type === undefined) continue
    const end = lines.findIndex((one, i) => i > at && /^ {2}\],?$/.test(one))
    const own = lines.slice(at + 1, end)
    if (end < 0 || own.some((one) => !one.startsWith('    {"id":"'))) return null
    kept.push(...newestOf(own, type, tally))
    at = end - 1
  }
  return kept.length === lines.length ? null : kept.join('\n')
}

/** In their order. Commas as JSON wants them. In a text the quotes of these marks would have a backslash. */
function newestOf(lines: readonly string[], type: FactType, tally: Map<string, FactTally>): string[] {
  const isPinnedLine = (line: string): boolean => line.includes('"pinned":true')
  const isOpen = (line: string): boolean => type !== 'issue' || line.includes('"status":"open"')
  const live = lines.filter(
    (line) => !/"state":"(?:superseded|rejected)"/.test(line) && (isOpen(line) || isPinnedLine(line)),
  )
  for (const line of live) {
    const concept = isOpen(line) ? /"concept":"(c\d+)"/.exec(line)?.[1] : undefined
    if (concept === undefined) continue
    const own = tally.get(concept) ?? { decision: 0, pattern: 0, issue: 0 }
    tally.set(concept, { ...own, [type]: own[type] + 1 })
  }
  const days = live.map((line) => /"at":"([^"]{0,24})/.exec(line)?.[1] ?? '')
  const limit = days.toSorted().at(-MAX_EACH) ?? ''
  const chosen = live.filter((line, i) => (days[i] ?? '') >= limit || isPinnedLine(line))
  return chosen.map((line, i) => line.replace(/,?$/, i < chosen.length - 1 ? ',' : ''))
}
