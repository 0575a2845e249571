/**
 * Permanent memory (in `facts.json`): learned rules, and the solutions and core logic that are injected first. An item has a source,
 * evidence and a state: proposed, active, declined or superseded. Nothing is deleted.
 */
import { isObject, numberOr, parseObject, textOr, texts } from '../../kernel/platform/json.ts'
import { compareText } from '../../kernel/text/memory-words.ts'

export const PERMANENT_KINDS = ['rules', 'solutions', 'core_logic'] as const
export type PermanentKind = (typeof PERMANENT_KINDS)[number]

export const KIND_NAMES: Readonly<Record<PermanentKind, string>> = {
  rules: 'rule',
  solutions: 'solution',
  core_logic: 'core logic',
}

/** `proposed`: waits for the user's approval. Only `active` items are injected. `superseded`: retired. */
export type PermanentStatus = 'proposed' | 'active' | 'declined' | 'superseded'

/** A place where it was said. */
export interface Proof {
  session: string
  entry: number
  quote: string
  /** The user typed it behind a colon: it may be somebody else's words, and activates nothing by itself. */
  quoted?: true
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
  /** The facts (d001) it was derived from. */
  facts: string[]
  evidence: Proof[]
  concept: string | null
  /** When it was last said or recalled. */
  usedAt: string
  /** The last verdict on it. */
  judged?: Judged
  /** When the user was asked for approval. */
  askedAt?: string
  /** The version whose rule it was, where no person had accepted it there; or the user's other machine that has it. */
  from?: string
}

/** An item with the list that contains it. */
export type ListedItem = PermanentItem & { kind: PermanentKind }

export type Permanent = Record<PermanentKind, PermanentItem[]> & {
  /** Items that we cannot parse, kept word for word: writing never drops them. */
  kept?: { kind: PermanentKind; item: unknown }[]
}

/** Facts; only this field is read and changed here. */
interface Holder {
  permanent: Permanent
}

export const NO_PERMANENT: Permanent = { rules: [], solutions: [], core_logic: [] }

const STATUSES: ReadonlySet<unknown> = new Set(['proposed', 'active', 'declined', 'superseded'])
/** Placeholders of templates for an empty field. */
const NOTHING = /^\s*(?:none|n\/a|없음|-)?\s*$/i
const PROPOSERS: ReadonlySet<unknown> = new Set(['user', 'agent', 'headless', 'code'])

/** Earlier versions stored plain texts, or other field names: they stay in force. Nothing is lost, unknown fields are kept. */
export function parsePermanent(value: unknown): Permanent {
  const { kept: before, ...raw }: Record<string, unknown> = isObject(value) ? value : { rules: value }
  const listed = PERMANENT_KINDS.map((kind) => ({ kind, items: itemsOf(raw[kind]) }))
  const numbers = listed.flatMap(({ items }) => items.map((one) => (isObject(one) ? idNumber('r', one.id) : 0)))
  let last = Math.max(0, ...numbers)
  const kept = [...itemsOf(before)] as NonNullable<Permanent['kept']>
  const kinds = listed.map(({ kind, items }) => {
    const parsed = items.flatMap((one): PermanentItem[] => {
      const item = parseItem(one)
      if (item === null) kept.push({ kind, item: one })
      return item === null ? [] : [item.id === '' ? { ...item, id: idWith('r', ++last) } : item]
    })
    return [kind, parsed] as const
  })
  const lists = Object.fromEntries(kinds) as Record<PermanentKind, PermanentItem[]>
  return { ...raw, ...lists, ...(kept.length === 0 ? {} : { kept }) }
}

export function allPermanent(permanent: Permanent): ListedItem[] {
  return PERMANENT_KINDS.flatMap((kind) => permanent[kind].map((item) => ({ ...item, kind })))
}

export function nextPermanentId(permanent: Permanent): string {
  return idWith('r', Math.max(0, ...allPermanent(permanent).map(({ id }) => idNumber('r', id))) + 1)
}

