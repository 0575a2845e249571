/** Notes: checked against their delta and saved. Files are written first, the state that refers to them last. */

import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { CLAUDES_ID, madeByCode, type Note, type NoteAuthor, notesIn } from '../../../kernel/memory/note.ts'
import { type SessionState, withStands } from '../../../kernel/memory/session-state.ts'
import { findSession, type State } from '../../../kernel/memory/state.ts'
import {
  findWork,
  handedOut,
  type OwedSession,
  owedSession,
  owedSessions,
  withCounts,
  withoutWork,
} from '../../../kernel/memory/work.ts'
import { deltaId, isWithin, parseDeltaId, type WorkItem } from '../../../kernel/memory/work-item.ts'
import { MEMORY_FILE } from '../../../kernel/platform/layout.ts'
import { formatStamp } from '../../../kernel/platform/time.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { type Delta, PIECE_TOKENS, sourceOf, toTell } from '../../../kernel/sessions/delta.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import { keptGoal } from '../../../kernel/sessions/session-row.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import type { Numbered } from '../../../kernel/transcript/session.ts'
import { findUngrounded } from '../../grounding/grounding.ts'
import { modelNoticedAt } from '../../model/disk/model-call.ts'
import {
  addNoteTo,
  editNoteIn,
  isAsCodeWroteIt,
  noteText,
  tidyNote,
  whyNotANote,
  withoutCodeNotes,
} from '../note-check.ts'
import { cover } from '../pending.ts'
import { standsOf } from '../structure.ts'
import { holdsWords, withUnread } from '../unread.ts'
import { passOver, removeDeltaFile, takePiece } from './handout.ts'
import { type KeptNote, keptNote, MEMORY_HEAD, readMemory, repairMemory, rotateIfFull } from './memory.ts'
import { factsByStructure } from './structure-facts.ts'

/** Longer than any real note. */
const MAX_NOTE_CHARS = 8_000
/** The second note with invented names is the last attempt. */
const MAX_REFUSALS = 2

export type Saved =
  | { is: 'saved'; note: Note; isReplaced: boolean }
  /** Nothing was written; the delta is still open. */
  | { is: 'refused'; reason: string; notFound: string[] }
  /** Refused for the last time: code wrote the note instead. */
  | { is: 'given-up'; reason: string; note: Note }
  | { is: 'not-open'; reason: string }

export interface NoteOptions {
  isLate?: () => boolean
  /** Filters sessions; by default all. */
  isWanted?: (session: SessionState, id: string) => boolean
}

interface GivenNote {
  delta: string
  text: string
  author: NoteAuthor
  /** It is also about the entries from here on, which code noted: the note takes the place of those. */
  from?: number
}

/** Checks a note against its delta and saves it. Call it under the lock. */
export function saveNote(store: Store, given: GivenNote, now: string): Saved {
  const wanted = parseDeltaId(given.delta)
  if (wanted === null)
    return { is: 'not-open', reason: `"${given.delta}" names no delta; its id looks like 1a2b3c4d-12-57.` }
  const state = repairMemory(store, now)
  const found = findSession(state, wanted.session)
  const item = findWork(state, 'note', given.delta)
  const isOpen = found !== undefined && item !== undefined
  // A background call is asked for a certain piece, even if its note is in an archive by now. Others are too late there.
  const kept = isOpen ? null : keptNote(store, noteId(wanted))
  const earlier = kept?.file === MEMORY_FILE || given.author === 'headless' ? kept : null
  if (found === undefined || !(isOpen || earlier?.note.author === 'extractive')) return notOpen(given.delta, earlier)

  // What code noted meanwhile keeps its own range.
  const range = isOpen ? { ...wanted, from: Math.min(wanted.from, given.from ?? wanted.from) } : wanted
  const entries = entriesOf(store, found[1], range.from, range.to)
  if (earlier !== null && !isAsCodeWroteIt(earlier.note, entries)) return notOpen(given.delta, earlier)
  if (isOpen && entries.length === 0) {
    passOver(store, state, found, null, now)
    return { is: 'not-open', reason: `The entries of ${given.delta} are gone; there is nothing to note.` }
  }
  const isLong = given.text.length > MAX_NOTE_CHARS
  const text = isLong ? '' : redactorFor(store.config)(tidyNote(given.text)).text
  const wrong = isLong ? `A note has at most ${MAX_NOTE_CHARS} characters. Write less.` : whyNotANote(text)
  const notFound = wrong === null ? findUngrounded(text, sourceOf(entries)) : []
  if (wrong !== null || notFound.length > 0) {
    const reason = wrong ?? `The delta does not contain: ${notFound.join(', ')}. Write only what it says.`
    return isOpen ? refuse(store, state, found, item, { reason, notFound }, now) : { is: 'refused', reason, notFound }
  }
  const note = makeNote(range, entries, given.author, text, now)
  if (earlier !== null) return replaceNote(store, state, note, earlier, now)
  commit(store, state, found, note, now)
  return { is: 'saved', note, isReplaced: false }
}

