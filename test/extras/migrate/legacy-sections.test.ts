/** Core Decisions and Known Issues of memory.md of v3 and v4: their bullets, as facts. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOfEarlierVersion } from '../../../src/core/knowledge/item.ts'
import { allFacts } from '../../../src/core/knowledge/items.ts'
import { factsOfSections } from '../../../src/extras/migrate/legacy-sections.ts'

const SEOUL = 'Asia/Seoul'
const factsOf = (text: string) => allFacts(factsOfSections(text, SEOUL, 'v4'))
const sections = (decisions: string, issues = '', state = '', context = ''): string =>
  `# Project Memory: quay\n\n## Core Decisions\n${decisions}\n\n## Current State\n${state}\n\n## Recent Context\n${context}\n\n## Known Issues\n${issues}\n`

describe('a bullet of Core Decisions', () => {
  it('is a decision of an earlier version, and its nested reason its reason', () => {
    const [fact] = factsOf(sections('- Ropes are listed by pier\n  - Reason: the crews work pier by pier'))

    expect(fact).toMatchObject({
      ...{ id: 'd001', kind: 'decision', text: 'Ropes are listed by pier', reason: 'the crews work pier by pier' },
      ...{ by: 'agent', source: 'v4', session: '', files: [], state: 'fresh', status: null },
      evidence: { entry: -1, quote: 'Ropes are listed by pier Reason: the crews work pier by pier' },
    })
    expect(fact?.evidence.by).toBeUndefined()
    expect(fact !== undefined && isOfEarlierVersion(fact)).toBe(true)
  })

  it('has every other line below it in its text', () => {
    const text =
      '* Ropes are listed by pier\n  and by length\n    * not by colour\n    * nor by age\n1. Knots have names'

    expect(factsOf(sections(text)).map((one) => one.text)).toEqual([
      'Ropes are listed by pier and by length (not by colour; nor by age)',
      'Knots have names',
    ])
  })

  it.each([
    [
      '- Use Stripe\n\nA paragraph on other matters,\nwhose second line says more,\nand its third.\n- Use Redis',
      ['Use Stripe', 'Use Redis'],
    ],
    ['- Use Stripe\n\n| a | b |\n|---|---|\n| 1 | 2 |', ['Use Stripe']],
    ['- Use Stripe\n### A heading\nand its text\nof two lines', ['Use Stripe']],
    ['Words before\nthe first one\n- Use Stripe\nfor cards\nand transfers', ['Use Stripe for cards and transfers']],
  ])('%j has only the lines that follow it', (text, expected) =>
    expect(factsOf(sections(text)).map((one) => one.text)).toEqual(expected),
  )

  it.each(['-', '- ', '*', '1.', '•', '-\r', '  -', '- \r'])('is not changed by an empty one (%j)', (empty) => {
    const [fact, ...others] = factsOf(sections(`- Use Stripe\n${empty}\n- Use Redis`))

    expect(fact).toMatchObject({ text: 'Use Stripe', evidence: { quote: 'Use Stripe' } })
    expect(others.map((one) => one.text)).toEqual(['Use Redis'])
  })

  it('has the line below its mark, if that stands alone', () =>
    expect(factsOf(sections('-\n  Use Stripe')).map((one) => one.text)).toEqual(['Use Stripe']))

  it.each([
    ['[2025-11-03] Ropes are listed', 'Ropes are listed', '2025-11-03'],
    ['[2025-11-03 09:15]: Ropes are listed', 'Ropes are listed', '2025-11-03T00:15:00.000Z'],
    ['2025-11-03: Ropes are listed', 'Ropes are listed', '2025-11-03'],
    ['2025-11-03 is when ropes are listed', '2025-11-03 is when ropes are listed', '2025-11-03'],
    ['Ropes are listed (2025-12-01)', 'Ropes are listed', '2025-12-01'],
    ['Ropes are listed (by the crew)', 'Ropes are listed (by the crew)', ''],
    ['[x] Ropes are listed', 'Ropes are listed', ''],
  ])('%s is dated by itself', (bullet, text, at) => {
    expect(factsOf(sections(`- ${bullet}`))).toMatchObject([{ text, at }])
  })

  it.each([
    ['- Last updated: 2025-12-14 18:40', '- [2025-12-20]: Later', '2025-12-14T09:40:00.000Z'],
    ['- Status: fine\n- Last updated: 2025-12-14', '', '2025-12-14'],
    ['- Last updated: 2025/11/03', '', '2025-11-03'],
    ['- Last updated: 2025/11/03 18:40', '- 2025/11/02: Ropes', '2025-11-03T09:40:00.000Z'],
    ['- Status: fine', '- [2025-12-10]: One\n- [2025-12-12]: Two\n- [2025-12-11]: Three', '2025-12-12'],
    ['- Status: fine', '- No date here', ''],
  ])('without a date is as old as the memory: %j, %j', (state, context, at) => {
    expect(factsOf(sections('- Ropes are listed', '', state, context))).toMatchObject([{ at }])
  })
})

describe('a bullet of Known Issues', () => {
  it('is an open issue, and a resolved one with a check mark', () => {
    expect(
      factsOf(sections('', '- The tide table ends in March\n- [x] Buoy 7 is drawn twice\n- [ ] Buoy 8, too')).map(
        ({ id, kind, text, status, resolution }) => [id, kind, text, status, resolution],
      ),
    ).toEqual([
      ['i001', 'issue', 'The tide table ends in March', 'open', null],
      ['i002', 'issue', 'Buoy 7 is drawn twice', 'resolved', null],
      ['i003', 'issue', 'Buoy 8, too', 'open', null],
    ])
  })
})

it.each([
  '- None',
  '- none.',
  '- (none)',
  '- (None.)',
  '- [none].',
  '- [permanent decisions with rationale]',
  '-',
  '',
  'No bullet at all.',
  '- [핵심 결정들]',
])('a section that says %j has no facts', (text) =>
  expect(factsOf(sections(text, text === '' ? '- N/A' : text))).toEqual([]),
)

it('a bullet that occurs twice is one fact', () => {
  expect(factsOf(sections('- Ropes are listed\n- Ropes are listed.'))).toHaveLength(1)
})

describe('the sections', () => {
  const korean = (state: string, context: string): string =>
    `# Project Memory: 장터\n\n## 핵심 결정\n- 사진은 서버에서 줄인다\n\n## 현재 상태\n${state}\n\n## 최근 컨텍스트\n${context}\n\n## 알려진 문제\n- 사진이 옆으로 눕는다\n- 없음\n`

  it('with translated names are known by the order of the template', () => {
    expect(
      factsOf(korean('- 마지막 업데이트: 2025-12-20', '- 추천을 켰다')).map(({ kind, text, at }) => [kind, text, at]),
    ).toEqual([
      ['decision', '사진은 서버에서 줄인다', '2025-12-20'],
      ['issue', '사진이 옆으로 눕는다', '2025-12-20'],
    ])
    expect(factsOf(korean('- 상태: 작업 중', '- [2025-12-19]: 추천을 켰다'))).toHaveLength(2)
    expect(factsOf(korean('- 마지막 업데이트: 2025/12/20', '- 추천을 켰다')).map(({ at }) => at)).toEqual([
      '2025-12-20',
      '2025-12-20',
    ])
  })

  it('of a page with a heading of the same form are no template', () => {
    expect(factsOf(korean('글만 있다', '- 추천을 켰다'))).toEqual([])
    expect(
      factsOf('# Project Memory: quay\n\n## Goals\n- Fast\n\n## Team\n- Ana\n\n## Stack\n- Go\n\n## Rooms\n- One\n'),
    ).toEqual([])
  })

  it('are known without a title by two of their names, and not by one', () => {
    const decisions = '## Core Decisions\n- Ropes are listed\n\n'

    expect(factsOf(`# Memory\n\n${decisions}`)).toEqual([])
    expect(factsOf(`# Memory\n\n${decisions}## Known Issues\n- The tide table ends in March\n`)).toHaveLength(2)
    expect(factsOf(`# Project Memory: quay\n\n${decisions}`)).toHaveLength(1)
  })

  it('end where a dated note begins', () => {
    const text = `${sections('- Ropes are listed')}\n## 2026-01-14_1530\n- Not a decision\n`

    expect(factsOf(text)).toHaveLength(1)
  })

  it('of any text give facts with words, each once, with ids of their own', () => {
    const anyLine = fc.oneof(
      fc.string({ maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, ' ')),
      fc.constantFrom(
        '- one',
        '  - two',
        '- [x] three',
        '- [2025-01-01] ',
        '- (2025-01-01)',
        '-',
        '### a',
        '1. b',
        '- [a]',
      ),
    )
    const anyBody = fc
      .array(anyLine, { maxLength: 8 })
      .map((lines) => lines.filter((one) => !one.startsWith('## ')).join('\n'))
    fc.assert(
      fc.property(anyBody, anyBody, (decisions, issues) => {
        const facts = factsOf(sections(decisions, issues))

        expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length)
        for (const { text, evidence } of facts) {
          expect(text).not.toBe('')
          expect(evidence.quote.length).toBeGreaterThanOrEqual(text.replace(/[();]/g, '').length - 2)
        }
      }),
    )
  })
})
