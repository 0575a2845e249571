/** Permanent memory: what recurred often enough, or what a person said is to hold, with the words that prove it (in `facts.json`). */
import { isObject, numberOr, parseObject, textOr, texts } from './json.ts'
import { type Judged, judgedOf } from './judged.ts'

export const PERMANENT_KINDS = ['rules', 'solutions', 'core_logic'] as const
export type PermanentKind = (typeof PERMANENT_KINDS)[number]

/** `proposed`: waits for the user's yes, and is told to nobody. Only `active` ones are told. */
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
  /** The facts (d001) and standing instructions (t001) it grew from. */
  facts: string[]
  evidence: Proof[]
  concept: string | null
  /** When it last recurred or was recalled. */
  usedAt: string
  /** The last verdict on it. */
  judged?: Judged
  /** The user was asked for a yes. */
  askedAt?: string
}

export type Permanent = Record<PermanentKind, PermanentItem[]>

export const NO_PERMANENT: Permanent = { rules: [], solutions: [], core_logic: [] }

const STATUSES: ReadonlySet<unknown> = new Set(['proposed', 'active', 'declined', 'superseded'])
const PROPOSERS: ReadonlySet<unknown> = new Set(['user', 'agent', 'headless', 'code'])

/** Earlier versions kept plain texts: they hold as they did. Unknown fields stay. */
export function parsePermanent(value: unknown): Permanent {
  const raw = isObject(value) ? value : {}
  let last = 0
  for (const kind of PERMANENT_KINDS)
    for (const one of listOf(raw[kind])) last = Math.max(last, isObject(one) ? numberOf(one.id) : 0)
  const parse = (kind: PermanentKind): PermanentItem[] =>
    listOf(raw[kind]).flatMap((one) => {
      const item = parseItem(one)
      if (item === null) return []
      return [item.id === '' ? { ...item, id: idOf(++last) } : item]
    })
  return { ...raw, rules: parse('rules'), solutions: parse('solutions'), core_logic: parse('core_logic') }
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
  const raw = typeof value === 'string' ? (parseObject(value) ?? { text: value }) : isObject(value) ? value : {}
  const { content, judged, date, ...kept } = raw as Record<string, unknown>
  const text = [raw.text, content, raw.rule, raw.description].find(
    (one) => typeof one === 'string' && one.trim() !== '',
  )
  if (typeof text !== 'string') return null
  const at = textOr(raw.at, textOr(date, ''))
  return {
    ...kept,
    id: numberOf(raw.id) > 0 ? String(raw.id) : '',
    text,
    at,
    status: STATUSES.has(raw.status) ? (raw.status as PermanentStatus) : 'active',
    by: PROPOSERS.has(raw.by) ? (raw.by as PermanentItem['by']) : 'agent',
    facts: texts(raw.facts),
    evidence: listOf(raw.evidence).flatMap(parseProof),
    concept: textOr(raw.concept, null),
    usedAt: textOr(raw.usedAt, at),
    ...judgedOf(judged),
  }
}

function parseProof(value: unknown): Proof[] {
  if (!isObject(value) || typeof value.session !== 'string') return []
  return [{ session: value.session, entry: numberOr(value.entry, -1), quote: textOr(value.quote, '') }]
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
