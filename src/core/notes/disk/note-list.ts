/** Lists all notes of a memory, what waits for a note, and notes that are missing in every file. */
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import {
  formatNote,
  isClaudesOwn,
  type Note,
  type NoteAuthor,
  notesIn,
  parseMemory,
} from '../../../kernel/memory/note.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, type State, sessionIn, withSessions } from '../../../kernel/memory/state.ts'
import { handedOut, type OwedSession, owedSessions, owedTo, withOwed, workOf } from '../../../kernel/memory/work.ts'
import { type WorkItem, workName } from '../../../kernel/memory/work-item.ts'
import { isAlive } from '../../../kernel/platform/disk/lock.ts'
import { id8OfFile, MEMORY_FILE } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { takeDelta } from '../../../kernel/sessions/delta.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import { readForgotten } from '../../../kernel/sessions/disk/tombstones.ts'
import { grouped } from '../../../kernel/text/figures.ts'
import { cutOver, settleHistory } from '../pending.ts'
import { pendingDeltas } from './handout.ts'
import { listArchives, readArchive, readMemory } from './memory.ts'

export interface ListedNote extends Note {
  /** memory.md or an archive. */
  file: string
}

export interface ListedNotes {
  /** Newest first. */
  notes: ListedNote[]
  /** Paragraphs in memory.md that a person wrote without a command: they are not our notes and stay unchanged. */
  byHand: number
}

