/** What is forgotten is cut out of texts; whatever does not say it stays as it is. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutJson, cutLines, cutProse, isSaidIn } from '../../src/outgoing/forget-cut.ts'

const bird = (text: string): boolean => /heron|grey\s+bird/i.test(text)

describe('prose', () => {
  it.each([
    ['- One. The heron left. Two.\n- Other.\n', '- One. Two.\n- Other.\n'],
    ['# The heron\n\nIt stays.\n', '\nIt stays.\n'],
    ['A grey\nbird.\nRest.', 'Rest.'],
    ['Nothing  to  see.\r\n', 'Nothing  to  see.\r\n'],
    ['heron', ''],
  ])('%j becomes %j', (text, left) => {
    expect(cutProse(text, bird).left).toBe(left)
  })

  it('never says it afterwards, and loses no line that did not', () => {
    const part = fc.constantFrom(
      'The heron left.',
      'A grey',
      'bird.',
      'It stays.',
      '- Two things. Heron!',
      '',
      '## Title',
    )
    fc.assert(
      fc.property(fc.array(part), (lines) => {
        const { left, gone } = cutProse(lines.join('\n'), bird)
        expect(bird(left)).toBe(false)
        if (!bird(lines.join('\n'))) expect(left).toBe(lines.join('\n'))
        expect(gone.length > 0).toBe(left !== lines.join('\n'))
      }),
    )
  })
})

it('lines go as a whole, also where JSON spells the words otherwise', () => {
  expect(cutLines('{"a": "h\\u0065ron"\nrest\n', bird).left).toBe('rest\n')
})

describe('JSON', () => {
  it('loses items and fields, not names of ours nor what they say', () => {
    const value = {
      type: 'heron',
      at: 'heron',
      list: ['heron', 'x', { text: 'a heron' }],
      note: 'heron',
      rest: { b: 1 },
    }
    expect(cutJson(value, bird).left).toEqual({ type: 'heron', at: 'heron', list: ['x'], rest: { b: 1 } })
    expect(isSaidIn({ heron: 1 }, bird)).toBe(false)
    expect(isSaidIn({ '/home/me/heron.txt': 1 }, bird)).toBe(true)
  })

  it('never says it afterwards', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('heron', 'x'), (value, word) => {
        const { left } = cutJson({ value, list: [value, word], word }, bird)
        expect(isSaidIn(left, bird)).toBe(false)
      }),
    )
  })
})
