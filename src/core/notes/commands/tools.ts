/** The MCP tools that save a model's notes and summaries (a refusal states what to correct). */

import { fine, type ToolAnswer, wrong } from '../../../kernel/memory/commands/answer.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { refreshOwed } from '../../knowledge/disk/reflection.ts'
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
  if (saved === undefined) return wrong(BUSY)
  if (saved.is === 'saved') return fine(`Saved as ${saved.note.id}.`)
  return saved.is === 'given-up'
    ? fine(`Not kept: ${saved.reason} A note made by code was saved instead; you are done.`)
    : wrong(`Not saved. ${saved.reason}`)
}

export function keepSummary(store: Store, archive: string, summary: object, now: string): ToolAnswer {
  const json = JSON.stringify(summary)
  const saved = store.whileLocked(WAIT_MS, () => saveSummary(store, archive, json, now))?.value
  if (saved === undefined) return wrong(BUSY)
  return saved.is === 'saved' ? fine(`Saved as ${saved.file}.`) : wrong(`Not saved. ${saved.reason}`)
}

const BUSY = 'Not saved: the memory is in use by another process. Try again.'
