/** A piece of a session for the background call: what it reads, and how its answer is saved. */

import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { findSession } from '../../../kernel/memory/state.ts'
import { owedSession } from '../../../kernel/memory/work.ts'
import { deltaId, rangeOf, type WorkItem, workName } from '../../../kernel/memory/work-item.ts'
import { type Delta, renderNumbered, toTell } from '../../../kernel/sessions/delta.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { entriesOf } from '../../../kernel/sessions/disk/sessions.ts'
import { readForgotten } from '../../../kernel/sessions/disk/tombstones.ts'
import { withTombstones } from '../../../kernel/sessions/forget-record.ts'
import type { Numbered } from '../../../kernel/transcript/session.ts'
import { type OpenPiece, openPiece, saveClosings, savePiece } from '../../knowledge/disk/facts.ts'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import type { Checked } from '../../knowledge/fact-draft.ts'
import { type Extracted, knownLines, type ShownSentence } from '../../knowledge/headless-facts.ts'
import { isAsCodeWroteIt, sentencesWanted } from '../note-check.ts'
import { isOver } from '../pending.ts'
import { beginOf, withoutUnread } from '../unread.ts'
import type { FreshPiece } from './audit.ts'
import { type HandedOut, isSmallPiece } from './handout.ts'
import { keptNote } from './memory.ts'
import { noteHandedOut, saveNote } from './notes.ts'

export interface PieceToWrite {
  id: string
  session: string
  range: { session: string; from: number; to: number }
  text: string
  sentences: number
  isLast: boolean
  /** Imported, not seen by hooks. */
  isHistory: boolean
  entries: readonly Numbered[]
  /** Null: its facts are not requested, or were extracted before. */
  facts: OpenPiece | null
  known: string[]
}

export function handedPiece(store: Store, delta: HandedOut, now: string): PieceToWrite | null {
  const state = store.readState()
  const owed = owedSession(state, delta.id)
  if (owed === null) return null
  const [id, session] = owed
  // A longer one is read with the share of history.
  const from = beginOf(state, delta, (before) => {
    const some = entriesOf(store, session, before.from, before.to)
    return isSmallPiece(some, renderNumbered(some).join('\n\n')) && isNotedByCode(store, before, some)
  })
  const entries = toTell(entriesOf(store, session, from, delta.to))
  const text = renderNumbered(entries).join('\n\n')
  const facts = openPiece(store, delta.id)
  return {
    id: delta.id,
    session: id,
    range: { session: delta.session, from, to: delta.to },
    text,
    sentences: delta.sentences,
    isLast: delta.to >= session.entries && isOver(session, now, () => true),
    isHistory: session.isLive !== true,
    entries,
    facts: from === delta.from ? facts : factsPiece(store, delta, session, entries),
    known: knownFor(store, { session: delta.session, text, entries }),
  }
}

/** Not if a person deleted or changed its note: that counts. */
function isNotedByCode(
  store: Store,
  { session, from, to }: Pick<Delta, 'session' | 'from' | 'to'>,
  entries: readonly Numbered[],
): boolean {
  const kept = keptNote(store, `n-${deltaId(session, from, to)}`)
  return kept !== null && isAsCodeWroteIt(kept.note, entries)
}

/** A piece with entries that code noted: nobody was asked for their facts. Null: none are wanted. */
function factsPiece(
  store: Store,
  { id, session }: Pick<Delta, 'id' | 'session'>,
  { file }: SessionState,
  entries: readonly Numbered[],
): OpenPiece | null {
  return store.config.maxFactsPerSession === 0 ? null : { id, session, file, entries: [...entries], tries: 0 }
}

