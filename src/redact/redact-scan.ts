/** One pass over a text for the beginnings of many words at once, and the text with a marker in place of each secret. */

export interface Span {
  start: number
  end: number
  kind: string
}

const MARKER_HINT = /\[redacted:|\[private\]/
const MARKER = /\[redacted:[\w-]{1,40}\]|\[private\]/g

interface Ranked extends Span {
  rank: number
}

/** Spans that overlap become one. The kind is that of the one found first: the order of the array. */
export function replaceSpans(text: string, spans: readonly Span[]): { text: string; count: number } {
  if (spans.length === 0) return { text, count: 0 }
  const sorted = spans.map((span, rank) => ({ ...span, rank })).sort((a, b) => a.start - b.start)
  const merged = mergeSpans(withoutMarkers(text, sorted))
  let kept = ''
  let from = 0
  for (const { start, end, kind } of merged) {
    kept += `${text.slice(from, start)}[redacted:${kind}]`
    from = end
  }
  return { text: kept + text.slice(from), count: merged.length }
}

function mergeSpans(sorted: readonly Ranked[]): Ranked[] {
  const merged: Ranked[] = []
  for (const span of sorted) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) {
      merged.push({ ...span })
      continue
    }
    last.end = Math.max(last.end, span.end)
    if (span.rank > last.rank) continue
    last.kind = span.kind
    last.rank = span.rank
  }
  return merged
}

/** A span that touches a marker of an earlier pass is left out, or a second pass would change the text. A key goes whole. */
function withoutMarkers(text: string, sorted: readonly Ranked[]): readonly Ranked[] {
  if (!MARKER_HINT.test(text)) return sorted
  const markers = [...text.matchAll(MARKER)].map((marker) => ({
    from: marker.index,
    to: marker.index + marker[0].length,
  }))
  let first = 0
  return sorted.filter((span) => {
    while (first < markers.length && (markers[first]?.to ?? 0) <= span.start) first++
    for (let index = first; index < markers.length; index++) {
      const { from, to } = markers[index] ?? { from: span.end, to: span.end }
      if (from >= span.end) return true
      if (span.kind !== 'private-key' || from < span.start || to >= span.end) return false
    }
    return true
  })
}

/** What is known while a text is searched. */
export interface Search {
  text: string
  spans: Span[]
  /** Found by what stands beside them. A span of `spans` that overlaps one of these gives the kind. */
  beside: Span[]
  tokenEnd: number
  nameEnd: number
  /** Up to where a rule of this name has read the text. */
  ends?: Map<string, number>
}

/** What is done where a word begins. */
export type Visit = (search: Search, start: number) => void

export interface WordIndex {
  /** A bit for the first three characters of each word, six bits of each character. */
  bits: Uint8Array
  /** The number of the bucket of such a beginning; the same for the first two characters where the second is wide. */
  starts: Uint16Array
  pairs: Uint16Array
  buckets: { word: string; visit: Visit }[][]
  /** For each bucket, which fourth characters its words have: a bit for each, in two numbers. */
  fourths: Int32Array
}

const TRIGRAM_BITS = 0x3ffff
const TABLE_BITS = 0x7fff
const MOST_BUCKETS = 2048
/** From here on two characters of a word are enough to look for it: Chinese, Japanese, Korean. */
const WIDE = 0x2e80

/** The words are in small letters; `_` stands for a blank, a hyphen or an underscore, not among the first three characters. */
export function indexWords(words: Iterable<readonly [word: string, visit: Visit]>): WordIndex {
  const index: WordIndex = {
    bits: new Uint8Array((TRIGRAM_BITS + 1) / 8),
    starts: new Uint16Array(TABLE_BITS + 1),
    pairs: new Uint16Array(TABLE_BITS + 1),
    buckets: [[]],
    fourths: new Int32Array(2 * MOST_BUCKETS),
  }
  for (const [word, visit] of words) {
    const isPair = word.length < 3 || word.charCodeAt(0) >= WIDE
    const trigram = [0, 1, 2].reduce((bits, at) => (bits << 6) | sixBits(word.charCodeAt(at)), 0)
    if (!isPair) index.bits[trigram >> 3] = (index.bits[trigram >> 3] ?? 0) | (1 << (trigram & 7))
    const table = isPair ? index.pairs : index.starts
    const place = isPair ? pairPlace(word.charCodeAt(0), word.charCodeAt(1)) : trigramPlace(trigram)
    const bucket = table[place] || index.buckets.push([]) - 1
    table[place] = bucket
    index.buckets[bucket]?.push({ word, visit })
    addFourth(index.fourths, bucket, isPair ? '' : word.charAt(3))
  }
  for (const bucket of index.buckets) bucket.sort((a, b) => b.word.length - a.word.length)
  return index
}

