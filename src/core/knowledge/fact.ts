/** Facts: decisions, patterns and issues of a project, each with the words that prove it (`facts.json`). */
import { isObject, numberOr, oneOrMore, parseObject, textOr, texts } from '../../kernel/platform/json.ts'
import { once } from '../../kernel/text/once.ts'
import { idWith, type Judged, judgedOf, NO_PERMANENT, type Permanent, parsePermanent, wordedIn } from './permanent.ts'

export type FactType = 'decision' | 'pattern' | 'issue'

export interface Evidence {
  /** The entry's number in its session. */
  entry: number
  /** The exact words of the entry. */
  quote: string
  /** Further entries that support its reason, its resolution or its done-claim. */
  more?: number[]
  /** Whose words they are, determined by the program, never by a model. */
  by?: Speaker
  /** The tool whose text it is: `WebFetch`. */
  from?: string
}

/** `tool`: text of a tool, a file, a web page or a subagent. */
export type Speaker = 'user' | 'assistant' | 'tool'

export type FactState = (typeof STATES)[number]

export interface Fact {
  /** For example d001, p001, i001. */
  id: string
  type: FactType
  text: string
  /** The reason, if one was given. */
  reason: string | null
  /** Issues only; decisions and patterns have null. */
  status: 'open' | 'resolved' | null
  /** How it was resolved. */
  resolution: string | null
  /** The source of the resolution: if the issue comes up again later, it is a new one. */
  closedBy?: { session: string; entry: number; at: string }
  /** Further places where it was said or solved, as `session#entry`: prevents adding it twice. */
  also?: string[]
  /** When it was first said. */
  at: string
  /** The session's id8. */
  session: string
  evidence: Evidence
  /** The files it is about, as named there. */
  files: string[]
  concept: string | null
  state: FactState
  /** Who or what set the state; absent while it is fresh. */
  judged?: Judged
  /** When it was last said, if more than once. */
  lastAt?: string
  /** Comes first in every briefing while it is current, because a person pinned it. */
  pinned?: true
  author: 'extractive' | 'agent' | 'headless' | 'user'
  /** Where an imported fact comes from: `claude-mem`, `v3`, `v4`. See `isOfEarlierVersion`. */
  source?: string
  /** Derived from wording, by the code of an earlier version. See isLegacy. */
  legacy?: true
  /** A model wrote it and no audit has confirmed it yet; `unclear`: an audit could not decide. See isTold. */
  unaudited?: true | 'unclear'
  /** While unaudited: the decisions (d001) that it replaces once it is confirmed. */
  replaces?: readonly string[]
  /** For an open issue: a model reports it as settled, and no audit has confirmed that yet. */
  closing?: Closing
}

export interface Closing {
  session: string
  entry: number
  at: string
  /** How it was settled. */
  how: string
  quote: string
  by: 'agent' | 'headless'
}

/** Whether a fact may be injected into a session. A fact that a person pinned or wrote may be, whatever an audit says. */
export function isTold(fact: Pick<Fact, 'legacy' | 'author' | 'pinned' | 'unaudited'>): boolean {
  if (isLegacy(fact)) return false
  return fact.unaudited === undefined || fact.pinned === true || fact.author === 'user'
}

/** A model wrote it, and an audit may still confirm it. What a person wrote needs none. */
export function awaitsAudit({ author, unaudited, state }: Pick<Fact, 'author' | 'unaudited' | 'state'>): boolean {
  return unaudited === true && author !== 'user' && (state === 'fresh' || state === 'stale')
}

/**
 * Such a fact is found by search and listed, but never injected. It ends when a model's or a person's words replace it, or when it
 * is pinned.
 */
export function isLegacy({ legacy, author, pinned }: Pick<Fact, 'legacy' | 'author' | 'pinned'>): boolean {
  return legacy === true && author === 'extractive' && pinned !== true
}

/** A fact without an id. */
export type NewFact = Omit<Fact, 'id'>

export interface Facts {
  /** `counter`: the highest number ever used, so that none is used twice. */
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

const STATES = ['fresh', 'stale', 'superseded', 'rejected'] as const
const SPEAKERS = ['user', 'assistant', 'tool'] as const
const AUTHORS = ['extractive', 'agent', 'headless', 'user'] as const

/** Converts fields of earlier versions and keeps unknown ones; null only if it is not a JSON object. */
export function parseFacts(text: string): Facts | null {
  const value = parseObject(text)
  if (value === null) return null
  const meta = isObject(value._meta) ? value._meta : {}
  const version = numberOr(meta.version, NO_FACTS._meta.version)
  const list = (type: FactType, given: unknown): Fact[] =>
    Array.isArray(given) ? given.flatMap((one: unknown) => parseFact(one, type) ?? []) : []
  return withIds({
    ...value,
    _meta: { ...meta, counter: counterOf(meta.counter), version },
    decisions: list('decision', value.decisions),
    patterns: list('pattern', value.patterns),
    issues: list('issue', value.issues),
    permanent: parsePermanent(value.permanent),
  })
}

/** Larger than any real number. */
const MAX_NUMBER = 999_999_999
/** Ids from earlier versions or by hand may differ from `d001`; ids with other characters cannot be typed. */
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
  return idWith(type.charAt(0), number)
}

