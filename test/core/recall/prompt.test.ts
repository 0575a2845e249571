/** What recall reads in a prompt: the person's own words, whether they ask, and what they name. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPrompt } from '../../../src/core/recall/prompt.ts'

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
  ['Why did we move the pipeline?', 'past'],
  ['push refused after we rewrote the history - what was git complaining about', 'past'],
  ['why was the push rejected', 'past'],
  ['캐시 경로를 왜 바꿨지?', 'past'],
  ['支払い画面の翻訳はどうした？', 'past'],
  ['where is the code of the palette', 'now'],
  ['how do I centre a div?', 'now'],
  ['can we check out the branch to test please?', null],
  ['Could you add a test?', null],
  ['Implement 1,2 and 3.', null],
  ['The footer shows the wrong year.', null],
  [`${'The import is slow and needs an index. '.repeat(12)} Why?`, null],
])('%j asks %s', (prompt, asks) => {
  expect(readPrompt(prompt)?.asks).toBe(asks)
})

it.each([
  ["what's next?", true],
  ['So, where were we?', true],
  ['where did we leave the importer?', true],
  ['What did we do last time?', true],
  ['continue where we left off', true],
  ['어디까지 했지?', true],
  ['前回は何をした？', true],
  ['use the tabs of last time', false],
  ['can you tell me what is next?', false],
  ['Why did we move the pipeline?', false],
  ['where did we put the fixtures?', false],
])('%j asks what was last or comes next: %s', (prompt, is) => {
  expect(readPrompt(prompt)?.asksStanding !== null).toBe(is)
})

it.each([
  ['does PR#68 fix ENT-98?', ['#68', 'ENT-98']],
  ['look at https://example.com/shop/pull/7/files', ['#7']],
  ['PR 7 and #12, please', ['#7', '#12']],
  ['fix #2 and #3 of your list', []],
  ['search v0.43 and v2.1.325, not 2.1.326 or 127.0.0.1', ['v0.43', 'v2.1.325']],
  ['state.go lacks token_usage and getUserById', []],
  ['#11 #12 #13 #14 #15', []],
])('%j refers to %j', (prompt, references) => {
  expect(readPrompt(prompt)?.references).toEqual(references)
})

it('readPrompt keeps lines that programs mark as errors, also of a long paste, and no short ones', () => {
  const line = 'TypeError: harbour.lanterns is not a function'

  expect(readPrompt(`it stops:\n${line}\n${'    at deck 12\n'.repeat(80)}`)?.errors).toEqual([line])
  expect(readPrompt('an error')?.errors).toEqual([])
})
