/** Resources: memory.md and the pages, for clients that let a person attach them to a prompt. */

import { MAX_CHARS } from '../../memory/commands/answer.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readPage, readPages } from '../../pages/disk/pages.ts'
import { pageText } from '../../pages/page.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import { harmlessText } from '../../text/memory-words.ts'
import { readMemory } from '../disk/memory.ts'

const MEMORY_URI = `memory://${MEMORY_FILE}`
const PAGE_URI = 'memory://page/'

export interface ResourceRow {
  uri: string
  name: string
  description: string
}

export function listResources(store: Store): ResourceRow[] {
  const pages = readPages(store).filter(({ text }) => pageText(text) !== '')
  return [
    ...(readMemory(store) === ''
      ? []
      : [{ uri: MEMORY_URI, name: MEMORY_FILE, description: 'The notes about recent work, newest last' }]),
    ...pages.map(({ name }) => ({
      uri: PAGE_URI + encodeURIComponent(name),
      name,
      description: `The page ${name} about this project`,
    })),
  ]
}

export function readResource(store: Store, uri: string): string | null {
  if (uri === MEMORY_URI) return newest(harmlessText(readMemory(store)))
  const name = uri.startsWith(PAGE_URI) ? decoded(uri.slice(PAGE_URI.length)) : null
  const page = name === null ? null : readPage(store, name)
  return page === null ? null : harmlessText(page.text).slice(0, MAX_CHARS)
}

/** The newest notes stand last; a note begins with its date. */
function newest(text: string): string {
  if (text.length <= MAX_CHARS) return text
  const from = text.length - MAX_CHARS
  const note = text.indexOf('\n## ', from)
  return text.slice(note < 0 ? from : note + 1)
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    // Half an escape: no address of ours.
    return null
  }
}