/** The safety net: code writes a note about every pending piece, in the handed-out ranges. Call it under the lock. */
export function noteByCode(store: Store, now: string, options: NoteOptions = {}): Note[] {
  const written: Note[] = []
  for (let state = repairMemory(store, now); !options.isLate?.(); state = store.readState()) {
    const owed = owedSessions(state).find(([id, each]) => options.isWanted?.(each, id) ?? true)
    if (owed === undefined) break
    const piece = pieceOf(store, state, owed)
    if (piece === null || piece.text === '') passOver(store, state, owed, piece, now)
    else written.push(noteByCodeAbout(store, withPieceUnread(store, state, owed, piece), owed, piece, now))
  }
  if (owedSessions(store.readState()).length === 0) removeDeltaFile(store)
  return written
}

/** Adds an unchecked note about no delta, by the user or by Claude. `onWritten` runs before a full memory.md rotates. Call it under the lock. */
export function addOwnNote(
  store: Store,
  text: string,
  now: string,
  onWritten?: () => void,
  author: OwnAuthor = 'user',
): Note {
  const state = repairMemory(store, now)
  const { note, memory } = planOwnNote(store, text, now, author)
  const next = { ...state, lastMemoryUpdateTs: now }
  store.perform([{ do: 'write', path: MEMORY_FILE, text: memory }, stateEffect(next)])
  onWritten?.()
  rotateIfFull(store, now)
  return note
}

export type OwnAuthor = Extract<NoteAuthor, 'user' | 'agent' | 'unknown'>

export function planOwnNote(
  store: Store,
  text: string,
  now: string,
  author: OwnAuthor,
): { note: Note; memory: string } {
  const memory = readMemory(store)
  const taken = new Set(notesIn(memory).map(({ id }) => id))
  // Other notes of the same second may be in an archive already: the text's fingerprint makes the id unique.
  const stem = `${author === 'agent' ? CLAUDES_ID : 'n-'}${formatStamp(now)}-${fingerprint(text).slice(0, 6)}`
  let id = stem
  for (let n = 2; taken.has(id); n++) id = `${stem}-${n}`
  const clean = redactorFor(store.config)(text.trim()).text
  const mark = author === 'agent' ? { unaudited: true as const } : {}
  const note: Note = { id, at: now, session: null, from: 0, to: 0, author, ...mark, text: clean }
  return { note, memory: withNote(store, memory, note) }
}

/** Writes the note about a handed-out piece by code. `unread`: no model has read it. False: it has its note. Call it under the lock. */
export function noteHandedOut(store: Store, delta: string, now: string, how: 'read' | 'unread'): boolean {
  const state = repairMemory(store, now)
  const owed = owedSession(state, delta)
  const piece = owed && pieceOf(store, state, owed)
  if (!owed || !piece) return false
  const before = how === 'read' ? state : withPieceUnread(store, state, owed, piece)
  noteByCodeAbout(store, before, owed, piece, now)
  return true
}

/**
 * If a model is to read what the user said, a later background call gets the piece. Stored before the note, which proves that the
 * range is noted: after a kill nobody would know that no model has read it.
 */
function withPieceUnread(store: Store, state: State, [, session]: OwedSession, piece: Delta): State {
  const { summarizer } = store.config
  const isWanted = (summarizer === 'auto' || summarizer === 'headless') && modelNoticedAt(store.places.homeDir) !== null
  if (!isWanted || !holdsWords(entriesOf(store, session, piece.from, piece.to))) return state
  const after = withUnread(state, piece)
  store.perform([stateEffect(after)])
  return after
}

