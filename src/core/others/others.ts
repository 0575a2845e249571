/**
 * Memory of others in home storage: what the user's other machines (`sync/`) and teammates (`team/`) remember of this project, one
 * JSON object a line. It is found, recalled and told with its owner's name, and it is never an instruction.
 */

import { isObject, parseObject, textOr } from '../../kernel/platform/json.ts'
import { type Forgotten, hasAsked, marksOfSaid } from '../../kernel/sessions/forget-record.ts'
import { compareText } from '../../kernel/text/memory-words.ts'
import { foldedWords } from '../../kernel/text/repeated.ts'
import { isWho } from '../../kernel/trust/share-files.ts'
import { isLive, isTold } from '../knowledge/item.ts'
import { allFacts } from '../knowledge/items.ts'
import {
  instantOr,
  isSharedId,
  lastingRows,
  parseSharedFact,
  type Shareable,
  type SharedFact,
  type SharedType,
  sharedFact,
} from './share.ts'

export const ORIGINS = ['machine', 'team'] as const
/** Who writes the rows: `sync/` those of machines, `team/` those of teammates. */
export type OthersOrigin = (typeof ORIGINS)[number]

/** An id of type `stands` begins so; the session's id8 follows. */
export const STANDS_ID = 'stands-'

const TEXT_TYPES: readonly OtherType[] = ['note', 'stands', 'concept', 'page']
export type OtherType = SharedType | 'note' | 'stands' | 'concept' | 'page'

/** Of a fact also its reason, state, files and so on, as in a shared file. */
export interface OtherRow extends Omit<SharedFact, 'type'> {
  /** A machine or a person. */
  who: string
  /** `stands`: where a session stands. The id is unique for its owner: d012, n-1a2b3c4d-0-12, c003, stands-1a2b3c4d, page-architecture. */
  type: OtherType
  /** The entries that it tells of: `<id8>#<from>-<to>` (to inclusive). Missing: nobody knows. */
  about?: string
  /** Of a row that names a time to come: when it came here. Never later than its time. */
  arrived?: string
}

/** When it counts as said. A time to come would lead for ever. */
export function effectiveAt({ at, arrived = at }: Pick<OtherRow, 'at' | 'arrived'>): string {
  return arrived
}

/** A larger file, or more rows in one, are not read. */
export const MOST_OTHERS_BYTES = 16 * 1024 * 1024
const MAX_ROWS = 20_000
const MAX_TEXT = 4_000
const MAX_PAGE = 60_000
const ABOUT = /^[0-9a-z]{8}#\d{1,7}-\d{1,7}$/
const FILE = /^[a-z0-9_-]{1,60}\.jsonl$/