export function listNotes(store: Store): ListedNotes {
  const memory = parseMemory(readMemory(store))
  const files = [
    ...listArchives(store).map((file) => ({ file, blocks: parseMemory(readArchive(store, file) ?? '') })),
    { file: MEMORY_FILE, blocks: memory },
  ]
  const notes = new Map<string, ListedNote>()
  // Newest first, so that a note which a killed rotation left twice is listed with its final file.
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

/** A note needs a time; its value does not affect the text. */
const SOME_TIME = '2026-01-01T00:00:00.000Z'

/** The person's own note in memory.md with the same text; null: there is none. */
export function findSameOwn(store: Store, text: string, by: NoteAuthor): Note | null {
  const clean = redactorFor(store.config)(text.trim()).text
  const asKept = { id: 'n-0', at: SOME_TIME, session: null, from: 0, to: 0, author: 'user', text: clean } as const
  const [kept] = notesIn(formatNote(asKept, 'UTC'))
  const isOwn = (note: Note): boolean => note.author === 'user' || (by === 'agent' && isClaudesOwn(note))
  return notesIn(readMemory(store)).find((note) => isOwn(note) && note.text === kept?.text) ?? null
}

/** How many entries the end of a session, or the next start, would note: those pending, and those of ended sessions. */
export function countUpcoming(store: Store, now: string): number {
  const begun = settleHistory(store.readState(), now, store.config.firstRunMaxEntries)
  return countEntries(cutOver(begun, now, isAlive))
}

/** How many entries wait for a note. */
export function countEntries(state: State): number {
  return workOf(state, 'note').reduce((sum, { from, to }) => sum + to - from, 0)
}

export interface Waiting {
  /** The id of a handed-out piece, which its note must name. Null: not handed out yet. */
  id: string | null
  by: WorkItem['by']
  /** Claude was asked for its note. */
  isAsked: boolean
  refusals: number
  /** The session's id8. */
  session: string
  from: number
  to: number
  /** The time of its last entry, or of the beginning of this memory: it has waited at least since then. */
  since: string
  /** The pending text, oldest first; empty beyond `maxTokens`. */
  text: string
  why: 'ended' | 'history' | 'interval'
}

/** The pending deltas, the oldest session first; reads at most this many tokens. */
export function listWaiting(store: Store, state: State, maxTokens: number): Waiting[] {
  const read = new Map(pendingDeltas(store, state, maxTokens).map((delta) => [delta.session, delta.text]))
  return owedSessions(state).map(([, session]): Waiting => {
    const id8 = id8OfFile(session.file) ?? ''
    const piece = handedOut(state, session)
    return {
      id: piece === undefined ? null : workName(piece),
      by: piece?.by ?? null,
      isAsked: (piece?.asked ?? 0) > 0,
      refusals: piece?.tries ?? 0,
      session: id8,
      from: session.watermark,
      to: owedTo(state, session),
      since: waitsSince(store, state, session),
      text: read.get(id8) ?? '',
      why: session.isEnded ? 'ended' : session.isLive ? 'interval' : 'history',
    }
  })
}

/** A handed-out piece does not grow. Entries from before this memory began count as pending since its beginning. */
function waitsSince(store: Store, state: State, session: SessionState): string {
  const entries = entriesOf(store, session, session.watermark, handedOut(state, session)?.to ?? owedTo(state, session))
  const last = entries.flatMap(({ entry }) => (entry.role === 'tombstone' ? [] : [entry.ts])).at(-1)
  return [last ?? '', state.beganAt ?? ''].toSorted().at(-1) ?? ''
}

export interface MissingNote {
  /** The session's id. */
  id: string
  id8: string
  from: number
  to: number
  /** No note covers a later entry of the session. */
  isLast: boolean
}

/** Only sessions that hooks saw: imported or migrated sessions may never have had notes of ours. */
export function missingNotes(store: Store): MissingNote[] {
  const sessions = allSessions(store.readState()).filter(
    ([, { isLive, watermark, waived = 0 }]) => isLive && watermark > waived,
  )
  if (sessions.length === 0) return []
  const bySession = notesBySession(store)
  const forgotten = readForgotten(store).raw
  return sessions.flatMap(([id, session]) => {
    const id8 = id8OfFile(session.file)
    if (id8 === null || forgotten.has(id8)) return []
    const notes = bySession.get(id8) ?? []
    const last = Math.max(0, ...notes.map(({ to }) => to))
    return gapsIn(notes, session)
      .filter(({ from, to }) => hasWords(store, id8, session, from, to))
      .map(({ from, to }) => ({ id, id8, from, to, isLast: from >= last }))
  })
}

function notesBySession(store: Store): Map<string, Note[]> {
  const texts = [...listArchives(store).map((file) => readArchive(store, file) ?? ''), readMemory(store)]
  return grouped(texts.flatMap(notesIn), ({ session }) => session ?? '')
}

function gapsIn(notes: readonly Note[], { watermark, waived = 0 }: SessionState): { from: number; to: number }[] {
  const gaps: { from: number; to: number }[] = []
  let at = waived
  for (const { from, to } of notes.toSorted((a, b) => a.from - b.from)) {
    if (from > at) gaps.push({ from: at, to: Math.min(from, watermark) })
    at = Math.max(at, to)
  }
  if (at < watermark) gaps.push({ from: at, to: watermark })
  return gaps.filter(({ from, to }) => from < to)
}

/** Deleted, forgotten and our own entries get no note. */
function hasWords(store: Store, id8: string, session: SessionState, from: number, to: number): boolean {
  const delta = takeDelta(id8, entriesOf(store, session, from, to), Number.POSITIVE_INFINITY)
  return delta !== null && delta.text !== ''
}

/** Accepts that these notes are missing. Call it under the lock. */
export function waiveNotes(store: Store, missing: readonly MissingNote[]): void {
  change(store, missing, (state, [id, session], { to }) =>
    withSessions(state, [[id, { ...session, waived: Math.max(session.waived ?? 0, to) }]]),
  )
}

/** Makes the uncovered ranges pending again; the finisher writes the notes. Call it under the lock. */
export function noteAgain(store: Store, missing: readonly MissingNote[]): void {
  change(store, missing, (state, [id, session], { from }) => {
    const open = { ...session, watermark: Math.min(session.watermark, from) }
    return withOwed(withSessions(state, [[id, open]]), open, open.entries)
  })
}

function change(
  store: Store,
  missing: readonly MissingNote[],
  to: (state: State, session: OwedSession, missing: MissingNote) => State,
): void {
  if (missing.length === 0) return
  const changed = missing.reduce((state, one) => {
    const session = sessionIn(state, one.id)
    return session === undefined ? state : to(state, [one.id, session], one)
  }, store.readState())
  store.perform([stateEffect(changed)])
}
