/** Lines of ours and lines of a person, told apart by their marks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handLines, withMarks } from '../../src/text/own-lines.ts'

const OURS = '# Session\n\nAsked: to do it.\nResult: done.\n'

describe('a text with marks', () => {
  it('has nothing by hand as it is written', () => {
    expect(handLines(withMarks(OURS, []))).toEqual([])
  })

  it('tells a line that was added, and one that was changed, wherever they stand', () => {
    const edited = withMarks(OURS, [])
      .replace('Result: done.', 'Result: half done.\n\nAsk Mary.')
      .replace('# Session', '# Session one')

    expect(handLines(edited)).toEqual(['# Session one', '', 'Result: half done.', '', 'Ask Mary.'])
  })

  it('is not changed by other line breaks and spaces at the ends of lines', () => {
    expect(handLines(withMarks(OURS, []).replace(/\n/g, ' \r\n'))).toEqual([])
  })

  it('has nothing by hand when it is older than marks', () => {
    expect(handLines(OURS)).toEqual([])
    expect(handLines('')).toEqual([])
  })

  it('keeps what a person wrote, however often ours is written anew', () => {
    const line = fc.stringMatching(/^[a-z][a-z #<>!-]{0,30}$/).map((text) => `by hand: ${text}`.trimEnd())
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 5 }),
        fc.array(fc.stringMatching(/^[A-Z][a-z ]{0,20}$/)),
        (hand, ours) => {
          const once = withMarks(ours.join('\n'), hand)
          expect(handLines(once)).toEqual(hand)
          expect(handLines(withMarks('Something else.\n', handLines(once)))).toEqual(hand)
        },
      ),
    )
  })
})
