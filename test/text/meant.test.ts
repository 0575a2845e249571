/** What somebody meant who typed what does not exist. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meantBy } from '../../src/text/meant.ts'

const NAMES = ['saveInterval', 'summarizer', 'summaryMaxTokens', 'recall', 'recallMaxTokens', 'rules']

describe('what was meant', () => {
  it.each([
    ['saveinterval', 'saveInterval'],
    ['saveIntervall', 'saveInterval'],
    ['sumarizer', 'summarizer'],
    ['save', 'saveInterval'],
    ['interval', 'saveInterval'],
  ])('by %s is %s', (typed, meant) => {
    expect(meantBy(typed, NAMES)).toBe(meant)
  })

  it.each(['foo', '', 'sum', 'max'])('by %j nobody can tell', (typed) => {
    expect(meantBy(typed, NAMES)).toBeNull()
  })

  it.each([
    ['D001', 'd001'],
    ['d1', 'd001'],
    ['dOO1', 'd001'],
    ['d-12', 'd012'],
  ])('by the id %s is %s', (typed, meant) => {
    expect(meantBy(typed, ['d001', 'd011', 'd012', 'p001'])).toBe(meant)
  })

  it('by a number that is not there is no other number', () => {
    expect(meantBy('d013', ['d001', 'd011', 'd012'])).toBeNull()
  })

  it('by a name that is there is that name, and a guess is always a known one', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{4,12}$/), { maxLength: 12 }),
        fc.string(),
        (names, typed) => {
          for (const name of names) expect(meantBy(name.toUpperCase(), names)).toBe(name)
          const meant = meantBy(typed, names)
          if (meant !== null) expect(names).toContain(meant)
        },
      ),
    )
  })
})
