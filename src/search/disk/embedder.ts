/** The embedder that the user configured at home, if any, and what it is for: the order of the first hits of a search. */

import { type Config, isEmbedderPlace } from '../../platform/config.ts'
import { KeeperError } from '../../platform/error.ts'
import { createRedactor, type Redactor } from '../../redact/redact.ts'
import { clip, cosine, type Embedder, fuse } from '../embedding.ts'

/** Deeper ones are not looked at by anybody, and each costs its reading. */
const MAX_HITS = 50

export interface EmbedderWorld {
  /** MEMORY_KEEPER_EMBEDDER_KEY, or empty. */
  key: string
  fetch: typeof fetch
  now: () => string
}

/** Null: none is configured. Opening sends nothing; an endpoint that does not answer is reported with the first search. */
export function openEmbedder(
  config: Pick<Config, 'embedder' | 'embedderModel' | 'redactPatterns'>,
  { key, fetch, now }: EmbedderWorld,
): Embedder | null {
  const place = config.embedder
  if (place === '') return null
  if (!isEmbedderPlace(place))
    return unusable(place, `embedder cannot be ${JSON.stringify(place)}: see memory-keeper config list`)
  const model = config.embedderModel
  if (model === '') return unusable(place, 'embedderModel is not set: memory-keeper config set embedderModel NAME')
  // Whoever keeps secrets in his own files does not thereby send them to somebody else's machine.
  const { redact } = createRedactor({ enabled: true, extraPatterns: config.redactPatterns })
  return openEndpoint({ url: place, model, key, redact, fetch, now })
}

/** What is wrong with the settings, without a full stop; null: nothing is, or no embedder is configured. */
export function problemOfEmbedder(place: string, model: string): string | null {
  if (place === '') return null
  if (!isEmbedderPlace(place)) return `${JSON.stringify(place)} is no address that may be asked`
  return model === '' ? 'embedderModel is not set: memory-keeper config set embedderModel NAME' : null
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

export interface Endpoint {
  url: string
  model: string
  /** From the environment, never stored; empty: none is sent. */
  key: string
  redact: Redactor
  fetch: typeof fetch
  now: () => string
}

const TIMEOUT_MS = 5000
/** The first request may have to wait for the model to be loaded; a second one finds it there. */
const TRIES = 2
/** A search sends the query and fifty hits: small enough that a model on a processor answers in time. */
const BATCH = 16
/** Searches of one session find the same entries again: 4 MB for 1,024 numbers a vector. */
const MAX_KEPT = 1000
/** A person waits for the first search at a dead endpoint, not for every one. */
const REST_MS = 60_000

function openEndpoint(endpoint: Endpoint): Embedder {
  const { host } = new URL(endpoint.url)
  let kept = new Map<string, Float32Array>()
  let restsUntil = 0
  const learn = async (known: Map<string, Float32Array>, inputs: readonly string[]): Promise<void> => {
    if (Date.parse(endpoint.now()) < restsUntil)
      throw failed(host, 'failed a moment ago, and is asked again in a minute')
    const said = await ask(endpoint, inputs)
    if ('problem' in said) {
      restsUntil = Date.parse(endpoint.now()) + REST_MS
      throw failed(host, said.problem, said.cause)
    }
    for (const [at, vector] of said.vectors.entries()) known.set(inputs[at] ?? '', vector)
  }
  return {
    name: `${endpoint.model} at ${host}`,
    async embed(texts) {
      // Another one, not an emptied one: a search that is under way goes on with its own.
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

type Said = { vectors: Float32Array[] } | { problem: string; isPassing: boolean; cause?: unknown }

async function ask(endpoint: Endpoint, inputs: readonly string[]): Promise<Said> {
  let said = await askOnce(endpoint, inputs)
  for (let tries = 1; tries < TRIES && 'problem' in said && said.isPassing; tries++)
    said = await askOnce(endpoint, inputs)
  return said
}

async function askOnce({ url, model, key, fetch }: Endpoint, input: readonly string[]): Promise<Said> {
  const headers = { 'content-type': 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) }
  try {
    const response = await fetch(addressOf(url), {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input }),
      // Whoever is redirected to was not configured by the user.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (!response.ok) {
      const { status } = response
      return { problem: `answered ${status}${hintOf(status, model)}`, isPassing: status === 429 || status >= 500 }
    }
    const vectors = readVectors(await response.json(), input.length)
    return vectors === null
      ? { problem: 'answered with something other than embeddings', isPassing: false }
      : { vectors }
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === 'TimeoutError'
    const isWrong = cause instanceof SyntaxError
    const problem = isLate
      ? `did not answer in ${TIMEOUT_MS / 1000} s`
      : isWrong
        ? 'answered no JSON'
        : 'cannot be reached'
    return { problem, isPassing: !isWrong, cause }
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

/** Null: not one vector for each text, all of one size. */
function readVectors(answer: unknown, count: number): Float32Array[] | null {
  const data = (answer as { data?: unknown } | null)?.data
  if (!Array.isArray(data) || data.length !== count) return null
  const vectors: Float32Array[] = []
  for (const [at, item] of data.entries()) {
    const { index = at, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown }
    if (typeof index !== 'number' || !isVector(embedding)) return null
    vectors[index] = Float32Array.from(embedding)
  }
  const size = vectors[0]?.length
  return vectors.length === count && Array.from(vectors).every((vector) => vector?.length === size) ? vectors : null
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number')
}

function failed(host: string, problem: string, cause?: unknown): KeeperError {
  return new KeeperError('embedder', `The embedder at ${host} ${problem}.`, { cause })
}
