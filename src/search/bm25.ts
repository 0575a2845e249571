/** BM25 as FTS5 computes it, so that both engines look at the same documents first. */

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
