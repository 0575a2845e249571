import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprint, fingerprintOfWords, handLines, withMarks } from '../../../src/kernel/text/fingerprint.ts'

const text = fc.string({ unit: 'binary' })

it('a fingerprint is 14 hex digits', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(fingerprint(one)).toMatch(/^[0-9a-f]{14}$/)
    }),
  )
})

it('a fingerprint never changes between versions: it is stored', () => {
  expect([fingerprint(''), fingerprint('memory'), fingerprintOfWords('a b')]).toMatchInlineSnapshot(`
    [
      "0bdcb81aee8d83",
      "13ca6f73730fc5",
      "0c04978a846752",
    ]
  `)
})

it('different texts have different fingerprints', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 100 }), (texts) => {
      expect(new Set(texts.map(fingerprint)).size).toBe(texts.length)
    }),
  )
  const many = Array.from({ length: 50_000 }, (_, i) => fingerprint(`entry ${i}`))
  expect(new Set(many).size).toBe(many.length)
})

it('the fingerprint of words ignores what is between them, and nothing else', () => {
  const gap = fc.constantFrom(' ', '\n', '\r\n', '\t  ', '')
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-zé한]+$/), { minLength: 1 }), fc.array(gap), (words, gaps) => {
      const spread = words.map((word, i) => word + (gaps[i % (gaps.length || 1)] ?? ' ')).join('')
      expect(fingerprintOfWords(spread)).toBe(fingerprintOfWords(words.join(' ')))
      expect(fingerprintOfWords(`${spread}x`)).not.toBe(fingerprintOfWords(spread))
    }),
  )
})

const OURS = '# Session\n\nAsked: to do it.\nResult: done.\n'

describe('a text with marks', () => {
  it('has nothing by hand as it is written', () => {
    expect(handLines(withMarks(OURS))).toEqual([])
  })

  it('tells a line that was added, and one that was changed, wherever they stand', () => {
    const edited = withMarks(OURS)
      .replace('Result: done.', 'Result: half done.\n\nAsk Mary.')
      .replace('# Session', '# Session one')

    expect(handLines(edited)).toEqual(['# Session one', '', 'Result: half done.', '', 'Ask Mary.'])
  })

  it('is not changed by other line breaks and spaces at the ends of lines', () => {
    expect(handLines(withMarks(OURS).replace(/\n/g, ' \r\n'))).toEqual([])
  })

  it('has nothing by hand when it is older than marks', () => {
    expect(handLines(OURS)).toEqual([])
    expect(handLines('')).toEqual([])
  })
})
