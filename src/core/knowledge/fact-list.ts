/** The lists of facts as one: finds and replaces facts, assigns ids, compares facts, and reads only the newest ones. */

import type { NamedAuthor } from '../../kernel/memory/document.ts'
import { isObject, parseObject, textOr } from '../../kernel/platform/json.ts'
import { once } from '../../kernel/text/once.ts'
import { tellingWords } from '../../kernel/text/words.ts'
import { LOCAL_TOOLS } from './evidence.ts'
import {
  allFacts,
  type Fact,
  type Facts,
  type FactType,
  idOf,
  isTold,
  type NewFact,
  numberOf,
  parseFacts,
} from './fact.ts'
import type { Judged } from './permanent.ts'

export const LISTS = { decision: 'decisions', pattern: 'patterns', issue: 'issues' } as const

/** Ignores the case of the id: `D001` is `d001`. */
export function findFact(facts: Facts, given: string): Fact | null {
  const id = given.trim().toLowerCase()
  return allFacts(facts).find((one) => one.id.toLowerCase() === id) ?? null
}

export function replaceFact(facts: Facts, before: Fact, after: Fact): Facts {
  const name = LISTS[before.type]
  return { ...facts, [name]: facts[name].map((one) => (one === before ? after : one)) }
}

/** Returns the same object if nothing changes. */
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

/** The number was never used before, not even for a fact that somebody deleted by hand. */
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

/** The same words in the same order. A looser comparison would merge "use tabs" with "never use tabs". */
export function isSameFact(a: string, b: string): boolean {
  return a === b || textKey(a) === textKey(b)
}

/** Equal for texts that say the same. */
export function textKey(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().match(WORD()) ?? []
  return words.filter((word) => !ARTICLES.has(word)).join(' ')
}

/** The Dice coefficient of the content words. Only a hint: the caller decides. */
export function similarity(one: string, other: string): number {
  const [a, b] = [tellingWords(one), tellingWords(other)]
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0
  return (2 * [...a].filter((word) => b.has(word)).length) / (a.size + b.size)
}

/** Pieces are not always read in the order of their entries. */
export function isSaidAfter({ at, lastAt = at }: Pick<Fact, 'at' | 'lastAt'>, instant: string): boolean {
  return instant !== '' && lastAt > instant
}

/** Current as far as known. */
export function isLive({ state }: Pick<Fact, 'state'>): boolean {
  return state === 'fresh' || state === 'stale'
}

/** A current issue without a resolution, whoever wrote it. */
export function isUnresolved(fact: Fact): boolean {
  return fact.type === 'issue' && fact.status === 'open' && isLive(fact)
}

/**
 * The one definition of an open issue, for every screen and for Claude: a model or a person wrote it, and it is unresolved, current and
 * told. What code derived by structure (unfinished tasks, commands that never passed, refused tool uses) is an open issue only if a
 * person pinned it.
 */
export function isOpenIssue(fact: Fact): boolean {
  const isWritten = fact.author !== 'extractive' || isPinned(fact)
  return isWritten && isUnresolved(fact) && isTold(fact) && fact.text.trim() !== ''
}

/** Its state for people; null: no issue. What code derived and nothing settled is unresolved, but no open issue. */
export function issueWord(fact: Fact): 'open' | 'unresolved' | 'resolved' | null {
  return fact.status !== 'open' ? fact.status : isOpenIssue(fact) ? 'open' : 'unresolved'
}

export function openIssues({ issues }: Pick<Facts, 'issues'>): Fact[] {
  return issues.filter(isOpenIssue)
}

/**
 * Claude wrote it into memory.md of v3 or v4, and nobody has made it their own. It does not age: its sections stood in every briefing of
 * those versions.
 */
export function isOfEarlierVersion({ author, source }: Pick<Fact, 'author' | 'source'>): boolean {
  return author === 'agent' && (source === 'v3' || source === 'v4')
}

/** Whose words a fact is, as it is told. Earlier versions did not store it: nobody's, then. */
export function authorOfFact(fact: Pick<Fact, 'author' | 'evidence' | 'source'>): NamedAuthor {
  const { author, evidence } = fact
  if (author === 'user' || evidence.by === 'user') return 'the user'
  if (isOfEarlierVersion(fact)) return `from ${fact.source}`
  if (evidence.by === 'tool') return `from ${evidence.from ?? 'a tool'}`
  return evidence.by === 'assistant' || author !== 'extractive' ? 'Claude' : 'author unknown'
}

/** What a tool printed proves it: it is told as learned, with the tool's name. */
export function isOfTool({ type, evidence }: Pick<Fact, 'type' | 'evidence'>): boolean {
  return type === 'pattern' && evidence.by === 'tool' && LOCAL_TOOLS.has(evidence.from ?? '')
}

