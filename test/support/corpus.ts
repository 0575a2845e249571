/** A store in memory for ranking and recall: documents as a test writes them, with the plainest engine that can be right. */
import { type Columns, type Engine, firstIdf, firstScore, voiceOf } from '../../src/core/search/engine.ts'
import { parseQuestion } from '../../src/core/search/question.ts'
import { type RankOptions, rank } from '../../src/core/search/rank.ts'
import { traitsOf } from '../../src/core/search/traits.ts'
import { KINDS, type Kind } from '../../src/kernel/memory/document.ts'
import { stemOf } from '../../src/kernel/text/token.ts'
import { tokenise } from '../../src/kernel/text/words.ts'

export interface Document {
  text: string
  kind: Kind
  /** Documents of one session stand next to each other; its number. */
  session: number
  /** ISO, or empty where nothing tells. */
  at: string
}

export interface Corpus {
  documents: readonly Document[]
  columns: Columns
  engine: Engine
}

const NOON = '2026-01-13T12:00:00Z'

export const said = (text: string, more: Partial<Document> = {}): Document => ({
  text,
  kind: 'prompt',
  session: 0,
  at: NOON,
  ...more,
})
export const answered = (text: string, more: Partial<Document> = {}): Document =>
  said(text, { kind: 'answer', ...more })
export const used = (text: string, more: Partial<Document> = {}): Document => said(text, { kind: 'tool', ...more })

/** Each in a session of its own: nothing is learnt from surroundings. */
export const apart = (documents: readonly Document[]): Document[] =>
  documents.map((document, session) => ({ ...document, session }))

/** Enough documents about other things for a word to be rare. */
export const others = (count: number, from = 1000): Document[] =>
  Array.from({ length: count }, (_, i) =>
    said(`filler${i} padding${i} remark${i} aside${i} nothing of note number${i}`, { session: from + i }),
  )

/** `dead`: documents that are gone; neighbours are the living ones. */
export function corpusOf(documents: readonly Document[], dead: readonly number[] = []): Corpus {
  const gone = new Set(dead)
  const tokens = documents.map(({ text }) => tokenise(text))
  const living = documents.map((_, doc) => doc).filter((doc) => !gone.has(doc))
  const { prev, next } = linksOf(documents, living)
  const columns: Columns = {
    count: documents.length,
    live: living.length,
    tokens: living.reduce((sum, doc) => sum + (tokens[doc]?.length ?? 0), 0),
    length: Uint32Array.from(tokens, ({ length }) => length),
    group: Uint32Array.from(documents, ({ session }) => session),
    prev,
    next,
    kind: Uint8Array.from(documents, ({ kind }) => KINDS.indexOf(kind)),
    flags: Uint16Array.from(documents, ({ text }) => traitsOf(text)),
    seconds: Uint32Array.from(documents, ({ at }) => (at === '' ? 0 : Date.parse(at) / 1000)),
    dead: Uint8Array.from(documents, (_, doc) => (gone.has(doc) ? 1 : 0)),
  }
  return { documents, columns, engine: engineOf(columns, tokens) }
}

function linksOf(documents: readonly Document[], living: readonly number[]): Pick<Columns, 'prev' | 'next'> {
  const prev = new Int32Array(documents.length).fill(-1)
  const next = new Int32Array(documents.length).fill(-1)
  for (const [i, doc] of living.entries()) {
    const before = living[i - 1]
    if (before === undefined || documents[before]?.session !== documents[doc]?.session) continue
    prev[doc] = before
    next[before] = doc
  }
  return { prev: (doc) => prev[doc] ?? -1, next: (doc) => next[doc] ?? -1 }
}

/** Every document is looked at for every word: slow, and nothing to get wrong. */
function engineOf(columns: Columns, tokens: readonly Uint32Array[]): Engine {
  const stems = tokens.map((own) => Array.from(own, stemOf))
  const timesIn = (doc: number, stem: number): number => stems[doc]?.filter((own) => own === stem).length ?? 0
  const living = stems.map((_, doc) => doc).filter((doc) => columns.dead[doc] === 0)
  return {
    look(asked, weights, limit, isWanted) {
      const mean = columns.tokens / columns.live
      const found = asked.map((stem) => living.filter((doc) => timesIn(doc, stem) > 0).length)
      const scoreOf = (doc: number): number => {
        const weight = weights[voiceOf(columns.kind[doc] ?? 0)] ?? 1
        return asked.reduce((sum, stem, i) => {
          const times = Array.from({ length: timesIn(doc, stem) }).reduce<number>((all) => all + weight, 0)
          return sum + firstScore(firstIdf(columns.live, found[i] ?? 0), times, columns.length[doc] ?? 0, mean)
        }, 0)
      }
      const scored = living
        .filter((doc) => isWanted === null || isWanted(doc))
        .map((doc) => ({ doc, score: Math.trunc(scoreOf(doc) * 1e9) }))
        .filter(({ doc }) => asked.some((stem) => timesIn(doc, stem) > 0))
        .sort((one, other) => other.score - one.score || other.doc - one.doc)
      return { docs: scored.slice(0, limit).map(({ doc }) => doc), found }
    },
    placesOf: (doc, asked) => {
      const pairs = Array.from(tokens[doc] ?? [], (token, place) => [place, token | 0] as const)
      return Int32Array.from(pairs.filter(([, token]) => asked.includes(stemOf(token))).flat())
    },
  }
}

/** Documents by their place, best first. */
export function find(corpus: Corpus, question: string, options: Partial<RankOptions> = {}): number[] {
  const { rows } = rank(parseQuestion(question), corpus.columns, corpus.engine, { limit: 10, ...options })
  return rows.map(({ doc }) => doc)
}
