/** Choices as people type them, told from steps, thoughts and questions. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTypedChoice } from '../../src/outgoing/typed-choice.ts'

describe('a choice that was typed', () => {
  it.each([
    'lets put the thumbnails behind the cdn, s3 is too slow',
    "we're retiring the v1 api in june",
    'going with kafka, rabbit is overkill',
    'we wont support python 3.8 anymore',
    'verdict: one repo for both apps',
    "let's not cache the profile page",
    "i'd rather keep the worker single threaded",
    'our staging db stays on version 14',
    'store amounts as integers, floats are not worth the trouble',
    'every migration needs a rollback script',
    'return a 404 for unknown ids, not an empty body',
    '알림은 kafka로 갈게',
    '관리자 화면은 다음 버전에서 제외',
    'moment 빼고 dayjs 쓰는 걸로',
    '通知はkafkaでいこう',
    '管理画面は別アプリに分けることにした',
    '通知就用kafka吧',
    '不再支持python 3.8',
  ])('is one: %s', (text) => {
    expect(isTypedChoice(text)).toBe(true)
  })

  it.each([
    'lets check the queue first',
    "let's not worry about that",
    'should we retire the v1 api?',
    'maybe we keep it in redis',
    "we're dropping frames in the preview",
    'we keep hitting the limit',
    'this lets us put it behind the cdn',
    'haha lets do cobol then',
    'the docs say every migration needs a rollback',
    'use the debugger',
    'use it, it is fine for me',
    '일단 큐부터 보자',
    'kafka로 갈지 고민이야',
    'ログを見よう',
    '先看一下队列',
    '如果改用kafka会怎么样',
  ])('is none: %s', (text) => {
    expect(isTypedChoice(text)).toBe(false)
  })

  it('is the same in capitals', () => {
    const choice = fc.constantFrom('going with kafka, rabbit is overkill', 'lets check the queue first', 'thanks a lot')
    fc.assert(fc.property(choice, (text) => isTypedChoice(text.toUpperCase()) === isTypedChoice(text)))
  })
})