/** Claude saved it, and the evidence is not the user's words: it is always shown as Claude's. */
export function isClaudes({ author, evidence }: Pick<Fact, 'author' | 'evidence'>): boolean {
  return (author === 'agent' || author === 'headless') && evidence.by !== 'user'
}

/** A fact that is no longer current is not injected even if pinned; if it is restored, it is pinned again. */
export function isPinned({ pinned, state }: Pick<Fact, 'pinned' | 'state'>): boolean {
  return pinned === true && isLive({ state })
}

/** More is rarely read, and facts.json is read at every session start. */
const MAX_PAST = 12

export interface Past {
  at: string
  by: string
  /** For example `rejected` or `text was "…"`. */
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

/** A smaller file is read whole: that is fast enough. */
export const MANY_FACTS_CHARS = 300_000
/** The briefing has room for at most this many facts per type. */
const MAX_EACH = 250

export interface NewestFacts {
  facts: Facts
  /** The number of current facts per concept and type; null: count the facts themselves. */
  tally: ReadonlyMap<string, FactTally> | null
  /** Whether a fact that is not among them says the same. */
  isLeftOut?: (text: string) => boolean
}

export type FactTally = Record<FactType, number>

const TYPES: Readonly<Record<string, FactType>> = { decisions: 'decision', patterns: 'pattern', issues: 'issue' }

/** Null: not a JSON object. A file that is not in our format is read whole. */
export function newestFacts(text: string): NewestFacts | null {
  const tally = new Map<string, FactTally>()
  const left: string[] = []
  const chosen = text.length < MANY_FACTS_CHARS ? null : choose(text.split('\n'), tally, left)
  const some = chosen === null ? null : parseFacts(chosen)
  if (some !== null) {
    // Read only if something is compared with them.
    const said = once(() => new Set(left.map((line) => textKey(textOr(parseObject(withoutComma(line))?.text, '')))))
    return { facts: some, tally, isLeftOut: (one) => said().has(textKey(one)) }
  }
  const all = parseFacts(text)
  return all === null ? null : { facts: all, tally: null }
}

function withoutComma(line: string): string {
  return line.endsWith(',') ? line.slice(0, -1) : line
}

/** The file without the facts that are too old to be injected, whose lines are added to `left`; null: it is not in our format. */
function choose(lines: readonly string[], tally: Map<string, FactTally>, left: string[]): string | null {
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    kept.push(line)
    const type = TYPES[/^ {2}"(\w+)": \[$/.exec(line)?.[1] ?? '']
    if (type === undefined) continue
    const end = lines.findIndex((one, i) => i > at && /^ {2}\],?$/.test(one))
    const own = lines.slice(at + 1, end)
    if (end < 0 || own.some((one) => !one.startsWith('    {"id":"'))) return null
    kept.push(...newestOf(own, type, tally, left))
    at = end - 1
  }
  return kept.length === lines.length ? null : kept.join('\n')
}

/** In their order, with valid JSON commas. Inside a text, the quotes of these marks would be escaped. */
function newestOf(lines: readonly string[], type: FactType, tally: Map<string, FactTally>, left: string[]): string[] {
  const isPinnedLine = (line: string): boolean => line.includes('"pinned":true')
  // As JSON: a quote inside a text is escaped.
  const isEarlier = (line: string): boolean => line.includes('"source":"v3"') || line.includes('"source":"v4"')
  const isOpen = (line: string): boolean => type !== 'issue' || line.includes('"status":"open"')
  const live = lines.filter(
    (line) => !/"state":"(?:superseded|rejected)"/.test(line) && (isOpen(line) || isPinnedLine(line)),
  )
  for (const line of live) {
    const concept = isCounted(line, type) ? /"concept":"(c\d+)"/.exec(line)?.[1] : undefined
    if (concept === undefined) continue
    const own = tally.get(concept) ?? { decision: 0, pattern: 0, issue: 0 }
    tally.set(concept, { ...own, [type]: own[type] + 1 })
  }
  const days = live.map((line) => /"at":"([^"]{0,24})/.exec(line)?.[1] ?? '')
  const limit = days.toSorted().at(-MAX_EACH) ?? ''
  const chosen = live.filter((line, i) => (days[i] ?? '') >= limit || isPinnedLine(line) || isEarlier(line))
  const taken = new Set(chosen)
  left.push(...lines.filter((line) => !taken.has(line)))
  return chosen.map((line, i) => withoutComma(line) + (i < chosen.length - 1 ? ',' : ''))
}

/** Of issues only the open ones count. */
function isCounted(line: string, type: FactType): boolean {
  if (type !== 'issue') return true
  return openIssues(parseFacts(`{"issues":[${withoutComma(line)}]}`) ?? { issues: [] }).length > 0
}
