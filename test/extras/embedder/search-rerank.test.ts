/** Search with an embedder: another order of the same hits, and none lost when it fails. */
import { describe, expect, it } from 'vitest'
import { openSearcher, type Searcher } from '../../../src/core/search/disk/search.ts'
import { findAgain } from '../../../src/extras/embedder/disk/embedder.ts'
import type { Embedder } from '../../../src/extras/embedder/embedding.ts'
import { append, linesFor, now, quietProject, sessionId, storeOf } from '../../support/project.ts'
import { stop } from '../../support/world.ts'

const TEXTS = ['the harbour at night', 'the harbour by day', 'ships in the harbour', 'the harbour is a mystery']

function searching(): Searcher {
  const project = quietProject()
  const lines = linesFor(sessionId(1), project.root)
  append(project.transcriptOf(sessionId(1)), TEXTS.map((text, n) => lines.prompt(n, text)).join(''))
  stop(project)
  return openSearcher(storeOf(project), { cacheDir: '', now })
}

/** Whatever speaks of ships is near to any question. */
function likesShips(seen: string[]): Embedder {
  return {
    name: 'ships',
    embed: async (texts) => {
      seen.push(...texts)
      return texts.map((text, i) => Float32Array.of(i === 0 || text.startsWith('ships') ? 1 : 0, 1))
    },
  }
}

describe('search with an embedder', () => {
  it('puts first what the embedder likes, from the words of the memory itself, and asks for no more than was wanted', async () => {
    const seen: string[] = []
    const { hits } = await findAgain(searching(), { query: 'harbour type:prompt', limit: 2 }, likesShips(seen))

    expect(hits.map(({ id }) => id)[0]).toBe('L1:00000001#2')
    expect(hits).toHaveLength(2)
    expect(seen[0]).toBe('harbour')
    // Each with what was said before and after it, itself first.
    expect(
      seen
        .slice(1)
        .map((text) => text.split('\n')[0])
        .toSorted(),
    ).toEqual(TEXTS.toSorted())
    expect(seen).toContain('ships in the harbour\nthe harbour by day\nthe harbour is a mystery')
  })

  it('finds the same when the embedder fails, and says so', async () => {
    const searcher = searching()
    const plain = searcher.find({ query: 'harbour', limit: 3 })
    const failing: Embedder = { name: 'x', embed: async () => Promise.reject(new Error('no such model')) }
    const failed = await findAgain(searcher, { query: 'harbour', limit: 3 }, failing)

    expect(failed.hits.map(({ id }) => id)).toEqual(plain.hits.map(({ id }) => id))
    expect(failed.news.join(' ')).toContain('no such model')
  })
})
