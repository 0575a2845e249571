/** The pages of a memory directory: reading them, and writing one with its secrets redacted. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import { PAGE_SUFFIX } from '../core/layout.ts'
import { MAX_PAGE_BYTES, pageName } from '../core/page.ts'
import { redactorFor } from '../core/redact.ts'
import { factsOf, list, readPart, sizeOf } from './files.ts'
import type { Store } from './store.ts'

export interface Page {
  name: string
  /** At most the first 64 KB. */
  text: string
  /** Of the whole file. */
  bytes: number
}

/** Sorted by name, whatever the language of the system. */
export function readPages(store: Store): Page[] {
  return listPages(store).flatMap(({ name, file }) => {
    try {
      return [readFrom(path.join(store.dir, file), name)]
    } catch {
      // A page that only its owner may read must not cost a session its whole briefing.
      return []
    }
  })
}

export function readPage(store: Store, name: string): Page | null {
  const found = listPages(store).find((page) => page.name === pageName(name))
  return found === undefined ? null : readFrom(path.join(store.dir, found.file), found.name)
}

export interface WrittenPage {
  file: string
  bytes: number
  redactions: number
}

/** What would be written, and the writing itself: call `write` under the lock. */
export function planPage(
  store: Store,
  name: string,
  text: string,
  how: 'replace' | 'append',
): WrittenPage & { write: () => void } {
  const redacted = redactorFor(store.config)(text)
  const ended = redacted.text.endsWith('\n') ? redacted.text : `${redacted.text}\n`
  const existing = listPages(store).find((page) => page.name === name)
  const file = existing?.file ?? `${name}${PAGE_SUFFIX}`
  const size = existing === undefined ? 0 : (sizeOf(path.join(store.dir, file)) ?? 0)
  const gap = size > 0 && !endsLine(path.join(store.dir, file), size) ? '\n' : ''
  const added = how === 'append' ? `${gap}${ended}` : ended
  const bytes = Buffer.byteLength(added) + (how === 'append' ? size : 0)
  if (bytes > MAX_PAGE_BYTES) {
    throw new KeeperError(
      'too-large',
      `${file} would have ${bytes} bytes; a page has at most ${MAX_PAGE_BYTES}. Shorten it, or split it into several pages.`,
    )
  }
  const effect =
    how === 'append'
      ? { do: 'append' as const, path: file, text: added }
      : { do: 'write' as const, path: file, text: added }
  return { file, bytes, redactions: redacted.count, write: () => store.perform([effect]) }
}

/** Two spellings of one name: the first file counts. */
function listPages(store: Store): { name: string; file: string }[] {
  const byName = new Map<string, string>()
  for (const file of list(store.dir)) {
    const name = file.toLowerCase().endsWith(PAGE_SUFFIX) ? pageName(file) : null
    // No links: a repository may have planted one that leads anywhere.
    if (name === null || byName.has(name) || factsOf(path.join(store.dir, file))?.kind !== 'file') continue
    byName.set(name, file)
  }
  return [...byName].map(([name, file]) => ({ name, file })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function readFrom(file: string, name: string): Page {
  const bytes = sizeOf(file) ?? 0
  const text = (readPart(file, 0, MAX_PAGE_BYTES) ?? Buffer.alloc(0)).toString('utf8').replace(/^\ufeff/, '')
  // Cut inside a character.
  return { name, text: bytes > MAX_PAGE_BYTES ? text.replace(/\ufffd+$/, '') : text, bytes }
}

function endsLine(file: string, size: number): boolean {
  return readPart(file, size - 1, 1)?.toString('latin1') === '\n'
}
