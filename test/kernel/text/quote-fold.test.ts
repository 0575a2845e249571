/** Quotes and texts on common ground. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findFolded, fold } from '../../../src/kernel/text/quote-fold.ts'

it('fold leaves out marks at the edge of words, and keeps underscores inside a name', () => {
  expect(fold('**bold** and __strong__ and `code`').text).toBe('bold and strong and code')
  expect(fold('a__b and snake_case').text).toBe('a__b and snake_case')
  expect(fold('a_____b _____ c').text).toBe('a_____b c')
})

it('findFolded finds any part of a text that ends with its words', () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/)
  fc.assert(
    fc.property(fc.array(word, { minLength: 3, maxLength: 20 }), fc.nat(), fc.nat(), (words, from, length) => {
      const start = from % words.length
      const quote = words.slice(start, start + 1 + (length % words.length)).join(' ')
      const found = findFolded(fold(words.join('  ')), quote)

      expect(found).not.toBeNull()
    }),
  )
})

it('fold reads each character once, however many underscores follow each other', () => {
  const text = `keep the ${'_'.repeat(200_000)} invoices`

  expect(fold(text).text).toBe('keep the invoices')
}, 2_000)
