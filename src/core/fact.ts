/** Facts: what a project has decided, learned and still has open, each with the words that prove it (`facts.json`). */
import { closeness, isSameFact } from './fact-similar.ts'

export type FactType = 'decision' | 'pattern' | 'issue'

export interface Evidence {
  /** Entry number in its session. */
  entry: number
  /** The words it was taken from, as they stand there. */
  quote: string
}

export interface Fact {
  /** d001, p001, i001. */
  id: string
  type: FactType
  text: string
  /** Why, where it was said. */
  reason: string | null
  /** Issues only; decisions and patterns have null. */
  status: 'open' | 'resolved' | null
  /** What resolved it. */
  resolution: string | null
  /** Where that was said: an issue that comes up again later is another one. */
  closedBy?: { session: string; entry: number; at: string }
  /** Where it was said again or solved, as `session#entry`: nothing is taken in twice. */
  also?: string[]
  /** When it was said. */
  at: string
  /** The session's id8. */
  session: string
  evidence: Evidence
  /** Files it is about, as they were named. */
  files: string[]
  concept: string | null
  state: 'fresh' | 'stale' | 'superseded' | 'rejected'
  author: 'extractive' | 'agent' | 'headless' | 'user'
}

/** A fact before it has its place among the others. */
export type NewFact = Omit<Fact, 'id'>

export interface Permanent {
  rules: string[]
  solutions: string[]
  core_logic: string[]
}

export interface Facts {
  /** `counter`: the highest number ever given, so that none is given twice. */
  _meta: { counter: number; version: number }
  decisions: Fact[]
  patterns: Fact[]
  issues: Fact[]
  permanent: Permanent
}

export const NO_FACTS: Facts = {
  _meta: { counter: 0, version: 1 },
  decisions: [],
  patterns: [],
  issues: [],
  permanent: { rules: [], solutions: [], core_logic: [] },
}

/** How many places a fact remembers: enough for what may be added again, and to see that it recurs. */
const MAX_ALSO = 64
const LISTS = { decision: 'decisions', pattern: 'patterns', issue: 'issues' } as const
const STATES: ReadonlySet<unknown> = new Set(['fresh', 'stale', 'superseded', 'rejected'])
const AUTHORS: ReadonlySet<unknown> = new Set(['extractive', 'agent', 'headless', 'user'])

/** Fields of earlier versions get their place, unknown ones stay; null only for what is no JSON object. */
export function parseFacts(text: string): Facts | null {
  const value = parseObject(text)
  if (value === null) return null
  const meta = isObject(value._meta) ? value._meta : {}
  const permanent = isObject(value.permanent) ? value.permanent : {}
  return {
    ...value,
    _meta: { ...meta, counter: numberOr(meta.counter, 0), version: numberOr(meta.version, NO_FACTS._meta.version) },
    decisions: parseList(value.decisions, 'decision'),
    patterns: parseList(value.patterns, 'pattern'),
    issues: parseList(value.issues, 'issue'),
    permanent: {
      ...permanent,
      rules: texts(permanent.rules),
      solutions: texts(permanent.solutions),
      core_logic: texts(permanent.core_logic),
    },
  }
}

/** JSON with one fact on a line, so that git merges facts of two people one by one. */
export function formatFacts(facts: Facts): string {
  const fields = Object.entries(facts).map(([name, value]) => {
    const isList = Array.isArray(value) && value.length > 0
    const text = isList
      ? `[\n${(value as unknown[]).map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ]`
      : JSON.stringify(value)
    return `  ${JSON.stringify(name)}: ${text}`
  })
  return `{\n${fields.join(',\n')}\n}\n`
}

/** All of them, decisions first. */
export function allFacts(facts: Facts): Fact[] {
  return [...facts.decisions, ...facts.patterns, ...facts.issues]
}

/**
 * What is known already is not added: adding twice is adding once. What says nearly the same joins the fact that is there,
 * a solved issue closes the open one it is about, what was rejected stays away.
 */
export function addFacts(facts: Facts, fresh: readonly NewFact[]): Facts {
  const ordered = fresh.toSorted((a, b) => (comesBefore(a, b) ? -1 : comesBefore(b, a) ? 1 : 0))
  return ordered.reduce(addFact, facts)
}

function addFact(facts: Facts, fact: NewFact): Facts {
  const list = facts[LISTS[fact.type]]
  if (list.some((one) => isTakenIn(one, fact))) return facts
  if (list.some((one) => one.state === 'rejected' && isSameFact(one.text, fact.text))) return facts
  const solved = fact.status === 'resolved' ? openIssue(list, fact) : null
  if (solved !== null) return replace(facts, solved, closeIssue(solved, fact))
  const same = list.find((one) => isLive(one) && isSameFact(one.text, fact.text) && isSameIssue(one, fact))
  return same === undefined ? append(facts, fact) : replace(facts, same, joinFacts(same, fact))
}

/** The open issue that is most about what was solved; null: none is. */
function openIssue(issues: readonly Fact[], fact: NewFact): Fact | null {
  let best: Fact | null = null
  let most = 0
  for (const one of issues) {
    if (one.status !== 'open' || !isLive(one) || !comesBefore(one, fact)) continue
    const close = closeness(one.text, fact.text)
    if (close > most) [best, most] = [one, close]
  }
  return best
}

