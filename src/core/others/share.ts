/** The copy for the team: the shared part of a person's memory as text, and the parser for others' files. Never contains a session. */

import { formatNote, type Note, notesIn } from '../../kernel/memory/note.ts'
import { parseObject, textOr, texts } from '../../kernel/platform/json.ts'
import { compareText } from '../../kernel/text/memory-words.ts'
import { once } from '../../kernel/text/once.ts'
import { SHARED_CONCEPTS, SHARED_FACTS, SHARED_MEMORY } from '../../kernel/trust/share-files.ts'
import type { Concept } from '../knowledge/concept.ts'
import { FACT_KIND_NAMES, type Fact, type FactKind, isLive, isTold } from '../knowledge/item.ts'
import { allFacts, allPermanent, type Items } from '../knowledge/items.ts'
import type { ArchiveSummary } from '../notes/summary.ts'

export interface Shareable {
  notes: readonly Note[]
  /** Summaries of archives, by the archive's file. */
  summaries: readonly { file: string; summary: ArchiveSummary }[]
  facts: Items
  concepts: readonly Concept[]
}

/** `rule`: a rule of that person; for others it is only information. */
export type SharedType = FactKind | 'rule'

/** One line of facts.jsonl. */
export interface SharedFact {
  id: string
  type: SharedType
  text: string
  reason?: string
  status?: 'open' | 'resolved'
  resolution?: string
  at: string
  files?: string[]
  concept?: string
  /** The words it was derived from. */
  said?: string
  isStale?: true
}

/** Returns each file by name. `clean` is applied to every text: it removes secrets and machine paths. */
export function formatShared(memory: Shareable, clean: (text: string) => string): Record<string, string> {
  return {
    [SHARED_FACTS]: linesOf(sharedFacts(memory), clean),
    [SHARED_MEMORY]: sharedNotes(memory)
      // Always UTC: another time zone must not change a byte.
      .map((note) => formatNote({ ...note, text: clean(note.text) }, 'UTC'))
      .join(''),
    [SHARED_CONCEPTS]: linesOf(
      memory.concepts
        .map(({ id, name, summary, files, keywords }) => ({ id, name, summary, files, keywords }))
        .sort(byId),
      clean,
    ),
  }
}

type Row = { id: string } & Record<string, unknown>

function linesOf(rows: readonly Row[], clean: (text: string) => string): string {
  const cleanValue = (_: string, value: unknown): unknown => (typeof value === 'string' ? clean(value) : value)
  return rows.map((row) => `${JSON.stringify(row, cleanValue)}\n`).join('')
}

/** Facts that are no longer current are not shared. */
function sharedFacts({ facts, concepts }: Shareable): Row[] {
  const names = new Map(concepts.map(({ id, name }) => [id, name]))
  const live = allFacts(facts).filter((fact) => isLive(fact) && isTold(fact) && fact.text !== '')
  return [...live.map((fact) => sharedFact(fact, names)), ...lastingRows(facts)].sort(byId)
}

/** The active permanent items. */
export function lastingRows(facts: Items): { id: string; type: SharedType; text: string; at: string }[] {
  return allPermanent(facts)
    .filter(isLive)
    .map(({ id, kind, text, at }) => ({ id, type: kind === 'rules' ? 'rule' : 'pattern', text, at }))
}

/** Undefined fields are not written. */
export function sharedFact(fact: Fact, names: ReadonlyMap<string, string>): Row {
  const { id, kind, text, at, files, concept, evidence, state } = fact
  return {
    id,
    type: kind,
    text,
    reason: fact.reason ?? undefined,
    status: fact.status ?? undefined,
    resolution: fact.resolution ?? undefined,
    at,
    files: files.length === 0 ? undefined : files,
    concept: names.get(concept ?? ''),
    said: evidence.quote === '' || evidence.quote === text ? undefined : evidence.quote,
    isStale: state === 'stale' ? true : undefined,
  }
}