function parseItem(value: unknown): PermanentItem | null {
  const given = typeof value === 'string' ? (parseObject(value) ?? value) : value
  const text = typeof given === 'string' && NOTHING.test(given) ? null : wordedIn(given)
  if (text === null) return null
  const raw: Record<string, unknown> = isObject(given) ? given : Array.isArray(given) ? { earlier: given } : {}
  const { content, judged, date, ...kept } = raw
  const at = textOr(raw.at, textOr(date, ''))
  const verdict = judgedOf(judged)
  const item: PermanentItem = {
    ...kept,
    id: idNumber('r', raw.id) > 0 ? String(raw.id) : '',
    text,
    at,
    // Items of earlier versions stay active; an unknown status waits for the user's approval.
    status:
      raw.status === undefined ? 'active' : STATUSES.has(raw.status) ? (raw.status as PermanentStatus) : 'proposed',
    by: PROPOSERS.has(raw.by) ? (raw.by as PermanentItem['by']) : 'agent',
    facts: texts(raw.facts),
    evidence: (Array.isArray(raw.evidence) ? raw.evidence : []).flatMap(parseProof),
    concept: textOr(raw.concept, null),
    usedAt: textOr(raw.usedAt, at),
    ...(verdict === undefined ? {} : { judged: verdict }),
  }
  return { ...item, ...earlierOf(raw, item) }
}

/** Values of fields that have another meaning now, or no longer exist. */
function earlierOf(raw: Readonly<Record<string, unknown>>, item: PermanentItem): { earlier?: unknown } {
  const now = item as unknown as Record<string, unknown>
  const isCarriedOver = (name: string, one: unknown): boolean =>
    [null, '', item.text, item.at].includes(one as null) || JSON.stringify(now[name]) === JSON.stringify(one)
  const others = Object.entries(raw).filter(([name, one]) => !isCarriedOver(name, one))
  if (others.length === 0) return {}
  const before = isObject(raw.earlier) ? raw.earlier : raw.earlier === undefined ? {} : { earlier: raw.earlier }
  return { earlier: { ...Object.fromEntries(others), ...before } }
}

function parseProof(value: unknown): Proof[] {
  if (!isObject(value) || typeof value.session !== 'string') return []
  return [{ ...value, session: value.session, entry: numberOr(value.entry, -1), quote: textOr(value.quote, '') }]
}

/** A list, or the single value in its place. */
function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

/** The number of an id with this letter, such as 12 of r012; 0: it is none. */
export function idNumber(letter: string, id: unknown): number {
  return typeof id === 'string' && id[0] === letter ? Number(/^.(\d{1,9})$/.exec(id)?.[1] ?? 0) : 0
}

export function idWith(letter: string, number: number): string {
  return `${letter}${String(number).padStart(3, '0')}`
}

export interface Judged {
  by: 'user' | 'agent' | 'headless' | 'code' | 'git'
  at: string
  why: string | null
  /** The id of its replacement. */
  other: string | null
}

const JUDGES: ReadonlySet<unknown> = new Set(['user', 'agent', 'headless', 'code', 'git'])

/** Author and time are required; otherwise it is ignored. */
export function judgedOf(value: unknown): Judged | undefined {
  if (!isObject(value) || !JUDGES.has(value.by) || typeof value.at !== 'string') return undefined
  return { by: value.by as Judged['by'], at: value.at, why: textOr(value.why, null), other: textOr(value.other, null) }
}

/** Fields with metadata: time, author, place and reason. */
const BESIDE = /^(?:id|at|date|type|kind|category|by|author|status|state|session|usedAt|askedAt|reason|rationale|why)$/

/** Null: no text. For an object without `text` and `content`: all its texts. */
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
  return parts.filter((part) => part !== null).join(by) || null
}

/** More evidence than this is not kept. */
const MAX_PROOFS = 12

export type NewPermanent = Omit<PermanentItem, 'id'>

