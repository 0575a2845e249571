/** Notes changed in memory.md: the one that is meant, and no byte beside it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addNoteTo, editNoteIn, removeNoteFrom } from '../../../src/core/notes/note-check.ts'
import { formatNote, type Note, notesIn, parseMemory } from '../../../src/kernel/memory/note.ts'

const note = (n: number, text: string): Note => ({
  id: `n-${n}`,
  at: '2026-01-13T10:00:00.000Z',
  session: null,
  from: 0,
  to: 0,
  author: 'agent',
  text,
})
const HEAD = '# Memory\n\n'
const someMemory = fc
  .array(fc.tuple(fc.lorem(), fc.boolean()), { minLength: 1, maxLength: 6 })
  .map(
    (parts) =>
      HEAD +
      parts
        .map(([text, isOurs], n) => (isOurs ? formatNote(note(n, text), 'UTC') : `## Mine ${n}\n\n${text}\n\n`))
        .join(''),
  )

it('an edited or removed note changes no other byte', () => {
  fc.assert(
    fc.property(someMemory, fc.nat(5), fc.lorem(), (memory, n, text) => {
      const raws = parseMemory(memory).map(({ raw }) => raw)
      const at = parseMemory(memory).findIndex((block) => block.note?.id === `n-${n}`)
      const edited = editNoteIn(memory, `n-${n}`, { text, author: 'user' }, 'UTC')
      const rest = removeNoteFrom(memory, `n-${n}`)
      if (at < 0) expect([edited, rest]).toEqual([null, null])
      if (at < 0) return

      expect(
        parseMemory(edited?.memory ?? '')
          .map(({ raw }) => raw)
          .toSpliced(at, 1),
      ).toEqual(raws.toSpliced(at, 1))
      expect(notesIn(edited?.memory ?? '').find(({ id }) => id === `n-${n}`)).toMatchObject({ text, author: 'user' })
      expect(rest).toBe(raws.toSpliced(at, 1).join(''))
    }),
  )
})

it('an added note is the last one, and removing it restores every byte', () => {
  fc.assert(
    fc.property(someMemory, fc.lorem(), (memory, text) => {
      const added = addNoteTo(memory, note(99, text), 'UTC', HEAD)

      expect(added.startsWith(memory)).toBe(true)
      expect(removeNoteFrom(added, 'n-99')).toBe(memory)
    }),
  )
})

it.each([
  ['', HEAD],
  ['  \n', HEAD],
  ['# Mine', '# Mine\n\n'],
])('a first note begins an empty memory, or a line of its own after %j', (memory, begins) => {
  expect(addNoteTo(memory, note(1, 'One.'), 'UTC', HEAD)).toBe(begins + formatNote(note(1, 'One.'), 'UTC'))
})
