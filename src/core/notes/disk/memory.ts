/** memory.md and its archives on disk: reads them, repairs them after a kill, and changes them only under the lock. */
import path from 'node:path'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { isToldNote, type Note, notesIn, writtenIn } from '../../../kernel/memory/note.ts'
import type { RotatedFile, State } from '../../../kernel/memory/state.ts'
import { withCovered, withoutWork, withSummary } from '../../../kernel/memory/work.ts'
import { isWithin, type WorkItem } from '../../../kernel/memory/work-item.ts'
import { list, readOwnText } from '../../../kernel/platform/disk/files.ts'
import {
  archiveFile,
  archiveStamp,
  id8OfFile,
  isArchiveFile,
  MEMORY_FILE,
  summaryFileOf,
} from '../../../kernel/platform/layout.ts'
import { grouped } from '../../../kernel/text/figures.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { type NoteFile, withoutDoubles } from '../doubles.ts'
import { uncoveredSessions } from '../pending.ts'
import { planRotation, rotationLimits, withoutSame } from '../rotation.ts'
import { type ArchiveSummary, formatSummary, parseSummary, standInSummary } from '../summary.ts'

export const MEMORY_HEAD = `# Memory

<!-- Notes of Memory Keeper, newest last. Yours to edit; the comment below a date says what the note is about. -->

`

export function readMemory(store: Store): string {
  return readOwnText(path.join(store.dir, MEMORY_FILE)) ?? ''
}

export function readArchive(store: Store, file: string): string | null {
  return isArchiveFile(file) ? readOwnText(path.join(store.dir, file)) : null
}

/** The archive's file name. People may omit the suffix, or give a path or the summary's name. */
export function archiveNamed(given: string): string {
  return path.basename(given.trim()).replace(/(?:\.summary\.json|\.md)?$/, '.md')
}

/** Archives on disk, oldest first. */
export function listArchives(store: Store): string[] {
  return list(store.dir).filter(isArchiveFile)
}

export interface KeptNote {
  /** memory.md or an archive. */
  file: string
  text: string
  note: Note
}

/** The note with this id, in memory.md or where a rotation has moved it; null: it is in no file. */
export function keptNote(store: Store, id: string): KeptNote | null {
  for (const file of [MEMORY_FILE, ...listArchives(store).toReversed()]) {
    const text = readOwnText(path.join(store.dir, file)) ?? ''
    const note = text.includes(id) ? notesIn(text).find((one) => one.id === id) : undefined
    if (note !== undefined) return { file, text, note }
  }
  return null
}

/** Archives and memory.md, oldest first. */
export function noteFiles(store: Store): NoteFile[] {
  const archives = listArchives(store).map((file) => ({ file, text: readArchive(store, file) ?? '' }))
  return [...archives, { file: MEMORY_FILE, text: readMemory(store) }]
}

/** What models wrote about each session (id8), oldest first. `memory`: the text of memory.md. */
export function modelNotes(store: Store, memory = readMemory(store)): Map<string, string[]> {
  const texts = noteFiles(store).map(({ file, text }) => (file === MEMORY_FILE ? memory : text))
  const told = texts.flatMap(notesIn).filter((note) => note.author !== 'extractive' && isToldNote(note))
  const bySession = grouped(told, ({ session }) => session ?? '')
  return new Map([...bySession].map(([id8, own]) => [id8, own.map(({ text }) => text)]))
}

/**
 * The state corrected by the files. A range with a note in memory.md is noted, whatever the state says; an archive that the state
 * does not know means a killed rotation or a lost state. Call it under the lock, before anything is decided.
 */
export function repairMemory(store: Store, now: string): State {
  const before = store.readState()
  const known = new Set(before.rotatedFiles.map(({ file }) => file))
  const orphans = listArchives(store).filter((file) => !known.has(file))
  if (orphans.length === 0 && uncoveredSessions(before).length === 0) return before
  let memory = readMemory(store)
  let state = before
  for (const file of orphans) {
    const archive = readArchive(store, file) ?? ''
    const rest = withoutSame(memory, archive)
    if (rest !== memory) store.perform([{ do: 'write', path: MEMORY_FILE, text: rest }])
    memory = rest
    state = markCovered(indexArchive(store, state, file, archive, now), notesIn(archive))
  }
  state = markCovered(state, notesIn(memory))
  if (state !== before) store.perform([stateEffect(state)])
  return orphans.length === 0 ? state : removeDoubles(store)
}

/**
 * Makes every note id exist once. It reads all archives: where a hook repairs, it only runs if the state does not know one of them;
 * the finisher runs it, too, for the doubles of 0.6 and of a memory that an earlier version wrote in between. Call it under the lock.
 */
