/** The MCP tools that save a model's notes, facts and summaries (a refusal states what to correct). */

import { fine, type ToolAnswer, wrong } from '../../../kernel/memory/commands/answer.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { textOnOneLine } from '../../../kernel/text/memory-words.ts'
import { saidOfFacts, showPiece } from '../../knowledge/commands/tools.ts'
import { checkPiece, openPiece, savePiece } from '../../knowledge/disk/facts.ts'
import { refreshOwed } from '../../knowledge/disk/reflection.ts'
import type { Checked, Draft } from '../../knowledge/fact-draft.ts'
import { type Saved, saveNote } from '../disk/notes.ts'
import { saveSummary } from '../disk/summaries.ts'

export interface MemoryRequest {
  delta: string
  note?: string | undefined
  /** As sent by a model. Absent: the facts still wait. */
  facts?: readonly Draft[] | undefined
  /** Without note and facts: where the piece goes on. */
  offset?: number | undefined
}

/** Checks and saves the note and the facts of a piece, unaudited; with neither, shows the piece. A refused note saves nothing. */
export function keepMemory(store: Store, request: MemoryRequest, now: string): ToolAnswer {
  return store.whileLocked(COMMAND_WAIT_MS, () => keep(store, request, now))?.value ?? wrong(BUSY)
}

function keep(store: Store, { delta, note, facts, offset = 0 }: MemoryRequest, now: string): ToolAnswer {
  // Before the note: where code writes it, the facts do not wait any more.
  const piece = openPiece(store, delta)
  if (note === undefined && facts === undefined)
    return piece === null ? nothingOpen(delta) : showPiece(store, piece, offset)
  const checked = piece === null || facts === undefined ? null : checkPiece(store, piece, facts, 'agent')
  const noted = note === undefined ? null : saveNote(store, { delta, text: note, author: 'agent' }, now)
  if (noted?.is === 'refused') return wrong(['Not saved.', noted.reason, ...problemsIn(checked)].join(' '))
  if (noted?.is === 'not-open' && checked === null) return wrong(`Not saved. ${noted.reason}`)
  if (noted === null && checked === null) return nothingOpen(delta)
  const said = saidOf(noted)
  if (piece !== null && checked !== null) {
    const problems = problemsIn(checked)
    // They may be corrected once, unless code has extracted the facts with its note.
    const isLast = problems.length === 0 || piece.tries > 0 || noted?.is === 'given-up'
    const saved = savePiece(store, piece, checked, 'agent', now, isLast ? null : { tries: 1 })
    said.push(saidOfFacts(saved), ...problems, isLast ? 'You are done.' : ONCE_MORE)
  }
  // Code may have found facts with the note, which may add candidates.
  refreshOwed(store)
  return fine(said.join(' '))
}

function nothingOpen(delta: string): ToolAnswer {
  return fine(`${textOnOneLine(delta) || 'This'} does not wait for facts. You are done.`)
}

function saidOf(noted: Saved | null): string[] {
  if (noted?.is === 'saved') return [`Saved as ${noted.note.id}.`]
  return noted?.is === 'given-up'
    ? [`Not kept: ${noted.reason} A note made by code was saved instead; you are done.`]
    : []
}

const ONCE_MORE = 'Correct what was left out and call save_memory once more, with this delta and only those facts.'

function problemsIn(checked: Checked | null): string[] {
  return (checked?.refused ?? []).flatMap(({ number, problem, isMinor }) =>
    isMinor === true ? [] : [`Fact ${number} was left out: ${textOnOneLine(problem)}`],
  )
}

export function keepSummary(store: Store, archive: string, summary: object, now: string): ToolAnswer {
  const json = JSON.stringify(summary)
  const saved = store.whileLocked(COMMAND_WAIT_MS, () => saveSummary(store, archive, json, now))?.value
  if (saved === undefined) return wrong(BUSY)
  return saved.is === 'saved' ? fine(`Saved as ${saved.file}.`) : wrong(`Not saved. ${saved.reason}`)
}

const BUSY = 'Not saved: the memory is in use by another process. Try again.'
