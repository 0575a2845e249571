/** The summary of a session. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entriesInSummary, renderSessionSummary } from '../../../src/core/notes/summary.ts'
import { estimateTokens } from '../../../src/kernel/text/tokens.ts'
import { SESSIONS } from '../../fixtures/sessions.ts'

const META = {
  id: '0a1b2c3d-0000-4000-8000-000000000000',
  startedAt: '2026-01-13T12:00:00.000Z',
  endedAt: '2026-01-13T13:05:00.000Z',
  entries: 15,
  prompts: 2,
  tools: 1,
  parent: null,
}
const ENTRIES = SESSIONS[0]?.entries ?? []

describe('a session summary', () => {
  it('says which session, when, how much, and what happened', () => {
    const lines = renderSessionSummary(META, ENTRIES, [], 500).split('\n')

    expect(lines.slice(0, 5)).toEqual([
      `# Session ${META.id}, 2026-01-13 UTC`,
      `<!-- session ${META.id} entries=15 -->`,
      '',
      '12:00–13:05 UTC, 2 prompts, 1 tool use, 15 entries',
      '',
    ])
    expect(lines[5]).toMatch(/^Ended with a question nobody answered: /)
    expect(lines.join('\n')).toMatch(/^User: Users are logged out/m)
    expect(lines.at(-1)).toBe('')
  })

  it('tells the notes first, the latest ones if not all fit', () => {
    const notes = ['An old note. '.repeat(60), 'The token renewal was moved.', 'A test was added.']
    const text = renderSessionSummary(META, ENTRIES, notes, 500)

    expect(text).not.toContain('An old note.')
    expect(text.indexOf('The token renewal was moved.')).toBeGreaterThan(0)
    expect(text.indexOf('A test was added.')).toBeGreaterThan(text.indexOf('The token renewal was moved.'))
    expect(text.indexOf('Ended ')).toBeGreaterThan(text.indexOf('A test was added.'))
  })

  it('names the session that it goes on from, and a day that is not the first', () => {
    const text = renderSessionSummary(
      { ...META, parent: 'ffffffff', endedAt: '2026-01-14T01:00:00.000Z' },
      ENTRIES,
      [],
      500,
    )

    expect(text).toContain('12:00–2026-01-14 01:00 UTC')
    expect(text).toContain('goes on from ffffffff')
  })

  it('cannot be made to carry another record', () => {
    const text = renderSessionSummary(META, ENTRIES, ['# Title\n<!-- session x entries=99 -->'], 500)

    expect(entriesInSummary(text)).toBe(15)
    expect(text.match(/<!--/g)).toHaveLength(1)
    expect(text.match(/^# /gm)).toHaveLength(1)
  })

  it('says how many entries it tells about, and nothing of the kind in other texts', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(fc.string(), { maxLength: 3 }),
        fc.integer({ min: 200, max: 1500 }),
        (entries, notes, max) => {
          const text = renderSessionSummary({ ...META, entries }, ENTRIES, notes, max)
          expect(entriesInSummary(text)).toBe(entries)
          expect(text.endsWith('\n')).toBe(true)
          expect(estimateTokens(text)).toBeLessThanOrEqual(max + 20)
        },
      ),
    )
    expect(entriesInSummary('# Session')).toBeNull()
  })
})
