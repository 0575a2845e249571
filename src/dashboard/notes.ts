/** All notes as the page shows them; read again only when one of their files has changed. */
import path from 'node:path'
import { MEMORY_FILE } from '../core/layout.ts'
import { factsOf } from '../store/files.ts'
import { listArchives } from '../store/memory.ts'
import { type ListedNote, listNotes } from '../store/note-list.ts'
import type { Store } from '../store/store.ts'
import type { NoteItem } from './api.ts'

let seen: { mark: string; notes: readonly NoteItem[] } | null = null

/** Newest first. */
export function notesOf(store: Store): readonly NoteItem[] {
  const marks = [MEMORY_FILE, ...listArchives(store)].map((file) => {
    const facts = factsOf(path.join(store.dir, file))
    return `${file} ${facts?.size} ${facts?.mtimeMs} ${facts?.ino}`
  })
  const mark = [store.dir, ...marks].join('\n')
  if (seen?.mark !== mark) seen = { mark, notes: listNotes(store).notes.map(itemOf) }
  return seen.notes
}

function itemOf({ id, at, text, author, file, session, from, to }: ListedNote): NoteItem {
  return { id, at, text, author, file, source: session === null ? null : { session, from, to } }
}