/** Gives a fact without an id, or with a duplicate one, the next number of its list. */
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
    const known = list.map((one) => (without.has(one) ? 0 : numberOf(one.id)))
    let last = known.reduce((a, b) => Math.max(a, b), facts._meta.counter)
    return list.map((fact) => {
      if (!without.has(fact)) return fact
      counter = Math.max(counter, ++last)
      return { ...fact, id: idOf(fact.type, last) }
    })
  }
  const lists = {
    decisions: numbered(facts.decisions),
    patterns: numbered(facts.patterns),
    issues: numbered(facts.issues),
  }
  return { ...facts, ...lists, _meta: { ...facts._meta, counter } }
}

/** JSON with one fact per line, so that git merges the facts of two people one by one. */
export function formatFacts(facts: Facts): string {
  const { decisions, patterns, issues } = facts
  const lists = { decisions: decisions.map(asStored), patterns: patterns.map(asStored), issues: issues.map(asStored) }
  return formatFields({ ...facts, ...lists }, '  ')
}

/** Versions before 0.7 know one id, as a text, and fail on a list. */
function asStored(fact: Fact): object {
  const [first, ...others] = fact.replaces ?? []
  return { ...fact, replaces: first, ...(others.length === 0 ? {} : { alsoReplaces: others }) }
}

/** Each field on its own line, and each item of a list. */
function formatFields(value: Readonly<Record<string, unknown>>, indent: string): string {
  const fields = Object.entries(value).map(([name, field]) => {
    const isList = Array.isArray(field) && field.length > 0
    const text = isList
      ? `[\n${field.map((one) => `${indent}  ${JSON.stringify(one)}`).join(',\n')}\n${indent}]`
      : name === 'permanent' && isObject(field)
        ? formatFields(field, `${indent}  `).trimEnd()
        : JSON.stringify(field)
    return `${indent}${JSON.stringify(name)}: ${text}`
  })
  return `{\n${fields.join(',\n')}\n${indent.slice(2)}}\n`
}

/** All of them, decisions first. */
export function allFacts(facts: Facts): Fact[] {
  return [...facts.decisions, ...facts.patterns, ...facts.issues]
}

/** Null: it contains no text. Earlier versions wrote `content` for the text and `date` for the time. */
function parseFact(value: unknown, type: FactType): Fact | null {
  const given: Record<string, unknown> = typeof value === 'string' ? { text: value } : isObject(value) ? value : {}
  const {
    content,
    date,
    also,
    closedBy,
    judged,
    lastAt,
    pinned,
    legacy,
    unaudited,
    closing,
    replaces,
    alsoReplaces,
    ...raw
  } = given
  const own = [raw.text, content, raw[type], raw.description].find((one) => typeof one === 'string' && one !== '')
  const text = own ?? wordedIn(value)
  if (typeof text !== 'string') return null
  const fact: Fact & Record<string, unknown> = {
    ...raw,
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
    state: oneOf(STATES, raw.state) ?? 'fresh',
    author: oneOf(AUTHORS, raw.author) ?? 'agent',
  }
  const optional: Partial<Record<keyof Fact, unknown>> = {
    also: Array.isArray(also) ? texts(also) : undefined,
    closedBy: isPlace(closedBy) ? closedBy : undefined,
    judged: judgedOf(judged),
    lastAt: typeof lastAt === 'string' ? lastAt : undefined,
    pinned: pinned === true ? true : undefined,
    legacy: legacy === true ? true : undefined,
    unaudited: oneOf([true, 'unclear'], unaudited),
    closing: isPlace(closing) ? closing : undefined,
    replaces: replaces === undefined ? undefined : [...oneOrMore(replaces), ...oneOrMore(alsoReplaces)],
  }
  for (const [name, field] of Object.entries(optional)) if (field !== undefined) fact[name] = field
  return fact
}

function oneOf<T>(known: readonly T[], value: unknown): T | undefined {
  return known.find((one) => one === value)
}

/** A longer name is no tool's. */
const MAX_SOURCE = 80

function evidenceOf(value: unknown): Evidence {
  const { by, from, ...raw } = isObject(value) ? value : {}
  const speaker = oneOf(SPEAKERS, by)
  const source = textOr(from, '').slice(0, MAX_SOURCE)
  const found = {
    ...raw,
    entry: numberOr(raw.entry, -1),
    quote: textOr(raw.quote, ''),
    ...(source === '' ? {} : { from: source }),
  }
  return speaker === undefined ? found : { ...found, by: speaker }
}

function isPlace(value: unknown): value is NonNullable<Fact['closedBy']> {
  const { session, entry, at } = isObject(value) ? value : {}
  return typeof session === 'string' && typeof entry === 'number' && typeof at === 'string'
}
