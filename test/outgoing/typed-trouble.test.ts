/** Troubles that people tell of: there now, to beware of, put off, over. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isComplaint, isPutOff, isTroubleOver, isWarning } from '../../src/outgoing/typed-trouble.ts'

describe('a complaint', () => {
  it.each([
    'the invoice pdf is broken again',
    'avatar upload doesnt work on android',
    'getting a 504 from the report page',
    "there's a deadlock in the importer",
    'the settings page takes ages to load, way too slow is what it is',
    '검색이 안 돼',
    '결제 페이지가 또 깨져',
    '画像がまだ表示されない',
    '上传还是报错',
  ])('is one: %s', (text) => {
    expect(isComplaint(text)).toBe(true)
  })

  it.each([
    'is the invoice pdf still broken?',
    'why does the upload crash',
    'if the upload fails show a toast',
    'make sure it doesnt crash when the list is empty',
    '업로드 안 되면 알려줘',
    '上传修好了没有',
  ])('is none: %s', (text) => {
    expect(isComplaint(text)).toBe(false)
  })
})

describe('a warning', () => {
  it.each([
    'careful, the seed script truncates the users table',
    'the e2e suite only passes with a warm cache',
    'you have to start the emulator first or the suite hangs',
    'that api is capped to 100 rows',
    '시드 먼저 안 돌리면 테스트 실패함',
    'シードは全部消すので注意',
    '注意种子脚本会清空用户表',
  ])('is one: %s', (text) => {
    expect(isWarning(text)).toBe(true)
  })

  it.each([
    'careful with that',
    'note: it seems to work',
    'fyi i am back',
    'does the suite only pass with a cache?',
    '조심해',
  ])('is none: %s', (text) => {
    expect(isWarning(text)).toBe(false)
  })
})

describe('what is over or put off', () => {
  it.each(['the proxy thing is sorted', 'got the emulator working, it was java', '빌드 문제 해결됨', '上传搞定了'])(
    'is over: %s',
    (text) => {
      expect(isTroubleOver(text)).toBe(true)
    },
  )

  it.each([
    'once the proxy thing is sorted we ship',
    'i never got the emulator working',
    '빌드 해결됐는지 봐줘',
    'he is gone to lunch',
  ])('is not over: %s', (text) => {
    expect(isTroubleOver(text)).toBe(false)
  })

  it('is put off where it is left for later', () => {
    expect(isPutOff('we have to rotate the keys at some point')).toBe(true)
    expect(isPutOff('we have to rotate the keys')).toBe(false)
  })

  it('is nothing where it is asked', () => {
    const said = fc.constantFrom('the pdf is broken', 'the proxy is sorted', 'careful, the job deletes all the rows')
    fc.assert(
      fc.property(said, (text) => !isComplaint(`${text}?`) && !isTroubleOver(`${text}?`) && !isWarning(`${text}?`)),
    )
  })
})
