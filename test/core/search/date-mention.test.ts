import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Closeness, closenessOf, type DateMention, findDate } from '../../../src/core/search/date-mention.ts'

/** `2026-01-13`, `2026-01`, `2026`, `-01-13`, `-01`: what is said, the month counting from 1. */
function shown(mention: DateMention | null): string | null {
  if (mention === null) return null
  const { year, month, day } = mention
  const two = (n: number): string => `-${String(n).padStart(2, '0')}`
  return `${year ?? ''}${month === null ? '' : two(month + 1)}${day === null ? '' : two(day)}`
}
const seconds = (at: string): number => Date.parse(at) / 1000
const closeness = (question: string, at: string): Closeness | null => {
  const mention = findDate(question)
  return mention === null ? null : closenessOf(mention, seconds(at))
}

describe('the date a question names', () => {
  it.each([
    ['what did we do on 2026-01-13?', '2026-01-13'],
    ['what happened in 2026-01?', '2026-01'],
    ['the release of May 5', '-05-05'],
    ['the release of March 5th, 2024', '2024-03-05'],
    ['on 5 March 2024', '2024-03-05'],
    ['the 3rd of June', '-06-03'],
    ['on Sept. 3', '-09-03'],
    ['in October 2025', '2025-10'],
    ['what broke in March?', '-03'],
    ['since april', '-04'],
    ['what did we plan in 2025?', '2025'],
    ['2026년 1월 13일에 뭐 했지?', '2026-01-13'],
    ['1월 13일 배포', '-01-13'],
    ['3월에 고친 버그', '-03'],
    ['2025년에 정한 것', '2025'],
    ['2026年1月13日の変更', '2026-01-13'],
    ['1月に決めたこと', '-01'],
    ['2024年的计划', '2024'],
  ])('of %j is %s', (question, expected) => {
    expect(shown(findDate(question))).toBe(expected)
  })

  it.each([
    'why did the build fail?',
    'march on with the tests',
    'the 12 monkeys',
    'port 2026',
    'version 20.26-01',
    'decimal places',
    '3개월 동안',
    '3ヶ月',
    '',
  ])('is none in %j', (question) => {
    expect(findDate(question)).toBeNull()
  })

  it.each(['why this may fail', 'tests 3 and 4 may fail', 'issue 12 may be related'])(
    'is none where may is no month: %j',
    (question) => {
      expect(findDate(question)).toBeNull()
    },
  )

  it.each([
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-02-30',
    'April 31',
    'on 30 of February',
    '13월에',
    '2월 30일',
  ])('is no day that never comes: %s', (question) => {
    expect(findDate(question)?.day ?? null).toBeNull()
    expect(findDate(question)?.month ?? 0).toBeLessThan(12)
  })

  it('is found behind something that only looks like one', () => {
    expect(shown(findDate('version 2026-99 of 2026-01-13'))).toBe('2026-01-13')
  })

  it('is 29 February in a leap year', () => {
    expect(shown(findDate('2024-02-29'))).toBe('2024-02-29')
    expect(shown(findDate('on 29 February'))).toBe('-02-29')
  })

  it('is the same in every form of writing', () => {
    const day = fc.date({ min: new Date('1990-01-01T00:00:00Z'), max: new Date('2090-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(day, (at) => {
        const expected = at.toISOString().slice(0, 10)
        const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()]
        const name = at.toLocaleString('en', { month: 'long', timeZone: 'UTC' })
        const forms = [
          expected,
          `${name} ${date}, ${year}`,
          `${date} ${name} ${year}`,
          `${year}년 ${month}월 ${date}일`,
          `${year}年${month}月${date}日`,
        ]

        for (const form of forms) expect(shown(findDate(`what was on ${form} there`)), form).toBe(expected)
      }),
    )
  })

  it('is a real one or none, for any text', () => {
    const odd = fc.stringMatching(/^[0-9a-y年月日년월일 .,-]{0,40}$/)
    fc.assert(
      fc.property(fc.oneof(odd, fc.string({ unit: 'binary' })), (text) => {
        const mention = findDate(text)
        if (mention === null) return
        const { year, month, day } = mention

        expect(year !== null || month !== null).toBe(true)
        expect(month ?? 0).toBeGreaterThanOrEqual(0)
        expect(month ?? 0).toBeLessThan(12)
        const days = new Date(Date.UTC(year ?? 2024, (month ?? 0) + 1, 0)).getUTCDate()
        expect(day ?? 1).toBeGreaterThanOrEqual(1)
        expect(day ?? 1).toBeLessThanOrEqual(days)
      }),
    )
  })
})

describe('how near a time is', () => {
  it.each<[string, string, Closeness]>([
    ['on 2026-01-13', '2026-01-13T00:00:00Z', 'day'],
    ['on 2026-01-13', '2026-01-13T23:59:59Z', 'day'],
    ['on 2026-01-13', '2026-01-12T18:00:00Z', 'day'],
    ['on 2026-01-13', '2026-01-18T12:00:00Z', 'week'],
    ['on 2026-01-13', '2026-01-30T12:00:00Z', 'monthOfDay'],
    ['on 2026-01-13', '2026-02-09T12:00:00Z', 'shortlyAfter'],
    ['on 2026-01-13', '2026-02-12T12:00:00Z', 'apart'],
    ['on 2026-01-31', '2026-02-01T08:00:00Z', 'day'],
    ['on 2025-12-31', '2026-01-01T08:00:00Z', 'day'],
    ['on 2026-01-01', '2025-12-31T08:00:00Z', 'day'],
    ['on December 31', '2026-01-01T08:00:00Z', 'day'],
    ['on January 1', '2025-12-31T08:00:00Z', 'day'],
    ['on January 2', '2025-12-28T08:00:00Z', 'week'],
    ['in December', '2025-12-31T23:59:59Z', 'month'],
    ['in December', '2026-01-01T00:00:00Z', 'shortlyAfter'],
    ['in December 2025', '2026-01-10T00:00:00Z', 'shortlyAfter'],
    ['in December 2025', '2026-01-11T00:00:00Z', 'apart'],
    ['in December 2025', '2024-12-15T00:00:00Z', 'apart'],
    ['in February', '2024-02-29T12:00:00Z', 'month'],
    ['in 2025', '2025-12-31T23:59:59Z', 'year'],
    ['in 2025', '2026-01-01T00:00:00Z', 'apart'],
  ])('%s, %s: %s', (question, at, expected) => {
    expect(closeness(question, at)).toBe(expected)
  })

  it.each(['in January', 'on January 1', 'in 1970', 'January 1970'])(
    'is not told where the time is unknown: %s',
    (question) => {
      expect(closenessOf(findDate(question) as DateMention, 0)).toBe('apart')
    },
  )

  it('depends on no year where none is named', () => {
    const month = fc.nat(11)
    const at = fc.integer({ min: seconds('2001-01-01'), max: seconds('2080-01-01') })
    fc.assert(
      fc.property(month, at, (monthOf, time) => {
        const found = closenessOf({ year: null, month: monthOf, day: null, word: '' }, time)
        const isIn = new Date(time * 1000).getUTCMonth() === monthOf

        expect(found === 'month').toBe(isIn)
        expect(['month', 'shortlyAfter', 'apart']).toContain(found)
      }),
    )
  })
})
