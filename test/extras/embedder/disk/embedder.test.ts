import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { openEmbedder, rerank } from '../../../../src/extras/embedder/disk/embedder.ts'
import type { Embedder } from '../../../../src/extras/embedder/embedding.ts'

const NOW = (): string => '2026-05-05T12:00:00Z'
const noNetwork: typeof fetch = () => Promise.reject(new Error('nobody may be asked'))
const settings = (embedder: string, embedderModel = '', redactPatterns: string[] = []) => ({
  embedder,
  embedderModel,
  redactPatterns,
})
const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

interface Asked {
  url: string
  headers: IncomingMessage['headers']
  model: string
  input: string[]
}
type Answer = (asked: Asked, n: number) => { status?: number; headers?: Record<string, string>; body: unknown }

/** Speaks as Ollama does: the vector of a text is its length and its first character. */
async function serve(answer: Answer): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      const { model, input } = JSON.parse(body) as Asked
      asked.push({ url: request.url ?? '', headers: request.headers, model, input })
      const said = answer(asked.at(-1) as Asked, asked.length)
      response.writeHead(said.status ?? 200, said.headers)
      response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

const vectorOf = (text: string): number[] => [text.length, text.charCodeAt(0) || 0]
const embeddings: Answer = ({ input }) => ({
  body: { data: input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse() },
})

function openAt(url: string, more: { key?: string; now?: () => string; patterns?: string[] } = {}): Embedder {
  const world = { key: more.key ?? '', fetch, now: more.now ?? NOW }
  const embedder = openEmbedder(settings(url, 'bge-m3', more.patterns), world)
  if (embedder === null) throw new Error('no embedder')
  return embedder
}

describe('an endpoint', () => {
  it('is asked for the model at /embeddings, and its vectors come in the order of the texts', async () => {
    const { url, asked } = await serve(embeddings)
    const texts = Array.from({ length: 40 }, (_, n) => `${'x'.repeat(n)}y`)

    expect(await openAt(url).embed(texts)).toEqual(texts.map((text) => Float32Array.from(vectorOf(text))))
    expect(asked.flatMap(({ input }) => input)).toEqual(texts)
    expect(asked.length).toBeGreaterThan(1)
    expect(new Set(asked.map(({ url: path, model }) => `${path} ${model}`))).toEqual(new Set(['/v1/embeddings bge-m3']))
  })

  it('may be named with its whole path, or with a slash behind', async () => {
    const { url, asked } = await serve(embeddings)
    for (const name of [`${url}/`, `${url}/embeddings`]) await openAt(name).embed(['a'])

    expect(asked.map(({ url: path }) => path)).toEqual(['/v1/embeddings', '/v1/embeddings'])
  })

  it('gets the key from the environment, and none where there is none', async () => {
    const { url, asked } = await serve(embeddings)
    await openAt(url, { key: 'from-env' }).embed(['a'])
    await openAt(url).embed(['a'])

    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer from-env', undefined])
  })

  it('never sees a secret, a private block or what the user wants redacted, not even half of it', async () => {
    const { url, asked } = await serve(embeddings)
    const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT'.repeat(2).slice(0, 36)}`
    await openAt(url, { patterns: ['acme-[0-9]+'] }).embed([
      `push with ${token}`,
      'a <private>b</private> c',
      'see acme-4711',
      `${'word '.repeat(197)}${token}`,
    ])
    const sent = JSON.stringify(asked)

    for (const secret of ['ghp_', '>b<', '4711']) expect(sent).not.toContain(secret)
    expect(asked[0]?.input[1]).toBe('a [private] c')
  })

  it('is sent each text once, however often it is searched for, and no empty one', async () => {
    const { url, asked } = await serve(embeddings)
    const embedder = openAt(url)
    await embedder.embed(['a', 'b', 'a', ''])
    await embedder.embed(['b', 'c'])

    expect(asked.map(({ input }) => input)).toEqual([['a', 'b', '-'], ['c']])
  })

  it.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['nothing', null],
    ['too few', { data: [] }],
    ['the same one twice', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }],
    ['one outside', { data: [0, 7].map((index) => ({ index, embedding: [1] })) }],
    ['different sizes', { data: [0, 1].map((index) => ({ index, embedding: index === 0 ? [1] : [1, 2] })) }],
    ['no numbers', { data: [0, 1].map((index) => ({ index, embedding: ['1'] })) }],
    ['null in it', { data: [null, null] }],
  ])('is not believed when it answers with %s', async (_, body) => {
    const { url } = await serve(() => ({ body }))

    await expect(openAt(url).embed(['a', 'b'])).rejects.toMatchObject({ code: 'embedder' })
  })

  it('is not followed to another place', async () => {
    const other = await serve(embeddings)
    const { url } = await serve(() => ({ status: 307, headers: { location: `${other.url}/embeddings` }, body: '' }))

    await expect(openAt(url).embed(['a'])).rejects.toMatchObject({ code: 'embedder' })
    expect(other.asked).toEqual([])
  })

  it('is waited for five seconds, and then left alone for a minute', async () => {
    let minute = 0
    let calls = 0
    const late: typeof fetch = (_, init) => {
      calls++
      expect(init?.signal).toBeInstanceOf(AbortSignal)
      return Promise.reject(new DOMException('late', 'TimeoutError'))
    }
    const now = (): string => new Date(Date.UTC(2026, 4, 5, 12, minute)).toISOString()
    const embedder = openEmbedder(settings('http://127.0.0.1:1/v1', 'm'), { key: '', fetch: late, now })

    await expect(embedder?.embed(['a'])).rejects.toThrow(/5 s/)
    await expect(embedder?.embed(['a'])).rejects.toThrow(/a moment ago/)
    expect(calls).toBe(1)
    minute = 1
    await expect(embedder?.embed(['a'])).rejects.toThrow(/5 s/)
    expect(calls).toBe(2)
  })
})

