/** A session's summary as lines of a tier: each with its day and where it comes from. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestEntries } from '../../src/notes/digest.ts'
import { renderSessionSummary } from '../../src/outgoing/session-summary.ts'
import { blockOf } from '../../src/outgoing/tier-source.ts'
import { withMarks } from '../../src/text/own-lines.ts'
import type { Entry } from '../../src/transcript/session.ts'
import { SESSIONS } from '../fixtures/sessions.ts'

const ENTRIES: Entry[] = [
  { role: 'user', ts: '2026-01-13T23:50:00.000Z', text: 'Make the parser accept empty lines. It fails today.' },
  { role: 'tool', ts: '2026-01-13T23:55:00.000Z', name: 'Edit', cmd: '/app/src/parser.ts', ok: true },
  { role: 'tool', ts: '2026-01-14T00:05:00.000Z', name: 'Bash', cmd: 'npm test -- parser', ok: true, output: 'ok' },
  { role: 'assistant', ts: '2026-01-14T00:10:00.000Z', text: 'All tests pass. The lexer now skips\nempty lines.' },
]
const TEXT = `# Session 1a2b3c4d, 2026-01-13 UTC
<!-- session 1a2b3c4d entries=4 -->

23:50–2026-01-14 00:10 UTC, 1 prompt, 2 tool uses, 4 entries

A model said that the lexer skips empty lines now.

Asked: Make the parser accept empty lines. It fails today. Then: go on
Changed: /app/src/parser.ts and 2 more
Ran: \`npm test -- parser\` (worked: ok); \`ls\` (worked)
Result: All tests pass. The lexer now skips empty lines.
`
const SOURCE = { id8: '1a2b3c4d', at: '2026-01-13T23:50:00.000Z', entries: 4, text: TEXT }

describe('a summary on its way into a tier', () => {
  it('is told sentence by sentence, each with its day and its entry', () => {
    const { lines } = blockOf(SOURCE, ENTRIES)

    expect(lines.map(({ day, text, link }) => `${day} ${text} [${link}]`)).toEqual([
      '2026-01-14 A model said that the lexer skips empty lines now. [L1:1a2b3c4d#3]',
      '2026-01-13 Asked: Make the parser accept empty lines. [L1:1a2b3c4d#0]',
      '2026-01-13 Asked: It fails today. [L1:1a2b3c4d#0]',
      '2026-01-13 Then: go on [L1:1a2b3c4d]',
      '2026-01-13 Changed: /app/src/parser.ts and 2 more [L1:1a2b3c4d#1]',
      '2026-01-14 Ran: `npm test -- parser` (worked: ok) [L1:1a2b3c4d#2]',
      '2026-01-13 Ran: `ls` (worked) [L1:1a2b3c4d]',
      '2026-01-14 Result: All tests pass. [L1:1a2b3c4d#3]',
      '2026-01-14 Result: The lexer now skips empty lines. [L1:1a2b3c4d#3]',
    ])
  })

  it('names the session alone where its entries are not there', () => {
    const { lines } = blockOf(SOURCE, [])

    expect(new Set(lines.map(({ day, link }) => `${day} ${link}`))).toEqual(new Set(['2026-01-13 L1:1a2b3c4d']))
  })

  it('keeps what a person wrote into it apart', () => {
    const text = withMarks(TEXT, [])
      .replace('Result: All', 'Result: Nearly all')
      .replace(/\n<!-- ours/, '\nAsk Mary.\n<!-- ours')
    const { hand, lines } = blockOf({ ...SOURCE, text }, ENTRIES)

    expect(hand).toEqual(['Result: Nearly all tests pass. The lexer now skips empty lines.', '', 'Ask Mary.'])
    expect(lines.some((line) => line.text.startsWith('Result'))).toBe(false)
  })

  it('says how much happened when that is all it says, and something even when it says nothing', () => {
    const counts = '# Session x\n\n10:00–10:01 UTC, 0 prompts, 0 tool uses, 1 entry\n'

    expect(blockOf({ ...SOURCE, text: counts }, []).lines.map(({ text }) => text)).toEqual([
      '10:00–10:01 UTC, 0 prompts, 0 tool uses, 1 entry',
    ])
    expect(blockOf({ ...SOURCE, text: '' }, []).lines).toHaveLength(1)
  })

  it('has a line for every session of ours, each on one line, with links to entries that are there', () => {
    for (const { entries } of SESSIONS) {
      const said = entries.flatMap(({ entry }) => (entry.role === 'tombstone' ? [] : [entry]))
      const meta = {
        id: '1a2b3c4d',
        startedAt: SOURCE.at,
        endedAt: SOURCE.at,
        entries: said.length,
        prompts: 1,
        tools: 0,
        parent: null,
      }
      const text = renderSessionSummary(meta, digestEntries(entries), [], 500)
      const { lines } = blockOf({ ...SOURCE, entries: said.length, text }, said)

      expect(lines.length).toBeGreaterThan(0)
      for (const { link } of lines) expect(Number(/#(\d+)$/.exec(link)?.[1] ?? 0)).toBeLessThan(said.length)
      // Nearly all that code tells of a session stands in it word for word.
      expect(lines.filter(({ link }) => link.includes('#')).length).toBeGreaterThan(lines.length / 2)
    }
  })

  it('is made of any text without a line break, a comment or an empty line', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (text) => {
        const { lines } = blockOf({ ...SOURCE, text }, ENTRIES)
        expect(lines.length).toBeGreaterThan(0)
        for (const line of lines) expect(line.text).not.toMatch(/[\n\r]|<!--|^$/)
      }),
    )
  })
})
