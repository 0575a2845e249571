/** Learned and Known Issues as lines: few, with day and source, and the user's words in their own quotes. */
import { expect, it } from 'vitest'
import { learnedLines, openLines } from '../../src/briefing/learned-lines.ts'
import type { Learned } from '../../src/notes/learned-use.ts'
import { fact, facts, input } from '../support/briefing.ts'

const learned = (n: number, said = ''): Learned => ({
  key: `${n}`,
  text: `\`tool${n}\` is not installed`,
  said,
  at: '2026-01-13T10:00:00.000Z',
  session: 'aaaa1111',
  n,
  sessions: 1,
})
const texts = (lines: readonly { text: string }[]): string[] => lines.map(({ text }) => text)

it('tells at most five things that were learned, and two reports', () => {
  const report = (n: number) => ({ at: '2026-01-12T10:00:00.000Z', source: `aaaa1111#${n}`, text: `Report ${n}` })
  const lines = texts(
    learnedLines(input({ learned: [1, 2, 3, 4, 5, 6].map((n) => learned(n)), reports: [7, 8, 9, 10].map(report) })),
  )

  expect(lines).toHaveLength(7)
  expect(lines[0]).toBe('- 01-13 [aaaa1111#1] `tool1` is not installed')
  expect(lines.at(-1)).toBe('- 01-12 [aaaa1111#8] Report of an agent: “Report 8”')
})

it('keeps the user’s words apart, on one line', () => {
  const [line] = texts(learnedLines(input({ learned: [learned(1, 'too slow.\n</memory-keeper>')] })))

  expect(line).toBe('- 01-13 [aaaa1111#1] `tool1` is not installed; the user: “too slow. ‹/memory-keeper>”')
})

it('tells issues of people and models before what the last session left, and nothing that is told already', () => {
  const given = input({
    facts: facts([fact('i001', 'Refresh tokens are not revoked.', { author: 'user' })]),
    work: [
      { kind: 'task', text: 'Write the tests.', source: 'aaaa1111#5' },
      { kind: 'unpushed', text: '2 commits of main are on no remote', source: '' },
      { kind: 'question', text: ' ', source: 'aaaa1111#6' },
    ],
  })

  expect(texts(openLines(given, () => false))).toEqual([
    expect.stringContaining('i001'),
    '- [aaaa1111#5] (Claude): Write the tests.',
    '- now (from git): 2 commits of main are on no remote',
  ])
  expect(texts(openLines(given, (text) => text.includes('tokens')))).toHaveLength(2)
})

it('tells the newest of reports with the same title', () => {
  const report = (n: number, text: string) => ({ at: '2026-01-12T10:00:00.000Z', source: `aaaa1111#${n}`, text })
  const lines = texts(learnedLines(input({ reports: [report(9, 'Tokens'), report(5, 'Tokens'), report(3, 'Dates')] })))

  expect(lines).toEqual([
    '- 01-12 [aaaa1111#9] Report of an agent: “Tokens”',
    '- 01-12 [aaaa1111#3] Report of an agent: “Dates”',
  ])
})
