/** The line that a hit is shown by: the part of its text where most of what was asked for stands, and where in it. */
import { textOnOneLine } from '../text/memory-words.ts'

export interface Match {
  /** In UTF-16 units. */
  from: number
  to: number
  /** What it matches: the same word twice counts once. */
  what: number
  /** Rare words weigh more. */
  weight: number
}

export interface Snippet {
  snippet: string
  /** [from, to) of what matched, in order, none overlapping. */
  marks: [number, number][]
}

/** Longer texts are looked at up to here: pasted logs. */
const MAX_TEXT = 60_000
const MORE = '…'
/** Of the room that is left, so much stands before the first match. */
const BEFORE = 0.35
/** A word met again says a little more. */
const AGAIN = 0.05

/** What is found in a concept stands line by line, its name first; on one line it takes signs to tell them apart. */
export function readable({ kind, text }: { kind: string; text: string }): string {
  if (kind !== 'concept') return text
  const [name = '', ...rest] = text.split('\n')
  return rest.length === 0 ? name : `${name}: ${rest.join(' · ')}`
}

/** `find` is asked for the matches in the text as it is shown: on one line, made harmless. */
export function snippetOf(text: string, find: (line: string) => readonly Match[], max: number): Snippet {
  const line = textOnOneLine(text.slice(0, MAX_TEXT))
  const matches = find(line)
    .filter(({ from, to }) => from < to)
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
  if (line.length <= max) return { snippet: line, marks: marksIn(matches, 0, line.length, 0) }
  const room = max - 2 * MORE.length
  const { from, to } = widen(line, bestPart(matches, room), room)
  const head = from > 0 ? MORE : ''
  const part = line.slice(from, to)
  const lead = part.length - part.trimStart().length
  const snippet = `${head}${part.trim()}${to < line.length ? MORE : ''}`
  const end = from + lead + part.trim().length
  return { snippet, marks: marksIn(matches, from + lead, end, head.length) }
}

/** The stretch with the weightiest matches that fits; the shortest, then the first of equals. */
function bestPart(matches: readonly Match[], room: number): { from: number; to: number } {
  let best = { from: 0, to: 0, worth: 0 }
  const counts = new Map<number, number>()
  let worth = 0
  let start = 0
  const drop = ({ what, weight }: Match): void => {
    const count = counts.get(what) ?? 0
    counts.set(what, count - 1)
    worth -= count === 1 ? weight : weight * AGAIN
  }
  for (const match of matches) {
    const count = counts.get(match.what) ?? 0
    counts.set(match.what, count + 1)
    worth += count === 0 ? match.weight : match.weight * AGAIN
    for (let first = matches[start]; first !== undefined && match.to - first.from > room; first = matches[start]) {
      drop(first)
      start++
    }
    const from = matches[start]?.from ?? match.from
    const to = Math.max(match.to, from)
    const isBetter = worth > best.worth + 1e-9 || (worth > best.worth - 1e-9 && to - from < best.to - best.from)
    if (start < matches.length && isBetter) best = { from, to, worth }
  }
  return best
}

/** As much around it as there is room for, cut where words end. */
function widen(line: string, part: { from: number; to: number }, room: number): { from: number; to: number } {
  const spare = Math.max(0, room - (part.to - part.from))
  let from = Math.max(0, part.from - Math.floor(spare * BEFORE))
  // What nearly begins at the beginning begins there.
  if (part.to <= room && from < room * 0.2) from = 0
  let to = Math.min(line.length, from + room)
  from = Math.max(0, Math.min(from, to - room))
  if (from > 0) from = wordStart(line, from, part.from)
  if (to < line.length) to = wordEnd(line, Math.max(part.to, from + 1), to)
  return { from, to }
}

/** The first border of words at or behind `from`, `last` at the latest; scripts without spaces are cut between characters. */
function wordStart(line: string, from: number, last: number): number {
  if (line[from - 1] === ' ') return from
  const space = line.indexOf(' ', from)
  if (space >= 0 && space < last) return space + 1
  let at = from
  while (at < last && (isInside(line, at) || isInWord(line, at))) at++
  return at
}

function wordEnd(line: string, first: number, to: number): number {
  if (line[to] === ' ') return to
  const space = line.lastIndexOf(' ', to)
  if (space > first) return space
  let at = to
  while (at > first && (isInside(line, at) || isInWord(line, at))) at--
  return at
}

/** Between two letters of a script with spaces. */
function isInWord(line: string, at: number): boolean {
  return /^[\w\u00c0-\u1fff]{2}$/.test(line.slice(at - 1, at + 1))
}

/** Between the halves of one character, or before something that belongs to the one before. */
function isInside(line: string, at: number): boolean {
  const unit = line.charCodeAt(at)
  return (
    (unit >= 0xdc00 && unit <= 0xdfff) || /^(?:\p{M}|\u200d)/u.test(line.slice(at, at + 2)) || line[at - 1] === '\u200d'
  )
}

/** Overlapping and touching ones are one mark. */
function marksIn(matches: readonly Match[], from: number, to: number, shift: number): [number, number][] {
  const marks: [number, number][] = []
  for (const match of matches) {
    if (match.from < from || match.to > to) continue
    const begin = match.from - from + shift
    const end = match.to - from + shift
    const last = marks.at(-1)
    if (last !== undefined && begin <= last[1]) last[1] = Math.max(last[1], end)
    else marks.push([begin, end])
  }
  return marks
}
