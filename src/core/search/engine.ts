/** What the ranking asks of an index: one column per property of the documents, the first pass, and the words of a document on request. */

/** The numbers in `Columns.kind` that the ranking tells apart. Every other number is something that was kept: a note, a page. */
export const KIND_NUMBER = { prompt: 0, answer: 1, tool: 2, subagent: 3, compaction: 4, decision: 6 } as const

/** By speaker: weights for the first pass. */
export type VoiceWeights = readonly [people: number, claude: number, tool: number, kept: number]

/** Whose words the first five kinds are, as an index in `VoiceWeights`. */
const VOICES = [0, 1, 2, 1, 1]
const KEPT = 3

export function voiceOf(kind: number): number {
  return VOICES[kind] ?? KEPT
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
  return (kind[doc] ?? 0) <= KIND_NUMBER.compaction
}

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
