/** Finds and reads the pages of a memory directory. */

import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { State } from '../../../kernel/memory/state.ts'
import { list, readBeginning, sizeOf, statOf } from '../../../kernel/platform/disk/files.ts'
import { hostSlug, PAGE_SUFFIX } from '../../../kernel/platform/layout.ts'
import { LESSONS_PAGE, MAX_PAGE_BYTES, PAGE_TEMPLATES, pageName, WORKFLOW_PAGE } from '../page.ts'

/** A larger file is not a hand-written text: it is not read at all. */
const MOST_BYTES = 4 * 1024 * 1024

export interface Page {
  name: string
  /** At most the first 64 KB. */
  text: string
  /** The size of the whole file. */
  bytes: number
}

/** Sorted by name, independent of the system's language. */
export function readPages(store: Store): Page[] {
  return listPages(store).flatMap(({ name, file }) => {
    try {
      return [readFrom(path.join(store.dir, file), name)]
    } catch {
      // A page that cannot be read must not prevent the whole briefing.
      return []
    }
  })
}

export function readPage(store: Store, name: string): Page | null {
  const found = listPages(store).find((page) => page.name === pageName(name))
  return found === undefined ? null : readFrom(path.join(store.dir, found.file), found.name)
}

/** The file name as spelled on disk; null: there is no such page. */
export function pageFile(store: Store, name: string): string | null {
  return listPages(store).find((page) => page.name === pageName(name))?.file ?? null
}

/** If two files have the same name in different spellings, the first one counts. */
function listPages(store: Store): { name: string; file: string }[] {
  const byName = new Map<string, string>()
  for (const file of list(store.dir)) {
    const name = file.toLowerCase().endsWith(PAGE_SUFFIX) ? pageName(file) : null
    // Links are skipped: a repository may have planted one.
    if (name === null || byName.has(name) || statOf(path.join(store.dir, file))?.kind !== 'file') continue
    byName.set(name, file)
  }
  return [...byName].map(([name, file]) => ({ name, file })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The names of the templates that have no page yet. */
export function missingTemplates(store: Store, of: readonly string[] = Object.keys(PAGE_TEMPLATES)): string[] {
  return of.filter((name) => pageFile(store, name) === null)
}

/** Call it under the lock. */
export function writeTemplates(store: Store, names: readonly string[]): void {
  store.perform(names.map((name) => ({ do: 'write', path: `${name}${PAGE_SUFFIX}`, text: PAGE_TEMPLATES[name] ?? '' })))
}

/** Those that come by themselves where the setting `templates` is on. */
export const NEW_PAGES: readonly string[] = [LESSONS_PAGE, WORKFLOW_PAGE]

/** Once, when a memory begins. */
export function beginPages(store: Store, before: Pick<State, 'beganAt'>, after: Pick<State, 'beganAt'>): void {
  if (store.config.templates && before.beganAt === null && after.beganAt !== null)
    writeTemplates(store, missingTemplates(store, NEW_PAGES))
}

function readFrom(file: string, name: string): Page {
  const bytes = sizeOf(file) ?? 0
  const text = readBeginning(file, MAX_PAGE_BYTES, MOST_BYTES) ?? ''
  // Removes the rest of a character that was cut.
  return { name, text: bytes > MAX_PAGE_BYTES ? text.replace(/\ufffd+$/, '') : text, bytes }
}

/** The host itself loads this many lines of its MEMORY.md. */
const HOST_LINES = 200

export interface AutoMemory {
  /** Those of MEMORY.md that the host itself loads. */
  lines: string[]
  /** The other files beside MEMORY.md. */
  topics: string[]
}

/** The host's own notes about the project: read, never written. */
export function readAutoMemory(store: Store): AutoMemory | null {
  const dir = path.join(store.places.hostDir, 'projects', hostSlug(store.places.project.root), 'memory')
  const names = list(dir).filter((name) => name.endsWith('.md') && statOf(path.join(dir, name))?.kind === 'file')
  const text = names.includes('MEMORY.md') ? (readBeginning(path.join(dir, 'MEMORY.md'), 25_000, MOST_BYTES) ?? '') : ''
  const topics = names.filter((name) => name !== 'MEMORY.md')
  if (text === '' && topics.length === 0) return null
  return { lines: text.split('\n').slice(0, HOST_LINES), topics }
}
