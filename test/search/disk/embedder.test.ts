import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { openEmbedder, rerank } from '../../../src/search/disk/embedder.ts'
import type { Embedder } from '../../../src/search/embedding.ts'

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

function tempDir(): string {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-embedder-'))
  cleanUps.push(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

type Dtype = 'F32' | 'F16' | 'I8' | 'F64' | 'I32' | 'I64'
interface Tensor {
  dtype: Dtype
  shape: number[]
  numbers: readonly number[]
}

const WRITE: Record<Dtype, (numbers: readonly number[]) => Buffer> = {
  F64: (numbers) => Buffer.from(Float64Array.from(numbers).buffer),
  F32: (numbers) => Buffer.from(Float32Array.from(numbers).buffer),
  // Only numbers that sixteen bits hold: see `halves`.
  F16: (numbers) => Buffer.from(Uint16Array.from(numbers, (value) => HALVES.get(value) ?? 0).buffer),
  I8: (numbers) => Buffer.from(Int8Array.from(numbers).buffer),
  I32: (numbers) => Buffer.from(Int32Array.from(numbers).buffer),
  I64: (numbers) => Buffer.from(BigInt64Array.from(numbers, BigInt).buffer),
}
/** From the standard's own examples: bits of some halves, the smallest and the largest ones among them. */
const HALVES = new Map<number, number>([
  [0, 0x0000],
  [1, 0x3c00],
  [-2, 0xc000],
  [0.5, 0x3800],
  [65504, 0x7bff],
  [2 ** -24, 0x0001],
  [1 + 2 ** -10, 0x3c01],
  [-(2 ** -14), 0x8400],
])

function writeModel(tensors: Record<string, Tensor>, tokenizer: unknown): string {
  const dir = tempDir()
  let at = 0
  const parts: Buffer[] = []
  const header: Record<string, unknown> = { __metadata__: { made: 'by hand' } }
  for (const [name, { dtype, shape, numbers }] of Object.entries(tensors)) {
    const bytes = WRITE[dtype](numbers)
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] }
    at += bytes.length
    parts.push(bytes)
  }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  writeFileSync(path.join(dir, 'model.safetensors'), Buffer.concat([length, json, ...parts]))
  writeFileSync(path.join(dir, 'tokenizer.json'), JSON.stringify(tokenizer))
  return dir
}

const WORDS = ['[UNK]', 'login', 'token', 'expired', 'because', 'clock', 'drift', 'the', 'server', 'cookie']
const TOKENIZER = {
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  model: { type: 'WordPiece', unk_token: '[UNK]', vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])) },
}
const SIZE = 6
/** Random, the same in every run. */
const NUMBERS = Array.from({ length: WORDS.length * SIZE }, (_, at) => Math.fround(Math.sin(at * 12.9898) * 3))
const matrix = (dtype: Dtype, numbers: readonly number[] = NUMBERS): Tensor => ({
  dtype,
  shape: [numbers.length / SIZE, SIZE],
  numbers,
})

function open(folder: string): Embedder {
  const embedder = openEmbedder(settings(folder), { key: '', fetch: noNetwork, now: NOW })
  if (embedder === null) throw new Error('no embedder')
  return embedder
}

/** Word by word and number by number, as a person would with paper. */
function byHand(
  text: string,
  numbers: readonly number[],
  weightOf: (id: number) => number,
  rowOf = (id: number) => id,
): number[] {
  const sum = new Array<number>(SIZE).fill(0)
  for (const word of text.toLowerCase().split(' ')) {
    const id = WORDS.indexOf(word)
    if (id < 1) continue
    for (let i = 0; i < SIZE; i++) sum[i] = (sum[i] ?? 0) + weightOf(id) * (numbers[rowOf(id) * SIZE + i] ?? 0)
  }
  const length = Math.sqrt(sum.map((value) => value * value).reduce((a, b) => a + b))
  return sum.map((value) => (length === 0 ? 0 : value / length))
}

function expectAlike(vector: Float32Array | undefined, numbers: readonly number[]): void {
  expect(vector).toHaveLength(numbers.length)
  numbers.forEach((value, at) => {
    expect(vector?.[at]).toBeCloseTo(value, 5)
  })
}

