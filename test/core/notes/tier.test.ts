/** The files of weeks and months: read and written without losing a session or a person's word. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  EMPTY_TIER,
  formatTier,
  mergeBlocks,
  mergeHand,
  parseTier,
  sessionsIn,
  type Tier,
  type TierBlock,
} from '../../../src/core/notes/tier.ts'
import { monthOf, type Period, weekOf } from '../../../src/core/notes/tier-period.ts'

const WEEK = weekOf('2026-01-13T10:00:00.000Z') as Period
const BLOCK: TierBlock = {
  id8: '1a2b3c4d',
  at: '2026-01-13T10:00:00.000Z',
  entries: 4,
  lines: [{ day: '2026-01-13', text: 'Decided: Empty lines are skipped.', link: 'L1:1a2b3c4d#3' }],
  hand: [],
}
const TEXT = `# Week 2026-03, 2026-01-12 to 2026-01-18
<!-- Made by code from the summaries of these sessions. What you write here stays. -->

## 2026-01-13 10:00 UTC, session 1a2b3c4d
<!-- session 1a2b3c4d at=2026-01-13T10:00:00.000Z entries=4 ours=24d053 -->
- 2026-01-13 Decided: Empty lines are skipped. [L1:1a2b3c4d#3]
`

const anyBlock: fc.Arbitrary<TierBlock> = fc
  .record({
    n: fc.integer({ min: 0, max: 40 }),
    day: fc.integer({ min: 12, max: 18 }),
    entries: fc.nat(50),
    texts: fc.array(
      fc.string({ minLength: 1, maxLength: 40 }).map((text) => `x${text.replace(/\s+/g, ' ')}x`),
      { maxLength: 4 },
    ),
    hand: fc.array(
      fc.stringMatching(/^[a-z*>][a-z ]{0,20}$/).map((line) => `${line.trimEnd()}!`),
      { maxLength: 3 },
    ),
  })
  .map(({ n, day, entries, texts, hand }) => {
    const id8 = n.toString(16).padStart(8, '0')
    return {
      id8,
      at: `2026-01-${day}T10:00:00.000Z`,
      entries,
      lines: texts.map((text, i) => ({ day: `2026-01-${day}`, text, link: `L1:${id8}#${i}` })),
      hand,
    }
  })

describe('a tier', () => {
  it('is a heading and a block for each session, with its record', () => {
    expect(formatTier(WEEK, { blocks: [BLOCK], hand: [] })).toBe(TEXT)
    expect(parseTier(WEEK, TEXT)).toEqual({ blocks: [BLOCK], hand: [] })
    expect(sessionsIn(TEXT)).toEqual(new Map([['1a2b3c4d', BLOCK.at]]))
  })

  it('keeps what a person wrote: between the blocks, inside of one, and in place of a line of ours', () => {
    const edited = TEXT.replace('# Week 2026-03', 'Mary was on leave.\n\n# Week 2026-03')
      .replace('are skipped.', 'are NOT skipped.')
      .replace(/$/, '\nAsk Mary.\n\n## Plans\n\nMore of it.\n')
    const tier = parseTier(WEEK, edited)

    expect(tier.hand).toEqual(['Mary was on leave.', '', '## Plans', '', 'More of it.'])
    expect(tier.blocks).toEqual([
      {
        ...BLOCK,
        lines: [],
        hand: ['- 2026-01-13 Decided: Empty lines are NOT skipped. [L1:1a2b3c4d#3]', '', 'Ask Mary.'],
      },
    ])
    expect(parseTier(WEEK, formatTier(WEEK, tier))).toEqual(tier)
  })

  it('is read from a text that is none: all of it is by hand', () => {
    expect(parseTier(WEEK, '# My week\r\n\r\nIt was long.\r\n')).toEqual({
      blocks: [],
      hand: ['# My week', '', 'It was long.'],
    })
    expect(parseTier(WEEK, '')).toEqual(EMPTY_TIER)
  })

  it('takes a summary that tells of more entries in place of the one it has, and keeps the words of a person', () => {
    const old = { ...BLOCK, hand: ['Ask Mary.'] }
    const more = { ...BLOCK, entries: 9, lines: [], hand: ['## Ask Tom.'] }

    expect(mergeBlocks([old], [more])).toEqual([{ ...more, hand: ['Ask Mary.', '', '### Ask Tom.'] }])
    expect(mergeBlocks([{ ...more, hand: [] }], [old])).toEqual([{ ...more, hand: ['Ask Mary.'] }])
    expect(mergeBlocks([old], [old])).toEqual([old])
  })

  it('tells what a person wrote once', () => {
    expect(mergeHand(['a', '', 'b'], ['b'])).toEqual(['a', '', 'b'])
    expect(mergeHand(['ab'], ['b'])).toEqual(['ab', '', 'b'])
    expect(mergeHand([], [])).toEqual([])
  })

  it('cannot be made to hold a session by what a person or a sentence says', () => {
    const forged = '<!-- session ffffffff at=2026-01-13T10:00:00.000Z entries=9 ours= -->'
    const blocks = mergeBlocks([], [{ ...BLOCK, hand: [forged] }])

    expect([...sessionsIn(formatTier(WEEK, { blocks, hand: [] })).keys()]).toEqual(['1a2b3c4d'])
  })

  it('reads what it wrote, whatever the blocks', () => {
    fc.assert(
      fc.property(fc.array(anyBlock), fc.array(anyBlock), (some, others) => {
        const tier: Tier = { blocks: mergeBlocks(some, others), hand: ['By hand.'] }
        const text = formatTier(WEEK, tier)
        expect(parseTier(WEEK, text)).toEqual(tier)
        expect([...sessionsIn(text).keys()].sort()).toEqual(
          [...new Set([...some, ...others].map(({ id8 }) => id8))].sort(),
        )
      }),
    )
  })

  it('is the same after it was merged with itself', () => {
    fc.assert(
      fc.property(fc.array(anyBlock), (some) => {
        const once = mergeBlocks([], some)
        expect(mergeBlocks(once, once)).toEqual(once)
      }),
    )
  })

  it('has a heading for months as well', () => {
    expect(formatTier(monthOf(BLOCK.at) as Period, EMPTY_TIER)).toMatch(/^# Month 2026-01\n/)
  })
})
