/** Search with an embedder, where the user has configured one: what the words found is put in another order, nothing more. */
import { hasNeighbours } from '../corpus.ts'
import type { Embedder } from '../embedding.ts'
import { parseOperators } from '../operators.ts'
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
  const texts = found.hits.map(({ doc, snippet, score }) => ({ text: textAround(searcher, doc) || snippet, score }))
  const { words } = parseOperators(request.query, 0)
  const { order, news } = await rerank(texts, words || request.query, embedder)
  const hits = order.flatMap((at) => found.hits[at] ?? []).slice(0, request.limit)
  return { ...found, hits, news: [...found.news, ...news] }
}

/** With what was said before and after it: measured, most of the gain lies in that. */
function textAround({ index }: Searcher, doc: number): string {
  const { columns } = index
  const near = hasNeighbours(columns, doc) ? [columns.prev[doc] ?? -1, columns.next[doc] ?? -1] : []
  const docs = [doc, ...near.filter((one) => one >= 0)]
  return docs.flatMap((one) => index.unitOf(one)?.text ?? []).join('\n')
}
