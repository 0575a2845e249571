/** All notes as the page shows them; read again only when one of their files has changed. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { listArchives } from '../../notes/disk/memory.ts'
import { type ListedNote, listNotes } from '../../notes/disk/note-list.ts'
import { statOf } from '../../platform/disk/files.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import type { NoteItem } from '../api.ts'

let seen: { mark: string; notes: readonly NoteItem[] } | null = null

/** Newest first. */
export function notesOf(store: Store): readonly NoteItem[] {
  const marks = [MEMORY_FILE, ...listArchives(store)].map((file) => {
    const facts = statOf(path.join(store.dir, file))
    return `${file} ${facts?.size} ${facts?.mtimeMs} ${facts?.ino}`
  })
  const mark = [store.dir, ...marks].join('\n')
  if (seen?.mark !== mark) seen = { mark, notes: listNotes(store).notes.map(itemOf) }
  return seen.notes
}

function itemOf({ id, at, text, author, file, session, from, to }: ListedNote): NoteItem {
  return { id, at, text, author, file, source: session === null ? null : { session, from, to } }
}
