/** What can be found, as ranking sees it: a column per property, the words of one document on request. */

/** L1 sessions, L2 memory and its archives, L3 summaries, tiers, facts, pages. */
export type Layer = 'L1' | 'L2' | 'L3'

/** The position in this list is what stands in the index: append only. */
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

/** State of facts that an earlier version made from wording: recall leaves them out. */
export const LEGACY = 'legacy'
/** The state of what a model wrote and no audit has confirmed: found, never recalled. */
export const UNAUDITED = 'unaudited'

/** One thing that can be found: an entry, a note, a fact, a section of a page. */
export interface Unit {
  /** What `show` and `get_memory` understand. */
  id: string
  kind: Kind
  /** Where it stands in its source: the entry's number, or the unit's. Neighbours differ by one. */
  n: number
  /** ISO, or empty where nothing tells. */
  at: string
  text: string
  /** Not `fresh` for facts that are stale, superseded, rejected, resolved; empty where there is no such thing. */
  state: string
  /** Entries that it tells of, as `<id8>#<from>-<to>` (to inclusive): what folds a note, its facts and its entries together. */
  about: string
}

export function layerOf(kind: Kind): Layer {
  const at = KINDS.indexOf(kind)
  return at <= KINDS.indexOf('compaction') ? 'L1' : kind === 'note' ? 'L2' : 'L3'
}

/** By who speaks: the first look weighs documents by it. */
export type VoiceWeights = readonly [people: number, claude: number, tool: number, kept: number]

/** The place of the voice in `VoiceWeights`. */
export function voiceOf(kind: Kind): number {
  switch (kind) {
    case 'prompt':
      return 0
    case 'answer':
    case 'subagent':
    case 'compaction':
      return 1
    case 'tool':
      return 2
    default:
      return 3
  }
}

/** One slot per document; documents that are gone keep their slot and are `dead`. */
export interface Columns {
  count: number
  /** Of the living: how many there are, and how many tokens they have together. */
  live: number
  tokens: number
  /** Tokens of the document. */
  length: Uint32Array
  /** The source: a session, or a file. Scores are shared inside it. */
  group: Uint32Array
  /** In a session: the living neighbours, -1 at its ends. */
  prev: Int32Array
  next: Int32Array
  kind: Uint8Array
  /** `FLAG` of core/query/traits. */
  flags: Uint16Array
  /** Seconds since 1970, 0 where unknown. */
  seconds: Uint32Array
  dead: Uint8Array
}

/** Only in a session does one thing follow from another. */
export function hasNeighbours({ kind }: Columns, doc: number): boolean {
  return (kind[doc] ?? 0) <= COMPACTION
}

const COMPACTION = KINDS.indexOf('compaction')

/** The first look: whoever holds a word of the question, best first by plain BM25. */
export interface FirstLook {
  docs: readonly number[]
  /** In how many living documents each token stands, in the order asked. */
  found: readonly number[]
}

export interface Engine {
  /**
   * The `limit` best documents that hold any of the `stems` and pass `isWanted`, by BM25 (`firstScore` of core/query/bm25)
   * in which each time a word stands counts as much as the voice's weight; equal scores: the later document first.
   */
  look(
    stems: readonly number[],
    weights: VoiceWeights,
    limit: number,
    isWanted: ((doc: number) => boolean) | null,
  ): FirstLook
  /** Where words with one of these stems stand in a document: pairs of place and signed token, in their order; valid until the next call. */
  placesOf(doc: number, stems: readonly number[]): Int32Array
}

/** BM25 with the constants of FTS5. */
const K1 = 1.2
const B = 0.75

/** As FTS5: a word in more than half of the documents counts next to nothing, never less. */
export function firstIdf(live: number, holding: number): number {
  const idf = Math.log((live - holding + 0.5) / (holding + 0.5))
  return idf <= 0 ? 1e-6 : idf
}

/** One word's part; `times` is weighted by the kind of the document. */
export function firstScore(idf: number, times: number, length: number, meanLength: number): number {
  return idf * ((times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / meanLength)))
}