/** The same for a capital and its small letter. */
function sixBits(code: number): number {
  return (code & 31) | ((code & 64) >> 1)
}

function trigramPlace(trigram: number): number {
  return (trigram ^ (trigram >> 5)) & TABLE_BITS
}

function pairPlace(first: number, second: number): number {
  return ((first << 5) ^ second) & TABLE_BITS
}

/** A word of three characters has none: any may follow. */
function addFourth(fourths: Int32Array, bucket: number, fourth: string): void {
  if (fourth === '') fourths.fill(-1, 2 * bucket, 2 * bucket + 2)
  for (const character of fourth === '_' ? '_- ' : fourth) {
    const bits = sixBits(character.charCodeAt(0))
    const place = 2 * bucket + (bits >> 5)
    fourths[place] = (fourths[place] ?? 0) | (1 << (bits & 31))
  }
}

/** Visits each word, whatever its case, the longest first where several begin. */
export function scanWords(search: Search, index: WordIndex): void {
  const { text } = search
  for (let at = nextBeginning(text, 0, index); at < text.length; at = nextBeginning(text, at + 1, index)) {
    const second = text.charCodeAt(at + 1)
    if (second >= WIDE) visitAll(search, at, index.buckets[index.pairs[pairPlace(text.charCodeAt(at), second)] ?? 0])
    const trigram = (sixBits(text.charCodeAt(at)) << 12) | (sixBits(second) << 6) | sixBits(text.charCodeAt(at + 2))
    visitAll(search, at, index.buckets[index.starts[trigramPlace(trigram)] ?? 0])
  }
}

/** The next place where a word may begin, or the length of the text. It runs over every character: no calls, no objects. */
function nextBeginning(text: string, from: number, { bits, starts, pairs, fourths }: WordIndex): number {
  const { length } = text
  if (from >= length) return length
  let before = text.charCodeAt(from)
  let trigram = (before & 31) | ((before & 64) >> 1)
  for (let i = from + 1; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code >= WIDE && pairs[((before << 5) ^ code) & TABLE_BITS] !== 0) return i - 1
    trigram = ((trigram << 6) | (code & 31) | ((code & 64) >> 1)) & TRIGRAM_BITS
    before = code
    if ((((bits[trigram >> 3] as number) >> (trigram & 7)) & 1) === 0 || i === from + 1) continue
    if (i + 1 >= length) return i - 2
    const next = text.charCodeAt(i + 1)
    const bucket = starts[(trigram ^ (trigram >> 5)) & TABLE_BITS] as number
    if ((((fourths[2 * bucket + ((next >> 6) & 1)] as number) >> (next & 31)) & 1) === 1) return i - 2
  }
  return length
}

function visitAll(search: Search, start: number, bucket: WordIndex['buckets'][number] = []): void {
  for (const { word, visit } of bucket) if (isAt(search.text, start, word)) visit(search, start)
}

function isAt(text: string, start: number, word: string): boolean {
  if (start + word.length > text.length) return false
  for (let i = 0; i < word.length; i++) {
    let code = text.charCodeAt(start + i)
    if (code >= 65 && code <= 90) code |= 32
    const wanted = word.charCodeAt(i)
    if (code !== wanted && !(wanted === 95 && (code === 32 || code === 45))) return false
  }
  return true
}

/** Runs a rule once for what it reads: `read` returns the place up to which it read. */
export function onceBehind(search: Search, rule: string, start: number, read: () => number): void {
  search.ends ??= new Map()
  if (start >= (search.ends.get(rule) ?? 0)) search.ends.set(rule, read())
}
