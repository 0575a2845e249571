import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FLAG, traitsOf } from '../../../src/core/search/traits.ts'
import { wildText } from '../../support/briefing.ts'

const has = (text: string, flag: keyof typeof FLAG): boolean => (traitsOf(text) & FLAG[flag]) !== 0

describe('a text', () => {
  it.each<[keyof typeof FLAG, string]>([
    ['firstPerson', 'I moved the cache.'],
    ['firstPerson', "yesterday we've changed it"],
    ['firstPerson', '제가 설정을 바꿨어요'],
    ['firstPerson', '私が直した'],
    ['time', 'It broke yesterday.'],
    ['time', 'on the 3rd'],
    ['time', 'It took 30 ms.'],
    ['time', '어제 배포했다'],
    ['time', '3월 5일에 배포했다'],
    ['time', '昨日直した'],
    ['number', 'three attempts'],
    ['number', 'port 8080'],
    ['number', '파일 두 개'],
    ['name', 'the visit to Lisbon'],
    ['reason', 'because the disk was full'],
    ['reason', '디스크가 가득 찼기 때문에'],
    ['reason', '因为磁盘满了'],
    ['speaker', 'Petra: the tiles were great'],
    ['question', 'Is it done?'],
    ['question', '끝났나요？'],
  ])('shows %s: %j', (flag, text) => {
    expect(has(text, flag)).toBe(true)
  })

  it.each<[keyof typeof FLAG, string]>([
    ['firstPerson', 'The cache moved.'],
    ['firstPerson', 'bus and museum'],
    ['firstPerson', '남은 것 하나는 느리다'],
    ['time', 'The cache moved.'],
    ['time', '시스템 일반 설정을 분석'],
    ['time', '파일 이름'],
    ['number', 'The cache moved.'],
    ['name', 'The cache moved.'],
    ['reason', 'The cache moved.'],
    ['speaker', 'The cache: moved'],
    ['speaker', 'petra: no'],
    ['question', 'He asked "why?" and left.'],
  ])('shows no %s: %j', (flag, text) => {
    expect(has(text, flag)).toBe(false)
  })

  it('has traits that fit in sixteen bits, whatever it says', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        const flags = traitsOf(text)

        expect(flags).toBe(flags & 0xffff)
        expect(flags).toBe(traitsOf(text))
      }),
    )
  })

  it('tells of the speaker only at its beginning', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        expect(has(`petra says ${text}`, 'speaker')).toBe(false)
        expect(has(`Petra: ${text}`, 'speaker')).toBe(true)
      }),
    )
  })

  it.each(['a', ' ', '?', 'I ', '1', 'A: ', 'a A', '월'])('of a megabyte of %j has traits', (unit) => {
    expect(traitsOf(unit.repeat(1_000_000))).toBeGreaterThanOrEqual(0)
  })
})
