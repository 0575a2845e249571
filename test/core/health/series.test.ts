/** Series for charts and for `stats`: nothing is lost when it is counted by day, and more is never shown as less. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sparkline, squeezed } from '../../../src/core/health/commands/stats.ts'
import { daysOf, everyDay, hooksPerDay, toolsOf } from '../../../src/core/health/series.ts'
import type { RowWithDays } from '../../../src/kernel/sessions/session-row.ts'

function row(days: RowWithDays['days']): RowWithDays {
  return {
    id: '00000001',
    startedAt: '',
    endedAt: '',
    goal: '',
    prompts: 0,
    tools: 0,
    entries: 0,
    subagents: 0,
    toolCounts: days.flatMap(({ toolCounts }) => toolCounts),
    fileCounts: [],
    fileCount: 0,
    isSent: false,
    days,
    quarters: [],
  }
}

const anyDay = fc.integer({ min: 0, max: 60 }).map((n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10))
const anyRow = fc
  .uniqueArray(anyDay, { maxLength: 5 })
  .chain((days) =>
    fc.tuple(
      ...days.map((day) =>
        fc.record({
          day: fc.constant(day),
          prompts: fc.nat(9),
          toolCounts: fc.array(
            fc.tuple(
              fc.constantFrom('Bash', 'Edit', 'Read', 'Grep', 'Glob', 'Write', 'Task', 'A', 'B', 'C'),
              fc.nat(20),
            ),
            { maxLength: 4 },
          ),
        }),
      ),
    ),
  )
  .map((days) => row(days))

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

describe('days', () => {
  it('stand without gaps, and a session counts once, on the day it began', () => {
    const rows = [
      row([{ day: '2026-01-30', prompts: 2, toolCounts: [['Bash', 3]] }]),
      row([
        { day: '2026-01-30', prompts: 1, toolCounts: [] },
        { day: '2026-02-01', prompts: 1, toolCounts: [['Edit', 1]] },
      ]),
    ]
    expect(daysOf(rows)).toEqual([
      { day: '2026-01-30', sessions: 2, prompts: 3, tools: 3 },
      { day: '2026-01-31', sessions: 0, prompts: 0, tools: 0 },
      { day: '2026-02-01', sessions: 0, prompts: 1, tools: 1 },
    ])
    expect(daysOf([])).toEqual([])
  })

  it('of a clock that was wrong by decades are not filled up', () => {
    expect(everyDay(['1970-01-01', '2026-01-01'])).toEqual(['1970-01-01', '2026-01-01'])
  })

  it('lose no prompt and no tool use', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 8 }), (rows) => {
        const all = rows.flatMap(({ days }) => days)
        const days = daysOf(rows)
        expect(sum(days.map(({ prompts }) => prompts))).toBe(sum(all.map(({ prompts }) => prompts)))
        const uses = sum(all.flatMap(({ toolCounts }) => toolCounts.map(([, n]) => n)))
        expect(sum(days.map(({ tools }) => tools))).toBe(uses)
        const { toolNames, toolsPerDay } = toolsOf(rows, 3)
        expect(sum(toolsPerDay.flatMap(({ counts }) => counts))).toBe(uses)
        expect(toolsPerDay.every(({ counts }) => counts.length === toolNames.length)).toBe(true)
        expect(toolsPerDay.map(({ day }) => day)).toEqual(days.map(({ day }) => day))
      }),
    )
  })
})

describe('hook times', () => {
  const anyRun = fc.record({
    at: anyDay.map((day) => `${day}T10:00:00.000Z`),
    event: fc.constantFrom('Stop', 'SessionStart', 'UserPromptSubmit'),
    ms: fc.double({ min: 0, max: 20_000, noNaN: true }),
  })

  it('are counted by event and by day, each once', () => {
    fc.assert(
      fc.property(fc.array(anyRun), (runs) => {
        expect(sum(hooksPerDay(runs).map(({ calls }) => calls))).toBe(runs.length)
        for (const { p50, p95 } of hooksPerDay(runs)) expect(p50).toBeLessThanOrEqual(p95)
      }),
    )
  })

  it('stand in the order of days, with their event', () => {
    const runs = [
      { at: '2026-01-02T00:00:00.000Z', event: 'Stop', ms: 4 },
      { at: '2026-01-01T00:00:00.000Z', event: 'Stop', ms: 2 },
      { at: '2026-01-01T00:00:00.000Z', event: 'Stop', ms: 8 },
    ]
    expect(hooksPerDay(runs)).toEqual([
      { day: '2026-01-01', event: 'Stop', calls: 2, p50: 8, p95: 8 },
      { day: '2026-01-02', event: 'Stop', calls: 1, p50: 4, p95: 4 },
    ])
  })
})

describe('a sparkline', () => {
  it('shows zero as a dot and the greatest as a full block', () => {
    expect(sparkline([0, 1, 4, 8])).toBe('·▁▄█')
    expect(sparkline([0, 0])).toBe('··')
    expect(sparkline([])).toBe('')
    expect(sparkline([0.001, 1000])).toBe('▁█')
  })

  it('has a character for each value, and more is never shown as less', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), (values) => {
        const line = Array.from(sparkline(values))
        expect(line).toHaveLength(values.length)
        const level = (i: number): number => '·▁▂▃▄▅▆▇█'.indexOf(line[i] ?? '')
        values.forEach((value, i) => {
          if (value > 0) expect(level(i)).toBeGreaterThan(0)
          values.forEach((other, j) => {
            if (value <= other) expect(level(i)).toBeLessThanOrEqual(level(j))
          })
        })
      }),
    )
  })

  it('is squeezed into its room, and the greatest value stays visible', () => {
    expect(squeezed([1, 2, 3, 4, 5], 3)).toEqual([1, 3, 5])
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (values, room) => {
        expect(squeezed(values, room).length).toBeLessThanOrEqual(room)
        expect(Math.max(0, ...squeezed(values, room))).toBe(Math.max(0, ...values))
      }),
    )
  })
})