describe('a model2vec folder', () => {
  const texts = fc
    .array(fc.constantFrom(...WORDS.slice(1), 'Login', 'neverheard'), { maxLength: 12 })
    .map((words) => words.join(' '))

  it('gives the mean of the words it knows, for whatever text', async () => {
    const embedder = open(writeModel({ embeddings: matrix('F32') }, TOKENIZER))
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 4 }), async (some) => {
        const vectors = await embedder.embed(some)
        expect(vectors).toHaveLength(some.length)
        some.forEach((text, at) => {
          expectAlike(
            vectors[at],
            byHand(text, NUMBERS, () => 1),
          )
        })
      }),
    )
  })

  it('weighs tokens and maps them to shared rows where the model says so', async () => {
    const weights = WORDS.map((_, id) => 1 / (id + 1))
    const mapping = WORDS.map((_, id) => id % 4)
    const rows = NUMBERS.slice(0, 4 * SIZE)
    const [first] = await open(
      writeModel(
        {
          weights: { dtype: 'F64', shape: [WORDS.length], numbers: weights },
          mapping: { dtype: 'I64', shape: [WORDS.length], numbers: mapping },
          embeddings: matrix('F32', rows),
        },
        TOKENIZER,
      ),
    ).embed(['the login cookie expired'])

    expectAlike(
      first,
      byHand(
        'the login cookie expired',
        rows,
        (id) => weights[id] ?? 0,
        (id) => mapping[id] ?? 0,
      ),
    )
  })

  it.each<[Dtype, number[]]>([
    ['F16', [...HALVES.keys()]],
    ['I8', [-128, 127, 0, 5, -3, 64, 1]],
    ['F64', [0.1, -7.25, 3]],
  ])('reads numbers of type %s', async (dtype, some) => {
    const numbers = NUMBERS.map((_, at) => some[(at * 5) % some.length] ?? 0)
    const [vector] = await open(writeModel({ embeddings: matrix(dtype, numbers) }, TOKENIZER)).embed([
      'token drift server',
    ])

    expectAlike(
      vector,
      byHand('token drift server', numbers, () => 1),
    )
  })

  it('knows the name that Sentence Transformers give the matrix', async () => {
    const [vector] = await open(writeModel({ 'embedding.weight': matrix('F32') }, TOKENIZER)).embed(['cookie'])

    expectAlike(
      vector,
      byHand('cookie', NUMBERS, () => 1),
    )
  })

  it('is all zeros for a text it knows nothing of', async () => {
    expect(await open(writeModel({ embeddings: matrix('F32') }, TOKENIZER)).embed(['xyzzy', ''])).toEqual([
      new Float32Array(SIZE),
      new Float32Array(SIZE),
    ])
  })

  it('is opened without a look at the disk, and says what is missing when it is used', async () => {
    const dir = tempDir()
    const embedder = open(dir)
    await expect(embedder.embed(['a'])).rejects.toMatchObject({
      code: 'embedder',
      message: expect.stringMatching(/model\.safetensors.*tokenizer\.json/),
    })
    writeFileSync(path.join(dir, 'tokenizer.json'), '{}')
    await expect(embedder.embed(['a'])).rejects.toThrow(/no model\.safetensors\./)
    await expect(open(path.join(dir, 'not-there')).embed(['a'])).rejects.toMatchObject({ code: 'embedder' })
  })

  it('says what is wrong with a file that is cut off or is something else', async () => {
    const broken = (change: (dir: string) => void): Promise<unknown> => {
      const dir = writeModel({ embeddings: matrix('F32') }, TOKENIZER)
      change(dir)
      return open(dir).embed(['login'])
    }
    const writing = (name: string, content: string | Buffer) => (dir: string) =>
      writeFileSync(path.join(dir, name), content)
    const cut = writeModel({ embeddings: matrix('F32') }, TOKENIZER)
    const { readFileSync } = await import('node:fs')
    const whole = readFileSync(path.join(cut, 'model.safetensors'))
    for (const content of ['', 'version https://git-lfs', whole.subarray(0, whole.length - 1), whole.subarray(0, 40)])
      await expect(broken(writing('model.safetensors', content))).rejects.toMatchObject({ code: 'embedder' })
    for (const content of ['', '{', '5', '{"model":{"type":"BPE"}}'])
      await expect(broken(writing('tokenizer.json', content))).rejects.toMatchObject({ code: 'embedder' })
  })

  it('refuses a matrix of another vocabulary, of another shape, of numbers it cannot read', async () => {
    const login = (tensors: Record<string, unknown>): Promise<unknown> =>
      open(writeModel(tensors as Record<string, Tensor>, TOKENIZER)).embed(['the login'])

    await expect(login({ embeddings: matrix('F32', NUMBERS.slice(0, 3 * SIZE)) })).rejects.toThrow(/belong together/)
    await expect(login({ embeddings: { ...matrix('F32'), shape: [NUMBERS.length] } })).rejects.toMatchObject({
      code: 'embedder',
    })
    await expect(login({ weights: matrix('F32') })).rejects.toThrow(/embeddings/)
  })
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

  it('is asked once more when it fails in passing, and not when it refuses', async () => {
    const passing = await serve((asked, n) => (n === 1 ? { status: 503, body: '' } : embeddings(asked, n)))
    const refusing = await serve(() => ({ status: 404, body: { error: 'no such model' } }))

    expect(await openAt(passing.url).embed(['a'])).toHaveLength(1)
    await expect(openAt(refusing.url).embed(['a'])).rejects.toMatchObject({
      code: 'embedder',
      message: expect.stringContaining('404'),
    })
    expect([passing.asked.length, refusing.asked.length]).toEqual([2, 1])
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

  it('is waited for five seconds, twice, and then left alone for a minute', async () => {
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
    expect(calls).toBe(2)
    minute = 1
    await expect(embedder?.embed(['a'])).rejects.toThrow(/5 s/)
    expect(calls).toBe(4)
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
      message: expect.stringContaining('embedder'),
    })
  })
})

describe('re-ranking', () => {
  const hit = (text: string, score: number) => ({ text, score })
  /** Looks at one thing only: whether a text speaks of the clock. */
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
