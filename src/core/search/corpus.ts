/** The documents as ranking sees them: one column per property, and the words of a document on request. */

import { KINDS, type Kind, type ToldAuthor, UNAUDITED, type Unit } from '../../kernel/memory/document.ts'

/** L1 sessions, L2 memory and its archives, L3 summaries, tiers, facts, pages. */
export type Layer = 'L1' | 'L2' | 'L3'

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

/** By speaker: weights for the first pass. */
export type VoiceWeights = readonly [people: number, claude: number, tool: number, kept: number]

/** The index of the speaker in `VoiceWeights`. */
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

/** One slot per document; deleted documents keep their slot and are `dead`. */
export interface Columns {
  count: number
  /** The number of live documents, and their tokens in total. */
  live: number
  tokens: number
  /** Tokens of each document. */
  length: Uint32Array
  /** The source: a session or a file. Its documents share a part of the score. */
  group: Uint32Array
  /** In a session: the live neighbours, -1 at its ends. */
  prev(doc: number): number
  next(doc: number): number
  kind: Uint8Array
  /** `FLAG` of traits.ts. */
  flags: Uint16Array
  /** Seconds since 1970, 0 if unknown. */
  seconds: Uint32Array
  dead: Uint8Array
}

/** Only the entries of a session follow from each other. */
export function hasNeighbours({ kind }: Columns, doc: number): boolean {
  return (kind[doc] ?? 0) <= COMPACTION
}

const COMPACTION = KINDS.indexOf('compaction')

/** The first pass: the documents that contain a word of the question, best first by plain BM25. */
export interface FirstLook {
  docs: readonly number[]
  /** The number of live documents with each token, in the given order. */
  found: readonly number[]
}

export interface Engine {
  /**
   * The `limit` best documents that contain any of the `stems` and pass `isWanted`, by BM25 (`firstScore`), in which each
   * occurrence of a word counts with the speaker's weight. Among equal scores the later document comes first.
   */
  look(
    stems: readonly number[],
    weights: VoiceWeights,
    limit: number,
    isWanted: ((doc: number) => boolean) | null,
  ): FirstLook
  /** The occurrences of words with one of these stems in a document: pairs of position and signed token, in order; valid until the next call. */
  placesOf(doc: number, stems: readonly number[]): Int32Array
}

/** BM25 with the constants of FTS5. */
const K1 = 1.2
const B = 0.75

/** As in FTS5: a word in more than half of the documents counts next to nothing, but never less than zero. */
export function firstIdf(live: number, holding: number): number {
  const idf = Math.log((live - holding + 0.5) / (holding + 0.5))
  return idf <= 0 ? 1e-6 : idf
}

/** The contribution of one word; `times` is weighted by the kind of the document. */
export function firstScore(idf: number, times: number, length: number, meanLength: number): number {
  return idf * ((times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / meanLength)))
}
