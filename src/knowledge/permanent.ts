/** Permanent memory (in `facts.json`): learned rules, and the solutions and core logic that are told first, with their evidence. */
import { isObject, numberOr, parseObject, textOr, texts } from '../platform/json.ts'

export const PERMANENT_KINDS = ['rules', 'solutions', 'core_logic'] as const
export type PermanentKind = (typeof PERMANENT_KINDS)[number]

export const KIND_NAMES: Readonly<Record<PermanentKind, string>> = {
  rules: 'rule',
  solutions: 'solution',
  core_logic: 'core logic',
}

/** `proposed`: waits for the user's yes. Only `active` items are injected. `superseded`: retired. */
export type PermanentStatus = 'proposed' | 'active' | 'declined' | 'superseded'

/** Where somebody said so. */
export interface Proof {
  session: string
  entry: number
  quote: string
}

export interface PermanentItem {
  /** r001, counted over all kinds. */
  id: string
  text: string
  /** When it was proposed. */
  at: string
  status: PermanentStatus
  /** Who proposed it. */
  by: 'user' | 'agent' | 'headless' | 'code'
  /** The facts (d001) it grew from. */
  facts: string[]
  evidence: Proof[]
  concept: string | null
  /** When it last recurred or was recalled. */
  usedAt: string
  /** The last verdict on it. */
  judged?: Judged
  /** The user was asked for a yes. */
  askedAt?: string
  /** The version whose rule it was, where no person had accepted it there. */
  from?: string
}

export type Permanent = Record<PermanentKind, PermanentItem[]> & {
  /** What says nothing that we understand, word for word: writing never drops it. */
  kept?: Unread[]
}

interface Unread {
  kind: PermanentKind
  item: unknown
}

export const NO_PERMANENT: Permanent = { rules: [], solutions: [], core_logic: [] }

const STATUSES: ReadonlySet<unknown> = new Set(['proposed', 'active', 'declined', 'superseded'])
/** What templates say where nothing is known. */
const NOTHING = /^\s*(?:none|n\/a|없음|-)?\s*$/i
const PROPOSERS: ReadonlySet<unknown> = new Set(['user', 'agent', 'headless', 'code'])

/** Earlier versions kept plain texts, or fields of other names: they hold as they did. Nothing is lost, unknown fields stay. */
export function parsePermanent(value: unknown): Permanent {
  const raw: Record<string, unknown> = isObject(value) ? value : { rules: value }
  const { kept: keptBefore, ...fields } = raw
  const kept = [...itemsOf(keptBefore)] as Unread[]
  let last = 0
  for (const kind of PERMANENT_KINDS)
    for (const one of itemsOf(raw[kind])) last = Math.max(last, isObject(one) ? numberOf(one.id) : 0)
  const parse = (kind: PermanentKind): PermanentItem[] =>
    itemsOf(raw[kind]).flatMap((one) => {
      const item = parseItem(one)
      if (item === null) kept.push({ kind, item: one })
      if (item === null) return []
      return [item.id === '' ? { ...item, id: idOf(++last) } : item]
    })
  const kinds = { rules: parse('rules'), solutions: parse('solutions'), core_logic: parse('core_logic') }
  return { ...fields, ...kinds, ...(kept.length === 0 ? {} : { kept }) }
}

/** One on a line. */
export function formatPermanent(permanent: Permanent): string {
  const fields = Object.entries(permanent).map(([name, value]) => {
    const isList = Array.isArray(value) && value.length > 0
    const text = isList
      ? `[\n${value.map((one) => `      ${JSON.stringify(one)}`).join(',\n')}\n    ]`
      : JSON.stringify(value)
    return `    ${JSON.stringify(name)}: ${text}`
  })
  return `{\n${fields.join(',\n')}\n  }`
}

export function allPermanent(permanent: Permanent): (PermanentItem & { kind: PermanentKind })[] {
  return PERMANENT_KINDS.flatMap((kind) => permanent[kind].map((item) => ({ ...item, kind })))
}

export function nextPermanentId(permanent: Permanent): string {
  return idOf(Math.max(0, ...allPermanent(permanent).map(({ id }) => numberOf(id))) + 1)
}

