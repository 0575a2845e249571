/** The place at which a text stops being JSON: found where there is one, and nowhere else. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultOf } from '../../src/outgoing/json-fault.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the fault of a text', () => {
  it.each([
    ['{"a": 1,\n "b": 2\n "c": 3}', 3, 2, 'a comma or } is missing'],
    ['{"a": [1, 2', 1, 12, 'it ends too early'],
    ['{"a": "two\nlines"}', 1, 7, 'a text is not closed, or not as JSON has it'],
    ['{"a": 1,}', 1, 9, 'a name in quotes is missing'],
    ['{"a" 1}', 1, 6, 'a colon is missing'],
    ['[1, NaN]', 1, 5, 'a value is missing, or not as JSON has it'],
    ['{}\n<<<<<<< HEAD', 2, 1, 'something stands behind the end'],
    ['[1 2]', 1, 4, 'a comma or ] is missing'],
    ['', 1, 1, 'it ends too early'],
  ])('%j is at line %i, column %i', (text, line, column, what) => {
    expect(faultOf(text)).toEqual({ line, column, what })
  })

  it('is there exactly where a parser refuses it', () => {
    const someText = fc.oneof(
      fc.json(),
      fc
        .tuple(fc.json(), fc.nat(), fc.nat(3))
        .map(([text, at, n]) => text.slice(0, at % (text.length + 1)) + text.slice((at % (text.length + 1)) + n)),
      fc
        .tuple(fc.json(), fc.nat(), fc.constantFrom('"', ',', '{', ']', ':', '1', ' ', '\n', '\\'))
        .map(([text, at, sign]) => text.slice(0, at % (text.length + 1)) + sign + text.slice(at % (text.length + 1))),
      fc.string(),
    )
    fc.assert(
      fc.property(someText, (text) => {
        expect(faultOf(text) === null).toBe(isJson(text))
      }),
      { numRuns: 2000 },
    )
  })
})
