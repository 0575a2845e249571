/** Sessions whose watermark says that their notes are written, while no file of ours has them. */

import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { type Note, notesIn } from '../../memory/note.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions, withSessions } from '../../memory/state.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { takeDelta } from '../../sessions/delta.ts'
import { entriesOf } from '../../sessions/disk/entries.ts'
import { readForgotten } from '../../sessions/disk/tombstones.ts'
import { listArchives, readArchive, readMemory } from './memory.ts'

export interface MissingNote {
  /** Of the session. */
  id: string
  id8: string
  from: number
  to: number
  /** No later entry of the session is told anywhere. */
  isLast: boolean
}

/** Of sessions that hooks saw: what was found or migrated may never have had notes of ours. */
export function missingNotes(store: Store): MissingNote[] {
  const sessions = allSessions(store.readState()).filter(
    ([, { isLive, watermark, waived = 0 }]) => isLive && watermark > waived,
  )
  if (sessions.length === 0) return []
  const told = notesBySession(store)
  const forgotten = readForgotten(store).raw
  return sessions.flatMap(([id, session]) => {
    const id8 = id8OfFile(session.file)
    if (id8 === null || forgotten.has(id8)) return []
    const notes = told.get(id8) ?? []
    const last = Math.max(0, ...notes.map(({ to }) => to))
    return gapsIn(notes, session)
      .filter(({ from, to }) => hasWords(store, id8, session, from, to))
      .map(({ from, to }) => ({ id, id8, from, to, isLast: from >= last }))
  })
}

function notesBySession(store: Store): Map<string, Note[]> {
  const texts = [...listArchives(store).map((file) => readArchive(store, file) ?? ''), readMemory(store)]
  const by = new Map<string, Note[]>()
  for (const note of texts.flatMap(notesIn)) {
    if (note.session !== null) by.set(note.session, [...(by.get(note.session) ?? []), note])
  }
  return by
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

/** Entries that are gone, forgotten or our own get no note. */
function hasWords(store: Store, id8: string, session: SessionState, from: number, to: number): boolean {
  const delta = takeDelta(id8, entriesOf(store, session, from, to), Number.POSITIVE_INFINITY)
  return delta !== null && delta.text !== ''
}

/** Nobody misses these notes any more. Call it under the lock. */
export function waiveNotes(store: Store, missing: readonly MissingNote[]): void {
  change(store, missing, (session, { to }) => ({ ...session, waived: Math.max(session.waived ?? 0, to) }))
}

/** What is told nowhere waits for its note again; the finisher writes it. Call it under the lock. */
export function noteAgain(store: Store, missing: readonly MissingNote[]): void {
  change(store, missing, (session, { from }) => {
    const { handout: _, ...rest } = session
    return { ...rest, watermark: Math.min(session.watermark, from), due: session.entries }
  })
}

function change(
  store: Store,
  missing: readonly MissingNote[],
  to: (session: SessionState, missing: MissingNote) => SessionState,
): void {
  if (missing.length === 0) return
  const state = store.readState()
  const sessions = new Map(allSessions(state))
  const changed = missing.flatMap((one) => {
    const session = sessions.get(one.id)
    return session === undefined ? [] : [[one.id, to(session, one)] as const]
  })
  store.perform([stateEffect(withSessions(state, changed))])
}
