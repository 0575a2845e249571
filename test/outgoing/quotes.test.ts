/** Quotes of one thing: which agree, and which is the plainest. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agrees, plainestOf } from '../../src/outgoing/quotes.ts'

const LOGGER = 'Never use console.log, use the logger.'

describe('a quote', () => {
  it.each([
    ['Use the logger instead of console.log, please.', LOGGER],
    ['Never use console.log, use the logger!', LOGGER],
    ['다시 말하지만 테스트는 vitest로 돌려야 해.', '테스트는 vitest로 돌려.'],
    ['Never commit secrets.', 'Secrets are never committed.'],
  ])('agrees with what says the same: %s', (quote, text) => {
    expect(agrees(quote, text)).toBe(true)
  })

  it.each([
    ['From now on use console.log, we dropped the logger.', LOGGER],
    ['We no longer use the logger, use console.log.', LOGGER],
    ['Use npm, not pnpm.', 'Use pnpm, not npm.'],
    ['Deploy on Fridays.', LOGGER],
  ])('does not agree with what says otherwise, or something else: %s', (quote, text) => {
    expect(agrees(quote, text)).toBe(false)
    expect(agrees(text, quote)).toBe(false)
  })
})

describe('the plainest of some quotes', () => {
  it('is without the conversation around it', () => {
    expect(plainestOf(['Again: use pnpm, not npm!', 'No, use pnpm, not npm.', 'We use pnpm here, not npm.'])).toBe(
      'Use pnpm, not npm.',
    )
    expect(
      plainestOf([
        'As I said, we decided that every depth is in metres.',
        'Every depth is in metres.',
        'Remember: every depth is in metres!',
      ]),
    ).toBe('Every depth is in metres.')
  })

  it('loses nothing that most of them name', () => {
    expect(
      plainestOf(['Run the linter.', 'Run the linter before you commit!', 'Run the linter before a commit.']),
    ).toBe('Run the linter before a commit.')
  })

  it('is one of them, and nothing of nothing', () => {
    expect(plainestOf([])).toBe('')
    const words = fc.array(fc.constantFrom('use', 'pnpm', 'never', 'tabs', 'always', 'yes,'), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 5 }), (some) => {
        const quotes = some.map((one) => one.join(' '))
        const plain = plainestOf(quotes).toLowerCase()

        expect(quotes.some((quote) => quote.endsWith(plain))).toBe(true)
      }),
    )
  })
})
