/** What was told and why comes back from the journal as it was. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatToldRecall,
  formatWhy,
  linesWithoutWhy,
  parseToldRecalls,
  parseWhy,
  sharesOf,
  type ToldRecall,
} from '../../src/receipts/receipt.ts'

const LINES = [
  { section: '', text: '<memory-keeper>', reason: 'begins what is remembered' },
  { section: 'Core Decisions', text: '## Core Decisions', reason: 'heading' },
  { section: 'Core Decisions', text: '- Use pnpm.\n  It is faster.', reason: 'the newest decision' },
  { section: '', text: '</memory-keeper>', reason: 'ends what is remembered' },
]
const TEXT = LINES.map(({ text }) => text).join('\n')

describe('why a briefing has its lines', () => {
  it('comes back line by line, also where one has a line break in it', () => {
    expect(parseWhy(formatWhy(TEXT, LINES), TEXT)).toEqual(LINES)
  })

  it('does not repeat the text', () => {
    expect(formatWhy(TEXT, LINES)).not.toContain('pnpm')
  })

  it.each([
    ['another text', formatWhy(TEXT, LINES), `${TEXT} `],
    ['lines that do not add up', formatWhy(TEXT, LINES.slice(1)), TEXT],
    ['nothing', '', TEXT],
    ['what is no JSON', '{"version":1', TEXT],
    ['other JSON', '{"of":1,"lines":[[]]}', TEXT],
    ['wrong fields', formatWhy(TEXT, LINES).replace('"heading"', '7'), TEXT],
  ])('is not taken from %s', (_, kept, text) => {
    expect(parseWhy(kept, text)).toBeNull()
  })

  it('is the same for any lines', () => {
    const line = fc.record({ section: fc.string(), text: fc.string({ unit: 'binary' }), reason: fc.string() })
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const text = lines.map((one) => one.text).join('\n')
        expect(parseWhy(formatWhy(text, lines), text)).toEqual(lines)
      }),
    )
  })

  it('is empty where only the words were kept; the headings tell the sections', () => {
    const text = '<memory-keeper>\nAbout.\n## Recent Context\n- A note.\n</memory-keeper>'

    expect(linesWithoutWhy(text).map(({ section, reason }) => [section, reason])).toEqual([
      ['', ''],
      ['', ''],
      ['Recent Context', ''],
      ['Recent Context', ''],
      ['', ''],
    ])
    expect(
      linesWithoutWhy(text)
        .map((line) => line.text)
        .join('\n'),
    ).toBe(text)
  })
})

describe('the shares of a whole', () => {
  it('add up to it, by weight, and none is nothing where there is enough', () => {
    expect(sharesOf(10, [2, 2, 8])).toEqual([2, 2, 6])
    fc.assert(
      fc.property(fc.nat(100_000), fc.array(fc.nat(400), { minLength: 1, maxLength: 60 }), (total, weights) => {
        const shares = sharesOf(total, weights)
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total)
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(total >= weights.length ? 1 : 0)
      }),
    )
  })
})

describe('a recall that was told', () => {
  const told = fc.record<ToldRecall>({ at: fc.string(), session: fc.string(), text: fc.string({ unit: 'binary' }) })

  it('comes back word for word, whatever lies between', () => {
    fc.assert(
      fc.property(fc.array(told), (all) => {
        const kept = all.map((one) => `{"at":"half\n\n${formatToldRecall(one)}`).join('')
        expect(parseToldRecalls(kept)).toEqual(all)
      }),
    )
  })
})
