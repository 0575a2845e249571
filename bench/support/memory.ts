/** A conversation in a memory of its own, opened as search opens it. */

import type { SearchIndex } from '../../src/core/search/disk/memory-index.ts'
import { openSearcher, type Searcher } from '../../src/core/search/disk/search.ts'
import type { Engine } from '../../src/core/search/engine.ts'
import { parseQuestion } from '../../src/core/search/question.ts'
import { rank, type Weights } from '../../src/core/search/rank.ts'
import { type Dialogue, now, type Said, writeDialogue } from './corpus.ts'
import type { Conversation } from './locomo.ts'

export interface Memory extends Conversation {
  dialogue: Dialogue
  searcher: Searcher
  /** Of the index, remembering what it was asked: a thousand rankings ask for the same. */
  engine: Engine
}

export type Find = (memory: Memory, question: string, limit: number) => Said[]

/** Search asks ranking for so many more than it shows: some are folded. */
const ASKED_PER_HIT = 2
const EQUAL = [1, 1, 1, 1] as const

export function remember(conversation: Conversation): Memory {
  const dialogue = writeDialogue(conversation.said)
  const searcher = openSearcher(dialogue.place.store, { cacheDir: dialogue.place.cacheDir, now })
  if (!searcher.index.refresh()) throw new Error('the index is not complete')
  return { ...conversation, dialogue, searcher, engine: remembering(searcher.index) }
}

export function forget({ dialogue, searcher }: Memory): void {
  searcher.close()
  dialogue.place.remove()
}

/** What every door calls. */
export const shipped: Find = ({ dialogue, searcher }, query, limit) =>
  searcher.find({ query, limit }).hits.flatMap(({ session, entry }) => dialogue.saidAt(session, entry) ?? [])

/** Plain BM25 over our words: the first look of the engine. */
export const firstLook: Find = (memory, question, limit) => {
  const stems = parseQuestion(question).terms.map(({ stem }) => stem)
  return saidIn(memory, memory.engine.look(stems, EQUAL, limit, null).docs)
}

/** The one ranking, as search calls it, with other weights. */
export function rankedBy(weights: Weights): Find {
  return (memory, question, limit) => {
    const { index } = memory.searcher
    const options = { limit: limit * ASKED_PER_HIT, weights }
    const { rows } = rank(parseQuestion(question), index.columns, memory.engine, options)
    return saidIn(
      memory,
      rows.slice(0, limit).map(({ doc }) => doc),
    )
  }
}

function saidIn({ dialogue, searcher }: Memory, docs: readonly number[]): Said[] {
  return docs.flatMap((doc) => {
    const { session, n } = searcher.index.placeOf(doc)
    return dialogue.saidAt(session, n) ?? []
  })
}

function remembering({ engine }: SearchIndex): Engine {
  const looks = new Map<string, ReturnType<Engine['look']>>()
  const places = new Map<string, Int32Array>()
  return {
    look: (stems, weights, limit, isWanted) => {
      const key = [...stems, '', ...weights, limit].join()
      const look = looks.get(key) ?? engine.look(stems, weights, limit, isWanted)
      looks.set(key, look)
      return look
    },
    placesOf: (doc, stems) => {
      const key = `${doc} ${stems}`
      const own = places.get(key) ?? engine.placesOf(doc, stems).slice()
      places.set(key, own)
      return own
    },
  }
}
