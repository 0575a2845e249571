/** The files of weeks and months: written from blocks, shown by session, and a person's lines told apart. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatHand,
  handIn,
  hasItsSessions,
  isRender,
  partsOf,
  renderTier,
  sessionsIn,
  type TierBlock,
} from '../../../src/core/notes/tier.ts'
import { monthOf, type Period, weekOf } from '../../../src/core/notes/tier-period.ts'

const WEEK = weekOf('2026-01-13T10:00:00.000Z') as Period
const ROOM = 500
const BLOCK: TierBlock = {
  id8: '1a2b3c4d',
  at: '2026-01-13T10:00:00.000Z',
  entries: 4,
  lines: [{ day: '2026-01-13', text: 'Decided: Empty lines are skipped.', link: 'L1:1a2b3c4d#3', from: 'dialogs' }],
}
/** Byte for byte as 0.6 writes it, which takes over what it knows as its own. */
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
  })
  .map(({ n, day, entries, texts }) => {
    const id8 = n.toString(16).padStart(8, '0')
    return {
      id8,
      at: `2026-01-${day}T10:00:00.000Z`,
      entries,
      lines: texts.map((text, i) => ({ day: `2026-01-${day}`, text, link: `L1:${id8}#${i}`, from: 'turns' })),
    }
  })

describe('a tier', () => {
  it('is a heading and a block for each session, with its record', () => {
    expect(renderTier(WEEK, [BLOCK], ROOM)).toBe(TEXT)
    expect(partsOf(TEXT)).toEqual({
      loose: '# Week 2026-03, 2026-01-12 to 2026-01-18',
      parts: [
        {
          id8: '1a2b3c4d',
          at: BLOCK.at,
          entries: 4,
          text: '- 2026-01-13 Decided: Empty lines are skipped. [L1:1a2b3c4d#3]',
        },
      ],
    })
  })

  it('has a heading for months as well', () => {
    expect(renderTier(monthOf(BLOCK.at) as Period, [], ROOM)).toMatch(/^# Month 2026-01\n/)
  })

  it('tells what a person wrote: between the blocks, inside of one, and in place of a line of ours', () => {
    const edited = TEXT.replace('# Week 2026-03', 'Mary was on leave.\n\n# Week 2026-03')
      .replace('are skipped.', 'are NOT skipped.')
      .replace(/$/, '\nAsk Mary.\n\n## Plans\n\nMore of it.\n')

    expect(handIn(WEEK.file, edited)).toEqual([
      'Mary was on leave.',
      '',
      '- 2026-01-13 Decided: Empty lines are NOT skipped. [L1:1a2b3c4d#3]',
      '',
      'Ask Mary.',
      '',
      '## Plans',
      '',
      'More of it.',
    ])
  })

  it('of another origin is by hand as a whole', () => {
    expect(handIn(WEEK.file, '# My week\r\n\r\nIt was long.\r\n')).toEqual(['# My week', '', 'It was long.'])
    expect(partsOf('# My week\r\n\r\nIt was long.\r\n').parts).toEqual([])
  })

  it('has no line by hand and tells all of its sessions, whatever the blocks', () => {
    fc.assert(
      fc.property(fc.array(anyBlock), (blocks) => {
        const text = renderTier(WEEK, blocks, ROOM)
        expect(handIn(WEEK.file, text)).toEqual([])
        expect(sessionsIn(WEEK.file, text)).toEqual(blocks.map(({ id8 }) => id8))
      }),
    )
  })
})

describe('a render', () => {
  it('is a week whose sessions are all here', () => {
    expect(isRender(WEEK.file, TEXT, (id8) => id8 === '1a2b3c4d')).toBe(true)
    expect(isRender(WEEK.file, TEXT, () => false)).toBe(false)
    expect(hasItsSessions(WEEK.file, '# Our week\n', () => true)).toBe(false)
  })

  it('is a summary with no line but ours', () => {
    const name = '20260113_100000_1a2b3c4d.md'
    expect(isRender(name, 'Ours.\n<!-- ours: -->\n', () => true)).toBe(false)
    expect(isRender(name, '# Written before there were marks\n', () => true)).toBe(true)
    expect(sessionsIn(name, '')).toEqual(['1a2b3c4d'])
  })

  it('is not what was left of a person in its place', () => {
    for (const name of [WEEK.file, '20260113_100000_1a2b3c4d.md'])
      expect(handIn(name, formatHand(name, ['Ask Mary.', 'And Tom.']))).toEqual(['Ask Mary.', 'And Tom.'])
  })
})
