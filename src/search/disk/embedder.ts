/** The embedder that the user configured at home, if any, and what it is for: the order of the first hits of a search. */

import { openFolder } from '../../outgoing/disk/embedder-folder.ts'
import { type Config, isEmbedderPlace } from '../../platform/config.ts'
import { KeeperError } from '../../platform/error.ts'
import { createRedactor } from '../../redact/redact.ts'
import { cosine, type Embedder, fuse } from '../embedding.ts'
import { openEndpoint } from './embedder-endpoint.ts'

/** Deeper ones are not looked at by anybody, and each costs its reading. */
const MAX_HITS = 50

export interface EmbedderWorld {
  /** MEMORY_KEEPER_EMBEDDER_KEY, or empty. */
  key: string
  fetch: typeof fetch
  now: () => string
}

/** Null: none is configured. Opening costs nothing; whatever is wrong with a model is told when it is first used. */
export function openEmbedder(
  config: Pick<Config, 'embedder' | 'embedderModel' | 'redactPatterns'>,
  { key, fetch, now }: EmbedderWorld,
): Embedder | null {
  const place = String(config.embedder)
  if (place === '') return null
  if (!isEmbedderPlace(place))
    return unusable(place, `embedder cannot be ${JSON.stringify(place)}: see memory-keeper config list`)
  if (!/^https?:/i.test(place)) return openFolder(place)
  const model = String(config.embedderModel)
  if (model === '') return unusable(place, 'embedderModel is not set: memory-keeper config set embedderModel NAME')
  // Whoever keeps secrets in his own files does not thereby send them to somebody else's machine.
  const { redact } = createRedactor({ enabled: true, extraPatterns: config.redactPatterns as readonly string[] })
  return openEndpoint({ url: place, model, key, redact, fetch, now })
}

export interface Reranked {
  /** Positions in the hits, each once. */
  order: number[]
  /** Why the order is the old one, if it is. */
  news: readonly string[]
}

/** Hits come best first. Never fails: without the embedder the order stays as it was. */
export async function rerank(
  hits: readonly { text: string; score: number }[],
  query: string,
  embedder: Embedder,
): Promise<Reranked> {
  const scores = hits.map(({ score }) => score)
  if (hits.length < 2) return { order: fuse(scores, []), news: [] }
  try {
    const texts = hits.slice(0, MAX_HITS).map(({ text }) => text)
    const [asked, ...found] = await embedder.embed([query, ...texts])
    const likeness = asked === undefined ? [] : found.map((vector) => cosine(asked, vector))
    return { order: fuse(scores, likeness), news: [] }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { order: fuse(scores, []), news: [`Found by words only, without the embedder: ${why}`] }
  }
}

function unusable(name: string, why: string): Embedder {
  return { name, embed: async () => Promise.reject(new KeeperError('embedder', `${why}.`)) }
}
