import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FLAG, traitsOf } from '../../src/search/traits.ts'
import { wildText } from '../support/briefing.ts'

const has = (text: string, flag: keyof typeof FLAG): boolean => (traitsOf(text) & FLAG[flag]) !== 0

/** Each trait by its pattern alone, which reads the whole text. */
const PATTERNS: readonly (readonly [keyof typeof FLAG, RegExp])[] = [
  [
    'firstPerson',
    /\bI\b|\b[Ii]['’](?:m|ve|d|ll)\b|\bi (?:am|was|have|had|will|would|can|did|do|want|need|think|like|love|prefer|always|never|just|also|tried|got|went|used?)\b|\b(?:[Mm]y|[Ww]e|[Oo]ur|me|mine|us)\b|(?<![\uAC00-\uD7A3])[나내저][는의]|제가|내가|우리|私|僕|我/,
  ],
  [
    'time',
    /\b(?:yesterday|today|tomorrow|tonight|ago|last|next|week(?:end)?s?|months?|years?|days?|hours?|minutes?|morning|afternoon|evening|night|noon|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|since|until|recently|soon|\d{4}|\d{1,2}:\d{2}|\d{1,2}(?:st|nd|rd|th)|\d+\s?(?:ms|s|sec|min|h|am|pm))\b|어제|오늘|내일|지난|다음|주일|주말|요일|시간|\d\s?[년월일시분年月日時分]|昨日|今日|明日|昨天|今天|明天/i,
  ],
  [
    'number',
    /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|several|couple|twice|once|first|second|third)\b|하나|둘|셋|[한두세네]\s?(?:개|번|명)/i,
  ],
  ['name', /[a-z,;]\s+\p{Lu}\p{Ll}+/u],
  [
    'reason',
    /\b(?:because|since|so that|due to|reason|cause[ds]?|therefore|as a result|in order to|why|thanks to|led to|turned out|that['’]s how|wanted to|hoping)\b|때문|그래서|왜냐|이유|ため|から|因为|所以|由于/i,
  ],
  ['question', /[?？]\s*$/],
]

/** Every word of the patterns, phrases that are almost theirs, and what may stand between words. */
const pieces = fc.constantFrom(
  ...new Set(PATTERNS.flatMap(([, { source }]) => source.match(/[a-z]+|[\u3040-\ud7a3]/gi) ?? [])),
  ...[
    'I',
    'US',
    'We',
    'OUR',
    "that's how",
    'that’s how',
    'so that',
    'due  to',
    'as a result',
    'in order to',
    'thanks to',
  ],
  ...['weeks', 'weekends', 'months', 'years', 'hours', 'minutes', 'causes', 'caused', 'sept', "i'm", 'I’ll', 'i used'],
  ...['1', '2024', '3rd', '12:30', '30 ms', '5\u00a0pm', '3월', 'Lisbon', 'Élan', 'ſoon', 'last_day', 'éday', 'x1'],
)
const between = fc.constantFrom(' ', '', '_', ', ', '\n', '-', '\u00a0', '?', '’', "'", 'ß')

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

  it('has the traits that the patterns alone find in it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(pieces, between), { maxLength: 6 }), (parts) => {
        const text = parts.flat().join('')

        for (const [flag, pattern] of PATTERNS)
          expect([text, flag, has(text, flag)]).toEqual([text, flag, pattern.test(text)])
      }),
      { numRuns: 3_000 },
    )
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
