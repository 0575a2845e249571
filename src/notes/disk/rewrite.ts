/** Rewrites notes that `forget` derived by structure: a background call writes them again, about the remaining entries. */

import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { notesIn } from '../../memory/note.ts'
import { allSessions } from '../../memory/state.ts'
import { withMachineLock } from '../../model/disk/machine-lock.ts'
import { type CallSurroundings, locked, mayAudit } from '../../model/disk/model-call.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { parseDeltaId, renderNumbered, toTell } from '../../sessions/delta.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { readForgotten } from '../../sessions/disk/tombstones.ts'
import { withTombstones } from '../../sessions/forget-record.ts'
import { isAsCodeWroteIt, sentencesWanted } from '../note-check.ts'
import type { FreshPiece } from './audit.ts'
import { type PieceToWrite, QUEUE_MS, type Sound, writePiece } from './background.ts'
import { isSmallPiece } from './handout.ts'
import { readMemory } from './memory.ts'
import { saveNote } from './notes.ts'

export async function rewriteNotes(store: Store, around: CallSurroundings): Promise<void> {
  if (store.readState().notesOwed.length === 0 || !mayAudit(store, around.now())) return
  await withMachineLock(store.places.keeperDir, QUEUE_MS, () => rewriteAll(store, around))
}

/** After a failed call or at the day's cap, the rest stays pending. */
async function rewriteAll(store: Store, around: CallSurroundings): Promise<void> {
  for (const name of store.readState().notesOwed) {
    const read = around.isLate() ? null : locked(store, () => ({ piece: pieceAgain(store, name) }))
    if (read === null) return
    const outcome = read.piece === null ? 'saved' : await writePiece(store, read.piece, around, saveAgain)
    if (outcome === 'failed' || outcome === 'capped' || outcome === 'by-code') return
    // Also if the answer was refused: then the note by structure stays.
    locked(store, () => drop(store, name))
  }
}

/** Null: the note is gone, was edited, or is too small to need a model. Call it under the lock. */
function pieceAgain(store: Store, name: string): PieceToWrite | null {
  const range = parseDeltaId(name)
  const found = allSessions(store.readState()).find(([, { file }]) => id8OfFile(file) === range?.session)
  const note = notesIn(readMemory(store)).find(({ id }) => id === `n-${name}`)
  if (range === null || found === undefined || note === undefined) return null
  const [id, session] = found
  // A killed forget may have left an entry that is already recorded as forgotten.
  const entries = withTombstones(readSession(store, session.file), range.session, 0, readForgotten(store))
    .map((entry, n) => ({ n, entry }))
    .slice(range.from, range.to)
  const text = renderNumbered(entries).join('\n\n')
  if (!isAsCodeWroteIt(note, entries) || isSmallPiece(entries, text)) return null
  return {
    ...{ id: name, session: id, range, text, sentences: sentencesWanted(text), isLast: false },
    ...{ isHistory: session.isLive !== true, entries: toTell(entries), facts: null, known: [] },
  }
}

/** The facts and rules of these entries were saved with their first note. Null: entries were forgotten while the model wrote. */
function saveAgain(store: Store, piece: PieceToWrite, sound: Sound, now: string): FreshPiece | null {
  if (pieceAgain(store, piece.id)?.text !== piece.text) return null
  const text = sound.note.map((one) => one.text).join(' ')
  const saved = text === '' ? null : saveNote(store, { delta: piece.id, text, author: 'headless' }, now)
  const { id, session, range } = piece
  return { id, session, range, sentences: saved?.is === 'saved' ? sound.note : [], stands: sound.stands, rules: [] }
}

function drop(store: Store, name: string): void {
  const state = store.readState()
  if (!state.notesOwed.includes(name)) return
  store.perform([stateEffect({ ...state, notesOwed: state.notesOwed.filter((one) => one !== name) })])
}
