import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fingerprint, fingerprintOfWords } from '../../src/text/fingerprint.ts'

const text = fc.string({ unit: 'binary' })

it('is 14 hex digits, the same for the same text', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(fingerprint(one)).toMatch(/^[0-9a-f]{14}$/)
      expect(fingerprint(`${one}`)).toBe(fingerprint(one))
    }),
  )
})

it('never changes between versions: it is stored', () => {
  expect([fingerprint(''), fingerprint('memory'), fingerprintOfWords('a b')]).toMatchInlineSnapshot(`
    [
      "0bdcb81aee8d83",
      "13ca6f73730fc5",
      "0c04978a846752",
    ]
  `)
})

it('tells texts apart', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 100 }), (texts) => {
      expect(new Set(texts.map(fingerprint)).size).toBe(texts.length)
    }),
  )
  const many = Array.from({ length: 50_000 }, (_, i) => fingerprint(`entry ${i}`))
  expect(new Set(many).size).toBe(many.length)
})

it('of words is the same whatever stands between them, and no other', () => {
  const gap = fc.constantFrom(' ', '\n', '\r\n', '\t  ', '')
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-zé한]+$/), { minLength: 1 }), fc.array(gap), (words, gaps) => {
      const spread = words.map((word, i) => word + (gaps[i % (gaps.length || 1)] ?? ' ')).join('')
      expect(fingerprintOfWords(spread)).toBe(fingerprintOfWords(words.join(' ')))
      expect(fingerprintOfWords(`${spread}x`)).not.toBe(fingerprintOfWords(spread))
    }),
  )
})
