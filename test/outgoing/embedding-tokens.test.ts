import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTokeniser } from '../../src/outgoing/embedding-tokens.ts'

const PIECES = [
  '[UNK]',
  'run',
  '##ning',
  '##n',
  '##ing',
  'the',
  'cafe',
  '日',
  '本',
  '.',
  '$',
  'un',
  '##known',
  'r',
  '##u',
]
const BERT = {
  type: 'BertNormalizer',
  clean_text: true,
  handle_chinese_chars: true,
  strip_accents: null,
  lowercase: true,
}
const wordPiece = (more: object = {}) =>
  readTokeniser({
    normalizer: BERT,
    pre_tokenizer: { type: 'BertPreTokenizer' },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      vocab: Object.fromEntries(PIECES.map((piece, id) => [piece, id])),
    },
    ...more,
  })
const named = (tokens: readonly number[]): string[] => tokens.map((id) => PIECES[id] ?? '?')

describe('WordPiece', () => {
  it.each<[string, string[]]>([
    ['running', ['run', '##ning']],
    ['The runn.', ['the', 'run', '##n', '.']],
    ['CAFÉ', ['cafe']],
    ['日本', ['日', '本']],
    ['$run$the', ['$', 'run', '$', 'the']],
    ['run\u0000ning\u200b', ['run', '##ning']],
    ['the\u00a0the\tthe', ['the', 'the', 'the']],
    ['', []],
  ])('cuts %j into %j', (text, pieces) => {
    expect(named(wordPiece()(text))).toEqual(pieces)
  })

  it('leaves out a word that it knows only a part of, and one that is too long', () => {
    expect(named(wordPiece()('the runx the'))).toEqual(['the', 'the'])
    expect(named(wordPiece()('unknown'))).toEqual(['un', '##known'])
    expect(wordPiece()('run'.repeat(40))).toEqual([])
  })

  it('stops at 512 tokens', () => {
    expect(wordPiece()('the '.repeat(600))).toHaveLength(512)
  })

  it('gives back the word it has cut, whatever the word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('run', 'n', 'ning', 'ing', 'u', 'r', 'un', 'known', 'x'), { maxLength: 6 }),
        (parts) => {
          const word = parts.join('')
          const pieces = named(wordPiece()(word))
          expect(['', word]).toContain(pieces.map((piece) => piece.replace(/^##/, '')).join(''))
          if (pieces.length > 0) expect(pieces.slice(1).every((piece) => piece.startsWith('##'))).toBe(true)
        },
      ),
    )
  })
})

type Scored = [piece: string, score: number]
const unigram = (vocab: readonly Scored[], more: object = {}) =>
  readTokeniser({
    normalizer: null,
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false },
    model: { type: 'Unigram', unk_id: 0, vocab: [['<unk>', 0], ...vocab] },
    ...more,
  })

/** All ways to cut a word, one after the other: slow and plain. */
function bestByTrying(word: string, vocab: ReadonlyMap<string, number>, unknown: number): number {
  if (word === '') return 0
  const scores: number[] = []
  for (let length = 1; length <= word.length; length++) {
    const score = vocab.get(word.slice(0, length)) ?? (length === 1 ? unknown : null)
    if (score !== null) scores.push(score + bestByTrying(word.slice(length), vocab, unknown))
  }
  return Math.max(...scores)
}

describe('Unigram', () => {
  it('takes the likeliest pieces, not the longest first', () => {
    const cut = unigram([
      ['▁ab', -1],
      ['▁a', -2],
      ['bc', -1],
      ['c', -9],
    ])

    expect(cut('abc')).toEqual([2, 3])
  })

  it('leaves out what it does not know and keeps what stands around it', () => {
    const cut = unigram([
      ['▁run', -2],
      ['ning', -3],
      ['▁', -5],
      ['😀', -4],
    ])

    expect(cut('running xyz run')).toEqual([1, 2, 3, 1])
    expect(cut('run😀run')).toEqual([1, 4])
    expect(cut('')).toEqual([])
  })

  it('finds a cut that no other beats, whatever the pieces', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 3 })
    const pieces = fc.uniqueArray(fc.tuple(letters, fc.integer({ min: -20, max: -1 })), {
      selector: ([piece]) => piece,
      minLength: 1,
      maxLength: 12,
    })
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(pieces, words, (vocab, word) => {
        const scores = new Map(vocab)
        const least = Math.min(...scores.values())
        const cut = unigram(vocab, { pre_tokenizer: null })(word)
        const known = cut.map((id): Scored => vocab[id - 1] ?? ['?', 0])
        const unknownCount = word.length - known.map(([piece]) => piece).join('').length
        const score = known.reduce((sum, [, own]) => sum + own, 0) + unknownCount * (least - 10)
        expect(score).toBe(bestByTrying(word, scores, least - 10))
      }),
      { numRuns: 300 },
    )
  })
})

describe('a tokenizer.json', () => {
  it('says what it does not understand', () => {
    const model = { type: 'Unigram', unk_id: 0, vocab: [['a', -1]] }
    for (const wrong of [
      null,
      [],
      {},
      { model: { type: 'BPE' } },
      { model: { type: 'Unigram' } },
      { model: { type: 'WordPiece' } },
      { model, normalizer: { type: 'Nmt' } },
      { model, normalizer: { type: 'Sequence' } },
      { model, pre_tokenizer: { type: 'ByteLevel' } },
      { model, normalizer: { type: 'Precompiled', precompiled_charsmap: 'AAAA' } },
      { model, normalizer: { type: 'Precompiled', precompiled_charsmap: '/////w==' } },
    ])
      expect(() => readTokeniser(wrong)).toThrow(expect.objectContaining({ code: 'embedder' }))
  })
})