export function addPermanent<T extends Holder>(facts: T, kind: PermanentKind, item: NewPermanent): T {
  const { permanent } = facts
  const added = { id: nextPermanentId(permanent), ...item, evidence: boundProofs(item.evidence) }
  return { ...facts, permanent: { ...permanent, [kind]: [...permanent[kind], added] } }
}

export function findPermanent(facts: Holder, id: string): ListedItem | null {
  return allPermanent(facts.permanent).find((item) => item.id === id) ?? null
}

/** Applies a verdict: the new status, with its time and reason. */
export function judgePermanent<T extends Holder>(
  facts: T,
  id: string,
  status: PermanentStatus,
  judged: Judged,
  { kind, text }: { kind?: PermanentKind; text?: string } = {},
): T {
  const after = changePermanent(facts, id, { ...(text === undefined ? {} : { text }), status, judged })
  const item = findPermanent(after, id)
  if (kind === undefined || item === null || item.kind === kind) return after
  const { kind: from, ...moved } = item
  const { permanent } = after
  const left = permanent[from].filter((one) => one.id !== id)
  return { ...after, permanent: { ...permanent, [from]: left, [kind]: [...permanent[kind], moved] } }
}

export function changePermanent<T extends Holder>(facts: T, id: string, change: Partial<NewPermanent>): T {
  return mapPermanent(facts, (item) => (item.id === id ? { ...item, ...change } : item))
}

export function mapPermanent<T extends Holder>(facts: T, change: (item: PermanentItem) => PermanentItem): T {
  const permanent = { ...facts.permanent }
  for (const kind of PERMANENT_KINDS) permanent[kind] = permanent[kind].map(change)
  return { ...facts, permanent }
}

/** Records a recurrence: its time, its place, and its facts. */
export function useAgain(
  item: PermanentItem,
  lastAt: string,
  proofs: readonly Proof[],
  ids: readonly string[],
): Partial<NewPermanent> {
  return {
    usedAt: compareText(item.usedAt, lastAt) < 0 ? lastAt : item.usedAt,
    evidence: boundProofs([...item.evidence, ...proofs]),
    facts: [...new Set([...item.facts, ...ids])],
  }
}

/** Each place once; of too many, the newest. */
function boundProofs(proofs: readonly Proof[]): Proof[] {
  const byPlace = new Map(
    proofs.map(({ session, entry, quote, quoted }) => [
      `${session}#${entry}`,
      { session, entry, quote, ...(quoted ? { quoted } : {}) },
    ]),
  )
  return [...byPlace.values()].slice(-MAX_PROOFS)
}

/** Items that wait for the user's approval: those not asked yet first, then those with the most sessions. */
export function proposedIn(facts: Holder): ListedItem[] {
  return allPermanent(facts.permanent)
    .filter(({ status }) => status === 'proposed')
    .sort(
      (a, b) =>
        Number(a.askedAt !== undefined) - Number(b.askedAt !== undefined) ||
        sessionsOf(b.evidence) - sessionsOf(a.evidence) ||
        compareText(a.id, b.id),
    )
}

/** Proposed by code, and not judged by a model. */
export function unjudgedIn(facts: Holder): ListedItem[] {
  return proposedIn(facts).filter(({ by, judged, askedAt }) => by === 'code' && !judged && askedAt === undefined)
}

/** Where rules of an earlier version or of another machine are listed, behind "rules to accept, "; null: none waits. */
export function arrivedRulesNotice(facts: Holder): string | null {
  const from = proposedIn(facts).flatMap((item) => item.from ?? [])
  if (from.length === 0) return null
  const isVersion = (one: string): boolean => /^\d+\.\d+$/.test(one)
  const places = [
    ...(from.some(isVersion) ? ['an earlier version'] : []),
    ...(from.every(isVersion) ? [] : ['your other machines']),
  ]
  return `${from.length} from ${places.join(' and ')}: memory-keeper rules`
}

export function sessionsOf(places: readonly { session: string }[]): number {
  return new Set(places.map(({ session }) => session)).size
}
