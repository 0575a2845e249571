/** All notes of a memory, wherever they stand, and what waits for one. */

import type { Store } from '../../memory/disk/store.ts'
import { formatNote, isClaudesOwn, type Note, type NoteAuthor, notesIn, parseMemory } from '../../memory/note.ts'
import type { SessionState } from '../../memory/session-state.ts'
import type { State } from '../../memory/state.ts'
import { isAlive } from '../../platform/disk/lock.ts'
import { id8OfFile, MEMORY_FILE } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { entriesOf } from '../../sessions/disk/entries.ts'
import { cutOver, openDeltaId, owedSessions, settleHistory } from '../pending.ts'
import { pendingDeltas } from './handout.ts'
import { listArchives, readArchive, readMemory } from './memory.ts'

export interface ListedNote extends Note {
  /** memory.md or an archive. */
  file: string
}

export interface ListedNotes {
  /** The one written last comes first. */
  notes: ListedNote[]
  /** Paragraphs in memory.md that somebody wrote without a command: they are no notes of ours and stay as they are. */
  byHand: number
}

export function listNotes(store: Store): ListedNotes {
  const memory = parseMemory(readMemory(store))
  const files = [
    ...listArchives(store).map((file) => ({ file, blocks: parseMemory(readArchive(store, file) ?? '') })),
    { file: MEMORY_FILE, blocks: memory },
  ]
  const notes = new Map<string, ListedNote>()
  // Newest first, so that what a killed rotation left twice is told where it stays.
  for (const { file, blocks } of files.toReversed())
    for (const { note } of blocks.toReversed())
      if (note !== null && !notes.has(`${note.id} ${note.text}`))
        notes.set(`${note.id} ${note.text}`, { ...note, file })
  const byHand = memory.filter(({ raw, note }) => note === null && raw.startsWith('## ')).length
  return { notes: [...notes.values()], byHand }
}

/** By its id, with or without the leading `n-`. */
export function findNote(store: Store, id: string): ListedNote | null {
  const wanted = id.trim()
  return listNotes(store).notes.find((note) => note.id === wanted || note.id === `n-${wanted}`) ?? null
}

/** A note has one; which one does not matter for its words. */
const SOME_TIME = '2026-01-01T00:00:00.000Z'

/** The person's own note in memory.md that says the same, word for word; null: there is none. */
export function findSameOwn(store: Store, text: string, by: NoteAuthor): Note | null {
  const clean = redactorFor(store.config)(text.trim()).text
  const asKept = { id: 'n-0', at: SOME_TIME, session: null, from: 0, to: 0, author: 'user', text: clean } as const
  const [kept] = notesIn(formatNote(asKept, 'UTC'))
  const isOwn = (note: Note): boolean => note.author === 'user' || (by === 'agent' && isClaudesOwn(note))
  return notesIn(readMemory(store)).find((note) => isOwn(note) && note.text === kept?.text) ?? null
}

/** How many entries an end of a session, or the next start, would have noted: those that wait, and what is over. */
export function countUpcoming(store: Store, now: string): number {
  const begun = settleHistory(store.readState(), now, store.config.firstRunMaxEntries)
  const owed = owedSessions(cutOver(begun, now, isAlive))
  return owed.reduce((sum, [, { due, watermark }]) => sum + due - watermark, 0)
}

export interface Waiting {
  /** Of the piece in somebody's hands: a note must name it. Null: it is not handed out yet. */
  id: string | null
  by: 'headless' | 'agent' | null
  /** Claude was asked for its note. */
  isAsked: boolean
  refusals: number
  /** The session's id8. */
  session: string
  from: number
  to: number
  /** When the last of it happened, or notes began: it waits at least since then. */
  since: string
  /** What waits, oldest first, as far as it was read; empty beyond `maxTokens`. */
  text: string
  why: 'ended' | 'history' | 'interval'
}

/** What waits for a note, the oldest session first; at most so many tokens of it are read. */
export function listWaiting(store: Store, state: State, maxTokens: number): Waiting[] {
  const read = new Map(pendingDeltas(store, state, maxTokens).map((delta) => [delta.session, delta.text]))
  return owedSessions(state).map(([, session]): Waiting => {
    const id8 = id8OfFile(session.file) ?? ''
    return {
      id: openDeltaId(session),
      by: session.handout?.by ?? null,
      isAsked: (session.handout?.asked ?? 0) > 0,
      refusals: session.handout?.refusals ?? 0,
      session: id8,
      from: session.watermark,
      to: session.due,
      since: waitsSince(store, state, session),
      text: read.get(id8) ?? '',
      why: session.isEnded ? 'ended' : session.isLive ? 'interval' : 'history',
    }
  })
}

/** A piece that was handed out does not grow. What happened before notes began waits since they began. */
function waitsSince(store: Store, state: State, session: SessionState): string {
  const entries = entriesOf(store, session, session.watermark, session.handout?.to ?? session.due)
  const last = entries.flatMap(({ entry }) => (entry.role === 'tombstone' ? [] : [entry.ts])).at(-1)
  return [last ?? '', state.beganAt ?? ''].toSorted().at(-1) ?? ''
}
