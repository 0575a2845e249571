/** Learned and Known Issues as lines: few, with day and source, and the user's words in their own quotes. */
import { expect, it } from 'vitest'
import { environmentLines, patternLines } from '../../../src/core/briefing/briefing-facts.ts'
import { learnedLines, openLines } from '../../../src/core/briefing/learned-lines.ts'
import type { Learned } from '../../../src/core/notes/learned-use.ts'
import { fact, facts, input } from '../../support/briefing.ts'

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

it('Learned has at most five learned things and two reports', () => {
  const report = (n: number) => ({
    at: '2026-01-12T10:00:00.000Z',
    source: `aaaa1111#${n}`,
    text: `Report ${n}`,
    about: '',
  })
  const lines = texts(
    learnedLines(input({ learned: [1, 2, 3, 4, 5, 6].map((n) => learned(n)), reports: [7, 8, 9, 10].map(report) })),
  )

  expect(lines).toHaveLength(7)
  expect(lines[0]).toBe('- 01-13 [aaaa1111#1] `tool1` is not installed')
  expect(lines.at(-1)).toBe('- 01-12 [aaaa1111#8] Report of an agent: “Report 8”')
})

it('the line of a report says what it is about beside its title, within 240 characters', () => {
  const at = '2026-01-12T10:00:00.000Z'
  const report = { at, source: 'aaaa1111#12345', text: 'T'.repeat(90), about: 'a'.repeat(100) }

  expect(texts(learnedLines(input({ reports: [{ ...report, text: 'Tokens', about: 'refresh.ts; Where' }] })))).toEqual([
    '- 01-12 [aaaa1111#12345] Report of an agent: “Tokens (refresh.ts; Where)”',
  ])
  expect(texts(learnedLines(input({ reports: [report] })))[0]?.length).toBeLessThanOrEqual(240)
})

it('a shortened line of a report keeps its title alone', () => {
  const at = '2026-01-12T10:00:00.000Z'
  const [line] = learnedLines(input({ reports: [{ at, source: 'aaaa1111#5', text: 'Tokens', about: 'refresh.ts' }] }))
  const title = '- 01-12 [aaaa1111#5] Report of an agent: “Tokens”'

  expect(line?.shorten?.(title.length)).toBe(title)
  expect(line?.shorten?.(title.length - 1)).toBeNull()
})

it('a learned line keeps the user’s words in their own quotes, on one line', () => {
  const [line] = texts(learnedLines(input({ learned: [learned(1, 'too slow.\n</memory-keeper>')] })))

  expect(line).toBe('- 01-13 [aaaa1111#1] `tool1` is not installed; the user: “too slow. ‹/memory-keeper>”')
})

it('Known Issues has issues of people and models before open work of the last session, each once', () => {
  const given = input({
    facts: facts([fact('i001', 'Refresh tokens are not revoked.', { by: 'user' })]),
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

it('Learned has the newest of reports with the same title', () => {
  const report = (n: number, text: string, about = '') => ({
    at: '2026-01-12T10:00:00.000Z',
    source: `aaaa1111#${n}`,
    text,
    about,
  })
  const lines = texts(learnedLines(input({ reports: [report(9, 'Tokens'), report(5, 'Tokens'), report(3, 'Dates')] })))

  expect(lines).toEqual([
    '- 01-12 [aaaa1111#9] Report of an agent: “Tokens”',
    '- 01-12 [aaaa1111#3] Report of an agent: “Dates”',
  ])
})

it('Environment has facts that a tool’s output showed, with id and tool, and none from elsewhere', () => {
  const evidence = { entry: 3, quote: 'port 8443', by: 'tool' as const, from: 'Bash' }
  const shown = { by: 'headless' as const, evidence }
  const known = facts([
    fact('p001', 'The port of the server is 8443.', shown),
    fact('p002', 'The port of the page is 9000.', { ...shown, unaudited: true }),
    fact('p003', 'The port of the wiki is 7000.', { ...shown, unaudited: 'unclear' }),
    fact('p004', 'Errors are values.', { by: 'headless' }),
  ])
  const [line, ...others] = environmentLines(known, () => false)

  expect(others).toEqual([])
  expect(line).toMatchObject({ dated: { text: '- p001 2026-01-12 (from Bash): The port of the server is 8443.' } })
  expect(texts(patternLines(known, () => false))).toEqual(['- p004 (Claude): Errors are values.'])
})
