/** One line of text: without markdown, shortened at a boundary, joined with others. */

/** One line without markers of markdown; code between backticks stays as it is. */
export function plain(text: string): string {
  if (!/[`*_[\]<\s]/.test(text)) return text
  return text
    .replace(/\s+/g, ' ')
    .split(/(`[^`]+`)/)
    .map((part, i) => (i % 2 === 1 ? part : withoutMarkers(part)))
    .join('')
    .replace(/ {2,}/g, ' ')
    .trim()
    .replace(/^(?:\[[ xX]\]|\p{Extended_Pictographic}\ufe0f?) /u, '')
    .trim()
}

/** At most so many characters: ends behind a clause or a word, and says that it goes on. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const room = text.slice(0, max - 1)
  const clause = Math.max(...[', ', '; ', ' – ', ' — ', ' - ', '、', '，'].map((mark) => room.lastIndexOf(mark)))
  const word = room.search(/\s\S*$/)
  const at = clause > max * 0.6 ? clause : word > max * 0.3 ? word : -1
  // One long word: between two characters, not inside one.
  const end = at > 0 ? at : [...segments(room)].slice(0, -1).join('').length
  return `${closed(text.slice(0, end).replace(/[\s,;:–—-]+$/, ''))} …`
}

/** One after the other; what has no full stop of its own gets one, so that two do not run together. */
export function joined(sentences: readonly { text: string }[]): string {
  return sentences
    .map(({ text }, i) =>
      i < sentences.length - 1 && !/[.!?…。！？:;,]["'”’)\]`]*$|https?:\S+$/.test(text) ? `${text}.` : text,
    )
    .join(' ')
}

/** Made when it is needed: a word of hundreds of characters is rare, and making it costs more than a whole digest. */
function segments(text: string): string[] {
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

/** A backtick that lost its partner would turn what follows into code. */
function closed(text: string): string {
  const marks = text.split('`').length - 1
  return marks % 2 === 1 ? text.slice(0, text.lastIndexOf('`')).trimEnd() : text
}

function withoutMarkers(text: string): string {
  return text
    .replace(/!\[[^[\]\n]{0,300}\]\([^)\n]{0,1000}\)/g, '')
    .replace(/\[([^[\]\n]{1,300})\]\((?:[^()\n]|\([^()\n]{0,300}\)){0,1000}\)/g, '$1')
    .replace(/\*\*/g, '')
    .replace(/(^|\s)__(\S[^_\n]{0,300} [^_\n]{0,300}\S)__(?=\s|$|[.,;:!?)])/g, '$1$2')
    .replace(/(^|[\s(])\*(\S(?:[^*\n]{0,300}\S)?)\*(?=$|[\s).,;:!?])/g, '$1$2')
    .replace(/^\s*<[a-z][\w-]{0,30}>\s*|\s*<\/[a-z][\w-]{0,30}>\s*$/gi, '')
}
