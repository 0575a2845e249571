/** Two files with notes as one. */

import { compareWithCopy, isGarbled } from '../../kernel/memory/loss.ts'
import { changeRecords, fingerprintOfNote, type Note, type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import { standing } from './doubles.ts'
import { endLine } from './split-notes.ts'

/**
 * Notes of `theirs` that are in none of `archived` join ours by time, and text without a date follows. A note of ours is replaced by a
 * version of it that has all its lines, or that weighs more.
 */
export function joinNotes(ours: string, theirs: string, archived: readonly string[] = []): string {
  const versions = new Map(parseMemory(theirs).map((block) => [block.note?.id, block]))
  const kept = parseMemory(ours).map((block) => {
    const other = block.note === null ? undefined : versions.get(block.note.id)
    return block.note !== null && other?.note && isBetter(other.note, block.note) ? other : block
  })
  const text = kept.map(({ raw }) => raw).join('')
  const fresh = freshBlocks(theirs, [text, ...archived]).filter(isWritten)
  if (fresh.length === 0) return text
  const isHead = ({ raw }: NoteBlock): boolean => !raw.startsWith('## ')
  const blocks = kept.filter((block) => !isHead(block))
  for (const block of fresh) {
    const at = block.note?.at
    if (at === undefined) continue
    const later = blocks.findIndex(({ note }) => note !== null && note.at > at)
    blocks.splice(later < 0 ? blocks.length : later, 0, block)
  }
  const undated = fresh.filter(({ note }) => note === null)
  // Text above the first heading stays there: below, it would belong to a note.
  const sorted = [
    ...kept.filter(isHead),
    ...undated.filter(isHead),
    ...blocks,
    ...undated.filter((one) => !isHead(one)),
  ]
  return sorted.map(({ raw }) => endLine(raw)).join('')
}

/** The text without the notes of `known`; byte for byte if it has none of them, and empty if it has nothing else. */
export function withoutKnownNotes(text: string, known: readonly string[]): string {
  const fresh = freshBlocks(text, known)
  const isWhole = fresh.length === parseMemory(text).length
  return isWhole || fresh.some(isWritten) ? fresh.map(({ raw }) => raw).join('') : ''
}

/** A note is known by its id. If its words are others than those of ours, and weigh as much, it stays with an id of its own. */
function freshBlocks(text: string, known: readonly string[]): NoteBlock[] {
  const notes = new Map(known.flatMap(parseMemory).flatMap(({ note }) => (note === null ? [] : [[note.id, note]])))
  return parseMemory(text).flatMap((block): NoteBlock[] => {
    const { raw, note } = block
    if (note === null) return isWritten(block) && hasLines(known, raw) ? [] : [block]
    const same = notes.get(note.id)
    if (same === undefined) return [block]
    const id = `${note.id}-${fingerprintOfNote(note.text)}`
    // Parts of a note that was cut have its id with a number.
    const versions = [...notes.values()].filter((one) => one.id.startsWith(note.id)).map((one) => one.text)
    if (notes.has(id) || standing(note) < standing(same) || hasLines(versions, note.text)) return []
    return [{ raw: changeRecords(raw, (record) => ({ ...record, id })), note: { ...note, id } }]
  })
}

function isBetter(theirs: Note, ours: Note): boolean {
  const more = standing(theirs) - standing(ours)
  return more > 0 || (more === 0 && hasLines([theirs.text], ours.text) && !hasLines([ours.text], theirs.text))
}

function hasLines(texts: readonly string[], lines: string): boolean {
  return compareWithCopy(lines, texts).lost === 0
}

/** Not only a title, a comment, or bytes that are no text. */
function isWritten({ raw, note }: NoteBlock): boolean {
  return note !== null || (plainBlock(raw) !== '' && !isGarbled(raw))
}

/** Without titles and comments. */
export function plainBlock(raw: string): string {
  return raw
    .replace(/^# .*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