function parseItem(value: unknown): PermanentItem | null {
  const given = typeof value === 'string' ? (parseObject(value) ?? value) : value
  const text = typeof given === 'string' && NOTHING.test(given) ? null : wordedIn(given)
  if (text === null) return null
  const raw = isObject(given) ? given : Array.isArray(given) ? { earlier: given } : {}
  const { content, judged, date, ...kept } = raw as Record<string, unknown>
  const at = textOr(raw.at, textOr(date, ''))
  const item: PermanentItem = {
    ...kept,
    id: numberOf(raw.id) > 0 ? String(raw.id) : '',
    text,
    at,
    status: statusOf(raw.status),
    by: PROPOSERS.has(raw.by) ? (raw.by as PermanentItem['by']) : 'agent',
    facts: texts(raw.facts),
    evidence: listOf(raw.evidence).flatMap(parseProof),
    concept: textOr(raw.concept, null),
    usedAt: textOr(raw.usedAt, at),
    ...judgedOf(judged),
  }
  return { ...item, ...earlierOf(raw, item) }
}

/** What stood in a field that says something else now, or is gone. */
function earlierOf(raw: Readonly<Record<string, unknown>>, item: PermanentItem): { earlier?: unknown } {
  const now = item as unknown as Record<string, unknown>
  const isTold = (name: string, one: unknown): boolean =>
    one === null ||
    one === '' ||
    one === item.text ||
    one === item.at ||
    JSON.stringify(now[name]) === JSON.stringify(one)
  const others = Object.entries(raw).filter(([name, one]) => !isTold(name, one))
  if (others.length === 0) return {}
  const before = isObject(raw.earlier) ? raw.earlier : raw.earlier === undefined ? {} : { earlier: raw.earlier }
  return { earlier: { ...Object.fromEntries(others), ...before } }
}

/** What earlier versions kept holds as it did; what nobody knows waits for the user's yes. */
function statusOf(value: unknown): PermanentStatus {
  if (value === undefined) return 'active'
  return STATUSES.has(value) ? (value as PermanentStatus) : 'proposed'
}

function parseProof(value: unknown): Proof[] {
  if (!isObject(value) || typeof value.session !== 'string') return []
  return [{ ...value, session: value.session, entry: numberOr(value.entry, -1), quote: textOr(value.quote, '') }]
}

/** A list, or the one thing that stands in its place. */
function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function numberOf(id: unknown): number {
  return typeof id === 'string' ? Number(/^r(\d{1,9})$/.exec(id)?.[1] ?? 0) : 0
}

function idOf(number: number): string {
  return `r${String(number).padStart(3, '0')}`
}

export interface Judged {
  by: 'user' | 'agent' | 'headless' | 'code' | 'git'
  at: string
  why: string | null
  /** What stands in its place. */
  other: string | null
}

const JUDGES: ReadonlySet<unknown> = new Set(['user', 'agent', 'headless', 'code', 'git'])

/** Who and when must be there, or it says nothing. */
export function judgedOf(value: unknown): { judged?: Judged } {
  if (!isObject(value) || !JUDGES.has(value.by) || typeof value.at !== 'string') return {}
  const by = value.by as Judged['by']
  return { judged: { by, at: value.at, why: textOr(value.why, null), other: textOr(value.other, null) } }
}

/** Fields that say when, who, where and why. */
const BESIDE = /^(?:id|at|date|type|kind|category|by|author|status|state|session|usedAt|askedAt|reason|rationale|why)$/

/** Null: it says nothing. Of an object without `text` and `content`: all its texts. */
export function wordedIn(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (Array.isArray(value)) return joined(value.map(wordedIn), '; ')
  if (!isObject(value)) return null
  const text = wordedIn(value.text ?? value.content)
  if (text !== null) return text
  return joined(
    Object.entries(value).map(([name, one]) => (BESIDE.test(name) || typeof one !== 'string' ? null : wordedIn(one))),
    ': ',
  )
}

function joined(parts: readonly (string | null)[], by: string): string | null {
  const said = parts.filter((part) => part !== null)
  return said.length === 0 ? null : said.join(by)
}
