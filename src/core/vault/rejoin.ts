/** How a file of the vault is merged with newer content of the same file. */
import { compareWithCopy, unfitFor } from '../../kernel/memory/loss.ts'
import { type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import { fileKindOf, joinLines } from '../files.ts'
import { formatConcepts, parseConcepts } from '../knowledge/concept.ts'
import { formatFacts, parseFacts } from '../knowledge/fact.ts'
import { withSalvagedConcepts, withSalvagedFacts } from '../knowledge/salvage.ts'

/**
 * A file of the copy at home, merged with newer content: notes, facts, concepts and lines of both. For other kinds of files, or if the
 * newer text is garbled, the earlier text.
 */
export function rejoin(name: string, earlier: string, since: string): string {
  const kind = fileKindOf(name)
  // A note that was added to a garbled file is still a note.
  if (kind === 'memory') return rejoinNotes(earlier, since)
  if (unfitFor(name, since, earlier) !== null) return earlier
  if (kind === 'facts') return both(parseFacts(since), parseFacts(earlier), withSalvagedFacts, formatFacts) ?? earlier
  if (kind === 'concepts')
    return both(parseConcepts(since), parseConcepts(earlier), withSalvagedConcepts, formatConcepts) ?? earlier
  return /\.(?:md|jsonl)$/.test(name) ? joinLines(earlier, withoutCutLine(since, earlier)) : earlier
}

function both<T>(
  since: T | null,
  earlier: T | null,
  join: (a: T, b: T) => T,
  format: (all: T) => string,
): string | null {
  return since === null || earlier === null ? null : format(join(since, earlier))
}

/** Drops a last line that is only the beginning of an earlier line. */
function withoutCutLine(text: string, earlier: string): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  return earlier.split('\n').some((line) => line.startsWith(end)) ? text.slice(0, text.length - end.length) : text
}

/** The earlier blocks in order, replaced only by a version that contains them; then the new ones. */
function rejoinNotes(earlier: string, since: string): string {
  const now = parseMemory(since)
  const kept = parseMemory(earlier).map((block) => {
    const same = block.note === null ? undefined : now.find(({ note }) => note?.id === block.note?.id)
    return same !== undefined && hasAllOf(same.raw, block.raw) ? same : block
  })
  const text = joinBlocks(kept)
  const ids = new Set(kept.flatMap(({ note }) => note?.id ?? []))
  const isNew = ({ raw, note }: NoteBlock): boolean =>
    note === null ? raw.startsWith('## ') && !hasAllOf(text, raw) : !ids.has(note.id)
  return text + joinBlocks(now.filter(isNew))
}

function joinBlocks(blocks: readonly NoteBlock[]): string {
  return blocks.map(({ raw }) => (raw.endsWith('\n') ? raw : `${raw}\n\n`)).join('')
}

function hasAllOf(text: string, lines: string): boolean {
  return compareWithCopy(lines, [text]).lost === 0
}

/** Every line, or the remains of a cut line. */
export function holds(text: string, lines: string): boolean {
  return lines.split('\n').every((line) => text.includes(line.trim()))
}
