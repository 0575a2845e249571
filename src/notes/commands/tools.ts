/** The MCP tools that save a model's notes and summaries (a refusal states what to correct). */
import { refreshOwed } from '../../knowledge/disk/reflection.ts'
import type { ToolAnswer } from '../../memory/commands/answer.ts'
import type { Store } from '../../memory/disk/store.ts'
import { saveNote } from '../disk/notes.ts'
import { saveSummary } from '../disk/summaries.ts'

const WAIT_MS = 10_000

export function keepNote(store: Store, delta: string, text: string, now: string): ToolAnswer {
  const saved = store.whileLocked(WAIT_MS, () => {
    const done = saveNote(store, { delta, text, author: 'agent' }, now)
    // Code may have found facts with the note, which may add candidates.
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
