/** All that people change by hand, read as one and written as one: a kill in between leaves what undo understands. */
import path from 'node:path'
import { readBoth, writeBoth } from '../../knowledge/disk/knowledge.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readMemory } from '../../notes/disk/memory.ts'
import { lessonsFile, readLessonsPage } from '../../outgoing/disk/lessons.ts'
import { readStanding, writeStanding } from '../../outgoing/disk/standing.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { type Synced, syncClaudeMd } from '../../pages/disk/claude-md.ts'
import { readRules, readRulesFile } from '../../pages/disk/rules.ts'
import { pageName } from '../../pages/page.ts'
import { parseRules } from '../../pages/rule.ts'
import { readOwnText } from '../../platform/disk/files.ts'
import { MEMORY_FILE, PAGE_SUFFIX, RULES_FILE } from '../../platform/layout.ts'

/** `pages`: the files of pages that are to be changed or taken back; the others are not read. */
export function readHandMemory(store: Store, pages: readonly string[] = []): HandMemory {
  return {
    ...readBoth(store),
    standing: readStanding(store),
    notes: readMemory(store),
    files: {
      [RULES_FILE]: readRulesFile(store),
      [lessonsFile(store)]: readLessonsPage(store),
      ...Object.fromEntries(pages.filter(isPageFile).map((file) => [file, wholePage(store, file)])),
    },
  }
}

/** Also what is too long to be told: it is to come back as it was. */
function wholePage({ dir }: Store, file: string): string | null {
  return readOwnText(path.join(dir, file))?.replace(/^\ufeff/, '') ?? null
}

function isPageFile(file: string): boolean {
  return file.toLowerCase().endsWith(PAGE_SUFFIX) && pageName(file) !== null
}

/** Whether anybody wrote what a decision was made from. Reads facts by their text: the same text is the same facts. */
export function isUnchanged(store: Store, { facts, concepts, standing, notes, files }: HandMemory): boolean {
  const now = readHandMemory(store, Object.keys(files))
  return (
    now.facts === facts &&
    now.concepts === concepts &&
    now.notes === notes &&
    JSON.stringify(now.standing) === JSON.stringify(standing) &&
    JSON.stringify(now.files) === JSON.stringify(files)
  )
}

/** Null: no rule changed. Concepts before the facts that name them, a rule before the verdict that made it one. Under the lock. */
export function writeHandMemory(store: Store, before: HandMemory, after: HandMemory, now: string): Synced | null {
  if (after.facts !== before.facts || after.concepts !== before.concepts) writeBoth(store, before, after, now)
  for (const [file, text] of Object.entries(after.files)) {
    if (text === (before.files[file] ?? null)) continue
    store.perform([text === null ? { do: 'remove', path: file } : { do: 'write', path: file, text }])
  }
  if (after.standing !== before.standing) writeStanding(store, after.standing)
  if (after.notes !== before.notes) store.perform([{ do: 'write', path: MEMORY_FILE, text: after.notes }])
  if (after.files[RULES_FILE] === before.files[RULES_FILE]) return null
  const text = after.files[RULES_FILE] ?? null
  return syncClaudeMd(store, text === null ? readRules(store) : parseRules(text))
}
