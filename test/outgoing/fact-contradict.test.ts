/** Whether a later decision speaks against an earlier one. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contradicts } from '../../src/outgoing/fact-contradict.ts'

interface Pair {
  earlier: string
  later: string
  contradicts: boolean
}

const PAIRS = readFileSync(path.resolve(import.meta.dirname, '../../bench/labels/contradictions.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Pair)

describe('a later decision', () => {
  it.each([
    ['Use npm for this repository', 'Use pnpm instead of npm'],
    ['Set the timeout to 30 seconds', 'Set the timeout to 60 seconds'],
    ['Commit the lockfile', "Don't commit the lockfile"],
    ['IDs are ULIDs', 'IDs are UUIDs'],
    ['Use Jest for unit tests', 'Actually, use Vitest for unit tests from now on'],
    ['Never use console.log, use the logger.', 'From now on use console.log, we dropped the logger.'],
    ['Use the logger instead of console.log.', 'We no longer use the logger, use console.log.'],
    ['캐시는 Redis로 하자', '캐시는 Memcached로 하자'],
    ['익명 댓글을 허용하자', '익명 댓글은 허용하지 말자'],
  ])('takes %j back: %j', (earlier, later) => {
    expect(contradicts(earlier, later)).toBe(true)
  })

  it.each([
    ['Use vitest for unit tests', 'Use Playwright for end-to-end tests'],
    ['Use tabs in Go files', 'Use spaces in Python files'],
    ['Use pnpm, not npm', 'Never use npm'],
    ['Sessions live in Redis', 'Sessions expire after an hour'],
    ['Never use console.log, use the logger.', 'Use the logger instead of console.log, please.'],
    ['Write the logs to stdout', 'From now on write the logs to stdout'],
    ['커밋 메시지는 영어로 쓰자', '주석은 한국어로 쓰자'],
    ['npm 말고 pnpm을 쓰자', 'npm은 쓰지 말자'],
  ])('leaves %j beside %j', (earlier, later) => {
    expect(contradicts(earlier, later)).toBe(false)
  })

  it('is hardly ever taken for one against a labelled decision that it is not against', () => {
    const found = PAIRS.filter(({ earlier, later }) => contradicts(earlier, later))

    expect(found.filter((pair) => pair.contradicts).length / found.length).toBeGreaterThanOrEqual(0.95)
    expect(found.length).toBeGreaterThan(25)
  })

  it('is never against itself, and survives any text', () => {
    const text = fc.oneof(
      fc.constantFrom(...PAIRS.flatMap(({ earlier, later }) => [earlier, later])),
      fc.string({ unit: 'grapheme' }),
    )
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(contradicts(a, a)).toBe(false)
        expect(typeof contradicts(a, b)).toBe('boolean')
      }),
    )
  })
})
