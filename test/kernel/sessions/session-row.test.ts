import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayIn } from '../../../src/kernel/platform/time.ts'
import { daysIn, rowOf } from '../../../src/kernel/sessions/session-row.ts'
import type { Entry, Tombstone } from '../../../src/kernel/transcript/session.ts'

const at = (day: number, second = 0): string => new Date(Date.UTC(2026, 0, day, 23, 59, second)).toISOString()
const said = (text: string, ts = at(1)): Entry => ({ role: 'user', ts, text })
const answered = (text: string): Entry => ({ role: 'assistant', ts: at(1), text })
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
      quarters: [{ at: '2026-01-01T23:45Z', prompts: 2, toolCounts: row.toolCounts }],
    })
  })

  it('of nothing is empty', () => {
    expect(rowOf('1a2b3c4d', [])).toMatchObject({ startedAt: '', goal: '', entries: 0, quarters: [], isSent: false })
  })

  it('counts no interruption and no text of the host as a prompt, and takes no goal from them', () => {
    const mark: Entry = {
      role: 'user',
      by: 'machine',
      via: 'interrupt',
      ts: at(1),
      text: '[Request interrupted by user]',
    }
    const host: Entry = { ...mark, via: 'host', text: 'Operation stopped by hook: another session is active here.' }
    const sent: Entry = { role: 'user', ts: at(1), text: 'go', sent: true }

    expect(rowOf('1a2b3c4d', [host, mark, said('ok')])).toMatchObject({ prompts: 1, goal: 'ok', entries: 3 })
    expect(rowOf('1a2b3c4d', [said('ok'), mark]).quarters).toMatchObject([{ prompts: 1 }])
    expect(rowOf('1a2b3c4d', [sent, mark]).isSent).toBe(true)
  })

  it('has the heading of an approved plan as its goal', () => {
    const text = 'Implement the following plan:\n\n# Retry mails that bounced\n\n1. A table'
    const plan: Entry = { role: 'user', by: 'machine', via: 'plan', plan: true, ts: at(1), text }

    expect(rowOf('1a2b3c4d', [plan, answered('It is done.')])).toMatchObject({
      prompts: 1,
      goal: 'Retry mails that bounced',
    })
  })

  it('is sent where a program sent all prompts', () => {
    const sent: Entry = { role: 'user', ts: at(1), text: 'go', sent: true }

    expect(rowOf('1a2b3c4d', [sent, sent]).isSent).toBe(true)
    expect(rowOf('1a2b3c4d', [sent, said('and this')]).isSent).toBe(false)
  })

  it.each<[string, string, (Entry | Tombstone)[]]>([
    [
      'a prompt that says more than a short answer does',
      'Add the outbox retry for failed mails',
      [said('approved'), said('/model'), said('Add the outbox retry\nfor failed mails'), answered('It is added.')],
    ],
    [
      'the heading of a plan that was pasted',
      'Retry mails that bounced',
      [said('Implement the following plan:\n\n# Retry mails that bounced\n\n1. A table'), answered('It is done.')],
    ],
    [
      'the heading of a plan that was approved',
      'Whole cents everywhere',
      [said('approved'), done('ExitPlanMode', 'Plan\n\n## Whole cents everywhere\n\n- amounts'), answered('Done.')],
    ],
    [
      'what Claude said last, where the prompt is only an answer',
      'The invoice PDF is written to out/invoice.pdf.',
      [
        said('approved'),
        answered('Working.'),
        answered('Done.\n\n**Summary of everything:**\n- The invoice PDF is written to out/invoice.pdf.'),
      ],
    ],
    [
      'the same after a command for the host',
      'Two of the tests compare times of two clocks.',
      [said('/review'), answered('Two of the tests compare times of two clocks.')],
    ],
    ['a prompt in Korean', '결제 서비스의 오류를 고쳐줘', [said('네'), said('결제 서비스의 오류를 고쳐줘')]],
    ['what was done, where nobody said anything', 'Bash npm test', [done('Bash', 'npm test')]],
    [
      'a comment on a refusal, where nothing else was said',
      'Not here: the keys are read from the vault.',
      [{ role: 'user', via: 'Bash', ts: at(1), text: 'Not here: the keys are read from the vault.' }],
    ],
    [
      'a short prompt, where no answer says more',
      'fix tests',
      [said('ok'), said('fix tests'), done('Bash', 'npm test')],
    ],
    ['a single word, where there is nothing else', 'approved', [said('approved')]],
    ['a command, where there is nothing else', '/review', [said('/review')]],
  ])('is about %s', (_, goal, entries) => {
    expect(rowOf('1a2b3c4d', entries).goal).toBe(goal)
  })

  it('has a goal of one line', () => {
    expect(rowOf('1a2b3c4d', [said('💥'.repeat(400))]).goal).toMatch(/^(?:💥)+…$/u)
  })

  it.each([
    ['UTC', ['2026-11-01', '2026-11-02']],
    // Its day has 25 hours: the clock goes back.
    ['America/New_York', ['2026-10-31', '2026-11-01']],
    ['Asia/Kathmandu', ['2026-11-01', '2026-11-02']],
    ['Pacific/Kiritimati', ['2026-11-01', '2026-11-02']],
    ['Pacific/Pago_Pago', ['2026-10-31', '2026-11-01']],
  ])('has the days of whoever looks at it: in %s', (zone, days) => {
    const times = ['2026-11-01T03:59:59.000Z', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.000Z']
    const row = rowOf(
      '1a2b3c4d',
      times.map((ts) => said('something', ts)),
    )

    expect(daysIn(row, dayIn(zone)).map(({ day }) => day)).toEqual(days)
  })

  it('puts each prompt on the day that it has in every zone', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe']
    const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
    fc.assert(
      fc.property(fc.array(instant, { maxLength: 20 }), fc.constantFrom(...zones), (all, zone) => {
        const times = all.map((millis) => new Date(millis).toISOString())
        const row = rowOf(
          '1a2b3c4d',
          times.map((ts) => said('something', ts)),
        )
        const dayOf = dayIn(zone)
        const counts = new Map<string, number>()
        for (const ts of times) counts.set(dayOf(ts), (counts.get(dayOf(ts)) ?? 0) + 1)

        expect(new Map(daysIn(row, dayOf).map(({ day, prompts }) => [day, prompts]))).toEqual(counts)
      }),
    )
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
        const days = daysIn(row)
        expect(days.reduce((n, { prompts }) => n + prompts, 0)).toBe(row.prompts)
        expect(days.reduce((n, { toolCounts }) => n + sum(toolCounts), 0)).toBe(row.tools)
        expect(new Set(days.map(({ day }) => day)).size).toBe(days.length)
      }),
    )
  })
})