function closeIssue(issue: Fact, by: NewFact): Fact {
  return { ...issue, status: 'resolved', resolution: resolutionOf(by), closedBy: placeOf(by), also: alsoOf(issue, by) }
}

function resolutionOf({ resolution, text }: NewFact): string {
  return resolution ?? text
}

function append(facts: Facts, fact: NewFact): Facts {
  const name = LISTS[fact.type]
  const list = facts[name]
  const highest = list.reduce((most, { id }) => Math.max(most, Number(/\d+$/.exec(id)?.[0] ?? 0)), facts._meta.counter)
  const id = `${fact.type[0]}${String(highest + 1).padStart(3, '0')}`
  const closed = fact.status === 'resolved' ? { closedBy: placeOf(fact) } : {}
  return { ...facts, _meta: { ...facts._meta, counter: highest + 1 }, [name]: [...list, { id, ...fact, ...closed }] }
}

function placeOf({ session, evidence, at }: NewFact): { session: string; entry: number; at: string } {
  return { session, entry: evidence.entry, at }
}

function replace(facts: Facts, before: Fact, after: Fact): Facts {
  const name = LISTS[before.type]
  return { ...facts, [name]: facts[name].map((one) => (one === before ? after : one)) }
}

function joinFacts(fact: Fact, other: NewFact): Fact {
  const files = [...new Set([...fact.files, ...other.files])]
  return { ...fact, reason: fact.reason ?? other.reason, files, also: alsoOf(fact, other) }
}

function alsoOf({ also = [] }: Fact, other: NewFact): string[] {
  return [...also, keyOf(other)].slice(-MAX_ALSO)
}

function keyOf({ session, evidence }: NewFact): string {
  return `${session}#${evidence.entry}`
}

function isLive({ state }: Fact): boolean {
  return state === 'fresh' || state === 'stale'
}

/** By the words that prove it, or because it joined this fact before. */
function isTakenIn(fact: Fact, other: NewFact): boolean {
  const { entry, quote } = other.evidence
  if (fact.session === other.session && fact.evidence.entry === entry && fact.evidence.quote === quote) return true
  if (fact.also?.includes(keyOf(other)) !== true) return false
  return isSameFact(fact.text, other.text) || closeness(fact.text, other.text) > 0
}

/** A solved issue that comes up again is open again; one said before it was solved is the solved one. */
function isSameIssue(fact: Fact, other: NewFact): boolean {
  if (fact.type !== 'issue' || fact.status === other.status) return true
  const closed = fact.closedBy
  if (closed === undefined) return other.at <= fact.at
  return !comesBefore({ session: closed.session, at: closed.at, evidence: { entry: closed.entry } }, other)
}

interface Place {
  session: string
  at: string
  evidence: { entry: number }
}

/** By position within a session; between sessions there is only the time. */
function comesBefore(a: Place, b: Place): boolean {
  return a.session === b.session ? a.evidence.entry < b.evidence.entry : a.at < b.at
}

function parseList(value: unknown, type: FactType): Fact[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown, i) => {
    const fact = parseFact(one, type, i)
    return fact === null ? [] : [fact]
  })
}

/** Null: nothing in it says anything. Earlier versions wrote `content` for the text and `date` for the time. */
function parseFact(value: unknown, type: FactType, index: number): Fact | null {
  const raw = typeof value === 'string' ? { text: value } : isObject(value) ? value : {}
  const { content, date, also, closedBy, ...kept } = raw as Record<string, unknown>
  const text = [raw.text, content, raw[type], raw.description].find((one) => typeof one === 'string' && one !== '')
  if (typeof text !== 'string') return null
  const evidence = isObject(raw.evidence) ? raw.evidence : {}
  return {
    ...kept,
    id: textOr(raw.id, `${type[0]}${String(index + 1).padStart(3, '0')}`),
    type,
    text,
    reason: textOr(raw.reason, null),
    status: type !== 'issue' ? null : raw.status === 'resolved' ? 'resolved' : 'open',
    resolution: textOr(raw.resolution, null),
    at: textOr(raw.at, textOr(date, '')),
    session: textOr(raw.session, ''),
    evidence: { ...evidence, entry: numberOr(evidence.entry, -1), quote: textOr(evidence.quote, '') },
    files: texts(raw.files),
    concept: textOr(raw.concept, null),
    state: STATES.has(raw.state) ? (raw.state as Fact['state']) : 'fresh',
    author: AUTHORS.has(raw.author) ? (raw.author as Fact['author']) : 'agent',
    ...(Array.isArray(also) ? { also: texts(also) } : {}),
    ...(isPlace(closedBy) ? { closedBy } : {}),
  }
}

function isPlace(value: unknown): value is NonNullable<Fact['closedBy']> {
  return (
    isObject(value) &&
    typeof value.session === 'string' &&
    typeof value.entry === 'number' &&
    typeof value.at === 'string'
  )
}

function parseObject(text: string): Record<string, unknown> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  return isObject(value) ? value : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function textOr<T extends string | null>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}
