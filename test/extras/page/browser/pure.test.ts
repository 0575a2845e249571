/** What the page works out by itself, without a browser: texts into blocks, places into addresses, days into buckets. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bucketsOf,
  bucketsOfDays,
  indexOfDay,
  rowsOf,
  stacked,
} from '../../../../src/extras/page/browser/charts/chart-spec.ts'
import { formatRoute, parseRoute, VIEWS } from '../../../../src/extras/page/browser/route.ts'
import {
  blocksOf,
  markWords as lookedFor,
  marksIn,
  type ProseBlock,
} from '../../../../src/extras/page/browser/text/prose.tsx'
import { sayWhy } from '../../../../src/extras/page/browser/views/injected-detail.tsx'

function wordsOf(block: ProseBlock): string {
  switch (block.is) {
    case 'list':
      return block.items.map(({ mark, text }) => `${mark} ${text}`).join(' ')
    case 'labelled':
      return block.lines.map(({ label, text }) => `${label} ${text}`).join(' ')
    default:
      return block.text
  }
}

describe('blocks of a text', () => {
  it('are headings, lists, code, quotes, labelled lines and paragraphs', () => {
    const text = '# Head\nOne\ntwo\n\n- a\n  more\n- b\n\n```ts\n# no heading\n```\n> said\n\nAsked: x\nRan: y'

    expect(blocksOf(text).map(({ is }) => is)).toEqual(['heading', 'text', 'list', 'code', 'quote', 'labelled'])
  })

  it('lose no word, whatever the text', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('# a', '- b', '12) c', '```', '~~~', '> d', 'Asked: e', '', '  - f', '<!-- g -->', '\t'),
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n')
        const shown = blocksOf(text).map(wordsOf).join(' ')
        const words = (from: string): string[] => from.match(/[\p{L}\p{N}]+/gu) ?? []
        const fences = lines.filter((one) => /^ {0,3}(?:```|~~~)/.test(one)).flatMap(words)

        expect([...words(shown), ...fences].sort()).toEqual(words(text).sort())
      }),
    )
  })
})

describe('words that were looked for', () => {
  const found = (text: string, words: RegExp | null): string[] =>
    marksIn(text, words).map(([from, to]) => text.slice(from, to))

  it('are those that the hit has marked, whole where they are whole there, or those that were typed', () => {
    const hit = {
      snippet: 'the mail (a+b) 배포는',
      marks: [
        [4, 8],
        [9, 14],
        [15, 17],
      ] as [number, number][],
    }
    expect(found('Mail, email, (a+b), 배포를', lookedFor(hit, 'x'))).toEqual(['Mail', '(a+b)', '배포'])
    expect(found('Mail and email', lookedFor(undefined, 'mail'))).toEqual(['Mail'])
    expect(lookedFor(undefined, ' - ')).toBe(null)
  })

  it('never lie outside of a text nor over each other, whatever was marked', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.nat(),
        fc.nat(),
        fc.string({ unit: 'binary' }),
        (snippet, a, b, text) => {
          const [from, to] = [a, b].map((at) => at % (snippet.length + 1)).sort((x, y) => x - y) as [number, number]
          let last = 0
          for (const [start, end] of marksIn(text + snippet, lookedFor({ snippet, marks: [[from, to]] }, ''))) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeGreaterThan(start)
            last = end
          }
          expect(last).toBeLessThanOrEqual(text.length + snippet.length)
        },
      ),
      { numRuns: 15 },
    )
  })
})

describe('why a line was told', () => {
  it('is said in plain words', () => {
    expect(sayWhy('decision d006, rank 3, fresh, by extractive')).toBe('decision d006, number 3 in line, found by code')
    expect(sayWhy('note n-1, the newest, by headless')).toBe('note n-1, the newest, written in the background')
    expect(sayWhy('page project, line 2')).toBe('page project, line 2')
  })
})

describe('an address', () => {
  it('leads back to the place it was made from', () => {
    const value = fc.string({ minLength: 1 }).filter((one) => !one.includes('\ud800'))
    fc.assert(
      fc.property(
        fc.constantFrom(...VIEWS),
        fc.string(),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value),
        (view, id, query) => {
          if (!id.isWellFormed() || !Object.values(query).every((one) => one.isWellFormed())) return
          const back = parseRoute(formatRoute(view, id, query))

          expect(back.view).toBe(view)
          expect(back.id).toBe(id)
          expect(Object.fromEntries(back.query)).toEqual(query)
        },
      ),
    )
  })

  it('that nobody made leads to the overview', () => {
    for (const hash of ['', '#', '#/', '#/nowhere/%E0%A4%A', '#main']) expect(parseRoute(hash).view).toBe('overview')
  })
})

describe('buckets of days', () => {
  const day = fc
    .integer({ min: 0, max: 3000 })
    .map((n) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10))

  it('hold every figure once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(day, { maxLength: 400 }), (days) => {
        const all = bucketsOfDays(days)
        const values = all.map((_, i) => i % 7)
        const sums = bucketsOf(all).sum(values)

        expect(sums.reduce((sum, one) => sum + one, 0)).toBe(values.reduce((sum, one) => sum + one, 0))
        expect(sums.length).toBe(bucketsOf(all).days.length)
      }),
    )
  })

  it('are weeks from Monday on where there are too many days', () => {
    const { per, days } = bucketsOf(bucketsOfDays(['2026-01-01', '2026-12-31']))

    expect(per).toBe('week')
    expect(days[1]).toBe('2026-01-05')
  })

  it('say where a day begins in a list that is newest first', () => {
    const days = [
      { day: '2026-01-01', sessions: 3 },
      { day: '2026-01-02', sessions: 0 },
      { day: '2026-01-03', sessions: 2 },
    ]

    expect(['2026-01-03', '2026-01-02', '2026-01-01'].map((one) => indexOfDay(days, one))).toEqual([0, 2, 2])
  })
})

describe('a stacked chart', () => {
  it('ends at the sum of its parts', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(100), { minLength: 3, maxLength: 3 }), { minLength: 1 }), (columns) => {
        const series = columns.map((values, i) => ({ label: String(i), values, colour: '--c1' }))
        const top = stacked(series).at(-1) ?? []

        expect(top).toEqual([0, 1, 2].map((n) => columns.reduce((sum, values) => sum + (values[n] ?? 0), 0)))
      }),
    )
  })

  it('says the same as a table', () => {
    const spec = {
      title: '',
      unit: '',
      kind: 'bars' as const,
      x: 'days' as const,
      length: 2,
      series: [{ label: 'n', values: [1, null], colour: '--c1' }],
      sayY: String,
      sayX: (index: number) => ['a', 'b'][index] ?? '',
      sayTick: String,
    }

    expect(rowsOf(spec)).toEqual([
      { x: 'a', cells: ['1'] },
      { x: 'b', cells: ['–'] },
    ])
  })
})
