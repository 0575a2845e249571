/** All that a person changes by hand: read as one, decided on, written as one; and the lines that are printed about it. */
import path from 'node:path'
import { type Knowledge, readBoth, writeBoth } from '../../knowledge/disk/knowledge.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readMemory } from '../../notes/disk/memory.ts'
import { type Synced, syncClaudeMd } from '../../pages/disk/claude-md.ts'
import { lessonsFile, readLessonsPage } from '../../pages/disk/lessons.ts'
import { readRules, readRulesFile } from '../../pages/disk/rules.ts'
import { parseRules } from '../../pages/rule.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import { MEMORY_FILE, RULES_FILE } from '../../platform/layout.ts'

export interface HandMemory extends Knowledge {
  /** memory.md. */
  notes: string
  /** rules.md, the page of the lessons and the page in question, by their names; null: the file is not there. */
  files: Readonly<Record<string, string | null>>
}

export interface HandLine {
  text: string
  /** Its beginning, which names what it is about. */
  head?: string
  tone?: 'dim' | 'warn'
}

export interface Hand {
  by: 'user' | 'agent'
  now: string
  isDryRun?: boolean
}

/** What a change would make of the memory, and what is printed about it. */
export interface Decided {
  memory: HandMemory
  /** `reject d001`: the name of the change in `undo --list`. */
  what: string
  lines: HandLine[]
  /** For programs. */
  json: Record<string, unknown>
}

export function dimLine(text: string): HandLine {
  return { text, tone: 'dim' }
}

/** `pages`: names of page files that are changed. */
export function readHandMemory(store: Store, pages: readonly string[] = []): HandMemory {
  // A page is read whole, also what is too long to be injected.
  const wholePage = (file: string): string | null =>
    readOwnText(path.join(store.dir, file))?.replace(/^\ufeff/, '') ?? null
  return {
    ...readBoth(store),
    notes: readMemory(store),
    files: {
      [RULES_FILE]: readRulesFile(store),
      [lessonsFile(store)]: readLessonsPage(store),
      ...Object.fromEntries(pages.map((file) => [file, wholePage(file)])),
    },
  }
}

/** Whether the files still say what a decision was made from. Unchanged files of facts and concepts give the same objects. */
export function isUnchanged(store: Store, before: HandMemory, pages: readonly string[]): boolean {
  const { facts, concepts, ...rest } = readHandMemory(store, pages)
  const { facts: _, concepts: __, ...texts } = before
  return facts === before.facts && concepts === before.concepts && JSON.stringify(rest) === JSON.stringify(texts)
}

/** Null: no rule changed. Concepts before the facts that name them. Under the lock. */
export function writeHandMemory(store: Store, before: HandMemory, after: HandMemory, now: string): Synced | null {
  if (after.facts !== before.facts || after.concepts !== before.concepts) writeBoth(store, before, after, now)
  for (const [file, text] of Object.entries(after.files))
    if (text !== null && text !== before.files[file]) store.perform([{ do: 'write', path: file, text }])
  if (after.notes !== before.notes) store.perform([{ do: 'write', path: MEMORY_FILE, text: after.notes }])
  const rules = after.files[RULES_FILE] ?? null
  if (rules === (before.files[RULES_FILE] ?? null)) return null
  return syncClaudeMd(store, rules === null ? readRules(store) : parseRules(rules))
}
