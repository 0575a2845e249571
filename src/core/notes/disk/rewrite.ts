/**
 * What a background call writes again: notes that `forget` derived by structure, about the remaining entries; and pieces that code noted
 * in place of a model.
 */

import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { notesIn } from '../../../kernel/memory/note.ts'
import { findSession, type State } from '../../../kernel/memory/state.ts'
import { withCounts, workOf } from '../../../kernel/memory/work.ts'
import { deltaId, rangeOf, type WorkKind } from '../../../kernel/memory/work-item.ts'
import { renderNumbered, toTell } from '../../../kernel/sessions/delta.ts'
import { withMachineLock } from '../../model/disk/machine-lock.ts'
import { type CallSurroundings, locked, mayAudit, wayIn } from '../../model/disk/model-call.ts'
import { isAsCodeWroteIt, sentencesWanted } from '../note-check.ts'
import { withFailedRead, withoutUnread } from '../unread.ts'
import type { FreshPiece } from './audit.ts'
import { QUEUE_MS, writePiece } from './background.ts'
import { isSmallPiece } from './handout.ts'
import { readMemory } from './memory.ts'
import { saveNote } from './notes.ts'
import { entriesLeft, type PieceToWrite, type Sound, savePieceOf, unreadPiece } from './piece.ts'

export async function rewriteNotes(store: Store, around: CallSurroundings): Promise<void> {
  const alone = (work: () => Promise<void>) => withMachineLock(store.places.homeDir, QUEUE_MS, work)
  const waits = (kind: WorkKind): boolean => workOf(store.readState(), kind).length > 0
  if (waits('read') && wayIn(store, around.now()) === 'headless') await alone(() => readUnread(store, around))
  if (waits('again') && mayAudit(store, around.now())) await alone(() => rewriteAll(store, around))
}

/** Oldest first; a piece whose call failed goes behind the others. After a failed call or at the share of history in the day, the rest stays unread. */
async function readUnread(store: Store, around: CallSurroundings): Promise<void> {
  for (const item of workOf(store.readState(), 'read')) {
    const read = around.isLate() ? null : locked(store, () => ({ piece: unreadPiece(store, item, around.now()) }))
    if (read === null) return
    if (read.piece === 'later') continue
    const outcome = read.piece === null ? 'saved' : await writePiece(store, read.piece, around, savePieceOf)
    if (outcome === 'capped' || outcome === 'by-code') return
    if (outcome === 'failed' || outcome === 'unreadable') {
      locked(store, () => change(store, (state) => withFailedRead(state, item, outcome === 'unreadable')))
      return
    }
    // Also if it is gone, or too long for the model: then the note by code stays.
    locked(store, () => change(store, (state) => withoutUnread(state, rangeOf(item))))
    if (outcome === 'unaudited') return
  }
}

function change(store: Store, how: (state: State) => State): void {
  const state = store.readState()
  const after = how(state)
  if (after !== state) store.perform([stateEffect(after)])
}

/** After a failed call or at the day's cap, the rest stays pending. */
async function rewriteAll(store: Store, around: CallSurroundings): Promise<void> {
  for (const item of workOf(store.readState(), 'again')) {
    const read = around.isLate() ? null : locked(store, () => ({ piece: pieceAgain(store, rangeOf(item)) }))
    if (read === null) return
    const outcome = read.piece === null ? 'saved' : await writePiece(store, read.piece, around, saveAgain)
    if (outcome === 'failed' || outcome === 'unreadable' || outcome === 'capped' || outcome === 'by-code') return
    // Also if the answer was refused: then the note by structure stays.
    locked(store, () => change(store, (state) => withCounts(state, item, null)))
  }
}

/** Null: the note is gone, was edited, or is too small to need a model. Call it under the lock. */
function pieceAgain(store: Store, range: PieceToWrite['range']): PieceToWrite | null {
  const found = findSession(store.readState(), range.session)
  const name = deltaId(range.session, range.from, range.to)
  const note = notesIn(readMemory(store)).find(({ id }) => id === `n-${name}`)
  if (found === undefined || note === undefined) return null
  const [id, session] = found
  const entries = entriesLeft(store, session, range)
  const text = renderNumbered(entries).join('\n\n')
  if (!isAsCodeWroteIt(note, entries) || isSmallPiece(entries, text)) return null
  return {
    id: name,
    session: id,
    range,
    text,
    sentences: sentencesWanted(text),
    isLast: false,
    isHistory: session.isLive !== true,
    entries: toTell(entries),
    facts: null,
    known: [],
  }
}

/** The facts and rules of these entries were saved with their first note. Null: entries were forgotten while the model wrote. */
function saveAgain(store: Store, piece: PieceToWrite, sound: Sound, now: string): FreshPiece | null {
  if (pieceAgain(store, piece.range)?.text !== piece.text) return null
  const text = sound.note.map((one) => one.text).join(' ')
  const saved = text === '' ? null : saveNote(store, { delta: piece.id, text, author: 'headless' }, now)
  const { id, session, range } = piece
  return { id, session, range, sentences: saved?.is === 'saved' ? sound.note : [], stands: sound.stands, rules: [] }
}
