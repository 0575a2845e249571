/** Changes of notes and pages by hand, decided: the author answers for the text, and it is not checked. */

import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { findNote, findSameOwn, type ListedNote } from '../../notes/disk/note-list.ts'
import { planOwnNote } from '../../notes/disk/notes.ts'
import { editNoteIn, removeNoteFrom } from '../../notes/note-check.ts'
import { pageFile } from '../../pages/disk/pages.ts'
import { MAX_PAGE_BYTES, pageName } from '../../pages/page.ts'
import { KeeperError } from '../../platform/error.ts'
import { MEMORY_FILE, PAGE_SUFFIX } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { count, bytes as size } from '../../text/figures.ts'
import { shown } from '../../text/shown.ts'
import { entryId } from '../../transcript/session.ts'
import { type Decided, dimLine, type Hand, type HandMemory } from './hand-memory.ts'

export type NoteChange =
  | { do: 'add-note'; text: string }
  | { do: 'edit-note'; id: string; text: string }
  | { do: 'remove-note'; id: string }

export interface PageChange {
  do: 'set-page'
  name: string
  text: string
  how: 'replace' | 'append'
}

/** A note is read at every start; longer texts belong on a page. */
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
    lines: [{ text: note.id }, dimLine(dryRun ? 'would be saved: it passes' : 'saved in memory.md')],
    json: { note, replaced: false, dryRun },
  }
}

function edit(store: Store, memory: HandMemory, id: string, text: string, { isDryRun }: Hand): Decided {
  const known = inMemory(findNote(store, id), id)
  const clean = redactorFor(store.config)(text.trim()).text
  const edited = editNoteIn(memory.notes, known.id, { text: clean, author: 'user' }, store.config.timezone)
  if (edited === null) throw noNote(id)
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

/** Its entries still count as noted: no note is written about them again. */
function remove(store: Store, memory: HandMemory, id: string, { isDryRun }: Hand): Decided {
  const note = inMemory(findNote(store, id), id)
  const notes = removeNoteFrom(memory.notes, note.id)
  if (notes === null) throw noNote(id)
  const range = rangeOf(note)
  const dryRun = isDryRun === true
  const left =
    range === null
      ? 'It is about no session: only memory-keeper undo brings it back.'
      : `What it is about still counts as told: no note is written about it again. The session keeps it: memory-keeper show ${range}`
  return {
    memory: { ...memory, notes },
    what: `remove ${note.id}`,
    lines: [{ text: note.id }, dimLine(`${dryRun ? 'would be taken' : 'taken'} out of ${MEMORY_FILE}`), { text: left }],
    json: { removed: note, dryRun },
  }
}

export function inMemory(note: ListedNote | null, id: string): ListedNote {
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

/** As `show` takes it; null: it is about no session. */
export function rangeOf({ session, from, to }: ListedNote): string | null {
  if (session === null) return null
  return to - 1 > from ? `${entryId(session, from)}-${to - 1}` : entryId(session, from)
}

/** The name of its file, as it is spelled there. */
export function fileOfPage(store: Store, name: string): string {
  return pageFile(store, name) ?? `${name}${PAGE_SUFFIX}`
}

export function checkedPageName(given: string): string {
  const name = pageName(given)
  if (name !== null) return name
  throw new KeeperError(
    'usage',
    `"${shown(given)}" cannot be the name of a page. Use letters, digits and hyphens, like api-notes; memory, rules, claude and names that Windows keeps for devices are taken.`,
  )
}

export function decidePage(store: Store, memory: HandMemory, change: PageChange, { isDryRun }: Hand): Decided {
  const { name, how } = change
  const file = fileOfPage(store, name)
  const where = path.join(store.dir, file)
  const redacted = redactorFor(store.config)(change.text)
  const before = how === 'append' ? (memory.files[file] ?? '') : ''
  const added = redacted.text.endsWith('\n') ? redacted.text : `${redacted.text}\n`
  const after = before + (before === '' || before.endsWith('\n') ? '' : '\n') + added
  const bytes = Buffer.byteLength(after)
  if (bytes > MAX_PAGE_BYTES)
    throw new KeeperError(
      'too-large',
      `${file} would have ${bytes} bytes; a page has at most ${MAX_PAGE_BYTES}. Shorten it, or split it into several pages.`,
    )
  return {
    memory: { ...memory, files: { ...memory.files, [file]: after } },
    what: how === 'append' ? `page ${name}: text added` : `page ${name}: written`,
    lines: [
      { text: `${isDryRun ? 'Would write' : 'Wrote'} ${where} (${size(bytes)}).` },
      ...(redacted.count > 0 ? [{ text: `${count(redacted.count, 'secret')} redacted.` }] : []),
    ],
    json: { name, file: where, bytes, redactions: redacted.count, dryRun: isDryRun === true },
  }
}
