/** A project with a memory as it is after some weeks, written straight to its files. */

import path from 'node:path'
import { formatItems } from '../../src/core/knowledge/facts-file.ts'
import type { Items } from '../../src/core/knowledge/items.ts'
import { formatNote, type Note } from '../../src/kernel/memory/note.ts'
import { FACTS_FILE, MEMORY_FILE, sessionFile } from '../../src/kernel/platform/layout.ts'
import { type Entry, formatEntry } from '../../src/kernel/transcript/session.ts'
import { makeProject, storeOf, type TestProject, write } from './project.ts'

export interface Memory {
  /** By their id8. Entries without a time are a minute apart from the session's day on. */
  sessions?: Record<string, { day: string; entries: Entry[] }>
  notes?: Note[]
  /** Items, or a value as the file has it. */
  facts?: object
  /** Any other file by its path below the memory directory. */
  files?: Record<string, string>
}

export function remember(memory: Memory, project = makeProject()): TestProject {
  storeOf(project).prepare()
  for (const [id8, { day, entries }] of Object.entries(memory.sessions ?? {})) {
    const began = `${day}T09:00:00.000Z`
    const timed = entries.map((entry, n) => ({ ...entry, ts: entry.ts || minutesAfter(began, n) }))
    write(path.join(project.memory, 'sessions', sessionFile(began, id8)), timed.map(formatEntry).join(''))
  }
  if (memory.notes !== undefined) {
    write(path.join(project.memory, MEMORY_FILE), memory.notes.map((note) => formatNote(note, 'UTC')).join(''))
  }
  if (memory.facts !== undefined) write(path.join(project.memory, FACTS_FILE), textOf(memory.facts))
  for (const [file, text] of Object.entries(memory.files ?? {})) write(path.join(project.memory, file), text)
  return project
}

function minutesAfter(at: string, minutes: number): string {
  return new Date(Date.parse(at) + minutes * 60_000).toISOString()
}

function textOf(facts: object): string {
  return 'list' in facts ? formatItems(facts as Items) : JSON.stringify(facts)
}
