/** The beginning and the end of a text, on whole lines or whole words. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bothEnds, fromGap, GAP_MARK, headWithin, reportExcerpt, tailWithin } from '../../../src/kernel/text/ends.ts'

const LINES = Array.from({ length: 40 }, (_, n) => `line ${n} of the log`).join('\n')

describe('both ends of a text', () => {
  it('are the whole text if it fits', () => {
    expect(bothEnds('short', 100, 500)).toBe('short')
    expect(bothEnds('x'.repeat(60), 10, 50)).toBe('x'.repeat(60))
  })

  it('are whole lines, with a mark on a line of its own between them', () => {
    const kept = bothEnds(LINES, 50, 80).split('\n')

    expect(kept).toEqual([
      'line 0 of the log',
      'line 1 of the log',
      GAP_MARK,
      'line 36 of the log',
      'line 37 of the log',
      'line 38 of the log',
      'line 39 of the log',
    ])
    expect(fromGap(kept.join('\n')).split('\n')[1]).toBe('line 36 of the log')
  })

  it('are whole words of a line that is longer than the room, with an ellipsis', () => {
    const words = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ')

    expect(bothEnds(words, 20, 20)).toBe(`word0 word1 word2 …\n${GAP_MARK}\n… word98 word99`)
    expect(headWithin('x'.repeat(50), 10)).toBe(`${'x'.repeat(8)} …`)
    expect(tailWithin('x'.repeat(50), 10)).toBe(`… ${'x'.repeat(8)}`)
  })

  it('fit into their rooms and come from the text, whatever it is', () => {
    const text = fc.array(fc.oneof(fc.lorem({ maxCount: 5 }), fc.string({ unit: 'binary' })), { maxLength: 30 })
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 200 }), (parts, room) => {
        const whole = parts.join('\n')
        const [head, tail] = [headWithin(whole, room), tailWithin(whole, room)]
        expect(head.length).toBeLessThanOrEqual(room)
        expect(tail.length).toBeLessThanOrEqual(room)
        expect(whole.startsWith(head) || whole.startsWith(head.slice(0, -2).trimEnd())).toBe(true)
        expect(whole.endsWith(tail) || whole.endsWith(tail.slice(2))).toBe(true)
        expect(reportExcerpt(whole, room * 10).length).toBeLessThanOrEqual(room * 10 + 3 * (GAP_MARK.length + 1))
      }),
    )
  })
})

it('an excerpt of a report names the headings of what it leaves out', () => {
  const part = (n: number): string => `## Part ${n}\n\n${`Sentence ${n} says something. `.repeat(40)}`
  const report = Array.from({ length: 8 }, (_, n) => part(n)).join('\n\n')

  const excerpt = reportExcerpt(report, 1_500)
  expect(excerpt.length).toBeLessThan(1_600)
  expect(excerpt).toMatch(/^## Part 0\n/)
  expect(excerpt).toContain('## Part 3\n## Part 4')
  expect(excerpt.trimEnd()).toMatch(/Sentence 7 says something\.$/)
  expect(reportExcerpt(report, 100_000)).toBe(report)
})