/** A piece that code noted in place of a model. `later`: its session goes on, and the next piece begins with it. Null: it or its note is gone. */
export function unreadPiece(store: Store, item: WorkItem, now: string): PieceToWrite | 'later' | null {
  const [range, name] = [rangeOf(item), workName(item)]
  const found = findSession(store.readState(), range.session)
  if (found === undefined) return null
  const [id, session] = found
  const left = entriesLeft(store, session, range)
  const entries = toTell(left)
  if (entries.length === 0 || !isNotedByCode(store, range, left)) return null
  const text = renderNumbered(entries).join('\n\n')
  const over = isOver(session, now, () => true)
  if (!over && isSmallPiece(entries, text)) return 'later'
  return {
    id: name,
    session: id,
    range,
    text,
    sentences: sentencesWanted(text),
    entries,
    // A share of the day's calls is left for what happens today.
    isLast: over && range.to >= session.entries,
    isHistory: true,
    facts: factsPiece(store, { id: name, session: range.session }, session, entries),
    known: datedKnown(store, { session: range.session, text, entries }),
  }
}

/** A killed forget may have left an entry that is already recorded as forgotten. */
export function entriesLeft(
  store: Store,
  { file }: SessionState,
  { session, from, to }: { session: string; from: number; to: number },
): Numbered[] {
  return withTombstones(readSession(store, file), session, 0, readForgotten(store))
    .map((entry, n) => ({ n, entry }))
    .slice(from, to)
}

interface KnownFor {
  session: string
  text: string
  entries: readonly Numbered[]
}

/** A correction may name nothing of what it corrects: beside a small piece stand the newest decisions and issues, too. */
function knownFor(store: Store, { session, text, entries }: KnownFor, isDated = false): string[] {
  const least = isSmallPiece(entries, text) ? 0 : undefined
  return knownLines(readFacts(store), readConcepts(store), text, session, { least, isDated })
}

/** For a piece that is read late: what is known may be newer than it. */
function datedKnown(store: Store, piece: KnownFor): string[] {
  const lines = knownFor(store, piece, true)
  const day = piece.entries.flatMap(({ entry }) => ('ts' in entry ? entry.ts.slice(0, 10) : [])).at(-1) ?? ''
  return lines.length === 0 || day === '' ? lines : [`This piece is of ${day}.`, ...lines]
}

/** The valid parts of an answer. */
export interface Sound extends Pick<Extracted, 'stands' | 'rules' | 'settles'> {
  note: ShownSentence[]
  checked: Checked | null
  /** Sentences for the model; empty: it is not asked again. */
  refused: string[]
}

/** Saves facts and closings, then the note, all unaudited; without a valid note, code writes it. Call it under the lock. */
export function savePieceOf(store: Store, piece: PieceToWrite, sound: Sound, now: string): FreshPiece {
  if (piece.facts !== null && sound.checked !== null) savePiece(store, piece.facts, sound.checked, 'headless', now)
  const { id, session, range } = piece
  const closings = sound.settles.flatMap(({ issue, text: how, entry: shown }) => {
    const { n: entry, entry: found } = piece.entries.find(({ n }) => n === shown) ?? {}
    if (entry === undefined || found === undefined || how === '') return []
    const at = 'ts' in found ? found.ts : ''
    return [{ issue, closing: { session: range.session, entry, at, how, quote: '', by: 'headless' as const } }]
  })
  saveClosings(store, closings, now)
  const text = sound.note.map((one) => one.text).join(' ')
  const saved = text === '' ? null : saveNote(store, { delta: id, text, author: 'headless', from: range.from }, now)
  const isByCode = (saved === null || saved.is === 'refused') && noteHandedOut(store, id, now, 'read')
  // Code may have noted a part of it meanwhile: then the note is about the rest.
  const done = saved?.is === 'saved' ? { ...range, from: saved.note.from } : range
  const state = store.readState()
  const isRead = isByCode || saved?.is === 'saved' || saved?.is === 'given-up'
  const after = isRead ? withoutUnread(state, done) : state
  if (after !== state) store.perform([stateEffect(after)])
  const { stands, rules, note } = sound
  const read = deltaId(done.session, done.from, done.to)
  return { id: read, session, range: done, sentences: saved?.is === 'saved' ? note : [], stands, rules }
}
