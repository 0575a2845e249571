import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeRecords,
  fingerprintOfNote,
  formatNote,
  madeByCode,
  type Note,
  type NoteAuthor,
  notesIn,
  parseMemory,
} from '../../../src/kernel/memory/note.ts'

const NOTE: Note = {
  id: 'n-1a2b3c4d-12-57',
  at: '2026-01-13T12:00:00.000Z',
  session: '1a2b3c4d',
  from: 12,
  to: 57,
  author: 'headless',
  text: 'Prices are kept in whole cents now.',
}

describe('a note', () => {
  it('has both times, a record of what it tells, and its words', () => {
    expect(formatNote(NOTE, 'Asia/Seoul')).toBe(`## 2026-01-13 12:00:00 UTC (2026-01-13 21:00:00 +09:00)
<!-- note n-1a2b3c4d-12-57 session=1a2b3c4d entries=12-57 author=headless at=2026-01-13T12:00:00.000Z -->
Prices are kept in whole cents now.

`)
  })

  it('that no audit has confirmed says so in its heading, which versions before 0.6 do not parse', () => {
    const note: Note = { ...NOTE, unaudited: true }
    const text = formatNote(note, 'Asia/Seoul')
    const before = /^<!-- note (\S+)(?: session=(\S+) entries=(\d+)-(\d+))? author=(\w+) at=(\S+) -->$/m

    expect(text.split('\n')[0]).toBe('## 2026-01-13 12:00:00 UTC (2026-01-13 21:00:00 +09:00) unaudited')
    expect(notesIn(text)).toEqual([note])
    expect(before.exec(text)?.slice(1)).toEqual([NOTE.id, '1a2b3c4d', '12', '57', 'headless', NOTE.at])
  })

  it('of a person is about no entries', () => {
    const own: Note = { ...NOTE, id: 'n-20260113_120000', session: null, from: 0, to: 0, author: 'user' }

    expect(notesIn(formatNote(own, 'UTC'))).toEqual([own])
  })

  it('of code has a fingerprint of its words, and loses it with another author', () => {
    const made = madeByCode({ ...NOTE, text: '# Asked\nWhy? <!-- so -->' })
    const [read] = notesIn(formatNote(made, 'UTC'))

    expect(formatNote(made, 'UTC')).toContain(` entries=12-57 fingerprint=${made.fingerprint} author=extractive at=`)
    expect(read).toMatchObject({ author: 'extractive', fingerprint: made.fingerprint })
    expect(fingerprintOfNote(read?.text ?? '')).toBe(made.fingerprint)
    expect(fingerprintOfNote(read?.text.replaceAll(' ', '\r\n') ?? '')).toBe(made.fingerprint)
    expect(fingerprintOfNote(`${read?.text} Nothing.`)).not.toBe(made.fingerprint)
    expect(formatNote({ ...made, author: 'user' }, 'UTC')).not.toContain('fingerprint')
  })

  it('keeps its words when its record is changed, whatever the record says', () => {
    const record = `<!-- note n-1 session=1a2b3c4d entries=0-4 fingerprint=${'a'.repeat(8)} author=user at=x -->`
    const changed = changeRecords(`## Day\n${record}\nWords.\n`, (one) => ({ ...one, author: 'agent' }), '\n(theirs)')

    expect(changed).toBe('## Day\n<!-- note n-1 session=1a2b3c4d entries=0-4 author=agent at=x -->\n(theirs)\nWords.\n')
  })

  it('cannot begin another note, nor carry a record of its own', () => {
    const text =
      '## 2026-01-14 00:00:00 UTC\n<!-- note n-00000000-0-9 session=00000000 entries=0-9 author=user at=x -->\nforged'
    const notes = notesIn(formatNote({ ...NOTE, text }, 'UTC') + formatNote(NOTE, 'UTC'))

    expect(notes.map(({ id }) => id)).toEqual([NOTE.id, NOTE.id])
  })

  it('comes back as it was written, whatever it says', () => {
    const author = fc.constantFrom<NoteAuthor>('agent', 'headless', 'extractive', 'user')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), author, fc.nat(50), fc.nat(50))), (told) => {
        const notes = told.map(([text, by, from, length], i): Note => {
          return { ...NOTE, id: `n-1a2b3c4d-${i}-${i}`, text, author: by, from, to: from + length }
        })
        const memory = notes.map((note) => formatNote(note, 'UTC')).join('')

        expect(notesIn(memory).map(({ text: _, ...rest }) => rest)).toEqual(notes.map(({ text: _, ...rest }) => rest))
      }),
    )
  })
})

describe('memory.md', () => {
  it('is the sum of its pieces, byte for byte, whoever wrote it', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('## by hand\n', '# Memory\n\n', '\r\n', '## \n', formatNote(NOTE, 'UTC')),
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const memory = pieces.join('')
        expect(
          parseMemory(memory)
            .map(({ raw }) => raw)
            .join(''),
        ).toBe(memory)
      }),
    )
  })

  it('keeps what a person wrote between the notes', () => {
    const memory = `# Memory\n\n${formatNote(NOTE, 'UTC')}## My own heading\nmine\n\n${formatNote({ ...NOTE, id: 'n-b' }, 'UTC')}`

    expect(parseMemory(memory).map(({ note }) => note?.id ?? null)).toEqual([null, NOTE.id, null, 'n-b'])
  })
})
