/** `notes`: the notes of a memory, listed, shown with their source, edited, removed, and those by code replaced. */

import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, change, limitOf } from '../../memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, table, width } from '../../memory/commands/output.ts'
import { findNote, type ListedNote, listNotes } from '../../notes/disk/note-list.ts'
import { type Saved, saveNote } from '../../notes/disk/notes.ts'
import { KeeperError } from '../../platform/error.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import { entryId } from '../../transcript/session.ts'
import { inMemory, notFound, rangeOf } from '../disk/hand-notes.ts'
import { keepNotesForUndo } from '../disk/undo.ts'
import { handIn, perform } from './by-hand.ts'
import { AUTHOR, givenText, NOTE_TEXT, noteAuthor, type TextOptions, tellSaved } from './note.ts'

/** Below so many columns, session and author are left out. */
const NARROW = 90
const LEAST_WORDS = 20

export const WRITTEN_BY = {
  agent: 'Claude, as agent',
  headless: 'Claude, in the background',
  extractive: 'code',
  user: 'you',
}

function runNotesList({ store, out, world }: Context, options: { limit?: string }): number {
  const { notes, byHand } = listNotes(store)
  const shown = notes.slice(0, limitOf(options.limit))
  out.json({ notes: shown, total: notes.length, byHand })
  if (notes.length === 0) {
    out.say('No notes yet. They are written as you work; memory-keeper delta shows what waits for one.')
  }
  out.say(...renderRows(shown, world.columns))
  if (byHand > 0) out.say(dim(`${count(byHand, 'more paragraph')} in ${MEMORY_FILE}, written by hand.`))
  return 0
}

function renderRows(notes: readonly ListedNote[], columns: number): string[] {
  const heads = table(
    notes.map((note) => [
      bold(note.id),
      dayOf(note.at),
      ...(columns < NARROW ? [] : [note.author, note.session ?? '–']),
    ]),
  )
  const taken = Math.max(0, ...heads.map(width)) + 2
  return table(notes.map((note, i) => [heads[i] ?? '', oneLine(note.text, Math.max(LEAST_WORDS, columns - taken))]))
}

export function runNotesShow({ store, out }: Context, id: string): number {
  const note = found(findNote(store, id), id)
  const source = sourceOf(note)
  out.json({ note, source })
  out.say(
    `${bold(note.id)} ${dim(`${dayOf(note.at)} UTC, by ${WRITTEN_BY[note.author]}, in ${note.file}`)}`,
    harmless(note.text),
    '',
    source === null
      ? dim('It is about no session.')
      : `It tells ${count(note.to - note.from, 'entry', 'entries')} of session ${note.session}: ${source.first} to ${source.last}.\nThe source: memory-keeper show ${rangeOf(note)}`,
  )
  return 0
}

/** Whoever edits a note by hand stands for it: it is not checked. */
function runNotesEdit(context: Context, id: string, options: TextOptions): number {
  return perform(context, { do: 'edit-note', id, text: givenText(context, options) })
}

function runNotesReplace(context: Context, id: string, options: TextOptions): number {
  const text = givenText(context, options)
  const author = noteAuthor(options, 'agent')
  const saved = change(context, (store): Saved => {
    const note = inMemory(findNote(store, id), id)
    if (note.author !== 'extractive') {
      throw new KeeperError(
        'not-replaceable',
        `${note.id} was not written by code but by ${WRITTEN_BY[note.author]}. To change it: memory-keeper notes edit ${note.id}`,
      )
    }
    const hand = handIn(context)
    const keep = (notes: string): void => keepNotesForUndo(store, notes, `replace ${note.id}`, hand)
    const done = saveNote(store, { delta: note.id, text, author }, hand.now, keep)
    if (done.is !== 'not-open') return done
    throw new KeeperError(
      'not-replaceable',
      `${note.id} is no longer as code wrote it, or its session is gone. To change it: memory-keeper notes edit ${note.id}`,
    )
  })
  return tellSaved(
    context,
    saved,
    'Nothing was changed. Mend the text and try again; until then the note stays as code wrote it.',
  )
}

/** What it tells counts as told, so nobody writes it again. */
function runNotesRemove(context: Context, id: string): number {
  return perform(context, { do: 'remove-note', id })
}

function found(note: ListedNote | null, id: string): ListedNote {
  if (note === null) throw notFound(id)
  return note
}

function sourceOf(note: ListedNote): { session: string; first: string; last: string } | null {
  if (note.session === null) return null
  const { session, from, to } = note
  return { session, first: entryId(session, from), last: entryId(session, Math.max(from, to - 1)) }
}

function dayOf(at: string): string {
  return harmless(at).slice(0, 16).replace('T', ' ')
}

export const NOTES_COMMANDS: readonly Command[] = [
  {
    usage: 'notes list',
    about: 'the notes, also those in archives, newest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper notes list --limit 10',
    run: inProject(runNotesList),
  },
  {
    usage: 'notes show <id>',
    about: 'a note, and where it comes from',
    example: 'memory-keeper notes show n-1a2b3c4d-0-57',
    run: inProject((context, _, [id = '']) => runNotesShow(context, id)),
  },
  {
    usage: 'notes edit <id>',
    about: 'put your own text in the place of a note; it is not checked',
    options: [NOTE_TEXT],
    writes: true,
    example: 'memory-keeper notes edit n-1a2b3c4d-0-57 --text "Prices are kept in cents."',
    run: inProject((context, options, [id = '']) => runNotesEdit(context, id, options)),
  },
  {
    usage: 'notes replace <id>',
    about: 'put a better text in the place of a note that code wrote, checked against its delta',
    options: [NOTE_TEXT, AUTHOR],
    writes: true,
    example: 'memory-keeper notes replace n-1a2b3c4d-0-57 < note.txt',
    run: inProject((context, options, [id = '']) => runNotesReplace(context, id, options)),
  },
  {
    usage: 'notes remove <id>',
    about: 'take a note out of memory.md; what it is about is not noted again',
    writes: true,
    example: 'memory-keeper notes remove n-1a2b3c4d-0-57',
    run: inProject((context, _, [id = '']) => runNotesRemove(context, id)),
  },
]
