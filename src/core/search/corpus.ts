/** What a search finds: a document, its layer, and whose words it is. */

import type { ToldAuthor } from '../receipts/authored-line.ts'

/** L1 sessions, L2 memory and its archives, L3 summaries, tiers, facts, pages. */
export type Layer = 'L1' | 'L2' | 'L3'

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
  by?: ToldAuthor
}

const AUTHORS: Partial<Record<Kind, ToldAuthor>> = {
  prompt: 'the user',
  rule: 'the user',
  page: 'the user',
  tool: 'from a tool',
  subagent: 'from an agent',
  session: 'code',
  tier: 'code',
}

/** Whose words a document is, as it is told to a model: always one, and never the user's by default. */
export function authorOfUnit({ kind, state, by }: Pick<Unit, 'kind' | 'state' | 'by'>): ToldAuthor {
  if (kind === 'prompt' && state !== '') return 'author unknown'
  // Nothing confirmed what a model made of the words that it quotes.
  if (state === UNAUDITED) return 'Claude'
  return by ?? AUTHORS[kind] ?? 'Claude'
}

export function layerOf(kind: Kind): Layer {
  const at = KINDS.indexOf(kind)
  return at <= KINDS.indexOf('compaction') ? 'L1' : kind === 'note' ? 'L2' : 'L3'
}
