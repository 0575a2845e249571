/** The embedder that the user configured at home, if any: it reorders the first hits of a search. */

import type { Found, Searcher, SearchRequest } from '../../../core/search/disk/search.ts'
import { hasNeighbours } from '../../../core/search/engine.ts'
import { parseOperators } from '../../../core/search/operators.ts'
import { type Config, isEmbedderPlace } from '../../../kernel/platform/config.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { createRedactor, type Redactor } from '../../../kernel/redact/redact.ts'
import { clip, cosine, type Embedder, fuse } from '../embedding.ts'

/** Each further hit costs time to read. */
const MAX_HITS = 50
const TIMEOUT_MS = 5000
/** Texts per request: a model on a CPU must answer in time. */
const BATCH = 16
/** The number of cached vectors: searches of one session find the same entries again. */
const MAX_KEPT = 1000
/** After a failure the endpoint is not used for this long, so that only the first search waits for it. */
const REST_MS = 60_000

export interface EmbedderWorld {
  /** The value of MEMORY_KEEPER_EMBEDDER_KEY, or empty. */
  key: string
  fetch: typeof fetch
  now: () => string
}

/** Null: none is configured. Opening sends nothing; a missing endpoint is reported with the first search. */
export function openEmbedder(
  config: Pick<Config, 'embedder' | 'embedderModel' | 'redactPatterns'>,
  world: EmbedderWorld,
): Embedder | null {
  const { embedder: url, embedderModel: model } = config
  if (url === '') return null
  const problem = problemOfEmbedder(url, model)
  if (problem !== null) return { name: url, embed: () => Promise.reject(new KeeperError('embedder', `${problem}.`)) }
  // Secrets never leave the machine, even if the user stores them in local files.
  const { redact } = createRedactor({ enabled: true, extraPatterns: config.redactPatterns })
  return openEndpoint({ url, model, redact, ...world })
}

/** The problem with the settings, without a full stop; null: none, or no embedder is configured. */
export function problemOfEmbedder(place: string, model: string): string | null {
  if (place === '') return null
  if (!isEmbedderPlace(place)) return `${JSON.stringify(place)} is not an allowed address`
  return model === '' ? 'embedderModel is not set: memory-keeper config set embedderModel NAME' : null
}

/** Hits are given best first; `order` contains their positions. Never fails: without an answer the order stays and `news` explains why. */
export async function rerank(
  hits: readonly { text: string; score: number }[],
  query: string,
  embedder: Embedder,
): Promise<{ order: number[]; news: readonly string[] }> {
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

interface Endpoint extends EmbedderWorld {
  url: string
  model: string
  redact: Redactor
}

function openEndpoint(endpoint: Endpoint): Embedder {
  const { host } = new URL(endpoint.url)
  const now = (): number => Date.parse(endpoint.now())
  let kept = new Map<string, Float32Array>()
  let restsUntil = 0
  const learn = async (known: Map<string, Float32Array>, inputs: readonly string[]): Promise<void> => {
    const isResting = now() < restsUntil
    const said = isResting ? 'failed a moment ago, and is asked again in a minute' : await ask(endpoint, inputs)
    if (typeof said === 'string') {
      if (!isResting) restsUntil = now() + REST_MS
      throw new KeeperError('embedder', `The embedder at ${host} ${said}.`)
    }
    for (const [at, vector] of said.entries()) known.set(inputs[at] ?? '', vector)
  }
  return {
    name: `${endpoint.model} at ${host}`,
    async embed(texts) {
      // A search in progress keeps the old map.
      if (kept.size > MAX_KEPT) kept = new Map()
      const known = kept
      // Redacted before it is cut: half a secret is not recognised. Some endpoints refuse an empty text.
      const inputs = texts.map((text) => clip(endpoint.redact(text).text).trim() || '-')
      const fresh = [...new Set(inputs)].filter((input) => !known.has(input))
      for (let from = 0; from < fresh.length; from += BATCH) await learn(known, fresh.slice(from, from + BATCH))
      return inputs.map((input) => known.get(input) ?? new Float32Array())
    },
  }
}

/** The vectors, or the problem as a text. */
async function ask({ url, model, key, fetch }: Endpoint, input: readonly string[]): Promise<Float32Array[] | string> {
  const headers = { 'content-type': 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) }
  try {
    const response = await fetch(addressOf(url), {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input }),
      // The user did not configure the target of a redirect.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (!response.ok) return `answered ${response.status}${hintOf(response.status, model)}`
    return readVectors(await response.json(), input.length) ?? 'answered with something other than embeddings'
  } catch (cause) {
    if (cause instanceof SyntaxError) return 'answered no JSON'
    const isLate = cause instanceof Error && cause.name === 'TimeoutError'
    return isLate ? `did not answer in ${TIMEOUT_MS / 1000} s` : 'cannot be reached'
  }
}

function addressOf(url: string): string {
  const address = new URL(url)
  const path = address.pathname.replace(/\/+$/, '')
  address.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`
  return address.href
}

function hintOf(status: number, model: string): string {
  if (status === 401 || status === 403) return ' (is MEMORY_KEEPER_EMBEDDER_KEY set and right?)'
  if (status === 404) return ` (does it have the model "${model}", and does the URL end in /v1?)`
  return ''
}

/** Null unless there is one vector per text, all of one size. */
function readVectors(answer: unknown, count: number): Float32Array[] | null {
  const data = (answer as { data?: unknown } | null)?.data
  if (!Array.isArray(data) || data.length !== count) return null
  const vectors: Float32Array[] = []
  for (const [at, item] of data.entries()) {
    const { index = at, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown }
    const isVector = Array.isArray(embedding) && embedding.every((value) => typeof value === 'number')
    if (typeof index !== 'number' || !isVector || embedding.length === 0) return null
    vectors[index] = Float32Array.from(embedding)
  }
  const size = vectors[0]?.length
  return vectors.length === count && Array.from(vectors).every((vector) => vector?.length === size) ? vectors : null
}

/** Search by words finds the hits; the embedder reorders them. */
export async function findAgain(
  searcher: Searcher,
  request: SearchRequest & { limit: number },
  embedder: Embedder,
): Promise<Found> {
  const found = searcher.find({ ...request, limit: Math.max(MAX_HITS, request.limit) })
  // If a text was deleted meanwhile, its snippet is used.
  const texts = found.hits.map(({ doc, snippet, score }) => ({ text: textAround(searcher, doc) || snippet, score }))
  const { words } = parseOperators(request.query, { now: 0 })
  const { order, news } = await rerank(texts, words || request.query, embedder)
  const hits = order.flatMap((at) => found.hits[at] ?? []).slice(0, request.limit)
  return { ...found, hits, news: [...found.news, ...news] }
}

/** Includes the preceding and following entry: measured, most of the gain comes from them. */
function textAround({ index }: Searcher, doc: number): string {
  const { columns } = index
  const near = hasNeighbours(columns, doc) ? [columns.prev(doc), columns.next(doc)] : []
  const docs = [doc, ...near.filter((one) => one >= 0)]
  return docs.flatMap((one) => index.unitOf(one)?.text ?? []).join('\n')
}
