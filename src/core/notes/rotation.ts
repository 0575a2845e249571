/** Rotation: a full memory.md becomes an archive; the newest notes stay behind as carryover. */
import { earlierSectionsIn, earlierTitle } from '../../kernel/memory/earlier-sections.ts'
import { type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import type { Config } from '../../kernel/platform/config.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'

export interface RotationLimits {
  /** Above this many tokens memory.md is full. */
  fullTokens: number
  carryoverTokens: number
}

export interface Rotation {
  archive: string
  memory: string
  /** The tokens of the archive. */
  tokens: number
}

/** The newest note may take this share of a memory that has just rotated. */
const NEWEST_SHARE = 0.9

export function rotationLimits(
  config: Pick<Config, 'rotationThresholdTokens' | 'rotationSafetyMargin' | 'carryoverTokens'>,
): RotationLimits {
  const share = 1 - config.rotationSafetyMargin
  return {
    fullTokens: Math.floor(config.rotationThresholdTokens * share),
    carryoverTokens: Math.floor(config.carryoverTokens * share),
  }
}

/** Null: there is room left. Every note ends up in exactly one of the two files. */
export function planRotation(memory: string, limits: RotationLimits): Rotation | null {
  if (estimateTokens(memory) <= limits.fullTokens) return null
  const { preamble, notes } = splitMemory(memory)
  const kept = notes.length - carriedOver(notes, limits)
  if (kept === 0) return null
  const moved = notes.slice(0, kept)
  const sections = earlierSectionsIn([{ raw: preamble, note: null }, ...notes])
  // By the title the sections of v3 and v4 are known, also where their names are translated.
  const title = moved.some((block) => sections.has(block)) ? earlierTitle(preamble) : ''
  const archive = title + join(moved)
  return { archive, memory: preamble + join(notes.slice(kept)), tokens: estimateTokens(archive) }
}

/** memory.md without what an archive contains word for word: completes a killed rotation. What was edited since: `withoutDoubles`. */
export function withoutSame(memory: string, archive: string): string {
  const raws = new Set(parseMemory(archive).map(({ raw }) => raw.trim()))
  const { preamble, notes } = splitMemory(withoutCarried(memory, archive))
  return preamble + join(notes.filter(({ raw }) => !raws.has(raw.trim())))
}

/** Long enough to occur once; a rotation leaves more than this. */
const CARRIED_CHARS = 40

/** memory.md without the end of an archive with which it begins: the rotation of earlier versions leaves it in both, cut anywhere. */
export function withoutCarried(memory: string, archive: string): string {
  const head = memory.length - memory.trimStart().length
  const body = memory.slice(head)
  const end = archive.trimEnd()
  const start = body.slice(0, CARRIED_CHARS)
  if (start.length < CARRIED_CHARS) return memory
  // A whole archive is no rest: a killed rotation of ours left the notes in both.
  for (let at = end.indexOf(start, 1); at >= 0; at = end.indexOf(start, at + 1))
    if (body.startsWith(end.slice(at))) return body.slice(end.length - at).trimStart()
  return memory
}

/** The same for an older copy of memory.md: a note that is in an archive was edited there, if at all. */
export function withoutArchived(copy: string, archive: string): string {
  const ids = new Set(parseMemory(archive).flatMap(({ note }) => note?.id ?? []))
  const { preamble, notes } = splitMemory(withoutSame(copy, archive))
  return preamble + join(notes.filter(({ note }) => !ids.has(note?.id ?? '')))
}

/** How many of the newest notes stay: as many as fit, and at least the newest one if it leaves room. */
function carriedOver(notes: readonly NoteBlock[], { fullTokens, carryoverTokens }: RotationLimits): number {
  if (carryoverTokens === 0) return 0
  // Whatever the setting: half of the room must become free, or the next note rotates again.
  const most = Math.min(carryoverTokens, fullTokens / 2)
  let count = 0
  let tokens = 0
  for (const { raw } of notes.toReversed()) {
    tokens += estimateTokens(raw)
    // The newest note stays if there is room for it at all: a memory without notes is useless.
    if (tokens > (count === 0 ? fullTokens * NEWEST_SHARE : most)) break
    count++
  }
  return Math.min(count, notes.length - 1)
}

/** A longer text above the notes does not count as a heading: it moves into the archive once, instead of staying forever. */
const MAX_HEADING_TOKENS = 300

/** The text above the first note is the file's own heading, not a note. */
function splitMemory(memory: string): { preamble: string; notes: NoteBlock[] } {
  const blocks = parseMemory(memory)
  const [first, ...rest] = blocks
  const isHeading = first !== undefined && !first.raw.startsWith('## ')
  return isHeading && estimateTokens(first.raw) <= MAX_HEADING_TOKENS
    ? { preamble: first.raw, notes: rest }
    : { preamble: '', notes: blocks }
}

function join(blocks: readonly NoteBlock[]): string {
  return blocks.map(({ raw }) => raw).join('')
}
