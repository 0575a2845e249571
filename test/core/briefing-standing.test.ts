/** Standing instructions in a briefing: first, short, and told once. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderBriefing } from '../../src/core/briefing.ts'
import type { Standing } from '../../src/core/standing-list.ts'
import { fact, facts, input, note, wildInput } from '../support/briefing.ts'

const TITLE = '## Standing Instructions (said by the user)'

function standing(n: number, text: string, more: Partial<Standing> = {}): Standing {
  const id = `t${String(n).padStart(3, '0')}`
  return {
    id,
    kind: 'always',
    text,
    at: '2026-01-12T10:00:00.000Z',
    session: 'aaaa1111',
    entry: n,
    times: 1,
    status: 'candidate',
    ...more,
  }
}

const linesOf = (text: string | undefined): string[] => (text ?? '').split('\n')

describe('standing instructions', () => {
  it('stand first, with day, times and place', () => {
    const given = [standing(1, 'Always use tabs.', { times: 3 }), standing(2, 'Never push to main.')]
    const lines = linesOf(
      renderBriefing(
        input({ standing: given, notes: [note(0, '2026-01-12', 'Work was done on the parser of the shop.')] }),
      )?.text,
    )

    expect(lines.slice(2, 5)).toEqual([
      TITLE,
      '- t001 2026-01-12: Always use tabs. (said 3 times) [L1:aaaa1111#1]',
      '- t002 2026-01-12: Never push to main. [L1:aaaa1111#2]',
    ])
  })

  it('are reason enough for a briefing, and are not told beside the same decision', () => {
    const text = 'Always run the linter before every commit.'
    const told = renderBriefing(input({ standing: [standing(1, text)], facts: facts([fact('d001', text)]) }))?.text

    expect(told).toContain(TITLE)
    expect(told).not.toContain('d001')
  })

  it.each([
    'The parser is fine now. Always run the linter before you commit.',
    'Before you commit, always run the linter.',
  ])('are not told beside the same decision in other words, neither as rules: %s', (text) => {
    const said = 'Always run the linter before you commit.'
    const decided = facts([fact('d001', text), fact('d002', 'Errors are values.')])
    const beside = renderBriefing(input({ standing: [standing(1, said)], facts: decided }))?.text
    const asRule = renderBriefing(input({ rules: [said], facts: decided }))?.text

    for (const told of [beside, asRule]) {
      expect(told).not.toContain('d001')
      expect(told).toContain('d002')
    }
  })

  it.each(['Never run the linter before you commit.', 'Run the linter of version 9 before you tag a release.'])(
    'leave a decision that says something else: %s',
    (text) => {
      const given = input({ rules: ['Always run the linter before you commit.'], facts: facts([fact('d001', text)]) })

      expect(renderBriefing(given)?.text).toContain('d001')
    },
  )

  it('without room leave the same decision its place', () => {
    const said = 'Always run the linter, the formatter and every test of the shop on both machines before you commit.'
    const many = Array.from({ length: 40 }, (_, i) => standing(i + 2, `Always keep module ${i} small.`, { times: 2 }))
    const given = input({ standing: [...many, standing(1, said)], facts: facts([fact('d001', said)]) })
    const text = renderBriefing(given)?.text

    expect(text).not.toContain('- t001 ')
    expect(text).toContain('- d001 ')
  })

  it('are left out where the host tells them already', () => {
    const text = 'Always run the linter before every commit.'
    const autoMemory = { lines: [`- ${text}`], topics: [] }

    expect(renderBriefing(input({ standing: [standing(1, text)], autoMemory }))).toBeNull()
  })

  it('take a tenth of the room at most, the first ones first', () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      standing(i + 1, `Always keep module number ${i} of the shop in its own directory.`),
    )
    const lines = linesOf(renderBriefing(input({ standing: many }))?.text)
    const told = lines.filter((line) => /^- t\d{3} /.test(line))

    expect(told.length).toBeGreaterThan(5)
    expect([TITLE, ...told].join('\n').length).toBeLessThanOrEqual(950)
    expect(told).toEqual(told.toSorted())
  })

  it('change nothing in a briefing where there are none, and take no room from notes', () => {
    fc.assert(
      fc.property(wildInput, (given) => {
        const [without, withSome] = [renderBriefing({ ...given, standing: [] }), renderBriefing(given)]
        const isStanding = ({ section }: { section: string }): boolean => section.startsWith('Standing')

        expect(without?.lines.some(isStanding) ?? false).toBe(false)
        expect((withSome?.text ?? '').length).toBeLessThanOrEqual(Math.max(0, given.maxChars))
      }),
      { numRuns: 100 },
    )
  })
})
