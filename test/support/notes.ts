/** Memories with work that waits for its note. */
import fs from 'node:fs'
import path from 'node:path'
import { cutSession } from '../../src/core/notes/pending.ts'
import { type Store, stateEffect } from '../../src/kernel/memory/disk/store.ts'
import { type Note, notesIn } from '../../src/kernel/memory/note.ts'
import { captureSession } from '../../src/kernel/sessions/disk/capture.ts'
import { append, linesFor, now, sessionId, type TestProject, turns } from './project.ts'

/** True of every piece that consists of turns. */
export const TRUE_NOTE = 'The user asked several questions, a command was run for each of them, and all were answered.'
/** Names what never occurred. */
export const FALSE_NOTE = 'The user had `src/never-there.ts` changed, and the retry limit is 7331 ms now.'
export const INVENTED = ['src/never-there.ts', '7331 ms']

/** Turns happen in a session, and a note about them becomes due. */
export function owe(store: Store, project: TestProject, from: number, to: number, session = sessionId(1)): void {
  append(project.transcriptOf(session), turns(linesFor(session, project.root), from, to))
  captureSession(store, { session, transcript: project.transcriptOf(session), host: 1 }, { waitMs: 5000, now })
  locked(store, () => store.perform([stateEffect(cutSession(store.readState(), session))]))
}

export function locked<T>(store: Store, work: () => T): T {
  const done = store.whileLocked(5000, work)
  if (done === null) throw new Error('the memory is held by somebody else')
  return done.value
}

export function archivesOf(project: TestProject): string[] {
  if (!fs.existsSync(project.memory)) return []
  return fs.readdirSync(project.memory).filter((name) => /^memory_\d{8}_\d{6}(?:_\d+)?\.md$/.test(name))
}

export function memoryOf(project: TestProject): string {
  const file = path.join(project.memory, 'memory.md')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

export const notesOf = (project: TestProject): Note[] => notesIn(memoryOf(project))

/** Of the archives and of memory.md, oldest first. */
export function allNotesOf(project: TestProject): Note[] {
  const archived = archivesOf(project).map((name) => fs.readFileSync(path.join(project.memory, name), 'utf8'))
  return [...archived, memoryOf(project)].flatMap(notesIn)
}
