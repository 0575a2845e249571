/** A file of the memory put together again: an earlier copy of it, and what came since. */
import { formatConcepts, parseConcepts } from '../knowledge/concept.ts'
import { formatFacts, parseFacts } from '../knowledge/fact.ts'
import { withSalvagedConcepts, withSalvagedFacts } from '../knowledge/salvage.ts'
import { compareWithCopy, unfitFor } from '../memory/loss.ts'
import { type NoteBlock, parseMemory } from '../memory/note.ts'
import { joinStanding } from '../outgoing/standing-join.ts'
import { formatStanding, isBrokenStanding, parseStanding } from '../outgoing/standing-list.ts'
import { CONCEPTS_FILE, FACTS_FILE, MEMORY_FILE, STANDING_FILE } from '../platform/layout.ts'

/** Notes, facts, concepts, instructions and lines of both; of a file of another kind, or one that is garbled, the earlier text. */
export function rejoin(name: string, earlier: string, since: string): string {
  // A note that was added to what is garbled is a note all the same.
  if (name === MEMORY_FILE) return rejoinNotes(earlier, since)
  if (unfitFor(name, since, earlier) !== null) return earlier
  if (name === FACTS_FILE)
    return both(parseFacts(since), parseFacts(earlier), withSalvagedFacts, formatFacts) ?? earlier
  if (name === CONCEPTS_FILE)
    return both(parseConcepts(since), parseConcepts(earlier), withSalvagedConcepts, formatConcepts) ?? earlier
  if (name === STANDING_FILE && !isBrokenStanding(since))
    return formatStanding(joinStanding(parseStanding(since), parseStanding(earlier)))
  return /\.(?:md|jsonl)$/.test(name) ? rejoinLines(earlier, since) : earlier
}

function both<T>(
  since: T | null,
  earlier: T | null,
  join: (a: T, b: T) => T,
  format: (all: T) => string,
): string | null {
  return since === null || earlier === null ? null : format(join(since, earlier))
}

/** The earlier blocks in their order, each as it was unless it only grew; behind them those that are new. */
function rejoinNotes(earlier: string, since: string): string {
  const now = parseMemory(since)
  const kept = parseMemory(earlier).map((block) => {
    const same = block.note === null ? undefined : now.find(({ note }) => note?.id === block.note?.id)
    return same !== undefined && hasAllOf(same.raw, block.raw) ? same : block
  })
  const text = join(kept)
  const ids = new Set(kept.flatMap(({ note }) => note?.id ?? []))
  const isNew = ({ raw, note }: NoteBlock): boolean =>
    note === null ? raw.startsWith('## ') && !hasAllOf(text, raw) : !ids.has(note.id)
  return text + join(now.filter(isNew))
}

function join(blocks: readonly NoteBlock[]): string {
  return blocks.map(({ raw }) => (raw.endsWith('\n') ? raw : `${raw}\n\n`)).join('')
}

function rejoinLines(earlier: string, since: string): string {
  const news = since.split('\n').filter((line) => !holds(earlier, line))
  if (news.length === 0) return earlier
  return `${earlier}${earlier === '' || earlier.endsWith('\n') ? '' : '\n'}${news.join('\n')}\n`
}

/** Every line, or what is left of one that was cut. */
export function holds(text: string, lines: string): boolean {
  return lines.split('\n').every((line) => text.includes(line.trim()))
}

function hasAllOf(text: string, lines: string): boolean {
  return compareWithCopy(lines, [text]).lost === 0
}
