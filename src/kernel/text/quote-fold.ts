/** Finds quotes in texts word for word, ignoring spaces, typographic characters and markdown marks. */

export interface Folded {
  text: string
  /** The index of each folded character in the original text. */
  at: number[]
}

interface Span {
  from: number
  to: number
}

/** A part of a quote with an ellipsis must be at least this long: a shorter one matches by chance. */
const MIN_PART = 12
/** At most this many characters may be omitted between two parts of a quote. */
const MAX_LEFT_OUT = 400
const SIGNS = new Map(
  Object.entries({ "'": '‘’‚‛ʼ', '"': '“”„‟«»', '-': '‐‑‒–—―−', '<': '‹' }).flatMap(([plain, signs]) =>
    [...signs].map((sign) => [sign, plain] as const),
  ),
)
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/
const SPACE = /\s/
/** Characters that a quote may have lost or gained at its end. */
const TRAILING = /[\s.,;:!?…。！？，、"')\]]+$/u
const ELLIPSIS = /\s*(?:\[\s*(?:…|\.{3,})\s*\]|\(\s*(?:…|\.{3,})\s*\)|…|\.{3,})\s*/

/** Normalises spaces, typographic characters and markdown marks; everything else stays. */
export function fold(text: string): Folded {
  const at: number[] = []
  let folded = ''
  let blank = -1
  const isMark = marksIn(text)
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? ''
    if (isPlain(text.charCodeAt(i)) && blank < 0) {
      folded += char
      at.push(i)
      continue
    }
    if (isMark(i) || INVISIBLE.test(char)) continue
    if (SPACE.test(char)) {
      if (blank < 0) blank = i
      continue
    }
    if (blank >= 0 && folded !== '') {
      folded += ' '
      at.push(blank)
    }
    blank = -1
    folded += SIGNS.get(char) ?? char
    at.push(i)
  }
  return { text: folded, at }
}

/** A fast path: most characters are letters and digits that folding does not change. */
function isPlain(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
  return (code >= 0xac00 && code <= 0xd7a3) || (code >= 0x4e00 && code <= 0x9fff)
}

/** Returns the position of the quote in the original text. Null: it does not occur, or only inside other words. */
export function findFolded(text: Folded, quote: string): Span | null {
  for (const wanted of readingsOf(fold(quote).text)) {
    const found = findPart(text.text, wanted, 0)
    if (found !== null) return placeIn(text, found)
  }
  const parts = fold(quote)
    .text.split(ELLIPSIS)
    .filter((part) => part !== '')
  if (parts.length < 2 || parts.some((part) => part.length < MIN_PART)) return null
  const found = findParts(text.text, parts)
  return found === null ? null : placeIn(text, found)
}

const MARKS = /[`*_\u00ad\u200b-\u200f\u2060\ufeff]/g

/** A cheap check before `findFolded`: most texts do not contain the quote. False is always right, true may be wrong. */
export function mayHold(text: string, quote: string): boolean {
  const bare = text.replace(MARKS, '')
  // Skips the first letter of each word: its case may differ.
  const words = quote.replace(MARKS, '').match(/(?<=[\p{L}\p{N}])[\p{L}\p{N}]+/gu) ?? []
  return words.every((word) => bare.includes(word))
}

/** Matches `**`, backticks, and a star or underscores at the edge of a word, but not inside a pattern or a formula. Must be called from left to right. */
function marksIn(text: string): (i: number) => boolean {
  // Caches the current run of underscores: a line of thousands of them is measured once.
  let run = { to: 0, isWithin: false }
  const isWithin = (i: number): boolean => {
    if (i >= run.to) run = underscoresFrom(text, i)
    return run.isWithin
  }
  return (i) => {
    const char = text[i]
    if (char === '`') return true
    if (char !== '*' && char !== '_') return false
    if (text[i - 1] === char || text[i + 1] === char) return char === '*' || !isWithin(i)
    return char === '*' && isEdge(text[i - 1]) !== isEdge(text[i + 1])
  }
}

/** `isWithin`: the underscores are inside a name, as in `a__b`. */
function underscoresFrom(text: string, from: number): { to: number; isWithin: boolean } {
  let to = from
  while (text[to] === '_') to++
  return { to, isWithin: !isEdge(text[from - 1]) && !isEdge(text[to]) }
}

function isEdge(char: string | undefined): boolean {
  return char === undefined || /[\s.,;:!?()"'“”‘’]/.test(char)
}

/** The quote as it is, without surrounding quotation marks, and without leading or trailing punctuation. */
function readingsOf(quote: string): string[] {
  const bare = quote.replace(/^["'](.*)["']$/su, '$1').trim()
  const cut = bare.replace(/^(?:…|\.{3,})\s*/, '').replace(TRAILING, '')
  return [...new Set([quote, bare, cut])].filter((one) => one !== '')
}

/** Finds all parts in order, with the shortest distance from the first to the last. */
function findParts(text: string, parts: readonly string[]): Span | null {
  const [first = '', ...rest] = parts
  let best: Span | null = null
  for (let start = findPart(text, first, 0); start !== null; start = findPart(text, first, start.from + 1)) {
    const end = endOfParts(text, start.to, rest)
    if (end !== null && (best === null || end - start.from < best.to - best.from)) best = { from: start.from, to: end }
  }
  return best
}

function endOfParts(text: string, from: number, parts: readonly string[]): number | null {
  let end = from
  for (const part of parts) {
    // Includes one more character at either end, to see whether a word is cut.
    const near = text.slice(end - 1, end + MAX_LEFT_OUT + part.length + 1)
    const found = findPart(near, part, 1) ?? findPart(near, part.replace(TRAILING, ''), 1)
    if (found === null) return null
    end += found.to - 1
  }
  return end
}

/** The case of the first letter may differ. */
function findPart(text: string, part: string, from: number): Span | null {
  if (part === '') return null
  const other = otherCase(part)
  const [one, two] = [findWhole(text, part, from), other === part ? -1 : findWhole(text, other, from)]
  const start = one < 0 ? two : two < 0 ? one : Math.min(one, two)
  return start < 0 ? null : { from: start, to: start + part.length }
}

function otherCase(part: string): string {
  const first = part[0] ?? ''
  const [upper, lower] = [first.toUpperCase(), first.toLowerCase()]
  const changed = first === upper ? lower : upper
  return changed.length === 1 ? changed + part.slice(1) : part
}

/** Does not match inside other words: "unsafe to use" does not contain "safe to use". */
function findWhole(text: string, part: string, from: number): number {
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1))
    if (!isCutBefore(text, at) && !isCutAfter(text, at + part.length)) return at
  return -1
}

/** Korean words are negated by a prefix, and particles follow them: only the beginning of a word must match. */
function isCutBefore(text: string, at: number): boolean {
  const [before, first] = [text[at - 1] ?? '', text[at] ?? '']
  return (isWordChar(before) && isWordChar(first)) || (isHangul(before) && isHangul(first))
}

function isCutAfter(text: string, end: number): boolean {
  return isWordChar(text[end - 1] ?? '') && isWordChar(text[end] ?? '')
}

/** A character of a script that separates words by spaces. */
function isWordChar(char: string): boolean {
  return (
    /[\p{L}\p{N}_]/u.test(char) && !/[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(char)
  )
}

function isHangul(char: string): boolean {
  return /[\uac00-\ud7af]/.test(char)
}

function placeIn({ at }: Folded, { from, to }: Span): Span {
  return { from: at[from] ?? 0, to: (at[to - 1] ?? 0) + 1 }
}
