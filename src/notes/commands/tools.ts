/** The MCP tools that save what a summariser wrote (a refusal tells it what to correct), and the resources that show notes. */
import { refreshOwed } from '../../knowledge/disk/reflection.ts'
import { MAX_CHARS, type ToolAnswer } from '../../memory/commands/answer.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readPage, readPages } from '../../pages/disk/pages.ts'
import { pageText } from '../../pages/page.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import { harmlessText } from '../../text/memory-words.ts'
import { readMemory } from '../disk/memory.ts'
import { saveNote } from '../disk/notes.ts'
import { saveSummary } from '../disk/summaries.ts'

const WAIT_MS = 10_000

export function keepNote(store: Store, delta: string, text: string, now: string): ToolAnswer {
  const saved = store.whileLocked(WAIT_MS, () => {
    const done = saveNote(store, { delta, text, author: 'agent' }, now)
    // Code has found facts beside it: they may wait for their concepts.
    if (done.is === 'saved') refreshOwed(store)
    return done
  })?.value
  switch (saved?.is) {
    case undefined:
      return { text: BUSY, isError: true }
    case 'saved':
      return { text: `Saved as ${saved.note.id}.`, isError: false }
    case 'given-up':
      return { text: `Not kept: ${saved.reason} A note made by code was saved instead; you are done.`, isError: false }
    case 'refused':
      return { text: `Not saved. ${saved.reason}`, isError: true }
    case 'not-open':
      return { text: `Not saved. ${saved.reason}`, isError: true }
  }
}

export function keepSummary(store: Store, archive: string, summary: object, now: string): ToolAnswer {
  const json = JSON.stringify(summary)
  const saved = store.whileLocked(WAIT_MS, () => saveSummary(store, archive, json, now))?.value
  if (saved === undefined) return { text: BUSY, isError: true }
  return saved.is === 'saved'
    ? { text: `Saved as ${saved.file}.`, isError: false }
    : { text: `Not saved. ${saved.reason}`, isError: true }
}

const BUSY = 'Not saved: the memory is in use by another process. Try again.'

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
