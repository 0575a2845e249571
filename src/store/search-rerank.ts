/** Search with an embedder, where the user has configured one: what the words found is put in another order, nothing more. */
import type { Embedder } from '../core/query/embedding.ts'
import { rerank } from './embedder.ts'
import type { Found, Searcher, SearchRequest } from './search.ts'

/** Looked at again, best first; what is asked for is taken from these. */
const LOOKED_AT = 50

export async function findAgain(
  searcher: Searcher,
  request: SearchRequest & { limit: number },
  embedder: Embedder | null,
): Promise<Found> {
  if (embedder === null) return searcher.find(request)
  const found = searcher.find({ ...request, limit: Math.max(LOOKED_AT, request.limit) })
  // A text that went away meanwhile is still known by its snippet.
  const texts = found.hits.map(({ doc, snippet, score }) => ({
    text: searcher.index.unitOf(doc)?.text ?? snippet,
    score,
  }))
  const { order, news } = await rerank(texts, request.query, embedder)
  const hits = order.flatMap((at) => found.hits[at] ?? []).slice(0, request.limit)
  return { ...found, hits, news: [...found.news, ...news] }
}
