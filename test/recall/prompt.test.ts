/** What recall reads in a prompt: the person's own words, whether they ask, and what they name. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPrompt } from '../../src/recall/prompt.ts'

describe('the text of a prompt', () => {
  it.each([
    ['/usr/bin/env fails with code 3, why?', 'fails with code 3, why?'],
    ['why? <ide_selection>const a = 1</ide_selection>', 'why?'],
    ['<other-hook a="b">zebra</other-hook> where was it', 'where was it'],
    ['is <div> right here?', 'is <div> right here?'],
    ["'/home/me/Pasted image (2).png' all commits show the wrong name [Image #1]", 'all commits show the wrong name'],
    ['see https://example.com/pull/68 and ~/notes/a.md please', 'see   and   please'],
    ['it says "I should do that first, shall I do it?" all the time', 'it says   all the time'],
    ['Fix it:\n```ts\nconst zebra = 1\n```', 'Fix it:'],
    ['why does this fail\n> remote: zebra\n    indented zebra', 'why does this fail'],
  ])('of %j is %j', (prompt, text) => {
    expect(readPrompt(prompt)?.text).toBe(text)
  })

  it.each([
    '/compact now',
    '/memory-keeper:search-memory where is it',
    '! ls -la',
    '  ',
    '???',
    '<system-reminder>be nice</system-reminder>',
    'Implement the following plan:\n\n# Move the dates\n\nWhy is it late?',
  ])('is nothing in %j', (prompt) => {
    expect(readPrompt(prompt)).toBeNull()
  })

  it('is bounded, and has words of the prompt only', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 4_000 }), (words) => {
        const { text = '' } = readPrompt(words.join(' ')) ?? {}

        expect(text.length).toBeLessThanOrEqual(2_000)
        if (words.join(' ').length <= 2_000) expect(text).toBe(words.join(' '))
      }),
    )
  })
})

it.each([
  ['Why did we move the pipeline?', 'ours'],
  ['push refused after we rewrote the history - what was git complaining about', 'ours'],
  ['why was the push rejected', 'past'],
  ['캐시 경로를 왜 바꿨지?', 'ours'],
  ['支払い画面の翻訳はどうした？', 'ours'],
  ['where is the code of the palette', 'now'],
  ['how do I centre a div?', 'now'],
  ["what's next?", 'next'],
  ['So, where were we?', 'next'],
  ['어디까지 했지?', 'next'],
  ['can we check out the branch to test please?', null],
  ['Could you add a test?', null],
  ['Implement 1,2 and 3.', null],
  ['The footer shows the wrong year.', null],
  [`${'The import is slow and needs an index. '.repeat(12)} Why?`, null],
])('%j asks %s', (prompt, asks) => {
  expect(readPrompt(prompt)?.asks).toBe(asks)
})

it.each([
  ['does PR#68 fix ENT-98?', ['#68', 'ENT-98']],
  ['search v0.43 and 2.1.325', ['v0.43', '2.1.325']],
  ['merge feat/mcp-sdk into main', ['feat/mcp-sdk']],
  ['state.go lacks token_usage and getUserById', ['state.go', 'token_usage', 'getUserById']],
  ['push it to GitHub now, e.g. today', []],
  ['a/b c/d e/f g/h i/j', []],
])('%j names %j', (prompt, names) => {
  expect(readPrompt(prompt)?.names).toEqual(names)
})
