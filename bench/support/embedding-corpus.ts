/** Documents in memory as ranking sees them, with the plainest engine there is: what is measured is the ranking, not the disk. */
import {
  type Columns,
  type Engine,
  firstIdf,
  firstScore,
  type VoiceWeights,
  voiceOf,
} from '../../src/core/search/engine.ts'
import { traitsOf } from '../../src/core/search/traits.ts'
import { KINDS, type Kind } from '../../src/kernel/memory/document.ts'
import { stemOf } from '../../src/kernel/text/token.ts'
import { tokenise } from '../../src/kernel/text/words.ts'

export interface Document {
  text: string
  kind: Kind
  group: number
  seconds: number
}

export interface ScoringEngine extends Engine {
  /** BM25 of every document. */
  scoresOf(stems: readonly number[], weights: VoiceWeights): Float64Array
}

/** Documents of one group follow each other. */
export function corpusOf(documents: readonly Document[]): { columns: Columns; engine: ScoringEngine } {
  const tokens = documents.map(({ text }) => tokenise(text))
  const isTogether = (a: number, b: number): boolean =>
    documents[a] !== undefined && documents[a]?.group === documents[b]?.group
  const columns: Columns = {
    count: documents.length,
    live: documents.length,
    tokens: tokens.reduce((sum, own) => sum + own.length, 0),
    length: Uint32Array.from(tokens, (own) => own.length),
    group: Uint32Array.from(documents, ({ group }) => group),
    prev: (doc) => (isTogether(doc, doc - 1) ? doc - 1 : -1),
    next: (doc) => (isTogether(doc, doc + 1) ? doc + 1 : -1),
    kind: Uint8Array.from(documents, ({ kind }) => KINDS.indexOf(kind)),
    flags: Uint16Array.from(documents, ({ text }) => traitsOf(text)),
    seconds: Uint32Array.from(documents, ({ seconds }) => seconds),
    dead: new Uint8Array(documents.length),
  }
  const places = postings(tokens)
  const engine: ScoringEngine = {
    placesOf: (doc, asked) => {
      const pairs = Array.from(tokens[doc] ?? [], (token, place) => [place, token | 0] as const)
      return Int32Array.from(pairs.filter(([, token]) => asked.includes(stemOf(token))).flat())
    },
    scoresOf(stems, weights) {
      const scores = new Float64Array(documents.length)
      for (const stem of stems) {
        const holding = places.get(stem) ?? new Map<number, number>()
        const idf = firstIdf(columns.live, holding.size)
        for (const [doc, times] of holding) {
          const weight = weights[voiceOf(columns.kind[doc] ?? 0)] ?? 1
          const mean = columns.tokens / columns.live
          scores[doc] = (scores[doc] ?? 0) + firstScore(idf, times * weight, columns.length[doc] ?? 0, mean)
        }
      }
      return scores
    },
    look(stems, weights, limit, isWanted) {
      const scores = engine.scoresOf(stems, weights)
      const docs = [...scores.keys()].filter((doc) => (scores[doc] ?? 0) > 0 && isWanted?.(doc) !== false)
      docs.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a)
      return { docs: docs.slice(0, limit), found: stems.map((stem) => places.get(stem)?.size ?? 0) }
    },
  }
  return { columns, engine }
}

/** Of each stem, the documents that hold it and how often. */
function postings(tokens: readonly Uint32Array[]): Map<number, Map<number, number>> {
  const places = new Map<number, Map<number, number>>()
  tokens.forEach((own, doc) => {
    for (const stem of Array.from(own, stemOf)) {
      const holding = places.get(stem) ?? new Map<number, number>()
      places.set(stem, holding.set(doc, (holding.get(doc) ?? 0) + 1))
    }
  })
  return places
}
