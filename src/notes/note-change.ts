/** Notes changed in the text of memory.md: one added, edited or taken out, every other byte as it was. */
import { formatNote, type Note, parseMemory } from '../memory/note.ts'

/** Put behind the others. `head`: what an empty memory begins with. */
export function addNoteTo(memory: string, note: Note, timezone: string, head: string): string {
  const before = memory.trim() === '' ? head : memory.endsWith('\n') ? memory : `${memory}\n\n`
  return before + formatNote(note, timezone)
}

/** Null: there is no such note. */
export function editNoteIn(
  memory: string,
  id: string,
  edit: Pick<Note, 'text' | 'author'>,
  timezone: string,
): { memory: string; note: Note } | null {
  const blocks = parseMemory(memory)
  const at = blocks.findIndex(({ note }) => note?.id === id)
  const known = blocks[at]?.note
  if (!known) return null
  const { fingerprint: _, ...record } = known
  const note = { ...record, ...edit }
  return { memory: blocks.map(({ raw }, i) => (i === at ? formatNote(note, timezone) : raw)).join(''), note }
}

/** Null: there is no such note. */
export function removeNoteFrom(memory: string, id: string): string | null {
  const blocks = parseMemory(memory)
  const rest = blocks.filter(({ note }) => note?.id !== id)
  return rest.length === blocks.length ? null : rest.map(({ raw }) => raw).join('')
}
