/** Where a line of text is broken so that it fits the terminal. */
import { width } from '../../memory/commands/output.ts'

/** Below this a terminal has no room for words, and breaks them itself. */
const LEAST_COLUMNS = 20

/** [from, to) of each line; the space at a break belongs to none. A word that is longer than a line is broken inside. */
export function wrappedRanges(text: string, columns: number): [number, number][] {
  const most = Math.max(LEAST_COLUMNS, columns)
  const lines: [number, number][] = []
  let from = 0
  let taken = 0
  let space = -1
  let at = 0
  for (const character of text) {
    const wide = width(character)
    if (taken + wide > most && character !== ' ') {
      const to = space > from ? space : at
      lines.push([from, to])
      from = to === space ? to + 1 : to
      taken = width(text.slice(from, at))
      space = -1
    }
    if (character === ' ') space = at
    taken += wide
    at += character.length
  }
  if (from < text.length || lines.length === 0) lines.push([from, text.length])
  return lines
}
