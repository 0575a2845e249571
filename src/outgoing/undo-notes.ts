/** Notes in memory.md as undo sees them: each with all that stands there of it, and its place among the others. */

import { type NoteBlock, parseMemory } from '../memory/note.ts'
import { fingerprint } from '../text/fingerprint.ts'

/** What stood before and behind it, by their words; null: nothing did. */
export interface NotePlace {
  behind: string | null
  before: string | null
}

/** By their ids; one that stands there twice as both. */
export function noteTexts(memory: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { raw, note } of parseMemory(memory))
    if (note !== null) texts.set(note.id, (texts.get(note.id) ?? '') + raw)
  return texts
}

export function notePlaces(memory: string): (id: string) => NotePlace {
  const blocks = parseMemory(memory)
  return (id) => {
    const at = blocks.findIndex(({ note }) => note?.id === id)
    const next = blocks.slice(at + 1).find(({ note }) => note?.id !== id)
    return { behind: at < 0 ? null : markOf(blocks[at - 1]), before: at < 0 ? null : markOf(next) }
  }
}

/** Puts back what stood there; null: takes it out. Where its neighbours are gone, it is the oldest. */
export function withNoteText(
  memory: string,
  { id, from, behind, before }: { id: string; from: string | null } & NotePlace,
): string {
  const blocks = parseMemory(memory)
  const rest = blocks.filter(({ note }) => note?.id !== id).map(({ raw }) => raw)
  if (from === null) return rest.join('')
  const own = blocks.findIndex(({ note }) => note?.id === id)
  const at = own >= 0 ? own : placeAmong(blocks, { behind, before })
  return rest.toSpliced(at, 0, ended(from, rest[at] !== undefined)).join('')
}

function placeAmong(blocks: readonly NoteBlock[], { behind, before }: NotePlace): number {
  const after = behind === null ? -1 : blocks.findLastIndex((block) => markOf(block) === behind)
  if (after >= 0) return after + 1
  const next = before === null ? -1 : blocks.findIndex((block) => markOf(block) === before)
  if (next >= 0) return next
  const first = blocks.findIndex(({ note }) => note !== null)
  return first < 0 ? blocks.length : first
}

/** A note that ended the file may have ended without a line break. */
function ended(raw: string, isFollowed: boolean): string {
  return isFollowed && !raw.endsWith('\n') ? `${raw}\n\n` : raw
}

function markOf(block: NoteBlock | undefined): string | null {
  return block === undefined ? null : fingerprint(block.raw)
}
