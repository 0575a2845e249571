/** Room for lines: each part of a text has a share of it for certain, and what is left over goes round again. */

export interface RoomLine {
  text: string
  /** Why it is told; for the person who asks. */
  reason: string
  /** The same in less room; without it a line is told whole or not at all. */
  shorten?: (room: number) => string | null
  /** The entry that it tells of: `1a2b3c4d#5`. */
  about?: string
  /** Where it stands among the lines that are told; without it they stand by importance. */
  order?: number
}

export interface RoomPart {
  title: string
  /** Of all the room, 0 to 1. */
  share: number
  /** The most important first. */
  lines: readonly RoomLine[]
  /** Told up to the first line that does not fit; otherwise shorter lines behind it are tried. */
  isRunning?: true
  /** Put behind the last line when lines are missing. */
  more?: string
}

export interface Filled {
  title: string
  lines: RoomLine[]
}

/**
 * The lines of each part that fit; a part without lines has no title and is left out. First each takes whole lines within
 * its share, then each that has nothing yet its first line, then everything else in the order of parts.
 */
export function fill(parts: readonly RoomPart[], room: number): Filled[] {
  const takers = parts.map((part) => ({ part, taken: new Map<number, RoomLine>() }))
  let left = room
  const take = (part: RoomPart, taken: Map<number, RoomLine>, allowed: number): void => {
    left -= allowed - takeLines(part, taken, allowed)
  }
  for (const { part, taken } of takers) {
    const whole = { ...part, lines: part.lines.map(({ shorten: _, ...line }) => line) }
    take(whole, taken, Math.min(left, Math.floor(room * part.share)))
  }
  for (const { part, taken } of takers)
    if (taken.size === 0) take({ ...part, lines: part.lines.slice(0, 1) }, taken, left)
  for (const { part, taken } of takers) take(part, taken, left)
  return takers
    .filter(({ taken }) => taken.size > 0)
    .map(({ part, taken }) => ({ title: part.title, lines: inOrder(part, taken) }))
}

/** What the parts need as text, each line with its line break. */
export function lengthOfLines(filled: readonly Filled[]): number {
  return filled.reduce(
    (sum, { title, lines }) => sum + costOf(title) + lines.reduce((inner, { text }) => inner + costOf(text), 0),
    0,
  )
}

/** Gives back what is left of the room. */
function takeLines(part: RoomPart, taken: Map<number, RoomLine>, room: number): number {
  let left = room
  for (const [i, line] of part.lines.entries()) {
    const before = taken.get(i)
    if (before !== undefined && before.text !== line.text && part.isRunning) break
    if (before !== undefined) continue
    const title = taken.size === 0 ? costOf(part.title) + (part.more?.length ?? 0) : 0
    const fitting = fitted(line, left - title - 1)
    if (fitting === null && part.isRunning) break
    if (fitting === null) continue
    taken.set(i, fitting)
    left -= title + costOf(fitting.text)
    if (fitting.text !== line.text && part.isRunning) break
  }
  return left
}

function fitted(line: RoomLine, room: number): RoomLine | null {
  if (line.text.length <= room) return line
  const text = line.shorten?.(room) ?? null
  return text === null || text.length > room ? null : { ...line, text }
}

function inOrder(part: RoomPart, taken: ReadonlyMap<number, RoomLine>): RoomLine[] {
  const lines = part.lines.flatMap((_, i) => taken.get(i) ?? []).toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
  const { more } = part
  if (more === undefined || lines.length === part.lines.length) return lines
  return lines.map((line, i) => (i === lines.length - 1 ? { ...line, text: line.text + more } : line))
}

/** A part without a title costs nothing for it. */
function costOf(line: string): number {
  return line === '' ? 0 : line.length + 1
}
