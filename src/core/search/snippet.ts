/** The line that shows a hit: the part of its text that matches the query best, with the positions of the matching words. */
import { visibleLine } from '../../kernel/text/memory-words.ts'

export interface Match {
  /** In UTF-16 units. */
  from: number
  to: number
  /** Which word matched: the same word counts once. */
  what: number
  /** Rare words weigh more. */
  weight: number
}

export interface Snippet {
  snippet: string
  /** [from, to) of the matches, in order, without overlap. */
  marks: [number, number][]
}

/** Only this much of a pasted log is searched. */
const MAX_TEXT = 60_000
const MORE = '…'
/** The share of the spare room that goes before the first match. */
const BEFORE = 0.35
/** The value of a word that has already matched. */
const AGAIN = 0.05

/** Puts a concept on one line: its name, then the rest. */
export function readable({ kind, text }: { kind: string; text: string }): string {
  if (kind !== 'concept') return text
  const [name = '', ...rest] = text.split('\n')
  return rest.length === 0 ? name : `${name}: ${rest.join(' · ')}`
}

/** `find` returns the matches in the text as shown: on one line, harmless. */
export function snippetOf(text: string, find: (line: string) => readonly Match[], max: number): Snippet {
  const line = visibleLine(text.slice(0, MAX_TEXT))
  const matches = find(line)
    .filter(({ from, to }) => from < to)
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
  if (line.length <= max) return { snippet: line, marks: marksIn(matches, 0, line.length, 0) }
  const room = max - 2 * MORE.length
  const { from, to } = widen(line, bestPart(matches, room), room)
  const head = from > 0 ? MORE : ''
  const part = line.slice(from, to)
  const start = from + part.length - part.trimStart().length
  const shown = part.trim()
  return {
    snippet: `${head}${shown}${to < line.length ? MORE : ''}`,
    marks: marksIn(matches, start, start + shown.length, head.length),
  }
}

/** The part with the weightiest matches that fits; of equals the shortest, then the first. */
function bestPart(matches: readonly Match[], room: number): { from: number; to: number } {
  let best = { from: 0, to: 0, worth: 0 }
  const counts = new Map<number, number>()
  let worth = 0
  let start = 0
  const change = ({ what, weight }: Match, by: 1 | -1): void => {
    const count = counts.get(what) ?? 0
    counts.set(what, count + by)
    worth += by * (count === (by === 1 ? 0 : 1) ? weight : weight * AGAIN)
  }
  for (const match of matches) {
    change(match, 1)
    for (let first = matches[start]; first !== undefined && match.to - first.from > room; first = matches[++start])
      change(first, -1)
    const from = matches[start]?.from ?? match.from
    const to = Math.max(match.to, from)
    const isBetter = worth > best.worth + 1e-9 || (worth > best.worth - 1e-9 && to - from < best.to - best.from)
    if (start < matches.length && isBetter) best = { from, to, worth }
  }
  return best
}

/** Extends the part into the spare room, cut between words. */
function widen(line: string, part: { from: number; to: number }, room: number): { from: number; to: number } {
  const spare = Math.max(0, room - (part.to - part.from))
  let from = Math.max(0, part.from - Math.floor(spare * BEFORE))
  // A part near the beginning starts there.
  if (part.to <= room && from < room * 0.2) from = 0
  const end = Math.min(line.length, from + room)
  from = Math.max(0, Math.min(from, end - room))
  while (from > 0 && from < part.from && isInWord(line, from)) from++
  const least = Math.max(part.to, from + 1)
  let to = end
  while (to < line.length && to > least && isInWord(line, to)) to--
  // A word that fills the room is cut between two characters.
  return { from, to: to === least && least < end / 2 ? end - (isInCharacter(line, end) ? 1 : 0) : to }
}

/** Between two letters of a script with spaces, or inside a character. */
function isInWord(line: string, at: number): boolean {
  return isInCharacter(line, at) || /^[^\s\u2e80-\ud7ff\uf900-\uffef]{2}$/.test(line.slice(at - 1, at + 1))
}

/** Between the halves of one character, or before a mark that belongs to the previous one. */
function isInCharacter(line: string, at: number): boolean {
  return /^(?:[\udc00-\udfff]|\p{M}|\u200d)/u.test(line.slice(at, at + 2)) || line[at - 1] === '\u200d'
}

/** Matches that overlap or touch become one mark. */
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
