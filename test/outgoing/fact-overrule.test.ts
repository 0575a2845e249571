/** What takes back a decision: a person's own words, not what a model made of them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maySolve, overrules, replaces } from '../../src/outgoing/fact-overrule.ts'
import { fact, someText } from '../support/fact.ts'

const CENTS = 'All amounts are stored in cents, never as floats.'
const FLOATS = 'All amounts are stored as floats, never in cents.'

describe('a decision of the user', () => {
  it('is taken back by words that speak against it', () => {
    expect(overrules('Use npm for this repository', { text: 'pnpm is used.', quote: 'Use pnpm instead of npm' })).toBe(
      true,
    )
    expect(overrules(CENTS, { text: FLOATS, quote: 'store all amounts as floats, never in cents' })).toBe(true)
  })

  it('is not taken back by a text that its words do not say', () => {
    expect(overrules(CENTS, { text: FLOATS, quote: 'store all amounts in cents, never as floats' })).toBe(false)
    expect(overrules(CENTS, { text: FLOATS, quote: 'run the linter before each commit' })).toBe(false)
    expect(overrules(CENTS, { text: FLOATS, quote: '' })).toBe(false)
  })

  it('is replaced by words about the same thing where somebody names it', () => {
    const later = { text: 'Sessions live in signed cookies.', quote: "let's put the sessions in signed cookies" }

    expect(replaces('Sessions live in Redis.', later)).toBe(true)
    expect(replaces('Tests run in parallel.', later)).toBe(false)
    expect(replaces(CENTS, { text: FLOATS, quote: 'store all amounts in cents, never as floats' })).toBe(false)
  })

  it('is never taken back by what says it once more', () => {
    fc.assert(
      fc.property(someText, someText, (text, other) => {
        expect(overrules(text, { text: other, quote: text })).toBe(false)
        expect(replaces(text, { text: other, quote: text })).toBe(false)
      }),
    )
  })
})

it('a file or a tool closes no issue of the user', () => {
  const issue = fact({ type: 'issue' })
  const by = (speaker: 'user' | 'assistant' | 'tool'): boolean =>
    maySolve(issue, fact({ evidence: { entry: 1, quote: 'fixed in 2.0', by: speaker } }))

  expect([by('user'), by('assistant'), by('tool')]).toEqual([true, true, false])
  expect(
    maySolve(
      fact({ evidence: { entry: 1, quote: 'x', by: 'assistant' } }),
      fact({ evidence: { entry: 1, quote: 'y', by: 'tool' } }),
    ),
  ).toBe(true)
})
