/** Summaries: of archives, checked before they are saved, and of ended sessions, written by code. */
import path from 'node:path'
import { type Store, sessionPath, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { type SessionState, type Stands, withStands } from '../../../kernel/memory/session-state.ts'
import { allSessions, sessionIn, withSessions } from '../../../kernel/memory/state.ts'
import { withSummary } from '../../../kernel/memory/work.ts'
import { copyFile, readOwnText, setAside, statOf } from '../../../kernel/platform/disk/files.ts'
import { id8OfFile, sessionSummaryFile, summaryFileOf } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { toTell } from '../../../kernel/sessions/delta.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { backupRaw } from '../../../kernel/sessions/disk/raw-backup.ts'
import { batchesOf, inPieces } from '../../../kernel/sessions/disk/sessions.ts'
import { keptGoal } from '../../../kernel/sessions/session-row.ts'
import { handLines, withMarks } from '../../../kernel/text/fingerprint.ts'
import { compareText } from '../../../kernel/text/memory-words.ts'
import { once } from '../../../kernel/text/once.ts'
import { isHostLine, type Numbered } from '../../../kernel/transcript/session.ts'
import { findUngrounded } from '../../grounding/grounding.ts'
import { standsOf } from '../structure.ts'
import { formatSummary, parseSummary, renderSessionSummary, summaryText } from '../summary.ts'
import { listArchives, modelNotes, readArchive, readSummary, standInOf, writeStandIn } from './memory.ts'

export type SavedSummary = { is: 'saved'; file: string } | { is: 'refused'; reason: string }

/** Checks the summary of an archive against it and saves it. Call it under the lock. */
export function saveSummary(store: Store, archive: string, json: string, now: string): SavedSummary {
  const state = store.readState()
  const rotated = state.rotatedFiles.find(({ file }) => file === archive)
  const text = readArchive(store, archive)
  if (rotated === undefined || text === null)
    return { is: 'refused', reason: `There is no archive ${archive}. memory-keeper summary lists them.` }
  const parsed = parseSummary(redactorFor(store.config)(json).text)
  if ('error' in parsed) return { is: 'refused', reason: parsed.error }
  const notFound = findUngrounded(summaryText(parsed.summary), text)
  if (notFound.length > 0) {
    return {
      is: 'refused',
      reason: `The archive does not contain: ${notFound.join(', ')}. Write only what it says.`,
    }
  }
  const summary = { ...parsed.summary, sourceFile: archive, generatedAt: now, unaudited: true as const }
  store.perform([
    { do: 'write', path: rotated.summary, text: formatSummary(summary) },
    stateEffect(withSummary(state, archive, true)),
  ])
  return { is: 'saved', file: rotated.summary }
}

/** Writes a summary by code for archives that lost theirs. Call it under the lock. */
export function standInMissing(store: Store, now: string): void {
  for (const { file, summary } of store.readState().rotatedFiles) writeStandIn(store, file, summary, now)
}

/** Archives whose summary is there and cannot be read: cut short by a kill or a full disk, or edited. */
export function brokenSummaries(store: Store): string[] {
  return listArchives(store).filter((archive) => {
    const name = summaryFileOf(archive)
    return statOf(path.join(store.dir, name)) !== null && readSummary(store, name) === null
  })
}

/** Writes them as the vault has them, else by code; the broken ones are set aside. Call it under the lock. */
export function mendSummaries(store: Store, now: string): void {
  for (const archive of brokenSummaries(store)) {
    const name = summaryFileOf(archive)
    const file = path.join(store.dir, name)
    const copy = path.join(store.places.vault, name)
    const kept = store.dir === store.places.inProject ? readOwnText(copy) : null
    const isWhole = kept !== null && !('error' in parseSummary(kept))
    setAside(file)
    const text = isWhole ? kept : formatSummary(standInOf(store, archive, now))
    store.perform([{ do: 'write', path: name, text }])
    if (isWhole) continue
    // Lines of a broken copy would be reported as lost.
    if (kept !== null) copyFile(file, copy)
    store.perform([stateEffect(withSummary(store.readState(), archive, false))])
  }
}

/** Runs work under the lock; null: it was not free. */
type Locked = <T>(work: () => T) => { value: T } | null

/**
 * Writes a few summaries per hold of the lock, so that a hook never waits for all of them, and the state once per
 * batch. Call it without the lock.
 */
export function summariseAll(store: Store, ids: readonly string[], locked: Locked, isLate: () => boolean): void {
  let failure: unknown = null
  for (const batch of batchesOf(ids)) {
    const written = new Map<string, Ends>()
    const notes = once(() => modelNotes(store))
    for (const piece of inPieces(batch)) {
      if (isLate()) break
      locked(() => {
        for (const id of piece) {
          try {
            const ends = writeSummary(store, id, notes)
            if (ends !== null) written.set(id, ends)
          } catch (error) {
            // If one session cannot be read, the others are still summarised.
            failure ??= error
          }
        }
      })
    }
    if (written.size > 0) locked(() => countSummed(store, written))
  }
  if (failure !== null) throw failure
}

/** Call it under the lock. */
export function summariseSession(store: Store, id: string): void {
  const ends = writeSummary(store, id, () => modelNotes(store))
  if (ends !== null) countSummed(store, new Map([[id, ends]]))
}

/** A first briefing has room for this many lines about sessions. */
const MOST_ENDS = 20

/**
 * Adds goal and end to the newest sessions that have neither: history that was just imported. Call it under the
 * lock.
 */
export function fillEnds(store: Store, isLate: () => boolean): void {
  const state = store.readState()
  const unknown = allSessions({ sessions: state.sessions }).filter(
    ([, { file, stands, isLive }]) => file !== '' && !stands && !isLive,
  )
  const newest = unknown.toSorted(([, a], [, b]) => compareText(b.refine.ts, a.refine.ts)).slice(0, MOST_ENDS)
  const filled: [string, SessionState][] = []
  for (const [id, session] of newest) {
    if (isLate()) break
    const worthy = toTell(everyEntry(store, session))
    filled.push([id, withStands({ ...session, goal: keptGoal(worthy) }, standsOf(worthy, session.entries))])
  }
  if (filled.length > 0) store.perform([stateEffect(withSessions(state, filled))])
}

/** Includes open entries: for example an unanswered question. */
function everyEntry(store: Store, { file }: SessionState): Numbered[] {
  return readSession(store, file).map((entry, n) => ({ n, entry }))
}

/** The goal of a session, and where it stood after the entries that its summary covers. */
interface Ends {
  goal: string
  stands: Stands
}

/** Stores the goal, the end, and the number of entries that each summary covers. */
function countSummed(store: Store, written: ReadonlyMap<string, Ends>): void {
  const state = store.readState()
  const summed = [...written].flatMap(([id, { stands, goal }]) => {
    const session = sessionIn(state, id)
    const known = session === undefined || goal === '' ? session : { ...session, goal }
    return known === undefined ? [] : [[id, { ...withStands(known, stands), summed: stands.to }] as const]
  })
  store.perform([stateEffect(withSessions(state, summed))])
}

/** Writes `sessions/….md`, and the raw backup if it is enabled. Null: there is no session. */
function writeSummary(store: Store, id: string, notes: () => ReadonlyMap<string, readonly string[]>): Ends | null {
  const session = sessionIn(store.readState(), id)
  if (session === undefined || session.file === '') return null
  if (store.config.rawBackup) backupRaw(store, session)
  const file = sessionPath(sessionSummaryFile(session.file))
  const all = everyEntry(store, session)
  const entries = all.slice(0, session.entries)
  // A person's lines in it wait for the step that makes a note of them: until then the file stays.
  const isByHand = handLines(readOwnText(path.join(store.dir, file)) ?? '').length > 0
  if (isByHand) return null
  if (!isForgotten(entries)) {
    const own = notes().get(id8OfFile(session.file) ?? '') ?? []
    store.perform([{ do: 'write', path: file, text: withMarks(render(store, session, entries, own)) }])
  }
  const worthy = toTell(all)
  return { goal: keptGoal(worthy), stands: standsOf(worthy, session.entries) }
}

function isForgotten(entries: readonly Numbered[]): boolean {
  return entries.length > 0 && entries.every(({ entry }) => entry.role === 'tombstone')
}

function render(store: Store, session: SessionState, entries: readonly Numbered[], notes: readonly string[]): string {
  const present = entries.flatMap(({ entry }) => (entry.role === 'tombstone' ? [] : [entry]))
  const id = id8OfFile(session.file) ?? ''
  return renderSessionSummary(
    {
      id,
      startedAt: present[0]?.ts ?? '',
      endedAt: present.at(-1)?.ts ?? '',
      entries: session.entries,
      prompts: present.filter((entry) => entry.role === 'user' && !isHostLine(entry)).length,
      tools: present.filter(({ role }) => role === 'tool').length,
      parent: session.forkOf?.session.slice(0, 8) ?? null,
    },
    toTell(entries),
    notes,
    store.config.summaryMaxTokens,
  )
}
