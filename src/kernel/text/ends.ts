/** Shortens a text with line breaks: keeps its beginning, its end, or both, on whole lines if these fill most of the room, else on whole words. */

import { headingOn } from './headings.ts'
import { cut } from './shorten.ts'

/** A line of its own where text was left out. */
export const GAP_MARK = '[…]'

/** At most `head` characters from the beginning and `tail` from the end, with a mark between them if anything is left out. */
export function bothEnds(text: string, head: number, tail: number): string {
  if (text.length <= head + GAP_MARK.length + tail) return text
  return `${headWithin(text, head)}\n${GAP_MARK}\n${tailWithin(text, tail)}`.trim()
}

/** Of a text whose middle was left out: the mark and the end; otherwise all of it. */
export function fromGap(text: string): string {
  return text.slice(text.indexOf(`\n${GAP_MARK}\n`) + 1)
}

/** At most `room` characters from the beginning; an ellipsis where the last line is not whole. */
export function headWithin(text: string, room: number): string {
  if (text.length <= room) return text
  if (text[room] === '\n') return text.slice(0, room).trimEnd()
  const head = cut(text, Math.max(0, room - 2))
  const line = head.lastIndexOf('\n')
  if (line * 2 >= room) return head.slice(0, line).trimEnd()
  const word = head.search(/\s\S*$/)
  return `${head.slice(0, word * 2 >= room ? word : head.length).trimEnd()} …`
}

/** At most `room` characters from the end; an ellipsis where the first line is not whole. */
export function tailWithin(text: string, room: number): string {
  if (text.length <= room) return text
  if (text[text.length - room - 1] === '\n') return text.slice(-room).trimStart()
  const tail = text.slice(text.length - Math.max(0, room - 2)).replace(/^[\udc00-\udfff]/, '')
  const line = tail.indexOf('\n')
  if (line >= 0 && line * 2 <= room) return tail.slice(line + 1).trimStart()
  const word = tail.search(/\s/)
  return `… ${tail.slice(word >= 0 && word * 2 <= room ? word : 0).trimStart()}`
}

/** Of the room for an excerpt: its beginning, its headings, and what is left for its end. */
const EXCERPT = { head: 0.45, headings: 0.2 }

/** What a long text begins and ends with, and the headings of what is left out between. */
export function reportExcerpt(text: string, room: number): string {
  if (text.length <= room) return text
  const head = headWithin(text, Math.round(room * EXCERPT.head))
  const rest = text.slice(head.length)
  const tail = tailWithin(rest, room - head.length - Math.round(room * EXCERPT.headings))
  const between = rest.slice(0, rest.length - tail.length).split('\n')
  const headings = headWithin(
    between.filter((line) => headingOn(line) !== undefined).join('\n'),
    room - head.length - tail.length,
  )
  return [head, GAP_MARK, ...(headings === '' ? [] : [headings, GAP_MARK]), tail].join('\n')
}
