/** Whether a note still says what code wrote, in notes with a fingerprint and in those of versions before 0.6. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAsCodeWroteIt, noteText } from '../../../src/core/notes/note-check.ts'
import { formatNote, madeByCode, type Note, notesIn } from '../../../src/kernel/memory/note.ts'
import type { Entry, Numbered } from '../../../src/kernel/transcript/session.ts'

const TS = '2026-01-13T12:00:00.000Z'
const ENTRIES: Numbered[] = (
  [
    { role: 'user', ts: TS, text: 'Prices are one cent off. Find out why and mend the invoice.' },
    { role: 'tool', ts: TS, name: 'Edit', cmd: 'src/price.ts', ok: true },
    { role: 'tool', ts: TS, name: 'Bash', cmd: 'npm test -- price', ok: false, output: 'Exit code 1\nTests: 1 failed' },
    { role: 'tool', ts: TS, name: 'Bash', cmd: 'npm run build', ok: true, output: 'built in 3.2s' },
    { role: 'user', ts: TS, text: 'We decided to count in whole cents. Never round in the templates.' },
    {
      role: 'assistant',
      ts: TS,
      text: 'Prices are whole cents now. The invoice shows the same totals. The PDF still rounds.',
    },
  ] satisfies Entry[]
).map((entry, n) => ({ n, entry }))

const TEXT = noteText(ENTRIES)

/** As it is read from memory.md. */
function kept(text: string): Note {
  const note: Note = { id: 'n-1a2b3c4d-0-6', at: TS, session: '1a2b3c4d', from: 0, to: 6, author: 'extractive', text }
  return notesIn(formatNote(note, 'UTC'))[0] as Note
}

function keptWithFingerprint(text: string): Note {
  return notesIn(formatNote(madeByCode(kept(text)), 'UTC'))[0] as Note
}

describe('a note with a fingerprint', () => {
  it('is as code wrote it, whatever this version would write', () => {
    expect(isAsCodeWroteIt(keptWithFingerprint(TEXT), ENTRIES)).toBe(true)
    expect(isAsCodeWroteIt(keptWithFingerprint('Goal: something that another version wrote.'), ENTRIES)).toBe(true)
  })

  it('is not after any edit of its words', () => {
    const note = keptWithFingerprint(TEXT)
    fc.assert(
      fc.property(fc.nat(TEXT.length - 1), fc.constantFrom('', 'x', '- '), (at, put) => {
        const text = TEXT.slice(0, at) + put + TEXT.slice(at + 1)
        fc.pre(text.replace(/\s/g, '') !== TEXT.replace(/\s/g, ''))
        expect(isAsCodeWroteIt({ ...note, text }, ENTRIES)).toBe(false)
      }),
    )
  })

  it('is not without its entries, nor with another author', () => {
    expect(isAsCodeWroteIt(keptWithFingerprint(TEXT), [])).toBe(false)
    expect(isAsCodeWroteIt({ ...keptWithFingerprint(TEXT), author: 'user' }, ENTRIES)).toBe(false)
  })
})

describe('a note of a version before 0.6', () => {
  it('counts as edited: it has no fingerprint', () => {
    expect(isAsCodeWroteIt(kept(TEXT), ENTRIES)).toBe(false)
  })
})
