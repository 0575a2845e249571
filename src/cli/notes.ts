/** `notes`: the notes of a memory, listed, shown with their source, edited, removed, and those by code replaced. */
import { KeeperError } from '../core/error.ts'
import { MEMORY_FILE } from '../core/layout.ts'
import { entryId } from '../core/session.ts'
import { repairMemory } from '../store/memory.ts'
import { findNote, type ListedNote, listNotes } from '../store/note-list.ts'
import { editNote, removeNote, type Saved, saveNote } from '../store/notes.ts'
import { type Context, limitOf } from './context.ts'
import { authorOf, change, givenText, type TextOptions, tellSaved } from './note.ts'
import { bold, count, dim, harmless, oneLine, table, width } from './output.ts'

/** Below so many columns, session and author are left out. */
const NARROW = 90
const LEAST_WORDS = 20

export const WRITTEN_BY = {
  agent: 'Claude, as agent',
  headless: 'Claude, in the background',
  extractive: 'code',
  user: 'you',
}

export function runNotesList({ store, out, world }: Context, options: { limit?: string }): number {
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
export function runNotesEdit(context: Context, id: string, options: TextOptions): number {
  const text = givenText(context, options)
  const edited = change(context, (store) => editNote(store, inMemory(findNote(store, id), id).id, text, 'user'))
  if (edited === null) throw notFound(id)
  const { out, isDryRun } = context
  out.json({ note: edited, dryRun: isDryRun })
  out.say(edited.id, dim(isDryRun ? 'would be changed' : 'changed; it is yours now, and no model replaces it'))
  return 0
}

export function runNotesReplace(context: Context, id: string, options: TextOptions): number {
  const text = givenText(context, options)
  const author = authorOf(options, 'agent')
  const saved = change(context, (store): Saved => {
    const note = inMemory(findNote(store, id), id)
    if (note.author !== 'extractive') {
      throw new KeeperError(
        'not-replaceable',
        `${note.id} was not written by code but by ${WRITTEN_BY[note.author]}. To change it: memory-keeper notes edit ${note.id}`,
      )
    }
    const done = saveNote(store, { delta: note.id, text, author }, context.world.now())
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
export function runNotesRemove(context: Context, id: string): number {
  const { out, isDryRun, world } = context
  const removed = change(context, (store) => {
    const note = inMemory(findNote(store, id), id)
    // The watermark must be past the note before the note, which proves it, is gone.
    repairMemory(store, world.now())
    if (!removeNote(store, note.id)) throw notFound(id)
    return note
  })
  const range = rangeOf(removed)
  out.json({ removed, dryRun: isDryRun })
  out.say(
    removed.id,
    dim(`${isDryRun ? 'would be taken' : 'taken'} out of ${MEMORY_FILE}`),
    range === null
      ? 'It is about no session, so nothing brings it back.'
      : `What it is about still counts as told: no note is written about it again. The session keeps it: memory-keeper show ${range}`,
  )
  return 0
}

function inMemory(note: ListedNote | null, id: string): ListedNote {
  const known = found(note, id)
  if (known.file === MEMORY_FILE) return known
  throw new KeeperError(
    'archived',
    `${known.id} stands in the archive ${known.file}, which no command changes. Edit that file by hand if you must.`,
  )
}

function found(note: ListedNote | null, id: string): ListedNote {
  if (note === null) throw notFound(id)
  return note
}

function notFound(id: string): KeeperError {
  return new KeeperError('not-found', `There is no note ${harmless(id)}. memory-keeper notes list shows them.`)
}

function sourceOf(note: ListedNote): { session: string; first: string; last: string } | null {
  if (note.session === null) return null
  const { session, from, to } = note
  return { session, first: entryId(session, from), last: entryId(session, Math.max(from, to - 1)) }
}

/** As `show` takes it. */
function rangeOf({ session, from, to }: ListedNote): string | null {
  if (session === null) return null
  return to - 1 > from ? `${entryId(session, from)}-${to - 1}` : entryId(session, from)
}

function dayOf(at: string): string {
  return harmless(at).slice(0, 16).replace('T', ' ')
}
