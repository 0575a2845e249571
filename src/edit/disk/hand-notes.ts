/** Changes of notes by hand, decided: whoever writes one stands for it, and it is not checked. */

import type { Store } from '../../memory/disk/store.ts'
import { findNote, findSameOwn, type ListedNote } from '../../notes/disk/note-list.ts'
import { planOwnNote } from '../../notes/disk/notes.ts'
import { editNoteIn, removeNoteFrom } from '../../notes/note-change.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { KeeperError } from '../../platform/error.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { count } from '../../text/figures.ts'
import { shown } from '../../text/shown.ts'
import { entryId } from '../../transcript/session.ts'
import { type Decided, dimLine, type Hand } from './hand-line.ts'

export type NoteChange =
  | { do: 'add-note'; text: string }
  | { do: 'edit-note'; id: string; text: string }
  | { do: 'remove-note'; id: string }

/** A note is read at every start; what is longer belongs on a page. */
const MAX_CHARS = 20_000

export function decideNote(store: Store, memory: HandMemory, change: NoteChange, hand: Hand): Decided {
  switch (change.do) {
    case 'add-note':
      return add(store, memory, writtenNote(change.text), hand)
    case 'edit-note':
      return edit(store, memory, change.id, writtenNote(change.text), hand)
    case 'remove-note':
      return remove(store, memory, change.id, hand)
  }
}

/** Who wants a note must say something. Line breaks and tabs stay; colours of a terminal go as a whole. */
export function writtenNote(given: string): string {
  const text = given
    .replace(/\r\n?/g, '\n')
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  if (text.trim() === '')
    throw new KeeperError('empty-note', 'The text is empty: nothing was changed. Give it with --text "…" or on stdin.')
  if (text.length <= MAX_CHARS) return text
  throw new KeeperError(
    'too-large',
    `The text has ${count(text.length, 'character')}, a note at most ${MAX_CHARS.toLocaleString('en-US')}: nothing was changed. A long text belongs on a page: memory-keeper page set NAME --file FILE`,
  )
}

function add(store: Store, memory: HandMemory, text: string, { now, by, isDryRun }: Hand): Decided {
  const same = findSameOwn(store, text, by)
  const dryRun = isDryRun === true
  if (same !== null)
    return {
      memory,
      what: '',
      lines: [{ text: same.id }, dimLine('says exactly this already: nothing was added')],
      json: { note: same, replaced: false, known: true, dryRun },
    }
  const { note, memory: notes } = planOwnNote(store, text, now, by)
  return {
    memory: { ...memory, notes },
    what: `add ${note.id}`,
    lines: [{ text: note.id }, dimLine(dryRun ? 'would be kept: it passes' : 'saved in memory.md')],
    json: { note, replaced: false, dryRun },
  }
}

function edit(store: Store, memory: HandMemory, id: string, text: string, { isDryRun }: Hand): Decided {
  const known = inMemory(findNote(store, id), id)
  const clean = redactorFor(store.config)(text.trim()).text
  const edited = editNoteIn(memory.notes, known.id, { text: clean, author: 'user' }, store.config.timezone)
  if (edited === null) throw notFound(id)
  const dryRun = isDryRun === true
  return {
    memory: { ...memory, notes: edited.memory },
    what: `edit ${known.id}`,
    lines: [
      { text: known.id },
      dimLine(dryRun ? 'would be changed' : 'changed; it is yours now, and no model replaces it'),
    ],
    json: { note: edited.note, dryRun },
  }
}

/** What it tells counts as told, so nobody writes it again. */
function remove(store: Store, memory: HandMemory, id: string, { isDryRun }: Hand): Decided {
  const note = inMemory(findNote(store, id), id)
  const notes = removeNoteFrom(memory.notes, note.id)
  if (notes === null) throw notFound(id)
  const range = rangeOf(note)
  const dryRun = isDryRun === true
  return {
    memory: { ...memory, notes },
    what: `remove ${note.id}`,
    lines: [
      { text: note.id },
      dimLine(`${dryRun ? 'would be taken' : 'taken'} out of ${MEMORY_FILE}`),
      {
        text:
          range === null
            ? 'It is about no session: only memory-keeper undo brings it back.'
            : `What it is about still counts as told: no note is written about it again. The session keeps it: memory-keeper show ${range}`,
      },
    ],
    json: { removed: note, dryRun },
  }
}

export function inMemory(note: ListedNote | null, id: string): ListedNote {
  if (note === null) throw notFound(id)
  if (note.file === MEMORY_FILE) return note
  throw new KeeperError(
    'archived',
    `${note.id} stands in the archive ${note.file}, which no command changes. Edit that file by hand if you must.`,
  )
}

export function notFound(id: string): KeeperError {
  return new KeeperError('not-found', `There is no note ${shown(id)}. memory-keeper notes list shows them.`)
}

/** As `show` takes it; null: it is about no session. */
export function rangeOf({ session, from, to }: ListedNote): string | null {
  if (session === null) return null
  return to - 1 > from ? `${entryId(session, from)}-${to - 1}` : entryId(session, from)
}
