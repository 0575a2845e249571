/** Texts that would cost their square: each of these takes a moment, or the test runs out of time. */
import { expect, it } from 'vitest'
import { typedParts } from '../../../src/core/knowledge/evidence.ts'
import { readPrompt } from '../../../src/core/recall/prompt.ts'
import { textTest } from '../../../src/core/search/match.ts'
import { parseOperators } from '../../../src/core/search/operators.ts'
import { excerptOf } from '../../../src/kernel/text/excerpt.ts'
import { wordsOf } from '../../../src/kernel/text/words.ts'

const LARGE = 200_000

it('a pattern with many stars is tried on a long name to its end', () => {
  const test = textTest(parseOperators('x file:*a*a*a*a*a*b.ts', { now: 0 }))

  expect(test?.(`see src/${'a'.repeat(LARGE)}/x.ts and src/${'a'.repeat(250)}.ts`)).toBe(false)
  expect(test?.('see src/xaxaxaxaxaxb.ts')).toBe(true)
})

it.each(['.', '?', '!', '…', '。', '.)', '. '])('an excerpt is found in a text with a long row of %j', (mark) => {
  const text = `Progress ${mark.repeat(LARGE)}x done`
  const { from, to } = excerptOf(
    text,
    () => 0,
    () => false,
    200,
  )

  expect(to - from).toBeLessThanOrEqual(200)
})

it.each(['<a-b>', '<system-reminder>', '<command-name>', '<bash-input>', '</a-b>'])(
  'a prompt full of %s is read to its end',
  (tag) => {
    expect(readPrompt(`why did we choose redis?\n\n${tag.repeat(LARGE / 5)}`)?.text).toContain('redis')
  },
)

it('a long pasted page gives the instruction at its end', () => {
  const text = `${'a\n'.repeat(LARGE)}\nAlways run the linter.`
  const last = typedParts(text).at(-1)

  expect(text.slice(last?.from, last?.to)).toBe('Always run the linter.')
})

it('a key is not among the words of a text', () => {
  expect(wordsOf('token tr0ub4dor3xyzabc of getUserById and sha256')).toEqual([
    'token',
    'getuserbyid',
    'user',
    'sha256',
  ])
})
