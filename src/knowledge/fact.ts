/** Facts: what a project has decided, learned and still has open, each with the words that prove it (`facts.json`). */
import { isObject, numberOr, parseObject, textOr, texts } from '../platform/json.ts'
import { once } from '../text/once.ts'
import {
  formatPermanent,
  type Judged,
  judgedOf,
  NO_PERMANENT,
  type Permanent,
  parsePermanent,
  wordedIn,
} from './permanent.ts'

export type FactType = 'decision' | 'pattern' | 'issue'

export interface Evidence {
  /** Entry number in its session. */
  entry: number
  /** The words it was taken from, as they stand there. */
  quote: string
  /** Further entries that its reason, its resolution or its done-claim rests on. */
  more?: number[]
  /** Whose words they are, as the program found it; never as a model says. */
  by?: Speaker
}

/** `tool`: what a tool, a file, a web page or a subagent said. */
export type Speaker = 'user' | 'assistant' | 'tool'

export type FactState = 'fresh' | 'stale' | 'superseded' | 'rejected'

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
  state: FactState
  /** How it came into that state; absent while it is fresh. */
  judged?: Judged
  /** When it was last said, if more than once. */
  lastAt?: string
  /** Told first in every briefing, as long as it holds: a person wants it so. */
  pinned?: true
  author: 'extractive' | 'agent' | 'headless' | 'user'
  /** Read from a file of 0.5, whose code made facts from wording. See isLegacy. */
  legacy?: true
  /** A model said it and no audit has confirmed it: yet, or `unclear`: one could not tell. See isTold. */
  unaudited?: true | 'unclear'
  /** While unaudited: the decision (d001) that it replaces once it is confirmed. */
  replaces?: string
  /** An open issue: a model says that it is settled, and no audit has confirmed it yet. */
  closing?: Closing
}

export interface Closing {
  session: string
  entry: number
  at: string
  /** What settled it. */
  how: string
  quote: string
  by: 'agent' | 'headless'
}

/** Whether a fact may be injected into a session. What a person pinned or wrote is, whatever an audit says. */
export function isTold(fact: Pick<Fact, 'legacy' | 'author' | 'pinned' | 'unaudited'>): boolean {
  if (isLegacy(fact)) return false
  return fact.unaudited === undefined || fact.pinned === true || fact.author === 'user'
}

/**
 * Found by search and listed, never told in a briefing or by recall. A model's or a person's words in its place end that, and
 * so does a pin.
 */
export function isLegacy({ legacy, author, pinned }: Pick<Fact, 'legacy' | 'author' | 'pinned'>): boolean {
  return legacy === true && author === 'extractive' && pinned !== true
}

/** A fact before it has its place among the others. */
export type NewFact = Omit<Fact, 'id'>

export interface Facts {
  /** `counter`: the highest number ever given, so that none is given twice. */
  _meta: { counter: number; version: number }
  decisions: Fact[]
  patterns: Fact[]
  issues: Fact[]
  permanent: Permanent
}

export const NO_FACTS: Facts = {
  _meta: { counter: 0, version: 5 },
  decisions: [],
  patterns: [],
  issues: [],
  permanent: NO_PERMANENT,
}

/** Of 0.5. Earlier versions had no facts by code. */
const WORDING_VERSION = 4
const STATES: ReadonlySet<unknown> = new Set(['fresh', 'stale', 'superseded', 'rejected'])
const SPEAKERS: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool'])
const AUTHORS: ReadonlySet<unknown> = new Set(['extractive', 'agent', 'headless', 'user'])

/** Fields of earlier versions get their place, unknown ones stay; null only for what is no JSON object. */
export function parseFacts(text: string): Facts | null {
  const value = parseObject(text)
  if (value === null) return null
  const meta = isObject(value._meta) ? value._meta : {}
  const told = numberOr(meta.version, NO_FACTS._meta.version)
  const isWording = told === WORDING_VERSION
  return withIds({
    ...value,
    _meta: { ...meta, counter: counterOf(meta.counter), version: isWording ? NO_FACTS._meta.version : told },
    decisions: parseList(value.decisions, 'decision', isWording),
    patterns: parseList(value.patterns, 'pattern', isWording),
    issues: parseList(value.issues, 'issue', isWording),
    permanent: parsePermanent(value.permanent),
  })
}

