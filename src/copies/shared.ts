/** What others share, as it comes out of their files: their words, whatever stands there. */

import { notesIn } from '../memory/note.ts'
import { parseObject, textOr, texts } from '../platform/json.ts'
import { compareText } from '../text/memory-words.ts'
import { once } from '../text/once.ts'
import type { SharedFact, SharedType } from './share.ts'

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
    const optional = (name: string): Record<string, string> => {
      const value = textOr(raw[name], '').slice(0, MAX_TEXT)
      return value === '' ? {} : { [name]: value }
    }
    const files = texts(raw.files).slice(0, MAX_FILES)
    return {
      id: textOr(raw.id, ''),
      type,
      text: said,
      ...optional('reason'),
      ...optional('resolution'),
      ...optional('concept'),
      ...optional('said'),
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
