/** Of two copies of a note the one stays that an edit may be in, and nothing else is touched. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countDoubles, type NoteFile, withoutDoubles } from '../../../src/core/notes/doubles.ts'
import { formatNote, madeByCode, type Note, notesIn } from '../../../src/kernel/memory/note.ts'

const BY_HAND = 'A paragraph that a person wrote.\n\n'

function noteOf(
  from: number,
  to: number,
  text: string,
  author: Note['author'] = 'headless',
  session = '1a2b3c4d',
): Note {
  return { id: `n-${session}-${from}-${to}`, at: '2026-01-13T12:00:00.000Z', session, from, to, author, text }
}

const written = (...notes: Note[]): string => notes.map((note) => formatNote(note, 'UTC')).join('')

/** All files after the doubles are removed. */
function healed(files: readonly NoteFile[]): NoteFile[] {
  const changed = new Map(withoutDoubles(files).map(({ file, text }) => [file, text]))
  return files.map(({ file, text }) => ({ file, text: changed.get(file) ?? text }))
}

const textsIn = (files: readonly NoteFile[]): string[][] =>
  files.map(({ text }) => notesIn(text).map((note) => note.text))

describe('of two notes with one id', () => {
  it('the newer one stays, which a person may have edited since', () => {
    const files = [
      { file: 'memory_1.md', text: written(noteOf(0, 9, 'Before.')) },
      { file: 'memory.md', text: BY_HAND + written(noteOf(0, 9, 'Edited since.')) },
    ]
    expect(textsIn(healed(files))).toEqual([[], ['Edited since.']])
    expect(healed(files)[1]?.text).toBe(files[1]?.text)
  })

  it('the first one stays if their words are the same', () => {
    const note = noteOf(0, 9, 'Said once.')
    const files = ['memory_1.md', 'memory_2.md', 'memory.md'].map((file) => ({ file, text: written(note) }))
    expect(textsIn(healed(files))).toEqual([['Said once.'], [], []])
    expect(countDoubles(files)).toBe(2)
  })

  it('a note as code wrote it does not replace what a model wrote or a person changed', () => {
    const made = madeByCode(noteOf(0, 9, 'Read a.ts.'))
    const changed = { ...made, text: 'Read a.ts, because the harbour asked.' }
    for (const kept of [noteOf(0, 9, 'By a model.'), changed]) {
      const files = [
        { file: 'memory_1.md', text: written(kept) },
        { file: 'memory.md', text: written(made) },
      ]
      expect(textsIn(healed(files))).toEqual([[kept.text], []])
    }
  })
})

describe('a note about entries that others cover', () => {
  it('goes if it is as code wrote it, and stays if it may have been edited', () => {
    const halves = [noteOf(0, 5, 'The first half.'), noteOf(5, 9, 'The second half.')]
    const made = madeByCode(noteOf(0, 9, 'Read a.ts.'))
    const files = (note: Note): NoteFile[] => [{ file: 'memory.md', text: written(...halves, note) }]

    expect(textsIn(healed(files(made)))).toEqual([['The first half.', 'The second half.']])
    expect(withoutDoubles(files({ ...made, text: 'Changed by hand.' }))).toEqual([])
    expect(withoutDoubles(files(noteOf(0, 10, 'One entry more.')))).toEqual([])
  })
})

it('removing doubles keeps every range noted, every id once and a person’s text, and changes nothing a second time', () => {
  const note = fc
    .record({ from: fc.nat(2), long: fc.integer({ min: 1, max: 2 }), words: fc.nat(2), by: fc.nat(2) })
    .map(({ from, long, words, by }) => {
      const one = noteOf(from, from + long, `Words ${words}.`, by === 0 ? 'user' : 'headless')
      return by === 2 ? madeByCode(one) : one
    })
  const files = fc.array(fc.array(note, { maxLength: 4 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(files, (all) => {
      const before = all.map((notes, n) => ({ file: `memory_${n}.md`, text: BY_HAND + written(...notes) }))
      const after = healed(before)
      const left = after.flatMap(({ text }) => notesIn(text))
      expect(new Set(left.map(({ id }) => id)).size).toBe(left.length)
      for (const { from, to } of all.flat())
        for (let at = from; at < to; at++) expect(left.some((one) => one.from <= at && at < one.to)).toBe(true)
      expect(after.every(({ text }) => text.startsWith(BY_HAND))).toBe(true)
      expect(withoutDoubles(after)).toEqual([])
    }),
  )
})

describe('a memory of 0.6 that 0.5.1 used for a session', () => {
  const FILE = path.join(import.meta.dirname, '..', '..', 'fixtures', '0.5.1', 'after-0.6.json')
  const { files }: { files: Record<string, string> } = JSON.parse(fs.readFileSync(FILE, 'utf8'))

  it('has its sessions noted once again', () => {
    const memory = [{ file: 'memory.md', text: files['memory.md'] ?? '' }]
    expect(countDoubles(memory)).toBe(3)
    const sessions = healed(memory).flatMap(({ text }) => notesIn(text).map(({ session }) => session))
    expect(sessions.toSorted()).toEqual(['a0000001', 'a0000002', 'a0000003', 'a0000004', 'a0000005'])
  })
})
