/** Shortens a text: between two characters or behind a clause or word, with or without a mark that something is missing. */

/** At most `max` UTF-16 units. Never cuts a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** At most `max` UTF-16 units, including the ellipsis. */
export function cutMarked(text: string, max: number): string {
  return text.length <= max ? text : `${cut(text, max - 1)}…`
}

/** At most `max` characters: ends behind a clause or a word, with an ellipsis. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const room = text.slice(0, max - 1)
  const clause = Math.max(...[', ', '; ', ' – ', ' — ', ' - ', '、', '，'].map((mark) => room.lastIndexOf(mark)))
  const word = room.search(/\s\S*$/)
  const at = clause > max * 0.6 ? clause : word > max * 0.3 ? word : -1
  // One long word is cut between two graphemes.
  const end = at > 0 ? at : [...segments(room)].slice(0, -1).join('').length
  return `${closed(text.slice(0, end).replace(/[\s,;:–—-]+$/, ''))} …`
}

/** The segmenter is created only here: words of hundreds of characters are rare, and creating it costs more than a whole digest. */
function segments(text: string): string[] {
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

/** An unpaired backtick would turn the text behind it into code. */
function closed(text: string): string {
  const marks = text.split('`').length - 1
  return marks % 2 === 1 ? text.slice(0, text.lastIndexOf('`')).trimEnd() : text
}

/** Replaces control characters in typed text that a message repeats, so that it cannot move the cursor. */
export function shown(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�')
}

/** A text that neither opens nor closes a comment of ours. */
export function escapedComments(text: string): string {
  return text.replace(/<!--/g, '<! --').replace(/-->/g, '-- >')
}
