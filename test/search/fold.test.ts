import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KINDS } from '../../src/search/corpus.ts'
import { type Foldable, foldHits } from '../../src/search/fold.ts'

const STATED: readonly string[] = ['decision', 'pattern', 'issue', 'rule', 'concept']

let texts = 0

function hit(id: string, more: Partial<Foldable> = {}): Foldable {
  return {
    id,
    kind: 'note',
    session: null,
    n: 0,
    about: '',
    text: `text ${texts++}`,
    state: '',
    held: new Set([1]),
    ...more,
  }
}
const entry = (n: number, more: Partial<Foldable> = {}): Foldable =>
  hit(`L1:aaaa1111#${n}`, { kind: 'answer', session: 'aaaa1111', n, ...more })
const shape = (hits: readonly Foldable[]): string[] =>
  foldHits(hits).map(({ hit: { id }, also }) => [id, ...also.map((one) => one.id)].join(' '))

describe('folding', () => {
  const note = hit('n-1', { about: 'aaaa1111#10-40' })

  it('does not hide what no longer holds below something that does not say so', () => {
    const old = hit('d1', { kind: 'decision', about: 'aaaa1111#12-12', state: 'superseded' })
    const whole = hit('S:1', { kind: 'session', about: 'aaaa1111#0-40' })

    expect(shape([whole, old])).toEqual(['S:1', 'd1'])
    expect(shape([old, whole])).toEqual(['d1 S:1'])
  })

  it('takes a note and an entry it tells of as one, whichever is better', () => {
    expect(shape([note, entry(12)])).toEqual(['n-1 L1:aaaa1111#12'])
    expect(shape([entry(12), note])).toEqual(['L1:aaaa1111#12 n-1'])
  })

  it('leaves what the note does not tell of', () => {
    expect(shape([note, entry(9), entry(41), entry(12, { session: 'bbbb2222', id: 'other' })])).toHaveLength(4)
  })

  it('leaves an entry that answers more of the question than the note above it', () => {
    expect(shape([note, entry(12, { held: new Set([1, 2]) })])).toHaveLength(2)
  })

  it('leaves all where nothing was asked for, but a fact beside its proof', () => {
    const held = new Set<number>()
    const fact = hit('d001', { kind: 'decision', about: 'aaaa1111#12-12', held })

    expect(shape([{ ...note, held }, entry(11, { held }), entry(12, { held }), fact])).toEqual([
      'n-1',
      'L1:aaaa1111#11',
      'L1:aaaa1111#12 d001',
    ])
  })

  it('takes a fact and its proof as one, whatever they hold', () => {
    const fact = hit('d001', { kind: 'decision', about: 'aaaa1111#12-12' })

    expect(shape([fact, entry(12, { held: new Set([1, 2]) }), entry(13)])).toEqual([
      'd001 L1:aaaa1111#12',
      'L1:aaaa1111#13',
    ])
    expect(shape([note, fact])).toEqual(['n-1 d001'])
  })

  it('keeps what was decided, learned or ruled apart, said in one breath or in the same words', () => {
    const about = 'aaaa1111#12-12'
    const stated = (['decision', 'pattern', 'issue', 'rule', 'concept'] as const).map((kind) =>
      hit(kind, { kind, about }),
    )
    const said = stated.map((one) => ({ ...one, text: 'the same words' }))

    expect(shape(stated)).toHaveLength(5)
    expect(shape(said)).toHaveLength(5)
    expect(shape([...said.slice(0, 2), entry(30, { text: 'The same words' })])).toEqual([
      'decision L1:aaaa1111#30',
      'pattern',
    ])
  })

  it('keeps entries apart, also those that one note tells of', () => {
    expect(shape([entry(12), entry(13), note])).toEqual(['L1:aaaa1111#12 n-1', 'L1:aaaa1111#13'])
  })

  it('puts notes into the summary of their session, but no entries', () => {
    const session = hit('S:aaaa1111', { kind: 'session', about: 'aaaa1111#0-99' })

    expect(shape([session, note, entry(12)])).toEqual(['S:aaaa1111 n-1', 'L1:aaaa1111#12'])
  })

  it('tells the same words once, wherever they were said', () => {
    const said = { text: 'Run the  Tests' }

    expect(shape([entry(1, said), hit('x', { ...said, text: 'run the tests' }), entry(2)])).toEqual([
      'L1:aaaa1111#1 x',
      'L1:aaaa1111#2',
    ])
  })

  it('loses nothing, tells nothing twice, and keeps the order', () => {
    const any = fc.record({
      kind: fc.constantFrom(...KINDS),
      session: fc.constantFrom('aaaa1111', 'bbbb2222', null),
      n: fc.nat(9),
      about: fc.oneof(
        fc.constantFrom('', 'nonsense', 'aaaa1111#5-2'),
        fc.tuple(fc.nat(9), fc.nat(9)).map(([a, b]) => `aaaa1111#${Math.min(a, b)}-${Math.max(a, b)}`),
      ),
      text: fc.constantFrom('a', 'A', 'b', 'c', 'd', 'e'),
      state: fc.constantFrom('', 'superseded', 'resolved'),
      held: fc.uniqueArray(fc.nat(3)).map((words) => new Set(words)),
    })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (list) => {
        const hits = list.map((one, i) => ({ ...one, id: String(i) }))
        const folded = foldHits(hits)
        const numbers = folded.map((one) => Number(one.hit.id))

        expect(
          folded
            .flatMap((one) => [one.hit, ...one.also])
            .map(({ id }) => Number(id))
            .toSorted((a, b) => a - b),
        ).toEqual(hits.map((_, i) => i))
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
        for (const { hit: best, also } of folded)
          for (const one of also) {
            expect(Number(one.id)).toBeGreaterThan(Number(best.id))
            expect(STATED.includes(best.kind) && STATED.includes(one.kind)).toBe(false)
          }
      }),
    )
  })
})