/** Oldest first, including the summaries of archives. They name no session, since others do not have it. */
function sharedNotes({ notes, summaries }: Shareable): Note[] {
  const nothing = { session: null, from: 0, to: 0 }
  const asNotes = summaries.map(
    ({ file, summary }): Note => ({
      ...nothing,
      id: `s-${file.replace(/\.md$/, '')}`,
      at: summary.generatedAt,
      author: 'extractive',
      text: summary.overallSummary,
    }),
  )
  return [...notes.map((note) => ({ ...note, ...nothing })), ...asNotes]
    .filter(({ text, at }) => text.trim() !== '' && at !== '')
    .sort((a, b) => compareText(a.at, b.at) || compareText(a.id, b.id))
}

/** d001 before d002 before d010, so that a line keeps its place when others are added. */
function byId(a: { id: string }, b: { id: string }): number {
  const number = ({ id }: { id: string }): number => Number(/\d{1,9}$/.exec(id)?.[0] ?? 0)
  return compareText(a.id[0] ?? '', b.id[0] ?? '') || number(a) - number(b) || compareText(a.id, b.id)
}

/** Limits for foreign files: a larger one is not a normal share. */
const MAX_ROWS = 5_000
const MAX_TEXT = 4_000
const MAX_FILES = 20
const TYPES: readonly SharedType[] = [...FACT_KIND_NAMES, 'rule']
/** Like our ids, without the prefix and colon. */
const ID = once(() => /^[\p{L}\p{N}_.-]{1,60}$/u)
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/

/** Invalid lines are skipped. Of two with the same id the later one counts: git keeps both sides of a merge. */
export function parseSharedFacts(text: string): SharedFact[] {
  return rowsIn(text, parseSharedFact)
}

export function parseSharedFact(raw: Record<string, unknown>): SharedFact | null {
  const type = TYPES.find((one) => one === raw.type)
  const said = textOr(raw.text, '').slice(0, MAX_TEXT)
  if (type === undefined || said.trim() === '') return null
  const optional = ['reason', 'resolution', 'concept', 'said'].map((name) => [
    name,
    textOr(raw[name], '').slice(0, MAX_TEXT),
  ])
  const files = texts(raw.files).slice(0, MAX_FILES)
  return {
    id: textOr(raw.id, ''),
    type,
    text: said,
    ...Object.fromEntries(optional.filter(([, value]) => value !== '')),
    ...(type === 'issue' ? { status: raw.status === 'resolved' ? 'resolved' : 'open' } : {}),
    ...(files.length === 0 ? {} : { files: files.map((file) => file.slice(0, 300)) }),
    ...(raw.isStale === true ? { isStale: true } : {}),
    at: instantOr(raw.at),
  }
}

interface SharedConcept {
  id: string
  name: string
  summary: string
  keywords: string[]
}

export function parseSharedConcepts(text: string): SharedConcept[] {
  return rowsIn(text, (raw): SharedConcept | null => {
    const name = textOr(raw.name, '').slice(0, 200)
    const keywords = texts(raw.keywords).slice(0, MAX_FILES)
    return name.trim() === ''
      ? null
      : { id: textOr(raw.id, ''), name, summary: textOr(raw.summary, '').slice(0, MAX_TEXT), keywords }
  })
}

interface SharedNote {
  id: string
  at: string
  text: string
}

export function parseSharedNotes(text: string): SharedNote[] {
  const notes = new Map<string, SharedNote>()
  for (const note of notesIn(text.replace(/\r\n?/g, '\n')).slice(-MAX_ROWS))
    if (isSharedId(note.id) && note.text !== '')
      notes.set(note.id, { id: note.id, at: instantOr(note.at), text: note.text.slice(0, MAX_TEXT) })
  return [...notes.values()]
}

function rowsIn<T extends { id: string }>(text: string, read: (raw: Record<string, unknown>) => T | null): T[] {
  const rows = new Map<string, T>()
  for (const line of text.split('\n', MAX_ROWS)) {
    const raw = line.trim() === '' ? null : parseObject(line)
    const row = raw === null ? null : read(raw)
    if (row !== null && isSharedId(row.id)) rows.set(row.id, row)
  }
  return [...rows.values()]
}

export function isSharedId(id: unknown): boolean {
  return typeof id === 'string' && ID().test(id)
}

/** Empty: it is no instant. */
export function instantOr(value: unknown): string {
  const text = textOr(value, '')
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
}
