import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuestion } from '../../../src/core/search/question.ts'
import { FLAG } from '../../../src/core/search/traits.ts'
import { stemOf } from '../../../src/kernel/text/token.ts'
import { tokenFor, tokenise } from '../../../src/kernel/text/words.ts'
import { wildText } from '../../support/briefing.ts'

const words = (text: string): string[] => parseQuestion(text).terms.map(({ word }) => word)
const weights = (text: string): Record<string, number> =>
  Object.fromEntries(parseQuestion(text).terms.map(({ word, weight }) => [word, weight]))

describe('the terms of a question', () => {
  it.each([
    ['Why did we move the deploy pipeline?', ['move', 'deploy', 'pipeline']],
    ['tests, testing, tested', ['tests']],
    ['getUserById', ['getuserbyid', 'user', 'id']],
    ['what is it?', []],
    ['', []],
  ])('of %j are %j', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it('weigh less where they are half a word', () => {
    expect(weights('pipeline 캐시')).toEqual({ pipeline: 1, 캐시: 0.5 })
  })

  it.each(['를', '가', '는', '의', '에', '도', '로'])(
    'weigh next to nothing where %s only marks the role of a word',
    (particle) => {
      const last = `리${particle}`
      const { 메모, 모리, [last]: end } = weights(`메모리${particle} 검색`)

      expect(end).toBeLessThan((메모 ?? 0) / 2)
      expect(모리).toBe(메모)
    },
  )

  it.each(['경로', '문서', '결과', '추가', '속도'])(
    'weigh as any other where %s is a word of two syllables',
    (word) => {
      expect(weights(`설정 ${word}`)[word]).toBe(weights(`설정 ${word}`).설정)
    },
  )

  it('weigh the same in composed and decomposed writing', () => {
    const text = '회의에서 메모리를 이야기했다'

    expect(weights(text.normalize('NFD'))).toEqual(weights(text))
  })

  it('are the most telling ones of a pasted page, in their order', () => {
    const filler = Array.from({ length: 60 }, (_, i) => `ab${'cdefghijkl'[i % 10]}${'mnopqrstuv'[Math.floor(i / 10)]}`)
    const text = `ERR_4711 ${filler.join(' ')} authentication`
    const found = words(text)

    expect(found).toHaveLength(24)
    expect(found).toContain('4711')
    expect(found.at(-1)).toBe('authentication')
  })

  it('are distinct, few, and stand in the question', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        const { terms } = parseQuestion(text)
        const stems = [...new Set([...tokenise(text)].map(stemOf))]
        const asked = terms.map(({ stem }) => stem)

        expect(terms.length).toBe(Math.min(24, stems.length))
        expect(asked).toEqual(stems.filter((stem) => asked.includes(stem)))
        for (const { stem, token, word, weight } of terms) {
          expect(stem).toBe(stemOf(token))
          expect(token).toBe(tokenFor(word))
          expect(weight).toBeGreaterThan(0)
          expect(weight).toBeLessThanOrEqual(1)
        }
      }),
    )
  })
})

describe('the kind of answer a question wants', () => {
  it.each([
    ['When did it break?', FLAG.time],
    ['how long did the build take', FLAG.time],
    ['What day was it?', FLAG.time],
    ['언제 배포했지?', FLAG.time],
    ['いつ直した？', FLAG.time],
    ['How many tests failed?', FLAG.number],
    ['몇 개 실패했지?', FLAG.number],
    ['Who wrote the parser?', FLAG.name],
    ['Where did we stay?', FLAG.name],
    ['누가 고쳤지?', FLAG.name],
    ['Why did we drop it?', FLAG.reason],
    ['왜 바꿨지?', FLAG.reason],
    ['为什么改了', FLAG.reason],
    ['What did we choose?', 0],
    ['the whole thing', 0],
    ['', 0],
  ])('%j', (text, expected) => {
    expect(parseQuestion(text).wants).toBe(expected)
  })
})

describe('the date of a question', () => {
  it('comes with the stem of the month as it was written', () => {
    const { date, monthStem } = parseQuestion('what happened in March 2025?')

    expect(date).toMatchObject({ year: 2025, month: 2, day: null })
    expect(monthStem).toBe(stemOf(tokenFor('march')))
  })

  it.each(['what happened on 2025-03-01?', 'why did it break?'])('has no month by name in %j', (text) => {
    expect(parseQuestion(text).monthStem).toBeNull()
  })
})
