/** `undo`: changes by hand are kept in a journal before they are made, and taken back in the other order, each as a whole. */
import path from 'node:path'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { findNote } from '../../notes/disk/note-list.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { whyNotSynced } from '../../pages/disk/claude-md.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { isArchiveFile, JOURNAL_DIR, UNDO_FILE } from '../../platform/layout.ts'
import { shown } from '../../text/shown.ts'
import { type TouchedFile, takeBackChange, touchedBetween } from '../undo.ts'
import { formatRecords, parseUndoRecords, type UndoRecord } from '../undo-record.ts'
import { dimLine, type Hand, type HandLine } from './hand-line.ts'
import { readHandMemory, writeHandMemory } from './hand-memory.ts'

const FILE = path.join(JOURNAL_DIR, UNDO_FILE)

/**
 * Kept before the change is made: killed in between, there is a record of something that never took place, which undo
 * passes over. Call it under the lock.
 */
export function keepForUndo(store: Store, before: HandMemory, after: HandMemory, what: string, hand: Hand): void {
  const touched = touchedBetween(before, after)
  if (touched.length === 0) return
  const record: UndoRecord = { version: 1, at: hand.now, by: hand.by, what, touched }
  write(store, [...readRecords(store), record])
}

/** The same for a change of memory.md alone, as it will be. Call it under the lock. */
export function keepNotesForUndo(store: Store, notes: string, what: string, hand: Hand): void {
  const before = readHandMemory(store)
  keepForUndo(store, before, { ...before, notes }, what, hand)
}

export interface Undoable {
  at: string
  by: 'user' | 'agent'
  what: string
  /** What it touched: d001, rules.md. */
  ids: string[]
}

/** Newest first. */
export function listUndo(store: Store): Undoable[] {
  return readRecords(store)
    .map(({ at, by, what, touched }) => ({ at, by, what, ids: touched.map(({ id }) => id) }))
    .toReversed()
}

export interface Undone {
  undone: Undoable
  lines: HandLine[]
  said: string[]
}

/** Takes back the last change that anybody made by hand; called again, the one before. It cannot be taken back itself. */
export function undoLast(store: Store, hand: Hand): Undone {
  const work = (): Undone => takeBackLast(store, hand)
  if (hand.isDryRun || readRecords(store).length === 0) return work()
  const done = store.whileLocked(COMMAND_WAIT_MS, work)
  if (done !== null) return done.value
  throw busy(store)
}

/** The last change stays as it is, and undo goes on with the one before. */
export function skipLast(store: Store): Undoable {
  const drop = (): Undoable => {
    const last = listUndo(store)[0]
    if (last === undefined) throw nothing()
    write(store, readRecords(store).slice(0, -1))
    return last
  }
  if (readRecords(store).length === 0) throw nothing()
  const done = store.whileLocked(COMMAND_WAIT_MS, drop)
  if (done !== null) return done.value
  throw busy(store)
}

function takeBackLast(store: Store, hand: Hand): Undone {
  const records = readRecords(store)
  const now = readHandMemory(store, filesIn(records))
  for (let at = records.length - 1; at >= 0; at--) {
    const record = records[at] as UndoRecord
    if (record.touched.length === 0) throw refused(record, record.instead ?? 'it was too large to be kept')
    const done = takeBackChange(now, record.touched)
    if (done.is === 'nothing') continue
    if (done.is === 'changed')
      throw refused(record, `${done.changed.map((one) => explained(store, one)).join('; ')} since`)
    const lines = [...saidOf(record, hand), ...(hand.isDryRun ? [] : perform(store, now, done.memory, hand))]
    // What was never made, or taken back already, goes with it.
    if (!hand.isDryRun) write(store, records.slice(0, at))
    const { at: when, by, what, touched } = record
    const undone = { at: when, by, what, ids: touched.map(({ id }) => id) }
    return { undone, lines, said: lines.map(({ text }) => text) }
  }
  throw nothing()
}

function perform(store: Store, before: HandMemory, after: HandMemory, { now }: Hand): HandLine[] {
  const synced = writeHandMemory(store, before, after, now)
  if (synced === 'written' || synced === 'removed') return [dimLine(`CLAUDE.md: rules ${synced}.`)]
  return synced === 'damaged' || synced === 'refused' ? [{ text: whyNotSynced(store), tone: 'warn' }] : []
}

function saidOf({ what, at, by, touched }: UndoRecord, { isDryRun }: Hand): HandLine[] {
  const when = `${at.slice(0, 16).replace('T', ' ')} UTC, by ${by === 'user' ? 'you' : 'Claude'}`
  return [
    { text: `${isDryRun ? 'Would take back' : 'Taken back'}: ${what}` },
    dimLine(`It was done ${when}; ${isDryRun ? 'would be ' : ''}${outcomes(touched).join('; ')}`),
  ]
}

/** What was added is gone, what was removed is back, and what was changed is as before. */
function outcomes(touched: readonly TouchedFile[]): string[] {
  const groups: [string, (one: TouchedFile) => boolean][] = [
    ['gone again', ({ from }) => from === null],
    ['back again', ({ from, to }) => from !== null && to === null],
    ['as before again', ({ from, to }) => from !== null && to !== null],
  ]
  return groups.flatMap(([name, isIn]) => {
    const ids = touched.filter(isIn).map(({ id }) => id)
    return ids.length === 0 ? [] : [`${name}: ${ids.join(', ')}`]
  })
}

function filesIn(records: readonly UndoRecord[]): string[] {
  return records.flatMap(({ touched }) => touched.flatMap(({ kind, id }) => (kind === 'file' ? [id] : [])))
}

/** A note that is not in memory.md any more may stand in an archive. */
function explained(store: Store, changed: string): string {
  const note = /^(n-\S+) is not in memory\.md any more$/.exec(changed)?.[1]
  const file = note === undefined ? undefined : findNote(store, note)?.file
  return file !== undefined && isArchiveFile(file) ? `${note} stands in the archive ${file} by now` : changed
}

function refused({ what, at }: UndoRecord, why: string): KeeperError {
  return new KeeperError(
    'changed-since',
    `The last change (${shown(what)}, ${at.slice(0, 16).replace('T', ' ')} UTC) cannot be taken back, and nothing was: ${shown(why)}. To leave it as it is and go on with the one before: memory-keeper undo --skip`,
  )
}

function nothing(): KeeperError {
  return new KeeperError(
    'nothing',
    'There is no change by hand to take back: facts, concepts, notes, rules, lessons and pages are as you left them.',
  )
}

function busy({ dir }: Store): KeeperError {
  return new KeeperError(
    'busy',
    `${dir} is in use by another process. Try again in a moment; memory-keeper doctor shows who holds it.`,
  )
}

function readRecords(store: Store): UndoRecord[] {
  return parseUndoRecords(readOwnText(path.join(store.dir, FILE)) ?? '')
}

function write(store: Store, records: readonly UndoRecord[]): void {
  store.perform([{ do: 'write', path: FILE, text: formatRecords(records) }])
}
