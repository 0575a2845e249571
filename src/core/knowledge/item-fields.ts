/** An item from its fields in facts.json, and back. Fields of earlier versions are converted, unknown ones kept. */

import { isObject, numberOr, oneOrMore, parseObject, textOr, texts } from '../../kernel/platform/json.ts'
import {
  type Evidence,
  FACT_KINDS,
  FACT_STATES,
  type Fact,
  type FactKind,
  type Item,
  type Judged,
  PERMANENT_STATES,
  type PermanentItem,
  type PermanentKind,
  type Proof,
  SPEAKERS,
} from './item.ts'
import { idNumber } from './items.ts'

/** Fields that the file calls otherwise. In pairs, so that a field of an unknown version keeps its name, its place and its value. */
const FACT_NAMES = inPairs({ type: 'kind', author: 'by' })
const PERMANENT_NAMES = inPairs({ status: 'state', kind: 'kind in the file' })

function inPairs(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).flatMap(([one, other]) => [[one, other] as const, [other, one] as const]))
}

function renamed(value: object, names: ReadonlyMap<string, string>): Record<string, unknown> {
  const after: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) after[names.get(name) ?? name] = field
  return after
}

/** The fields of an item as the file calls them. */
export function fieldsOf(item: Pick<Item, 'kind'>): Record<string, unknown> {
  if (item.kind in FACT_KINDS) return renamed(item, FACT_NAMES)
  const { kind: _, ...fields } = item
  return renamed(fields, PERMANENT_NAMES)
}

/** For a program: a permanent item names its list. */
export function filed(item: Item): Record<string, unknown> {
  return item.kind in FACT_KINDS ? fieldsOf(item) : { ...fieldsOf(item), kind: item.kind }
}

/** Null: it contains no text. Earlier versions wrote `content` for the text and `date` for the time. */
export function parseFact(value: unknown, type: FactKind): Fact | null {
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
  const fact: Record<string, unknown> = {
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
    state: oneOf(FACT_STATES, raw.state) ?? 'fresh',
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
  return renamed(fact, FACT_NAMES) as unknown as Fact
}

const AUTHORS = ['extractive', 'agent', 'headless', 'user'] as const

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

/** Placeholders of templates for an empty field. */
const NOTHING = /^\s*(?:none|n\/a|없음|-)?\s*$/i
const PROPOSERS = ['user', 'agent', 'headless', 'code'] as const

export function parsePermanent(value: unknown, kind: PermanentKind): PermanentItem | null {
  const given = typeof value === 'string' ? (parseObject(value) ?? value) : value
  const text = typeof given === 'string' && NOTHING.test(given) ? null : wordedIn(given)
  if (text === null) return null
  const raw: Record<string, unknown> = isObject(given) ? given : Array.isArray(given) ? { earlier: given } : {}
  const { content, judged, date, ...kept } = raw
  const at = textOr(raw.at, textOr(date, ''))
  const verdict = judgedOf(judged)
  const item: Record<string, unknown> = {
    ...kept,
    id: idNumber('r', raw.id) > 0 ? String(raw.id) : '',
    text,
    at,
    // Items of earlier versions stay active; an unknown status waits for the user's approval.
    status: raw.status === undefined ? 'active' : (oneOf(PERMANENT_STATES, raw.status) ?? 'proposed'),
    by: oneOf(PROPOSERS, raw.by) ?? 'agent',
    facts: texts(raw.facts),
    evidence: (Array.isArray(raw.evidence) ? raw.evidence : []).flatMap(parseProof),
    concept: textOr(raw.concept, null),
    usedAt: textOr(raw.usedAt, at),
    ...(verdict === undefined ? {} : { judged: verdict }),
  }
  const fields = renamed({ ...item, ...earlierOf(raw, item) }, PERMANENT_NAMES)
  return { ...fields, kind } as unknown as PermanentItem
}

/** Values of fields that have another meaning now, or no longer exist. */
function earlierOf(
  raw: Readonly<Record<string, unknown>>,
  item: Readonly<Record<string, unknown>>,
): { earlier?: unknown } {
  const isCarriedOver = (name: string, one: unknown): boolean =>
    [null, '', item.text, item.at].includes(one) || JSON.stringify(item[name]) === JSON.stringify(one)
  const others = Object.entries(raw).filter(([name, one]) => !isCarriedOver(name, one))
  if (others.length === 0) return {}
  const before = isObject(raw.earlier) ? raw.earlier : raw.earlier === undefined ? {} : { earlier: raw.earlier }
  return { earlier: { ...Object.fromEntries(others), ...before } }
}

function parseProof(value: unknown): Proof[] {
  if (!isObject(value) || typeof value.session !== 'string') return []
  return [{ ...value, session: value.session, entry: numberOr(value.entry, -1), quote: textOr(value.quote, '') }]
}

const JUDGES = ['user', 'agent', 'headless', 'code', 'git'] as const

/** Author and time are required; otherwise it is ignored. */
function judgedOf(value: unknown): Judged | undefined {
  if (!isObject(value)) return undefined
  const by = oneOf(JUDGES, value.by)
  if (by === undefined || typeof value.at !== 'string') return undefined
  return { by, at: value.at, why: textOr(value.why, null), other: textOr(value.other, null) }
}

/** Fields with metadata: time, author, place and reason. */
const BESIDE = /^(?:id|at|date|type|kind|category|by|author|status|state|session|usedAt|askedAt|reason|rationale|why)$/

/** Null: no text. For an object without `text` and `content`: all its texts. */
function wordedIn(value: unknown): string | null {
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
  return parts.filter((part) => part !== null).join(by) || null
}
