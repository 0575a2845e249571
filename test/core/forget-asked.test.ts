/** Only an order to forget exactly this is one. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asksToForget } from '../../src/core/forget-asked.ts'

describe('an order to forget', () => {
  it.each([
    ['forget d001', 'd001'],
    ['Please forget d001.', 'd001'],
    ['/memory-keeper:forget d001 yes', 'd001'],
    ['!memory-keeper forget d001 --yes', 'd001'],
    ['Can you delete L1:00000001#5-9, please?', 'L1:00000001#5-9'],
    ['Ok. Forget everything about project Nightjar.', 'project nightjar'],
    ['erase d001 and d002', 'd002'],
    ['d001 지워줘', 'd001'],
    ['d001을 잊어 주세요', 'd001'],
    ['forget --before 2026-01-01', '2026-01-01'],
    ['Vergiss bitte d001', 'd001'],
    ['Please forget the old argon2 plan.', 'old argon2 plan'],
    ['Please forget the old argon2 plan.', 'the old argon2 plan'],
    ['forget all about "Nightjar"', 'nightjar'],
    ['/memory-keeper:forget Alice said', 'Alice said'],
    ['memory-keeper forget --query "spare cluster" --yes', 'spare cluster'],
    ['forget the page architecture', 'architecture'],
    ['김철수에 대한 모든 것을 기억에서 지워줘', '김철수 기억에서'],
    ['Remove Nightjar from memory.', 'Nightjar'],
  ])('%s', (prompt, wanted) => {
    expect(asksToForget(prompt, wanted)).toBe(true)
  })

  it.each([
    ["Don't forget d001", 'd001'],
    ['Never forget d001!', 'd001'],
    ['Should we forget d001?', 'd001'],
    ['What happens if I forget d001?', 'd001'],
    ['forget d0012', 'd001'],
    ['forget it', 'd001'],
    ['I read that d001 says to forget things', 'd001'],
    ['d001을 잊지 마', 'd001'],
    ['```\nforget d001\n```', 'd001'],
    ['> forget d001', 'd001'],
    ['forget d001', ''],
    ['Forget about the cache for a moment. Then look at d001.', 'd001'],
    ['Please forget the old argon2 plan.', 'the'],
    ['Please forget the old argon2 plan.', 'old'],
    ['Please forget the old argon2 plan.', 'plan'],
    ['Please forget the old argon2 plan.', 'please'],
    ['Please forget the old argon2 plan.', 'argon2'],
    ['Please forget the old argon2 plan.', 'login'],
    ['Please forget the old argon2 plan.', 'old argon2 plan of the login'],
    ['forget the', 'the'],
    ['forget everything', 'everything about'],
    ['Remove the login button.', 'login button'],
    ['Delete the old invoices.', 'old invoices'],
    ['로그인 버튼을 삭제해줘', '로그인 버튼'],
  ])('is not: %s', (prompt, wanted) => {
    expect(asksToForget(prompt, wanted)).toBe(false)
  })

  it('of several words is none for a part of them', () => {
    const word = fc.stringMatching(/^[b-df-hj-np-tv-xz]{5,9}$/)
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 5 }), fc.nat(), (words, cut) => {
        const order = `Please forget ${words.join(' ')}.`
        expect(asksToForget(order, words.join(' '))).toBe(true)
        expect(asksToForget(order, words.slice(0, 1 + (cut % (words.length - 1))).join(' '))).toBe(false)
      }),
    )
  })

  it('never is what does not name it', () => {
    fc.assert(
      fc.property(fc.string(), (prompt) => {
        expect(asksToForget(prompt.replaceAll('zz', ''), 'zz123')).toBe(false)
      }),
    )
  })
})
