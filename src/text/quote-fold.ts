/** Quotes and the texts they are from on common ground: blanks, typographic signs and marks of markdown do not count, words do. */

export interface Folded {
  text: string
  /** Where each of its characters stands in the text it was made of. */
  at: number[]
}

interface Span {
  from: number
  to: number
}

/** A shorter part of a quote with words left out proves nothing. */
const MIN_PART = 12
/** What may be left out between two parts: they are about one thing. */
const MAX_LEFT_OUT = 400
const SIGNS = new Map(
  Object.entries({ "'": '‘’‚‛ʼ', '"': '“”„‟«»', '-': '‐‑‒–—―−' }).flatMap(([plain, signs]) =>
    [...signs].map((sign) => [sign, plain] as const),
  ),
)
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/
const SPACE = /\s/
/** What a quote may have lost or gained at its end. */
const TRAILING = /[\s.,;:!?…。！？，、"')\]]+$/u
const ELLIPSIS = /\s*(?:\[\s*(?:…|\.{3,})\s*\]|\(\s*(?:…|\.{3,})\s*\)|…|\.{3,})\s*/

/** Word for word but for blanks, typographic signs and marks. */
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

/** Most characters are letters that stand for themselves. */
function isPlain(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
  return (code >= 0xac00 && code <= 0xd7a3) || (code >= 0x4e00 && code <= 0x9fff)
}

/** Where the quote stands in the text, in places of the text itself; null: nowhere, or only as part of other words. */
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

/** Cheap, and never wrong when it says no: most texts do not hold the quote. */
export function mayHold(text: string, quote: string): boolean {
  const bare = text.replace(MARKS, '')
  // Without first letters: they may be capitals in one and small in the other.
  const words = quote.replace(MARKS, '').match(/(?<=[\p{L}\p{N}])[\p{L}\p{N}]+/gu) ?? []
  return words.every((word) => bare.includes(word))
}

/** `**`, backticks, and a star or underscores at the edge of a word; not those within a pattern or a sum. Asked from left to right. */
function marksIn(text: string): (i: number) => boolean {
  // A line of thousands of underscores is measured once.
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

/** Two underscores inside a name: `a__b`. */
function underscoresFrom(text: string, from: number): { to: number; isWithin: boolean } {
  let to = from
  while (text[to] === '_') to++
  return { to, isWithin: !isEdge(text[from - 1]) && !isEdge(text[to]) }
}

function isEdge(char: string | undefined): boolean {
  return char === undefined || /[\s.,;:!?()"'“”‘’]/.test(char)
}

/** As it is, without quotation marks around it, without what its end may have gained. */
function readingsOf(quote: string): string[] {
  const bare = quote.replace(/^["'](.*)["']$/su, '$1').trim()
  const cut = bare.replace(/^(?:…|\.{3,})\s*/, '').replace(TRAILING, '')
  return [...new Set([quote, bare, cut])].filter((one) => one !== '')
}

/** All parts in their order, with as little as possible between them. */
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
    // One character more at either end, which says whether a word is cut.
    const near = text.slice(end - 1, end + MAX_LEFT_OUT + part.length + 1)
    const found = findPart(near, part, 1) ?? findPart(near, part.replace(TRAILING, ''), 1)
    if (found === null) return null
    end += found.to - 1
  }
  return end
}

/** The first letter may be a capital in one and a small one in the other. */
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

/** Not inside other words: "safe to use" is not what "unsafe to use" says. */
function findWhole(text: string, part: string, from: number): number {
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1))
    if (!isCutBefore(text, at) && !isCutAfter(text, at + part.length)) return at
  return -1
}

/** Korean words take what negates them in front and what relates them behind. */
function isCutBefore(text: string, at: number): boolean {
  const [before, first] = [text[at - 1] ?? '', text[at] ?? '']
  return (isWordChar(before) && isWordChar(first)) || (isHangul(before) && isHangul(first))
}

function isCutAfter(text: string, end: number): boolean {
  return isWordChar(text[end - 1] ?? '') && isWordChar(text[end] ?? '')
}

/** Of scripts whose words stand apart. */
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
