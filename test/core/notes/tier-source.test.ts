/** A session's summary as lines of a tier: each with its day and where it comes from. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderSessionSummary } from '../../../src/core/notes/summary.ts'
import { blockOf, shortenBlock } from '../../../src/core/notes/tier.ts'
import { withMarks } from '../../../src/kernel/text/fingerprint.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { SESSIONS } from '../../fixtures/sessions.ts'

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

Ended: All tests pass. The lexer now skips empty lines.
User: Make the parser accept empty lines. It fails today.
`
const SOURCE = { id8: '1a2b3c4d', at: '2026-01-13T23:50:00.000Z', entries: 4, text: TEXT }

describe('a summary on its way into a tier', () => {
  it('is what a model wrote, then the digest by structure, each line with its day and its entry', () => {
    const { lines } = blockOf(SOURCE, ENTRIES)

    expect(lines.map(({ day, text, link }) => `${day} ${text} [${link}]`)).toEqual([
      '2026-01-13 A model said that the lexer skips empty lines now. [L1:1a2b3c4d]',
      '2026-01-14 Ended: All tests pass. The lexer now skips empty lines. [L1:1a2b3c4d#3]',
      '2026-01-13 Changed: /app/src/parser.ts [L1:1a2b3c4d#1]',
      '2026-01-14 Ran: `npm test -- parser` → ok [L1:1a2b3c4d#2]',
      '2026-01-13 User: Make the parser accept empty lines. It fails today. [L1:1a2b3c4d#0]',
    ])
  })

  it('keeps what it was about whatever that costs, then how it ended, in its order', () => {
    const block = blockOf(SOURCE, ENTRIES)
    const kept = (tokens: number): string[] => shortenBlock(block, tokens).lines.map(({ text }) => text.slice(0, 5))

    expect(kept(1)).toEqual(['User:'])
    expect(kept(85)).toEqual(['Ended', 'User:'])
    expect(kept(500)).toHaveLength(5)
  })

  it('names the session alone where its entries are not there', () => {
    const { lines } = blockOf(SOURCE, [])

    expect(new Set(lines.map(({ day, link }) => `${day} ${link}`))).toEqual(new Set(['2026-01-13 L1:1a2b3c4d']))
  })

  it('keeps what a person wrote into it apart', () => {
    const text = withMarks(TEXT, []).replace(/\n<!-- ours/, '\nAsk Mary.\n<!-- ours')
    const { hand, lines } = blockOf({ ...SOURCE, text }, ENTRIES)

    expect(hand).toEqual(['Ask Mary.'])
    expect(lines.some((line) => line.text.includes('Mary'))).toBe(false)
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
      const text = renderSessionSummary(meta, entries, [], 500)
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
