/** What two standing instructions are about: the same in other words, or not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameSubject, subjects } from '../../src/outgoing/standing-same.ts'

const isSame = (a: string, b: string): boolean => {
  const subjectOf = subjects()
  return isSameSubject(subjectOf({ text: a }), subjectOf({ text: b }))
}

describe('the same', () => {
  it.each([
    ['Always run the linter before a commit.', 'Please always run the linter before each commit!'],
    ['Always run the linter before you commit.', 'Before you commit, always run the linter.'],
    ['Always use tabs.', 'I prefer tabs.'],
    ['Never push to main.', "Please don't ever push to main"],
    ['Never use emojis.', 'No more emojis, please.'],
    ['From now on, write commit messages in English.', 'Always write the commit message in English'],
    ['Use pnpm instead of npm.', 'Please always use pnpm instead of npm!'],
    ['항상 영어로 답변해 주세요.', '항상 영어로 답변해줘'],
    ['앞으로는 영어로 답변하세요.', '항상 영어로 답변해주세요'],
    ['절대 main에 푸시하지 마세요', 'main에 푸시하지 마'],
    ['常に日本語で答えてください。', '必ず日本語で答えてください'],
    ['请始终用中文回答', '以后请用中文回答'],
  ])('is "%s" and "%s"', (a, b) => {
    expect(isSame(a, b)).toBe(true)
    expect(isSame(b, a)).toBe(true)
  })
})

describe('not the same', () => {
  it.each([
    ['Always run the linter before you commit.', 'Always run the formatter before you commit.'],
    [
      'Always run the whole test suite with coverage on the staging machine before you merge into main.',
      'Always run the whole test suite with coverage on the staging machine before you merge into develop.',
    ],
    ['Always run the tests before you commit.', 'Always run the tests after you commit.'],
    ['Always commit with tests.', 'Always commit without tests.'],
    ['Always run the tests.', 'Always run the tests before you commit.'],
    ['Use tabs over spaces.', 'Use spaces over tabs.'],
    ['Always use tabs, not spaces.', 'Always use spaces, not tabs.'],
    ['Always translate from German to English.', 'Always translate from English to German.'],
    ['Always keep lines below 100 characters.', 'Always keep lines below 120 characters.'],
    ['Always use C++ here.', 'Always use C here.'],
    ['Always compare with ==.', 'Always compare with ===.'],
    ['항상 영어로 답변해 주세요.', '항상 한국어로 답변해 주세요.'],
    ['커밋하기 전에 항상 린터를 실행해줘', '커밋하기 전에 항상 포매터를 실행해줘'],
    ['常に日本語で答えてください。', '常に英語で答えてください。'],
    ['请始终用中文回答', '请始终用英文回答'],
  ])('are "%s" and "%s"', (a, b) => {
    expect(isSame(a, b)).toBe(false)
    expect(isSame(b, a)).toBe(false)
  })
})

const anyOrder = fc
  .uniqueArray(fc.constantFrom('run', 'linter', 'formatter', 'commit', 'deploy', 'legacy', 'folder', '커밋', 'main'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((words) => words.join(' '))

describe('whatever is said', () => {
  it('is the same as itself with manners, and as nothing that has another word', () => {
    fc.assert(
      fc.property(anyOrder, anyOrder, (a, b) => {
        const sorted = (text: string): string => text.split(' ').sort().join(' ')

        expect(isSame(`Always ${a}.`, `please always ${a}!`)).toBe(true)
        expect(isSame(`Always ${a}.`, `Always ${b}.`)).toBe(sorted(a) === sorted(b))
      }),
    )
  })
})
