/** Work items: what waits for a model or for code. The state stores one list of them. */
import { fieldsLike, objects } from '../platform/json.ts'

export const WORK_KINDS = [
  /** Facts of a piece whose note is handed out or saved; `by` code: of imported history, which gets no note. */
  'facts',
  /** What recurs and is to be judged. */
  'rules',
  /** Entries without a note. The first item of a session may be a piece that was handed out. */
  'note',
  /** A note that `forget` derived by structure: a background call writes it again. */
  'again',
  /** A piece that code noted in place of a model: a background call reads it. */
  'read',
  /** An archive whose summary is by code. */
  'summary',
] as const

export type WorkKind = (typeof WORK_KINDS)[number]

export interface WorkItem {
  kind: WorkKind
  /** The session's id8, the archive's file, or the mark of the candidates. */
  about: string
  /** The range of entries; `to` is exclusive, and 0 for work about no entries. */
  from: number
  to: number
  /** Who does it; null: nobody yet. */
  by: 'headless' | 'agent' | 'code' | null
  /** How often an answer was refused, or a call about it failed. Facts: they were saved once and may be corrected. */
  tries: number
  /** Claude was asked for it at this cut; 0: not yet. */
  asked: number
}

const NEW_ITEM = { about: '', from: 0, to: 0, tries: 0, asked: 0 }

export function newItem(item: Pick<WorkItem, 'kind' | 'about'> & Partial<WorkItem>): WorkItem {
  return { ...NEW_ITEM, by: null, ...item }
}

export function parseWork(raw: unknown): WorkItem[] {
  return objects(raw).flatMap((one) => {
    const kind = WORK_KINDS.find((known) => known === one.kind)
    return kind === undefined ? [] : [{ kind, ...fieldsLike(one, NEW_ITEM), by: authorOf(one.by) }]
  })
}

function authorOf(by: unknown): WorkItem['by'] {
  return by === 'headless' || by === 'agent' || by === 'code' ? by : null
}

/** Without the fields that `parseWork` fills in; always in the same order, so that the same state is the same text. */
export function formatWork(work: readonly WorkItem[]): object[] {
  return work.map(({ kind, about, from, to, by, tries, asked }) => {
    const fields = { kind, about, from, to, by, tries, asked }
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0 && value !== null))
  })
}

/** Contains session and range: `1a2b3c4d-12-57`. */
export function deltaId(session: string, from: number, to: number): string {
  return `${session}-${from}-${to}`
}

/** A piece may be named like its note, `n-1a2b3c4d-12-57`. */
export function parseDeltaId(text: string): Range | null {
  const match = /^(?:n-)?([0-9a-z]{8})-(\d+)-(\d+)$/.exec(text.trim())
  if (!match?.[1]) return null
  const [from, to] = [Number(match[2]), Number(match[3])]
  return from < to ? { session: match[1], from, to } : null
}

interface Range {
  /** The session's id8. */
  session: string
  from: number
  to: number
}

export function rangeOf({ about, from, to }: WorkItem): Range {
  return { session: about, from, to }
}

/** Whether the work is about a part of these entries. */
export function isWithin(item: WorkItem, { session, from, to }: Range): boolean {
  return item.about === session && item.to > 0 && item.from >= from && item.to <= to
}

/** The name used by tools and skills; empty: entries that were not handed out yet. */
export function workName({ kind, about, from, to, by }: WorkItem): string {
  if (to === 0) return about
  return kind === 'note' && by === null ? '' : deltaId(about, from, to)
}