/** The handed-out piece, or the next one. */
function pieceOf(store: Store, state: State, [, session]: OwedSession): Delta | null {
  return takePiece(store, state, session, handedOut(state, session)?.by ?? 'headless', PIECE_TOKENS.headless)
}

function refuse(
  store: Store,
  state: State,
  owed: OwedSession,
  item: WorkItem,
  why: { reason: string; notFound: string[] },
  now: string,
): Saved {
  const tries = item.tries + 1
  const piece = tries >= MAX_REFUSALS ? pieceOf(store, state, owed) : null
  if (piece !== null)
    return { is: 'given-up', reason: why.reason, note: noteByCodeAbout(store, state, owed, piece, now) }
  store.perform([stateEffect(withCounts(state, item, { tries }))])
  return { is: 'refused', ...why }
}

function noteByCodeAbout(store: Store, state: State, owed: OwedSession, piece: Delta, now: string): Note {
  const entries = entriesOf(store, owed[1], piece.from, piece.to)
  // As a whole: a command and its output stand beside each other here.
  const { text } = redactorFor(store.config)(noteText(entries))
  const note = madeByCode(makeNote(piece, entries, 'extractive', text, now))
  commit(store, state, owed, note, now)
  return note
}

/** Saves facts, then the note (the record that the range is noted), then the state. After a kill in between, all of it is repeated without duplicates. */
function commit(store: Store, state: State, [id, session]: OwedSession, note: Note, now: string): void {
  factsByStructure(store, session, note.to, now)
  const memory = withoutCodeNotes(readMemory(store), note)
  store.perform([{ do: 'write', path: MEMORY_FILE, text: withNote(store, memory, note) }])
  const entries = toTell(entriesOf(store, session, note.from, note.to))
  const goal = note.from === 0 ? keptGoal(entries) : ''
  const begun = goal === '' ? session : { ...session, goal }
  const covered = cover(state, [id, withStands(begun, standsOf(entries, note.to))], note.to, now)
  // Code has extracted the facts: no model is asked for them any more.
  const isDone = (item: WorkItem): boolean =>
    note.author === 'extractive' &&
    item.kind === 'facts' &&
    isWithin(item, { session: note.session ?? '', from: 0, to: note.to })
  store.perform([stateEffect(withoutWork(covered, isDone))])
  removeDeltaFile(store, note.id)
  rotateIfFull(store, now)
}

function replaceNote(store: Store, state: State, note: Note, earlier: KeptNote, now: string): Saved {
  const edited = editNoteIn(earlier.text, note.id, note, store.config.timezone)
  if (edited === null) return notOpen(note.id.replace(/^n-/, ''), null)
  store.perform([{ do: 'write', path: earlier.file, text: edited.memory }])
  const item = findWork(state, 'again', note.id)
  const next = item === undefined ? state : withCounts(state, item, null)
  store.perform([stateEffect({ ...next, lastMemoryUpdateTs: now })])
  return { is: 'saved', note, isReplaced: true }
}

function withNote({ config }: Store, memory: string, note: Note): string {
  return addNoteTo(memory, note, config.timezone, MEMORY_HEAD)
}

/** Dated by its last entry, not by the time of writing. */
function makeNote(
  range: { session: string; from: number; to: number },
  entries: readonly Numbered[],
  author: NoteAuthor,
  text: string,
  now: string,
): Note {
  const last = entries.findLast(({ entry }) => entry.role !== 'tombstone' && entry.ts !== '')?.entry
  const at = last !== undefined && last.role !== 'tombstone' ? last.ts : now
  const mark = author === 'agent' || author === 'headless' ? { unaudited: true as const } : {}
  return { id: noteId(range), at, session: range.session, from: range.from, to: range.to, author, ...mark, text }
}

function noteId(range: { session: string; from: number; to: number }): string {
  return `n-${deltaId(range.session, range.from, range.to)}`
}

function notOpen(delta: string, earlier: KeptNote | null): Saved {
  return {
    is: 'not-open',
    reason: earlier
      ? `${delta} has its note already.`
      : `${delta} does not wait for a note. memory-keeper delta shows what does.`,
  }
}
