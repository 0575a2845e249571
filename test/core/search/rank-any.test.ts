/** What holds of the ranking for any store and any question. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layerOf } from '../../../src/core/search/corpus.ts'
import { parseQuestion } from '../../../src/core/search/question.ts'
import { type Ranked, rank } from '../../../src/core/search/rank.ts'
import { KINDS, type Kind } from '../../../src/kernel/memory/document.ts'
import { answered, type Corpus, corpusOf, find, said } from '../../support/corpus.ts'

const rows = (corpus: Corpus, question: string): Ranked[] =>
  rank(parseQuestion(question), corpus.columns, corpus.engine, { limit: 100 }).rows

describe('any store and any question', () => {
  const vocabulary = [
    'gateway',
    'lock',
    'timeout',
    'wombat',
    'I',
    'yesterday',
    '메모리를',
    '검색',
    'getUserById',
    'ok',
    'is',
  ]
  const text = fc.array(fc.constantFrom(...vocabulary), { maxLength: 12 }).map((words) => words.join(' '))
  const at = fc.constantFrom('', '2025-12-31T23:00:00Z', '2026-01-13T12:00:00Z')
  // A source holds either the entries of a session, or what was kept.
  const kindsOf = (layers: readonly string[]): Kind[] => KINDS.filter((kind) => layers.includes(layerOf(kind)))
  const entry = fc.record({ text, kind: fc.constantFrom(...kindsOf(['L1'])), session: fc.constantFrom(0, 1), at })
  const kept = fc.record({ text, kind: fc.constantFrom(...kindsOf(['L2', 'L3'])), session: fc.constantFrom(2, 3), at })
  const document = fc.oneof({ arbitrary: entry, weight: 3 }, kept)
  const store = fc
    .tuple(fc.array(document, { maxLength: 25 }), fc.array(fc.nat(24), { maxLength: 4 }))
    .map(([documents, dead]) => {
      const inOrder = documents.toSorted((one, other) => one.session - other.session)
      return corpusOf(
        inOrder,
        [...new Set(dead)].filter((doc) => doc < inOrder.length),
      )
    })
  const question = fc
    .tuple(text, fc.constantFrom('', ' in January', ' on 2026-01-13', ' why?'))
    .map((parts) => parts.join(''))

  it('give living documents with sound scores, best first, none twice, the same each time', () => {
    fc.assert(
      fc.property(store, question, (corpus, asked) => {
        const found = rows(corpus, asked)

        expect(new Set(found.map(({ doc }) => doc)).size).toBe(found.length)
        for (const [i, { doc, score }] of found.entries()) {
          expect(corpus.columns.dead[doc]).toBe(0)
          expect(score).toBeGreaterThan(0)
          expect(score).toBeLessThanOrEqual(found[i - 1]?.score ?? Number.MAX_VALUE)
        }
        expect(rows(corpus, asked)).toEqual(found)
      }),
      { numRuns: 300 },
    )
  })

  it('give only documents that hold a word, or stand beside one that does, and all that hold one', () => {
    fc.assert(
      fc.property(store, question, (corpus, asked) => {
        const { columns, engine } = corpus
        const stems = parseQuestion(asked).terms.map(({ stem }) => stem)
        const holds = (doc: number): boolean => doc >= 0 && engine.placesOf(doc, stems).length > 0
        const beside = (doc: number): number[] =>
          [columns.prev, columns.next].flatMap((one) => [one(doc), one(doc) < 0 ? -1 : one(one(doc))])
        const found = find(corpus, asked, { limit: 100 })

        for (const doc of found) expect(holds(doc) || beside(doc).some(holds)).toBe(true)
        const holding = corpus.documents.flatMap((_, doc) => (columns.dead[doc] === 0 && holds(doc) ? [doc] : []))
        expect(holding.filter((doc) => !found.includes(doc))).toEqual([])
      }),
    )
  })

  it('give the beginning of the same list for a smaller limit', () => {
    fc.assert(
      fc.property(store, question, fc.nat(30), (corpus, asked, limit) => {
        expect(find(corpus, asked, { limit })).toEqual(find(corpus, asked, { limit: 100 }).slice(0, limit))
      }),
    )
  })

  it('give nothing that is not wanted, and everything that holds a word and is', () => {
    fc.assert(
      fc.property(store, question, fc.nat(3), (corpus, asked, session) => {
        const isWanted = (doc: number): boolean => corpus.columns.group[doc] === session
        const found = find(corpus, asked, { limit: 100, isWanted })

        expect(found.every(isWanted)).toBe(true)
        const all = find(corpus, asked, { limit: 100 }).filter(isWanted)
        expect(found.toSorted((a, b) => a - b)).toEqual(all.toSorted((a, b) => a - b))
      }),
    )
  })

  it('count in how many living documents each word stands', () => {
    fc.assert(
      fc.property(store, question, ({ columns, engine, documents }, asked) => {
        const parsed = parseQuestion(asked)
        const { found } = rank(parsed, columns, engine, { limit: 5 })
        const holding = parsed.terms.map(
          ({ stem }) =>
            documents.filter((_, doc) => columns.dead[doc] === 0 && engine.placesOf(doc, [stem]).length > 0).length,
        )

        expect(found).toEqual(holding)
      }),
    )
  })
})

it('the order of results does not depend on how many are asked for, in a store with more candidates than are ranked', () => {
  const many = Array.from({ length: 400 }, (_, i) =>
    (i % 2 === 0 ? said : answered)(`gateway ${'word '.repeat(i % 17)} ${i % 5 === 0 ? 'timeout' : ''}`, {
      session: i >> 3,
    }),
  )
  const corpus = corpusOf(many)
  const all = find(corpus, 'gateway timeout', { limit: 100 })

  for (const limit of [1, 10, 50]) expect(find(corpus, 'gateway timeout', { limit })).toEqual(all.slice(0, limit))
})
