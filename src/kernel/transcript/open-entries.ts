/** The entries that the next lines may still change. */

import { queuedEntry, toolEntries } from './refine-open.ts'
import type { RefineState } from './refine-state.ts'
import type { Entry } from './session.ts'

/** Entries that may still change: tools without a result, texts in the queue, an answer whose line is not written yet. */
export function openEntries(state: RefineState): Entry[] {
  const tools = Object.values(state.tools)
    .flatMap(toolEntries)
    .map((entry): Entry => ({ ...entry, open: true }))
  const queued = state.queue
    .filter((prompt) => prompt.at !== 'told' && prompt.text !== '')
    .map((prompt): Entry => ({ ...queuedEntry(prompt), open: true }))
  const answer: Entry[] = state.answer ? [{ role: 'assistant', by: 'assistant', ...state.answer, open: true }] : []
  return [...tools, ...queued, ...answer]
}