describe('what is configured', () => {
  const world = { key: '', fetch: noNetwork, now: NOW }

  it('is nothing by default', () => {
    expect(openEmbedder(settings(''), world)).toBeNull()
  })

  it.each([
    ['http://example.com/v1', 'm'],
    ['models/potion', ''],
    ['http://127.0.0.1:11434/v1', ''],
  ])('is refused with a word about why, and nobody is asked: %s %j', async (place, model) => {
    await expect(openEmbedder(settings(place, model), world)?.embed(['a'])).rejects.toMatchObject({
      code: 'embedder',
      message: expect.stringMatching(/embedderModel|not an allowed address/),
    })
  })
})

describe('re-ranking', () => {
  const hit = (text: string, score: number) => ({ text, score })
  /** ReadTrace at one thing only: whether a text speaks of the clock. */
  const clock: Embedder = {
    name: 'clock',
    embed: async (texts) => texts.map((text) => Float32Array.from(text.includes('clock') ? [1, 0] : [0, 1])),
  }
  const failing: Embedder = { name: 'none', embed: () => Promise.reject(new Error('gone')) }

  it('moves up what means the same, where words are worth nearly the same', async () => {
    const hits = [hit('cookies', 9), hit('the clock was late', 8.8), hit('other', 1)]

    expect(await rerank(hits, 'why did the clock drift', clock)).toEqual({ order: [1, 0, 2], news: [] })
  })

  it('keeps the order and says why when the embedder fails', async () => {
    expect(await rerank([hit('a', 2), hit('b', 1)], 'q', failing)).toEqual({
      order: [0, 1],
      news: [expect.stringContaining('gone')],
    })
  })

  it('asks for nothing where there is nothing to order', async () => {
    expect(await rerank([], 'q', failing)).toEqual({ order: [], news: [] })
    expect(await rerank([hit('a', 1)], 'q', failing)).toEqual({ order: [0], news: [] })
  })

  it('reads the first fifty only, and drops none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('clock', 'cookie'), { maxLength: 80 }), async (texts) => {
        let read = 0
        const counting: Embedder = {
          name: 'counting',
          embed: (some) => {
            read += some.length
            return clock.embed(some)
          },
        }
        const { order } = await rerank(
          texts.map((text, at) => hit(text, 100 - at)),
          'clock',
          counting,
        )
        expect(order.toSorted((a, b) => a - b)).toEqual(texts.map((_, at) => at))
        expect(order.slice(50)).toEqual(texts.map((_, at) => at).slice(50))
        expect(read).toBeLessThanOrEqual(51)
      }),
    )
  })
})
