/** The line at a start. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderStartLine, type StartLine } from '../../../src/doors/hooks/start-line.ts'

const NOW = '2026-03-08T10:00:00.000Z'
const line = (change: Partial<StartLine> = {}): StartLine => ({
  ...{ sessions: 9, open: 2, toAccept: 1 },
  stands: { at: '2026-03-07T21:00:00.000Z', text: 'deploy.sh is missing, stopped' },
  ...change,
})

describe('the line at a start', () => {
  it('says how much is remembered, how much is open, where it stands, and what waits for a yes', () => {
    expect(renderStartLine(line(), NOW, 'UTC')).toBe(
      'Memory Keeper: 9 sessions · 2 open · yesterday: deploy.sh is missing, stopped · 1 rule to accept',
    )
  })

  it('leaves out what there is nothing of', () => {
    expect(renderStartLine(line({ sessions: 1, open: 0, stands: null, toAccept: 0 }), NOW, '')).toBe(
      'Memory Keeper: 1 session',
    )
    expect(renderStartLine(line({ open: 0, toAccept: 2, stands: { at: NOW, text: '' } }), NOW, '')).toBe(
      'Memory Keeper: 9 sessions · 2 rules to accept',
    )
  })

  it.each([
    ['2026-03-08T01:00:00.000Z', 'today: '],
    ['2026-03-07T01:00:00.000Z', 'yesterday: '],
    ['2026-03-06T01:00:00.000Z', 'Friday: '],
    ['2026-03-02T23:00:00.000Z', 'Monday: '],
    ['2026-03-01T23:00:00.000Z', '03-01: '],
    ['2025-12-31T23:00:00.000Z', '2025-12-31: '],
    ['2026-03-09T23:00:00.000Z', '03-09: '],
    ['bogus', ''],
  ])('what stands since %s is of "%s"', (at, day) => {
    expect(renderStartLine(line({ open: 0, toAccept: 0, stands: { at, text: 'It works' } }), NOW, 'UTC')).toBe(
      `Memory Keeper: 9 sessions · ${day}It works`,
    )
  })

  it('takes the day of the time zone', () => {
    const stands = { at: '2026-03-08T20:00:00.000Z', text: 'It works' }
    expect(renderStartLine(line({ stands }), '2026-03-09T10:00:00.000Z', 'Asia/Seoul')).toContain('today: It works')
  })

  it('is always one line', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.date({ noInvalidDate: true }), (sessions, open, toAccept, date) => {
        const stands = { at: date.toISOString(), text: 'It works' }
        const text = renderStartLine({ sessions, open, toAccept, stands }, NOW, 'UTC')
        expect(text).toMatch(/^Memory Keeper: [\d,]+ sessions? · [^\n]*It works[^\n]*$/)
      }),
    )
  })
})
