/** Shortens a text with line breaks: keeps its beginning, its end, or both, on whole lines if these fill most of the room, else on whole words. */

import { cut } from './shorten.ts'

/** A line of its own where text was left out. */
export const GAP_MARK = '[…]'

/** At most `head` characters from the beginning and `tail` from the end, with a mark between them if anything is left out. */
export function bothEnds(text: string, head: number, tail: number): string {
  if (text.length <= head + GAP_MARK.length + tail) return text
  return `${headWithin(text, head)}\n${GAP_MARK}\n${tailWithin(text, tail)}`.trim()
}

/** At most `room` characters from the beginning. */
export function headWithin(text: string, room: number): string {
  if (text.length <= room) return text
  const head = cut(text, room)
  const next = text[head.length] ?? ''
  if (next.trim() === '') return head.trimEnd()
  const line = head.lastIndexOf('\n')
  const word = head.search(/\s\S*$/)
  const end = line * 2 >= room ? line : word * 2 >= room ? word : head.length
  return head.slice(0, end).trimEnd()
}

/** At most `room` characters from the end. */
export function tailWithin(text: string, room: number): string {
  if (text.length <= room) return text
  const tail = text.slice(-room).replace(/^[\udc00-\udfff]/, '')
  if (text.at(-room - 1) === '\n') return tail
  const line = tail.indexOf('\n')
  const word = tail.search(/\s/)
  const from = line >= 0 && line * 2 <= room ? line : word >= 0 && word * 2 <= room ? word : 0
  return tail.slice(from).trimStart()
}