export function removeDoubles(store: Store): State {
  const before = store.readState()
  const changed = withoutDoubles(noteFiles(store))
  if (changed.length === 0) return before
  const emptied = new Set(changed.flatMap(({ file, text }) => (text === '' && file !== MEMORY_FILE ? [file] : [])))
  const left = changed.filter(({ file }) => !emptied.has(file))
  store.perform(left.map(({ file, text }) => ({ do: 'write', path: file, text })))
  const tokens = new Map(left.map(({ file, text }) => [file, estimateTokens(text)]))
  const rotatedFiles = before.rotatedFiles.flatMap((one) =>
    emptied.has(one.file) ? [] : [{ ...one, tokenCount: tokens.get(one.file) ?? one.tokenCount }],
  )
  const next = withoutWork({ ...before, rotatedFiles }, ({ kind, about }) => kind === 'summary' && emptied.has(about))
  // The state first: an archive that it does not know is repaired, one that is missing would count as lost.
  store.perform([
    stateEffect(next),
    ...[...emptied].flatMap((file) => [file, summaryFileOf(file)]).map((path) => ({ do: 'remove', path }) as const),
  ])
  return next
}

/**
 * Moves a full memory.md into an archive: writes the archive first, then the shorter memory, then the state that names both. What an
 * earlier, killed rotation left is repaired first, or its notes would go into a second archive.
 */
export function rotateIfFull(store: Store, now: string): State {
  const state = repairMemory(store, now)
  const memory = readMemory(store)
  const rotation = planRotation(memory, rotationLimits(store.config))
  if (rotation === null) return state
  const file = freeName(store, now)
  store.perform([
    { do: 'write', path: file, text: rotation.archive },
    { do: 'write', path: MEMORY_FILE, text: rotation.memory },
  ])
  const next = indexArchive(store, state, file, rotation.archive, now)
  store.perform([stateEffect(next)])
  return next
}

/** Two rotations within a second get different files. */
function freeName(store: Store, now: string): string {
  const taken = new Set(listArchives(store))
  let name = archiveFile(now)
  for (let n = 2; taken.has(name); n++) name = archiveFile(now).replace(/\.md$/, `_${n}.md`)
  return name
}

/** The summary by code of an archive. */
export function standInOf(store: Store, file: string, now: string): ArchiveSummary {
  return standInSummary(file, now, writtenIn(readArchive(store, file) ?? ''), readFacts(store))
}

/** For an archive that has no summary: of the archive's time, since search and `share` take it for the time of what it tells. */
export function writeStandIn(store: Store, file: string, summary: string, now: string): void {
  if (readOwnText(path.join(store.dir, summary)) !== null || readArchive(store, file) === null) return
  store.perform([
    { do: 'write', path: summary, text: formatSummary(standInOf(store, file, archiveStamp(file) ?? now)) },
  ])
}

/** Null: it is missing or cannot be read. `name`: of the summary. */
export function readSummary(store: Store, name: string): ArchiveSummary | null {
  const text = path.basename(name) === name ? readOwnText(path.join(store.dir, name)) : null
  const parsed = text === null ? null : parseSummary(text)
  return parsed !== null && 'summary' in parsed ? parsed.summary : null
}

function indexArchive(store: Store, state: State, file: string, archive: string, now: string): State {
  const summary = summaryFileOf(file)
  writeStandIn(store, file, summary, now)
  const entry: RotatedFile = {
    file,
    rotatedAt: now,
    tokenCount: estimateTokens(archive),
    summary,
    summaryGenerated: false,
  }
  const stats = { totalRotations: state.stats.totalRotations + 1, lastRotation: now }
  return withSummary({ ...state, rotatedFiles: [...state.rotatedFiles, entry], stats }, file, false)
}

/** Moves watermarks forward to the end of the notes; never back. */
function markCovered(state: State, notes: readonly Note[]): State {
  const covered = new Map<string, number>()
  for (const { session, to } of notes)
    if (session !== null) covered.set(session, Math.max(covered.get(session) ?? 0, to))
  const behind = uncoveredSessions(state).flatMap((owed) => {
    const [, session] = owed
    // A session that is being read again does not have all its entries yet.
    const to = Math.min(covered.get(id8OfFile(session.file) ?? '') ?? 0, session.entries)
    return to <= session.watermark ? [] : [{ owed, to }]
  })
  const next = behind.reduce((known, { owed, to }) => withCovered(known, owed, to), state)
  // With these notes code has extracted the facts.
  const byCode = notes.filter(({ author }) => author === 'extractive')
  const isDone = (item: WorkItem): boolean =>
    item.kind === 'facts' &&
    byCode.some(({ session, from, to }) => session !== null && isWithin(item, { session, from, to }))
  return behind.length === 0 ? state : withoutWork(next, isDone)
}
