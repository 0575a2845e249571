import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrappedRanges } from '../../../src/core/search/commands/search-text.ts'
import { width } from '../../../src/kernel/memory/commands/output.ts'

const lines = (text: string, columns: number): string[] =>
  wrappedRanges(text, columns).map(([from, to]) => text.slice(from, to))

describe('wrapping', () => {
  it('breaks between words', () => {
    expect(lines('the harbour crane was moved', 20)).toEqual(['the harbour crane', 'was moved'])
    expect(lines('short', 20)).toEqual(['short'])
    expect(lines('', 20)).toEqual([''])
  })

  it('counts wide characters as two, and breaks inside what has no spaces', () => {
    expect(lines('港'.repeat(15), 20)).toEqual(['港'.repeat(10), '港'.repeat(5)])
    expect(lines(`at ${'x'.repeat(25)}`, 20)).toEqual(['at', 'x'.repeat(20), 'xxxxx'])
  })

  it('fits, keeps every character but the spaces at the breaks, and splits no pair', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '환', '港', '😀'), maxLength: 200 })
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (given, columns) => {
        const broken = lines(given, columns)

        expect(broken.join('').replaceAll(' ', '')).toBe(given.replaceAll(' ', ''))
        for (const line of broken) {
          expect(width(line.trimEnd())).toBeLessThanOrEqual(Math.max(20, columns))
          // Throws for half a pair.
          expect(() => encodeURIComponent(line)).not.toThrow()
        }
      }),
    )
  })
})
