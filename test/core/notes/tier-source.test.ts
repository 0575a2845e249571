/** A session as lines of a tier: each with its day and where it comes from. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockOf, shortenBlock, type TierBlock, type ToldSession } from '../../../src/core/notes/tier.ts'
import type { Entry } from '../../../src/kernel/transcript/session.ts'
import { SESSIONS } from '../../fixtures/sessions.ts'

const ENTRIES: Entry[] = [
  { role: 'user', ts: '2026-01-13T23:50:00.000Z', text: 'Make the parser accept empty lines. It fails today.' },
  { role: 'tool', ts: '2026-01-13T23:55:00.000Z', name: 'Edit', cmd: '/app/src/parser.ts', ok: true },
  { role: 'tool', ts: '2026-01-14T00:05:00.000Z', name: 'Bash', cmd: 'npm test -- parser', ok: true, output: 'ok' },
  { role: 'assistant', ts: '2026-01-14T00:10:00.000Z', text: 'All tests pass. The lexer now skips\nempty lines.' },
]
const SESSION: ToldSession = {
  id8: '1a2b3c4d',
  at: '2026-01-13T23:50:00.000Z',
  entries: ENTRIES,
  notes: ['A model said that the lexer skips empty lines now.'],
}

function made(session: ToldSession): TierBlock {
  const block = blockOf(session)
  if (block === null) throw new Error('The session tells nothing.')
  return block
}

describe('a session on its way into a tier', () => {
  it('is what a model wrote, then the digest by structure, each line with its day and its entry', () => {
    const { lines } = made(SESSION)

    expect(lines.map(({ day, text, link }) => `${day} ${text} [${link}]`)).toEqual([
      '2026-01-13 A model said that the lexer skips empty lines now. [L1:1a2b3c4d]',
      '2026-01-14 Ended: All tests pass. The lexer now skips empty lines. [L1:1a2b3c4d#3]',
      '2026-01-13 Changed: /app/src/parser.ts [L1:1a2b3c4d#1]',
      '2026-01-14 Ran: `npm test -- parser` → ok [L1:1a2b3c4d#2]',
      '2026-01-13 User: Make the parser accept empty lines. It fails today. [L1:1a2b3c4d#0]',
    ])
  })

  it('keeps what it was about whatever that costs, then how it ended, in its order', () => {
    const kept = (tokens: number): string[] =>
      shortenBlock(made(SESSION), tokens).lines.map(({ text }) => text.slice(0, 5))

    expect(kept(1)).toEqual(['User:'])
    expect(kept(85)).toEqual(['Ended', 'User:'])
    expect(kept(500)).toHaveLength(5)
  })

  it('names the session alone where its entries are not there', () => {
    const { lines } = made({ ...SESSION, entries: [] })

    expect(lines.map(({ day, link }) => `${day} ${link}`)).toEqual(['2026-01-13 L1:1a2b3c4d'])
    expect(made({ ...SESSION, entries: [], notes: [] }).lines).toHaveLength(1)
  })

  it('tells nothing when everything in it was forgotten', () => {
    const entries = ENTRIES.map((_, n) => ({ role: 'tombstone', n, key: 'k' }) as const)

    expect(blockOf({ ...SESSION, entries })).toBeNull()
  })

  it('has a line for every session of ours, each on one line, with links to entries that are there', () => {
    for (const { entries } of SESSIONS) {
      const said = entries.flatMap(({ entry }) => (entry.role === 'tombstone' ? [] : [entry]))
      const { lines } = made({ ...SESSION, entries: said, notes: [] })

      expect(lines.length).toBeGreaterThan(0)
      for (const { link } of lines) expect(Number(/#(\d+)$/.exec(link)?.[1] ?? 0)).toBeLessThan(said.length)
      // Nearly all that code tells of a session stands in it word for word.
      expect(lines.filter(({ link }) => link.includes('#')).length).toBeGreaterThan(lines.length / 2)
    }
  })

  it('is made of any note without a line break, a comment or an empty line', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (text) => {
        const { lines } = made({ ...SESSION, notes: [text] })
        expect(lines.length).toBeGreaterThan(0)
        for (const line of lines) expect(line.text).not.toMatch(/[\n\r]|<!--|^$/)
      }),
    )
  })
})
