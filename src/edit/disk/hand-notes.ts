/** Changes of notes and pages by hand: the author answers for the text, and it is not checked. */

import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { findNote, findSameOwn, type ListedNote } from '../../notes/disk/note-list.ts'
import { planOwnNote } from '../../notes/disk/notes.ts'
import { editNoteIn, removeNoteFrom } from '../../notes/note-check.ts'
import { pageName } from '../../pages/page.ts'
import { KeeperError } from '../../platform/error.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import { count, bytes as size } from '../../text/figures.ts'
import { shown } from '../../text/shorten.ts'
import { entryId } from '../../transcript/session.ts'
import { type Decided, dimLine, type Edit, fileOfPage, withPage } from './hand-memory.ts'

/** A note is read at every start; longer texts belong on a page. */
const MAX_CHARS = 20_000

export const NOTE_CHANGES = {
  'add-note': ({ store, hand }: Edit, given: { text: string }): Decided => {
    const text = writtenNote(given.text)
    const same = findSameOwn(store, text, hand.by)
    if (same !== null)
      return {
        what: '',
        lines: [same.id, dimLine('says exactly this already: nothing was added')],
        json: { note: same, replaced: false, known: true },
      }
    const { note, memory } = planOwnNote(store, text, hand.now, hand.by)
    return {
      after: { notes: memory },
      what: `add ${note.id}`,
      lines: [note.id, dimLine(hand.isDryRun ? 'would be saved: it passes' : 'saved in memory.md')],
      json: { note, replaced: false },
    }
  },
  'edit-note': ({ store, memory, hand, redacted }: Edit, given: { id: string; text: string }): Decided => {
    const { id } = noteInMemory(store, given.id)
    const text = redacted(writtenNote(given.text).trim())
    const edited = editNoteIn(memory.notes, id, { text, author: 'user' }, store.config.timezone)
    if (edited === null) throw noNote(id)
    return {
      after: { notes: edited.memory },
      what: `edit ${id}`,
      lines: [id, dimLine(hand.isDryRun ? 'would be changed' : 'changed; it is yours now, and no model replaces it')],
      json: { note: edited.note },
    }
  },
  /** The entries of the note still count as noted: no note is written about them again. */
  'remove-note': ({ store, memory, hand }: Edit, given: { id: string }): Decided => {
    const note = noteInMemory(store, given.id)
    const notes = removeNoteFrom(memory.notes, note.id)
    if (notes === null) throw noNote(note.id)
    const range = rangeOf(note)
    const left =
      range === null
        ? 'It is about no session: only memory-keeper undo brings it back.'
        : `What it is about still counts as told: no note is written about it again. The session keeps it: memory-keeper show ${range}`
    return {
      after: { notes },
      what: `remove ${note.id}`,
      lines: [note.id, dimLine(`${hand.isDryRun ? 'would be taken' : 'taken'} out of ${MEMORY_FILE}`), left],
      json: { removed: note },
    }
  },
  'set-page': (
    { store, memory, hand, redacted }: Edit,
    { name, text, how }: { name: string; text: string; how: 'replace' | 'append' },
  ): Decided => {
    const file = fileOfPage(store, name)
    const before = how === 'append' ? (memory.files[file] ?? '') : ''
    const after = withLineEnd(before) + withLineEnd(redacted(text))
    const where = path.join(store.dir, file)
    const bytes = Buffer.byteLength(after)
    return {
      after: withPage(memory, file, after),
      what: how === 'append' ? `page ${name}: text added` : `page ${name}: written`,
      lines: [`${hand.isDryRun ? 'Would write' : 'Wrote'} ${where} (${size(bytes)}).`],
      json: { name, file: where, bytes },
    }
  },
}

/** Line breaks and tabs stay; escape sequences of a terminal and other control characters are removed. */
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

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Notes in archives are not changed. */
function noteInMemory(store: Store, id: string): ListedNote {
  const note = findNote(store, id)
  if (note === null) throw noNote(id)
  if (note.file === MEMORY_FILE) return note
  throw new KeeperError(
    'archived',
    `${note.id} is in the archive ${note.file}, which no command changes. Edit that file by hand if you must.`,
  )
}

export function noNote(id: string): KeeperError {
  return new KeeperError('not-found', `There is no note ${shown(id)}. memory-keeper notes list shows them.`)
}

/** The entries it is about, as `show` takes them; null: it is about no session. */
export function rangeOf({ session, from, to }: ListedNote): string | null {
  if (session === null) return null
  return to - 1 > from ? `${entryId(session, from)}-${to - 1}` : entryId(session, from)
}

export function checkedPageName(given: string): string {
  const name = pageName(given)
  if (name !== null) return name
  throw new KeeperError(
    'usage',
    `"${shown(given)}" cannot be the name of a page. Use letters, digits and hyphens, like api-notes; memory, rules, claude and names that Windows keeps for devices are taken.`,
  )
}
