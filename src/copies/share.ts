/** The copy for the team: what a person shares of their memory, as text, and what is read from others' files. Never a session. */
import type { Concept } from '../knowledge/concept.ts'
import { allFacts, type Fact, type Facts, isTold } from '../knowledge/fact.ts'
import { isLive } from '../knowledge/fact-list.ts'
import { PERMANENT_KINDS } from '../knowledge/permanent.ts'
import { formatNote, type Note, notesIn } from '../memory/note.ts'
import type { ArchiveSummary } from '../notes/summary.ts'
import { parseObject, textOr, texts } from '../platform/json.ts'
import { compareText } from '../text/memory-words.ts'
import { once } from '../text/once.ts'
import { SHARED_CONCEPTS, SHARED_FACTS, SHARED_MEMORY } from '../trust/share-files.ts'

export interface Shareable {
  notes: readonly Note[]
  /** Of archives, by the archive's file. */
  summaries: readonly { file: string; summary: ArchiveSummary }[]
  facts: Facts
  concepts: readonly Concept[]
}

/** `rule`: what holds for them; for everybody else it is only something they say. */
export type SharedType = 'decision' | 'pattern' | 'issue' | 'rule'

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
  /** The words it was taken from. */
  said?: string
  isStale?: true
}

/** Each file by its name. `clean` sees every text of it: secrets, and paths that name the person's machine. */
export function formatShared(memory: Shareable, clean: (text: string) => string): Record<string, string> {
  return {
    [SHARED_FACTS]: linesOf(sharedFacts(memory), clean),
    [SHARED_MEMORY]: sharedNotes(memory)
      // No clock of the person's own: another time zone must not change a byte.
      .map((note) => formatNote({ ...note, text: clean(note.text) }, 'UTC'))
      .join(''),
    [SHARED_CONCEPTS]: linesOf(sharedConcepts(memory), clean),
  }
}

type Row = { id: string } & Record<string, unknown>

function linesOf(rows: readonly Row[], clean: (text: string) => string): string {
  const cleanValue = (_: string, value: unknown): unknown => (typeof value === 'string' ? clean(value) : value)
  return rows.map((row) => `${JSON.stringify(row, cleanValue)}\n`).join('')
}

/** What was given up is nobody's news. */
function sharedFacts({ facts, concepts }: Shareable): Row[] {
  const names = new Map(concepts.map(({ id, name }) => [id, name]))
  const live = allFacts(facts).filter((fact) => isLive(fact) && isTold(fact) && fact.text !== '')
  const lasting = PERMANENT_KINDS.flatMap((kind) =>
    facts.permanent[kind]
      .filter(({ status }) => status === 'active')
      .map(({ id, text, at }) => ({ id, type: kind === 'rules' ? 'rule' : 'pattern', text, at })),
  )
  return [...live.map((fact) => sharedFact(fact, names)), ...lasting].sort(byId)
}

/** A field that is undefined is not written. */
function sharedFact(fact: Fact, names: ReadonlyMap<string, string>): Row {
  const { id, type, text, at, files, concept, evidence, state } = fact
  return {
    id,
    type,
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

/** Oldest first, the summaries of archives among them. They are about no session: nobody else has it. */
function sharedNotes({ notes, summaries }: Shareable): Note[] {
  const nothing = { session: null, from: 0, to: 0 }
  const told = summaries.map(
    ({ file, summary }): Note => ({
      ...nothing,
      id: `s-${file.replace(/\.md$/, '')}`,
      at: summary.generatedAt,
      author: 'extractive',
      text: summary.overallSummary,
    }),
  )
  return [...notes.map((note) => ({ ...note, ...nothing })), ...told]
    .filter(({ text, at }) => text.trim() !== '' && at !== '')
    .sort((a, b) => compareText(a.at, b.at) || compareText(a.id, b.id))
}

function sharedConcepts({ concepts }: Shareable): Row[] {
  return concepts.map(({ id, name, summary, files, keywords }) => ({ id, name, summary, files, keywords })).sort(byId)
}

/** d001 before d002 before d010; a line stays where it is when others come. */
function byId(a: { id: string }, b: { id: string }): number {
  const number = ({ id }: { id: string }): number => Number(/\d{1,9}$/.exec(id)?.[0] ?? 0)
  return compareText(a.id[0] ?? '', b.id[0] ?? '') || number(a) - number(b) || compareText(a.id, b.id)
}

/** Whoever writes more than this has something else in mind. */
const MAX_ROWS = 5_000
const MAX_TEXT = 4_000
const MAX_FILES = 20
const TYPES: readonly SharedType[] = ['decision', 'pattern', 'issue', 'rule']
/** As ids of ours, without the colon behind which they stand. */
const ID = once(() => /^[\p{L}\p{N}_.-]{1,60}$/u)
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/

/** A line that is none is left out; of two with the same id the later one counts: git keeps both sides of a merge. */
export function parseSharedFacts(text: string): SharedFact[] {
  return rowsIn(text, (raw): SharedFact | null => {
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
  })
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
    if (ID().test(note.id) && note.text !== '')
      notes.set(note.id, { id: note.id, at: instantOr(note.at), text: note.text.slice(0, MAX_TEXT) })
  return [...notes.values()]
}

/** Something a teammate decided, for the briefing. */
export interface Teammate {
  who: string
  id: string
  at: string
  text: string
}

/** The newest decisions that hold, a few of each: those of one person must not crowd out the others'. */
export function newestDecisions(all: readonly { who: string; facts: readonly SharedFact[] }[]): Teammate[] {
  const newest = (a: { at: string; id: string }, b: { at: string; id: string }): number =>
    compareText(b.at, a.at) || compareText(b.id, a.id)
  return all
    .flatMap(({ who, facts }) =>
      facts
        .filter(({ type, isStale }) => type === 'decision' && isStale !== true)
        .sort(newest)
        .slice(0, OF_EACH)
        .map(({ id, at, text }) => ({ who, id, at, text })),
    )
    .sort((a, b) => newest(a, b) || compareText(a.who, b.who))
    .slice(0, OF_ALL)
}

const OF_EACH = 3
const OF_ALL = 8

function rowsIn<T extends { id: string }>(text: string, read: (raw: Record<string, unknown>) => T | null): T[] {
  const rows = new Map<string, T>()
  for (const line of text.split('\n', MAX_ROWS)) {
    const raw = line.trim() === '' ? null : parseObject(line)
    const row = raw === null ? null : read(raw)
    if (row !== null && ID().test(row.id)) rows.set(row.id, row)
  }
  return [...rows.values()]
}

function instantOr(value: unknown): string {
  const text = textOr(value, '')
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
}
