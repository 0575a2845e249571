/** What was only thought, asked, joked or read somewhere. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFromText, isUndecided, isUnsure } from '../../src/outgoing/typed-unsure.ts'

describe('what is not said in earnest', () => {
  it.each([
    'maybe kafka would do',
    "i'm not sure the patch holds",
    'check whether the cron job is fixed',
    'kafka로 갈까 고민 중이야',
    '배포 됐는지 봐줘',
    'kafkaにしようかな',
    '要不用kafka',
    'kafka修好了没有',
  ])('is undecided: %s', (text) => {
    expect(isUndecided(text)).toBe(true)
    expect(isUnsure(text)).toBe(true)
  })

  it.each([
    "haha let's move it all to cobol",
    'everyone uses tabs over there, someone told me',
    '다 지우자 ㅋㅋ',
    'もしkafkaにしたら',
    '有人说kafka更好',
  ])('is a joke, a thought or the word of somebody else: %s', (text) => {
    expect(isUnsure(text)).toBe(true)
  })

  it.each([
    'the manual says never call it twice',
    '가이드에는 항상 잠그라고 적혀 있음',
    'マニュアルには必ず閉じると書いてある',
    '手册里写不要调用两次',
  ])('is what a text says: %s', (text) => {
    expect(isFromText(text)).toBe(true)
  })

  it.each([
    "let's use kafka for the events",
    "can't log in with the new account",
    '이벤트는 kafka로 가자',
    '通知が届かないので気をつけて',
    '事件改用kafka',
  ])('is nothing of the kind: %s', (text) => {
    expect(isUnsure(text)).toBe(false)
  })

  it('holds for a question, whatever is asked', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => isUndecided(`${text}?`)))
  })
})