/** More than anybody ever gives. */
const MAX_NUMBER = 999_999_999
/** Of earlier versions and by hand there are others than `d001`; those with signs in them cannot be typed. */
const ID = once(() => /^[\p{L}\p{N}_.:-]{1,40}$/u)

function counterOf(value: unknown): number {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_NUMBER
  return isCount ? value : 0
}

/** The number of `d012`; 0: it has none. */
export function numberOf(id: string): number {
  return Number(/^\D{0,40}(\d{1,10})$/.exec(id)?.[1] ?? 0)
}

export function idOf(type: FactType, number: number): string {
  return `${type[0]}${String(number).padStart(3, '0')}`
}

/** Each fact has an id of its own: whoever has none, or one that was given before, gets the next number of its list. */
function withIds(facts: Facts): Facts {
  const taken = new Set<string>()
  const without = new Set<Fact>()
  for (const fact of allFacts(facts)) {
    const key = fact.id.toLowerCase()
    if (!ID().test(fact.id) || taken.has(key)) without.add(fact)
    taken.add(key)
  }
  if (without.size === 0) return facts
  let { counter } = facts._meta
  const numbered = (list: readonly Fact[]): Fact[] => {
    let last = list.reduce(
      (most, one) => (without.has(one) ? most : Math.max(most, numberOf(one.id))),
      facts._meta.counter,
    )
    return list.map((fact) => {
      if (!without.has(fact)) return fact
      counter = Math.max(counter, ++last)
      return { ...fact, id: idOf(fact.type, last) }
    })
  }
  const { decisions, patterns, issues } = facts
  const lists = { decisions: numbered(decisions), patterns: numbered(patterns), issues: numbered(issues) }
  return { ...facts, ...lists, _meta: { ...facts._meta, counter } }
}

/** JSON with one fact on a line, so that git merges facts of two people one by one. */
export function formatFacts(facts: Facts): string {
  const fields = Object.entries(facts).map(([name, value]) => {
    const text = name === 'permanent' ? formatPermanent(facts.permanent) : linesOf(value)
    return `  ${JSON.stringify(name)}: ${text}`
  })
  return `{\n${fields.join(',\n')}\n}\n`
}

function linesOf(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value)
  return `[\n${value.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ]`
}

/** All of them, decisions first. */
export function allFacts(facts: Facts): Fact[] {
  return [...facts.decisions, ...facts.patterns, ...facts.issues]
}

function parseList(value: unknown, type: FactType, isWording: boolean): Fact[] {
  if (!Array.isArray(value)) return []
  const facts = value.flatMap((one: unknown) => parseFact(one, type) ?? [])
  return isWording ? facts.map((fact) => (fact.author === 'extractive' ? { ...fact, legacy: true } : fact)) : facts
}

/** Null: nothing in it says anything. Earlier versions wrote `content` for the text and `date` for the time. */
function parseFact(value: unknown, type: FactType): Fact | null {
  const raw = typeof value === 'string' ? { text: value } : isObject(value) ? value : {}
  const { content, date, also, closedBy, judged, lastAt, pinned, legacy, unaudited, closing, ...kept } = raw as Record<
    string,
    unknown
  >
  const own = [raw.text, content, raw[type], raw.description].find((one) => typeof one === 'string' && one !== '')
  const text = own ?? wordedIn(value)
  if (typeof text !== 'string') return null
  return {
    ...kept,
    id: textOr(raw.id, ''),
    type,
    text,
    reason: textOr(raw.reason, null),
    status: type !== 'issue' ? null : raw.status === 'resolved' ? 'resolved' : 'open',
    resolution: textOr(raw.resolution, null),
    at: textOr(raw.at, textOr(date, '')),
    session: textOr(raw.session, ''),
    evidence: evidenceOf(raw.evidence),
    files: texts(raw.files),
    concept: textOr(raw.concept, null),
    state: STATES.has(raw.state) ? (raw.state as Fact['state']) : 'fresh',
    author: AUTHORS.has(raw.author) ? (raw.author as Fact['author']) : 'agent',
    ...(Array.isArray(also) ? { also: texts(also) } : {}),
    ...(isPlace(closedBy) ? { closedBy } : {}),
    ...judgedOf(judged),
    ...(typeof lastAt === 'string' ? { lastAt } : {}),
    ...(pinned === true ? { pinned } : {}),
    ...(legacy === true ? { legacy } : {}),
    ...(unaudited === true || unaudited === 'unclear' ? { unaudited } : {}),
    ...(isPlace(closing) ? { closing: closing as Closing } : {}),
  }
}

