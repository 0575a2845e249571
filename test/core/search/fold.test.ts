import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layerOf } from '../../../src/core/search/corpus.ts'
import { type Foldable, foldHits } from '../../../src/core/search/fold.ts'
import { KINDS } from '../../../src/kernel/memory/document.ts'

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
  const session = hit('S:1', { kind: 'session', about: 'aaaa1111#0-99' })
  const fact = hit('d001', { kind: 'decision', about: 'aaaa1111#12-12', state: 'fresh' })
  const old = { ...fact, id: 'd000', state: 'superseded' }
  const [e11, e12, e13] = [entry(11), entry(12), entry(13)]
  const more = { held: new Set([1, 2]) }
  const none = { held: new Set<number>() }
  const same = { text: 'Run the  Tests' }

  it.each<[string, Foldable[], string[]]>([
    ['a note and its entry, at the better rank, shown by the entry', [note, e11, e12], ['#11 n-1', '#12']],
    ['an entry and the note about it', [e12, note, e13], ['#12 n-1', '#13']],
    ['also when the entry has more words of the question', [note, entry(12, more)], ['#12 n-1']],
    ['also when the note has', [e12, { ...note, ...more }], ['#12 n-1']],
    ['a fact and its entry, in any order', [fact, entry(12, more), e13], ['d001 #12', '#13']],
    ['a fact below its entry', [e12, fact], ['#12 d001']],
    ['no entry outside the note', [note, entry(9), entry(41)], ['n-1', '#9', '#41']],
    ['no entry of another session', [note, entry(12, { session: 'bbbb2222' })], ['n-1', '#12']],
    [
      'a note and the summary of its session, and the best entry of the note',
      [session, note, e12, e13],
      ['#12 S:1 n-1', '#13'],
    ],
    ['a session and its entries are no event', [session, e12], ['S:1', '#12']],
    [
      'one decision that a machine, a teammate and this memory hold in the same words',
      [
        hit('d009', { kind: 'decision', ...same }),
        hit('laptop:d001', { kind: 'decision', ...same }),
        hit('alice:d004-abc', { kind: 'decision', ...same }),
      ],
      ['d009 laptop:d001 alice:d004-abc'],
    ],
    [
      'two decisions of this memory in the same words',
      [hit('d009', { kind: 'decision', ...same }), hit('d010', { kind: 'decision', ...same })],
      ['d009', 'd010'],
    ],
    ['a superseded fact is not hidden below its entry', [e12, old], ['#12', 'd000']],
    ['the entry of a superseded fact stays below it', [old, e12], ['d000 #12']],
    ['a fact is not hidden below a note or a summary', [note, session, fact], ['n-1 S:1', 'd001']],
    [
      'without a question only a fact and its entry',
      [{ ...note, ...none }, entry(12, none), { ...fact, ...none }],
      ['n-1', '#12 d001'],
    ],
    ['the same words once', [entry(1, same), hit('x', { text: 'run the tests' }), e12], ['#1 x', '#12']],
  ])('%s', (_, hits, expected) => {
    expect(shape(hits).map((line) => line.replaceAll('L1:aaaa1111', ''))).toEqual(expected)
  })

  it('keeps facts, rules and concepts apart, with the same source and the same words', () => {
    const stated = STATED.map((kind) =>
      hit(kind, { kind: kind as Foldable['kind'], about: 'aaaa1111#12-12', text: 'same' }),
    )

    expect(shape([...stated, entry(30, { text: 'Same' })])).toEqual(['decision L1:aaaa1111#30', ...STATED.slice(1)])
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
        const numbers = folded.map((one) => Math.min(...[one.hit, ...one.also].map(({ id }) => Number(id))))

        expect(
          folded
            .flatMap((one) => [one.hit, ...one.also])
            .map(({ id }) => Number(id))
            .toSorted((a, b) => a - b),
        ).toEqual(hits.map((_, i) => i))
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
        for (const { hit: shown, also } of folded) {
          const isBest = also.every(({ id }) => Number(id) > Number(shown.id))
          expect(isBest || layerOf(shown.kind) === 'L1').toBe(true)
        }
      }),
    )
  })
})
