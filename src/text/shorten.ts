/** Fewer characters: cut between two characters, with or without a mark that something is missing. */

/** At most `max` UTF-16 units, never half a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** At most `max` UTF-16 units, the mark included. */
export function cutMarked(text: string, max: number): string {
  return text.length <= max ? text : `${cut(text, max - 1)}…`
}