function evidenceOf(value: unknown): Evidence {
  const { by, ...raw } = isObject(value) ? value : {}
  const speaker = SPEAKERS.has(by) ? { by: by as Speaker } : {}
  return { ...raw, entry: numberOr(raw.entry, -1), quote: textOr(raw.quote, ''), ...speaker }
}

function isPlace(value: unknown): value is NonNullable<Fact['closedBy']> {
  return (
    isObject(value) &&
    typeof value.session === 'string' &&
    typeof value.entry === 'number' &&
    typeof value.at === 'string'
  )
}

export interface SessionFacts {
  version: number
  /** The session's id8. */
  session: string
  /** With the ids they have in facts.json; what joined a known fact has that fact's id. */
  facts: SessionFact[]
  /** Entries that carry weight and that nobody said anything about. */
  uncovered: number[]
}

export type SessionFact = Pick<
  Fact,
  'id' | 'type' | 'text' | 'reason' | 'status' | 'resolution' | 'at' | 'evidence' | 'files' | 'concept' | 'author'
>

const VERSION = 1

/** Null: no JSON object. */
export function parseSessionFacts(text: string): SessionFacts | null {
  const raw = parseObject(text)
  if (raw === null) return null
  const facts = Array.isArray(raw.facts) ? raw.facts : []
  return {
    ...raw,
    version: numberOr(raw.version, VERSION),
    session: textOr(raw.session, ''),
    facts: facts.flatMap(parseOne),
    uncovered: Array.isArray(raw.uncovered) ? raw.uncovered.filter((one) => typeof one === 'number') : [],
  }
}

/** Earlier versions had other fields beside the words: they stay. */
function parseOne(value: unknown): SessionFact[] {
  if (!isObject(value)) return []
  const text = textOr(value.text, textOr(value.content, ''))
  if (text === '') return []
  const evidence = isObject(value.evidence) ? value.evidence : {}
  const proof = { ...evidence, entry: numberOr(evidence.entry, -1), quote: textOr(evidence.quote, '') }
  return [{ ...(value as unknown as SessionFact), id: textOr(value.id, ''), text, evidence: proof }]
}

/** One fact on a line. */
export function formatSessionFacts({ version, session, facts, uncovered, ...rest }: SessionFacts): string {
  const lines = facts.map((one) => `  ${JSON.stringify(one)}`)
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
  const others = Object.entries(rest).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
  return `{"version": ${version}, "session": ${JSON.stringify(session)}, "uncovered": ${JSON.stringify(uncovered)},\n${others.join('')}"facts": ${list}}\n`
}

/** What was extracted of one more piece; a fact of the same id and place is told once. */
export function addSessionFacts(
  before: SessionFacts | null,
  session: string,
  more: readonly SessionFact[],
  uncovered: readonly number[],
): SessionFacts {
  const key = ({ id, evidence }: SessionFact): string => `${id}#${evidence.entry}`
  const byModel = new Set((before?.facts ?? []).filter(({ author }) => author !== 'extractive').map(key))
  // What code finds again in a piece is what a model has said in better words.
  const news = more.filter((one) => one.author !== 'extractive' || !byModel.has(key(one)))
  const keys = new Set(news.map(key))
  const kept = (before?.facts ?? []).filter((one) => !keys.has(key(one)))
  return {
    // What other versions wrote besides stays.
    ...before,
    version: VERSION,
    session,
    facts: [...kept, ...news].sort((a, b) => a.evidence.entry - b.evidence.entry),
    uncovered: [...new Set([...(before?.uncovered ?? []), ...uncovered])].sort((a, b) => a - b),
  }
}
