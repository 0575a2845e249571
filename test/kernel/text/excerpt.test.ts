import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerptOf } from '../../../src/kernel/text/excerpt.ts'
import { stemOf } from '../../../src/kernel/text/token.ts'
import { tokenise } from '../../../src/kernel/text/words.ts'
import { wildText } from '../../support/briefing.ts'

const never = (): boolean => false

/** Weights by word: `deploy:2 cache`. */
function weigher(words: string): (stem: number) => number {
  const weights = new Map(
    words.split(' ').map((word) => {
      const [name = '', weight = '1'] = word.split(':')
      return [stemOf(tokenise(name)[0] ?? 0), Number(weight)]
    }),
  )
  return (stem) => weights.get(stem) ?? 0
}
function shown(text: string, words: string, most: number, isKind: (sentence: string) => boolean = never): string {
  const { from, to } = excerptOf(text, weigher(words), isKind, most)
  return text.slice(from, to)
}

describe('an excerpt', () => {
  const text = 'The morning was quiet. We moved the cache to Redis. Tests passed after that. The office closed early.'

  it('is the whole text where there is room', () => {
    expect(shown(text, 'cache', 500)).toBe(text)
    expect(shown('', 'cache', 10)).toBe('')
  })

  it.each([
    ['cache', 30, 'We moved the cache to Redis.'],
    ['tests', 26, 'Tests passed after that.'],
    ['office early', 30, 'The office closed early.'],
    ['cache tests passed', 26, 'Tests passed after that.'],
    ['cache:5 tests passed', 30, 'We moved the cache to Redis.'],
    ['nothing', 25, 'The morning was quiet.'],
  ])('of %s in %i characters is %j', (words, most, expected) => {
    expect(shown(text, words, most)).toBe(expected)
  })

  it('goes on with what follows, then with what went before', () => {
    expect(shown(text, 'cache', 60)).toBe('We moved the cache to Redis. Tests passed after that.')
    expect(shown(text, 'office', 60)).toBe('Tests passed after that. The office closed early.')
  })

  it('counts a word once in a sentence', () => {
    const repeated = 'Cache, cache, cache and cache. The cache is in Redis. Nothing more is said about it here.'

    expect(shown(repeated, 'cache redis', 32)).toBe('The cache is in Redis.')
  })

  it('prefers the kind that is asked for, unless another says far more', () => {
    const sentences = 'The cache was slow that day. We cleared the cache with 3 flags. It was late then.'
    const isNumber = (sentence: string): boolean => /\d/.test(sentence)

    expect(shown(sentences, 'cache', 36, isNumber)).toBe('We cleared the cache with 3 flags.')
    expect(shown(sentences, 'cache', 28, never)).toBe('The cache was slow that day.')
    expect(shown(sentences, 'slow:3 cache', 36, isNumber)).toBe('The cache was slow that day.')
  })

  it.each([
    ['어제는 조용했다。캐시를 옮겼다。테스트가 통과했다。', '캐시', 10, '캐시를 옮겼다。'],
    ['朝は静かだった。記録を移した。試験は通った。', '記録', 8, '記録を移した。'],
    ['first line\nthe cache line\nlast line', 'cache', 16, 'the cache line'],
  ])('ends at sentences and lines of any script: %s', (other, words, most, expected) => {
    expect(shown(other, words, most)).toBe(expected)
  })

  it('is cut between words where one sentence is too long', () => {
    const long = `${'some words before it '.repeat(8)}the needle lies here ${'and words behind it '.repeat(8)}`
    const found = shown(long, 'needle', 60)

    expect(found).toContain('needle')
    expect(found.length).toBeLessThanOrEqual(60)
    expect(` ${long} `).toContain(` ${found} `)
  })

  it.each([
    ['spaces', `a${' '.repeat(300)}the needle${' '.repeat(300)}b`],
    ['lines', `a${'\n'.repeat(300)}the needle${'\n'.repeat(300)}b`],
    ['tabs', `a${'\t'.repeat(300)}the needle${'\t'.repeat(300)}b`],
    ['stops', `a${'. '.repeat(300)}the needle${' .'.repeat(300)}b`],
  ])('finds its words between many %s', (_, odd) => {
    expect(shown(odd, 'needle', 100)).toContain('the needle')
  })

  it('lies inside the text, within its room, and cuts no character', () => {
    const pieces = fc.array(
      fc.oneof(
        wildText,
        fc.constantFrom(' '.repeat(40), '😀'.repeat(30), '\n\n', 'x'.repeat(90), '. ', '。', '\t'.repeat(9)),
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(pieces, fc.integer({ min: 2, max: 120 }), (parts, most) => {
        const any = parts.join('')
        const { from, to } = excerptOf(any, weigher('lorem:2 dolor'), (sentence) => sentence.includes('amet'), most)

        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeGreaterThanOrEqual(from)
        expect(to).toBeLessThanOrEqual(any.length)
        expect(to - from).toBeLessThanOrEqual(most)
        for (const at of [from, to])
          expect(/^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(any.slice(at - 1, at + 1)) && at > 0).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  it('holds a word of the question wherever it stands', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.integer({ min: 20, max: 200 }), (before, after, most) => {
        const any = `${'Words go by. '.repeat(before)}Here is the needle. ${'More go by. '.repeat(after)}`

        expect(shown(any, 'needle', most)).toContain('needle')
      }),
    )
  })

  it('says something of every text that says something', () => {
    fc.assert(
      fc.property(wildText, fc.integer({ min: 10, max: 120 }), (any, most) => {
        const { from, to } = excerptOf(any, () => 0, never, most)

        expect(any.slice(from, to).trim() === '').toBe(any.trim() === '')
      }),
    )
  })
})
