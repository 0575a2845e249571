/** Words that stood only in what is forgotten give it away; words of everybody do not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCommonWord } from '../../src/outgoing/forget-common.ts'
import { queryTest } from '../../src/outgoing/forget-query.ts'
import {
  plainSentences,
  saysAny,
  saysSentence,
  saysWhole,
  takeOutRuns,
  takeOutWords,
  wordsOfAll,
} from '../../src/outgoing/forget-words.ts'

const no = (): boolean => false

describe('words of what goes', () => {
  it('are found in other forms of the letters, and not inside of longer words', () => {
    const words = wordsOfAll(['The Kingfisher nests.'], isCommonWord)
    expect(saysAny(words, 'about the ＫＩＮＧＦＩＳＨＥＲ')).toBe(true)
    expect(saysAny(words, 'kingfishers')).toBe(false)
    expect(saysAny(words, 'The nest is not.')).toBe(false)
  })

  it('do not count where they stay elsewhere', () => {
    const words = wordsOfAll(['Move the kingfisher to the harbour today or tomorrow.'], isCommonWord)
    takeOutWords(words, 'A kingfisher.')
    takeOutRuns(words, 'A kingfisher.')
    expect(saysAny(words, 'kingfisher')).toBe(false)
    expect(saysAny(words, 'harbour')).toBe(true)
    expect(saysAny(words, 'to the harbour today or')).toBe(true)
  })

  it('leave out everyday words, years and short numbers', () => {
    const { words } = wordsOfAll(['You should ask him in 2026, at 12 or 7, about 48151.'], isCommonWord)
    expect([...words]).toEqual(['48151'])
  })

  it('know a row of letters where there are no spaces', () => {
    const words = wordsOfAll(['東京タワーの展望台で会議をします'], no)
    expect(saysAny({ ...words, words: new Set() }, '昨日、タワーの展望台で会議。')).toBe(true)
    expect(saysAny({ ...words, words: new Set() }, '会議をします')).toBe(true)
    expect(saysAny({ ...words, words: new Set() }, '会議でした')).toBe(false)
  })

  it('never say what stays, whatever goes and stays', () => {
    const text = fc.array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'omega', 'sigma.', 'Tau', '東京'), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(fc.array(text), fc.array(text), (gone, kept) => {
        const stays = kept.map((words) => words.join(' '))
        const words = wordsOfAll(
          gone.map((one) => one.join(' ')),
          no,
        )
        for (const one of stays) {
          takeOutWords(words, one)
          takeOutRuns(words, one)
        }
        for (const one of stays) expect(saysAny(words, one)).toBe(false)
      }),
    )
  })
})

describe('a sentence', () => {
  it('is found with more around it, a short one only by itself', () => {
    const says = saysSentence(['We count prices in whole cents.', 'Use pnpm.'])
    expect(says('Decided: we count prices, in whole CENTS – since May')).toBe(true)
    expect(says('Use pnpm.')).toBe(true)
    expect(says('Nobody can use pnpm here today.')).toBe(false)
    expect(says('We count prices in cents.')).toBe(false)
    expect(says('Tomorrow we count. Prices in whole cents are fine.')).toBe(false)
    expect(says('As said, we count prices\n in whole cents.')).toBe(true)
  })

  it('stands by itself where only whole ones count', () => {
    const wanted = new Set(['We decided to run the tests.', 'ok'].flatMap(plainSentences))
    const says = (text: string): boolean => saysWhole(wanted, text)
    expect(says('# A\n- We decided to run the tests!\n')).toBe(true)
    expect(says('1. Yes. We decided to run the tests.')).toBe(true)
    expect(says('We decided to run the tests only at night.')).toBe(false)
    expect(says('ok')).toBe(false)
  })
})

describe('a query', () => {
  it.each([
    ['kingfisher', 'getKingfisherById', true],
    ['two words', 'These two\n words', true],
    ['spare cluster', 'The cluster has spare room.', true],
    ['spare cluster', 'The cluster is full. There is a spare one.', false],
    ['"spare cluster"', 'The cluster has spare room.', false],
    ['"spare cluster"', 'A Spare  Cluster.', true],
    ['김철수', '김철수는 오지 않았다', true],
    ['straße', 'Die STRASSE ist lang', false],
  ])('%s in %s: %s', (query, text, isFound) => {
    expect(queryTest(query)(text)).toBe(isFound)
  })

  it.each(['', 'a', 'to', '  ', '""', 'the', 'and', 'und', 'The', '"and the"', 'with this'])(
    'is refused where it would mean nearly everything: %j',
    (query) => {
      expect(() => queryTest(query)).toThrow(expect.objectContaining({ code: 'usage' }))
    },
  )

  it('finds every text that holds it', () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[a-z]{3,8}$/), fc.string(), (before, word, after) => {
        expect(queryTest(word)(`${before} ${word.toUpperCase()}${after}`)).toBe(true)
      }),
    )
  })
})