export function formatOthers(rows: readonly OtherRow[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** Of two rows with the same owner and id the later one counts; `gone: true` deletes the earlier one. A line that is no row is left out. */
export function parseOthers(text: string): OtherRow[] {
  const rows = new Map<string, OtherRow>()
  for (const line of text.split('\n', MAX_ROWS)) {
    const raw = line === '' ? null : parseObject(line)
    if (raw === null) continue
    const key = `${raw.who}:${raw.id}`
    const row = raw.gone === true ? null : parseOther(raw)
    if (raw.gone === true) rows.delete(key)
    else if (row !== null) rows.set(key, row)
  }
  return [...rows.values()]
}

/** Null: it is none. */
export function parseOther(raw: unknown): OtherRow | null {
  if (!isObject(raw)) return null
  const who = textOr(raw.who, '')
  const body = isWho(who) && isSharedId(raw.id) ? (parseSharedFact(raw) ?? parseText(raw)) : null
  const about = textOr(raw.about, '')
  const arrived = instantOr(raw.arrived)
  if (body === null) return null
  return {
    who,
    ...body,
    ...(ABOUT.test(about) ? { about } : {}),
    ...(arrived !== '' && arrived < body.at ? { arrived } : {}),
  }
}

function parseText(raw: Record<string, unknown>): Omit<OtherRow, 'who'> | null {
  const type = TEXT_TYPES.find((one) => one === raw.type)
  const text = textOr(raw.text, '').slice(0, type === 'page' ? MAX_PAGE : MAX_TEXT)
  if (type === undefined || text.trim() === '') return null
  return { id: String(raw.id), type, text, at: instantOr(raw.at) }
}

/** One's own notes, facts and concepts as rows; never a session, and never a rule. `clean` sees every text: secrets and local paths. */
export function shareableRows(memory: Shareable, who: string, clean: (text: string) => string): OtherRow[] {
  const names = new Map(memory.concepts.map(({ id, name }) => [id, name]))
  const entries = (session: string, from: number, to: number): Pick<OtherRow, 'about'> =>
    session === '' || from < 0 || to < from ? {} : { about: `${session}#${from}-${to}` }
  const facts = allFacts(memory.facts).filter((fact) => isLive(fact) && isTold(fact))
  const rows: object[] = [
    ...memory.notes.map(({ id, at, text, session, from, to }) => ({
      id,
      type: 'note',
      at,
      text,
      ...entries(session ?? '', from, to - 1),
    })),
    ...facts.map((fact) => ({
      ...sharedFact(fact, names),
      ...entries(fact.session, fact.evidence.entry, fact.evidence.entry),
    })),
    ...lastingRows(memory.facts).filter(({ type }) => type !== 'rule'),
    ...memory.concepts.map(({ id, name, summary, keywords }) => ({
      id,
      type: 'concept',
      at: '',
      text: [name, summary, keywords.join(' ')].filter((part) => part !== '').join('\n'),
    })),
  ]
  const cleaned = (_: string, value: unknown): unknown => (typeof value === 'string' ? clean(value) : value)
  return rows.flatMap((row) => parseOther(JSON.parse(JSON.stringify({ ...row, who }, cleaned))) ?? [])
}

/** Whether a directory of others may contain a file of this name. */
export function isOthersFile(name: string): boolean {
  return FILE.test(name)
}

/** The session that a row tells of, or null. */
export function sessionOfRow({ about }: Pick<OtherRow, 'about'>): string | null {
  return about?.slice(0, 8) ?? null
}

/** What was forgotten here stays away, as long as its owner has it. What they say later than that, they say anew. */
export function isForgottenRow(row: OtherRow, { said, asked, whole }: Forgotten): boolean {
  const isBefore = (until: string | undefined): boolean => until !== undefined && row.at <= until
  return (
    isBefore(whole.get(sessionOfRow(row) ?? '')) ||
    marksOfSaid(row.text).some((mark) => isBefore(said.get(mark))) ||
    asked.some((one) => isBefore(one.at) && hasAsked(row.text, one))
  )
}

/** Something that others decided or found, or where their work stands, for the briefing. */
export interface Teammate {
  who: string
  id: string
  at: string
  text: string
  type: OtherType
}

type HeardRow = Pick<OtherRow, 'who' | 'id' | 'at' | 'arrived' | 'text' | 'type' | 'isStale' | 'status'>

/** In this order: so many rows of each owner, and of all together. */
type Order = readonly { type: OtherType; each: number; all: number }[]

const OF_TEAMMATES: Order = [
  { type: 'stands', each: 1, all: 8 },
  { type: 'decision', each: 3, all: 8 },
]
/** They are the user's own work: first what a session needs, then, in a memory that is young, as much as there is room for. */
const OF_MACHINES: Order = [
  { type: 'stands', each: 1, all: 8 },
  { type: 'note', each: 1, all: 4 },
  { type: 'decision', each: 3, all: 8 },
  { type: 'issue', each: 3, all: 8 },
  { type: 'stands', each: 8, all: 16 },
  { type: 'decision', each: 20, all: 20 },
  { type: 'issue', each: 8, all: 8 },
  { type: 'pattern', each: 8, all: 8 },
  { type: 'note', each: 12, all: 12 },
]

/** What holds, newest first in each kind, a few of each owner: one must not crowd out the others. */
export function newestOfOthers(rows: readonly HeardRow[], order: Order = OF_TEAMMATES): Teammate[] {
  const holding = rows
    .filter(({ isStale, status }) => isStale !== true && status !== 'resolved')
    .map((row) => ({ ...row, at: effectiveAt(row) }))
    .sort((a, b) => compareText(b.at, a.at) || compareText(b.id, a.id) || compareText(a.who, b.who))
  const taken = new Set<HeardRow>()
  for (const { type, each, all } of order) {
    const many = new Map<string, number>()
    const some = holding.filter((row) => {
      const n = (many.get(row.who) ?? 0) + Number(row.type === type)
      many.set(row.who, n)
      return row.type === type && n <= each
    })
    for (const row of some.slice(0, all)) taken.add(row)
  }
  return [...taken].map(({ who, id, at, text, type }) => ({ who, id, at, text, type }))
}

/** The user's own machines, then teammates: what one of them says in the same words is told once. */
export function injectedOfOthers(
  machines: readonly HeardRow[],
  team: readonly HeardRow[],
): Record<'machines' | 'teammates', Teammate[]> {
  const own = newestOfOthers(machines, OF_MACHINES)
  const words = new Set(own.map(wordsOfRow))
  return { machines: own, teammates: newestOfOthers(team.filter((row) => !words.has(wordsOfRow(row)))) }
}

/** Two rows with the same words say the same; where a session stands is told once for each session. */
export function wordsOfRow({ type, text, id }: Pick<OtherRow, 'type' | 'text' | 'id'>): string {
  return `${type} ${type === 'stands' ? id : foldedWords(text).join(' ')}`
}
