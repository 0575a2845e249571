import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry, Tombstone } from '../../src/core/session.ts'
import { rowOf } from '../../src/core/session-row.ts'

const at = (day: number, second = 0): string => new Date(Date.UTC(2026, 0, day, 23, 59, second)).toISOString()
const said = (text: string, ts = at(1)): Entry => ({ role: 'user', ts, text })
const done = (name: string, cmd: string, ts = at(1)): Entry => ({ role: 'tool', ts, name, cmd, ok: true })

describe('a row', () => {
  it('tells when, what for and how much', () => {
    const row = rowOf('1a2b3c4d', [
      said('/clear'),
      said('Make the  parser\naccept empty lines'),
      done('Read', 'src/a.ts'),
      done('Read', 'src/a.ts'),
      done('Edit', 'src/b.ts'),
      done('Bash', 'npm test'),
      { role: 'subagent', agent: 'Explore', ts: at(1), text: 'found it' },
      { role: 'subagent', agent: 'Explore', ts: at(1), name: 'Read', cmd: 'src/b.ts', ok: true },
      { role: 'tombstone', n: 8, key: 'k' },
      { role: 'assistant', ts: at(1, 30), text: 'Done.' },
    ])

    expect(row).toEqual({
      id: '1a2b3c4d',
      startedAt: at(1),
      endedAt: at(1, 30),
      goal: 'Make the parser accept empty lines',
      prompts: 2,
      tools: 5,
      entries: 9,
      subagents: 1,
      toolCounts: [
        ['Read', 3],
        ['Bash', 1],
        ['Edit', 1],
      ],
      fileCounts: [
        ['src/b.ts', 2],
        ['src/a.ts', 2],
      ],
      fileCount: 2,
      isSent: false,
      days: [{ day: '2026-01-01', prompts: 2, toolCounts: row.toolCounts }],
    })
  })

  it('of nothing is empty', () => {
    expect(rowOf('1a2b3c4d', [])).toMatchObject({ startedAt: '', goal: '', entries: 0, days: [], isSent: false })
  })

  it('is sent where a program sent all prompts', () => {
    const sent: Entry = { role: 'user', ts: at(1), text: 'go', sent: true }

    expect(rowOf('1a2b3c4d', [sent, sent]).isSent).toBe(true)
    expect(rowOf('1a2b3c4d', [sent, said('and this')]).isSent).toBe(false)
  })

  it('takes a command for its goal only where nothing else was said, and not more than a line of it', () => {
    expect(rowOf('1a2b3c4d', [said('/review')]).goal).toBe('/review')
    expect(rowOf('1a2b3c4d', [said('💥'.repeat(400))]).goal).toMatch(/^(?:💥)+…$/u)
  })

  const entries = fc.array(
    fc.oneof(
      fc.record({ role: fc.constant('user' as const), ts: fc.integer({ min: 1, max: 9 }).map(at), text: fc.string() }),
      fc.record({
        role: fc.constant('tool' as const),
        ts: fc.integer({ min: 1, max: 9 }).map(at),
        name: fc.constantFrom('Read', 'Edit', 'Bash', '__proto__'),
        cmd: fc.constantFrom('', 'a', 'b', 'constructor'),
        ok: fc.boolean(),
      }),
      fc.record({ role: fc.constant('tombstone' as const), n: fc.nat(), key: fc.string() }),
    ),
  )

  it('counts every prompt and every use of a tool exactly once, in all and by day', () => {
    fc.assert(
      fc.property(entries, (all: (Entry | Tombstone)[]) => {
        const row = rowOf('1a2b3c4d', all)
        const sum = (counts: readonly (readonly [string, number])[]): number => counts.reduce((n, [, m]) => n + m, 0)

        expect(row.entries).toBe(all.filter(({ role }) => role !== 'tombstone').length)
        expect(row.prompts).toBe(all.filter(({ role }) => role === 'user').length)
        expect(sum(row.toolCounts)).toBe(row.tools)
        expect(row.days.reduce((n, { prompts }) => n + prompts, 0)).toBe(row.prompts)
        expect(row.days.reduce((n, { toolCounts }) => n + sum(toolCounts), 0)).toBe(row.tools)
        expect(new Set(row.days.map(({ day }) => day)).size).toBe(row.days.length)
      }),
    )
  })
})
