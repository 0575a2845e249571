/** A document: what a search finds. Files of a memory are read as documents by their row (`file-kind.ts`), sessions entry by entry. */

/** The index stores the position in this list: append only. */
export const KINDS = [
  'prompt',
  'answer',
  'tool',
  'subagent',
  'compaction',
  'note',
  'decision',
  'pattern',
  'issue',
  'rule',
  'summary',
  'session',
  'tier',
  'page',
  'host',
  'concept',
] as const

export type Kind = (typeof KINDS)[number]

/** Whose words it is, as it is told to a model; `from …`: a tool, another machine, a teammate. */
export type NamedAuthor = 'the user' | 'Claude' | 'code' | 'author unknown' | `from ${string}`

/** The state of facts that an earlier version derived from wording: recall leaves them out. */
export const LEGACY = 'legacy'
/** The state of a model's unaudited text: search finds it, recall does not use it. */
export const UNAUDITED = 'unaudited'

/** One document: an entry, a note, a fact, a section of a page. */
export interface Unit {
  /** The id for `show` and `get_memory`. */
  id: string
  kind: Kind
  /** Its position in the source: the number of the entry or of the unit. Neighbours differ by one. */
  n: number
  /** ISO, or empty if unknown. */
  at: string
  text: string
  /** For facts: fresh, stale, superseded, rejected or resolved; empty for other kinds. */
  state: string
  /** The entries that it covers, as `<id8>#<from>-<to>` (to inclusive): used to fold a note, its facts and its entries into one hit. */
  about: string
  /** Whose words it is, where the kind does not say it. */
  by?: NamedAuthor
}

/** As a row returns it, in the order of the file. Missing fields are empty. */
export type NewUnit = Pick<Unit, 'id' | 'kind' | 'text'> & Partial<Unit>

/** Items without an id are named by their position, counted from 1. */
export function place(name: string, k: number): string {
  return `${name}#${k + 1}`
}

export function numbered(name: string, kind: Kind, texts: readonly string[]): NewUnit[] {
  return texts.map((text, k) => ({ id: place(name, k), kind, text }))
}

/** `to` is inclusive. Empty: it is about none. */
export function aboutEntries(id8: string | null | undefined, from: number, to: number): string {
  return id8 && from >= 0 && to >= from ? `${id8}#${from}-${to}` : ''
}

export function joinedText(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}
